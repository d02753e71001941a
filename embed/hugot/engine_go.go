//go:build !ORT && !ALL

package hugot

import (
	"path/filepath"
	"strconv"

	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
)

const (
	engineName   = "gomlx"
	hugotBackend = "GO"
)

func loadModel(s *settings, data []byte, _ *Options) (*backends.Model, error) {
	o := options.Defaults()
	o.Backend = hugotBackend
	// hugot looks for external weights beside this path.
	m := &backends.Model{Path: filepath.Dir(s.onnx), OnnxBytes: data, Pipelines: map[string]backends.Pipeline{}}
	if err := backends.CreateModelBackend(m, o); err != nil {
		return nil, err
	}
	// Axes that share a name must have one length, but many files give batch
	// and sequence the same name, or none. All inputs have the same two axes.
	for _, shape := range m.GoMLXModel.OnnxModel.InputsShapes {
		for axis := range shape.Names {
			shape.Names[axis] = "axis " + strconv.Itoa(axis)
		}
	}
	return m, nil
}
