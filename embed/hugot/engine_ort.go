//go:build ORT || ALL

package hugot

import (
	"fmt"
	"path/filepath"

	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/options"
	ort "github.com/yalue/onnxruntime_go"
)

const (
	engineName   = "onnxruntime"
	hugotBackend = "ORT"
)

// loadModel starts ONNX Runtime, of which a process has one, with the first
// model. hugot changes the working directory of the process for a moment.
func loadModel(s *settings, data []byte, own *Options) (*backends.Model, error) {
	o := options.Defaults()
	o.Backend = hugotBackend
	if !ort.IsInitialized() {
		library := own.Runtime
		if library == "" {
			library = *o.ORTOptions.LibraryPath
		}
		ort.SetSharedLibraryPath(library)
		if err := ort.InitializeEnvironment(); err != nil {
			return nil, fmt.Errorf("start ONNX Runtime from %s: %w", library, err)
		}
		if err := ort.DisableTelemetry(); err != nil {
			return nil, err
		}
	}
	session, err := ort.NewSessionOptions()
	if err != nil {
		return nil, err
	}
	o.BackendOptions = session
	m := &backends.Model{Path: filepath.Dir(s.onnx), OnnxBytes: data, Pipelines: map[string]backends.Pipeline{}}
	if err := backends.CreateModelBackend(m, o); err != nil {
		return nil, err
	}
	return m, nil
}
