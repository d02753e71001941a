// Hugot is hugot's Go backend as bench/peers/run.py wants an engine; the
// protocol stands in bench/peers/engine.py. It takes the file of texts and a
// folder with the ONNX model. The ids go in as they are: hugot's tokenizer is
// left out.
package main

import (
	"bufio"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"runtime/debug"
	"syscall"
	"time"

	"github.com/knights-analytics/hugot"
	"github.com/knights-analytics/hugot/backends"
	"github.com/knights-analytics/hugot/pipelines"
)

type entry struct {
	IDs []uint32 `json:"ids"`
}

type request struct {
	Op      string  `json:"op"`
	Length  int     `json:"length"`
	Texts   int     `json:"texts"`
	Batch   int     `json:"batch"`
	Seconds float64 `json:"seconds"`
}

func main() {
	if err := run(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run() (err error) {
	// One thread, as the others have. The collector would need another.
	runtime.GOMAXPROCS(1)
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var pools map[int][]entry
	if err := json.Unmarshal(data, &pools); err != nil {
		return err
	}
	session, err := hugot.NewGoSession()
	if err != nil {
		return err
	}
	p, err := hugot.NewPipeline(session, hugot.FeatureExtractionConfig{
		ModelPath: os.Args[2],
		Name:      "peer",
		Options:   []hugot.FeatureExtractionOption{pipelines.WithNormalization()},
	})
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	if err := out.Encode(map[string]any{"version": "hugot " + version() + ", Go backend"}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		answer, err := serve(p, pools[r.Length], r)
		if err != nil {
			return err
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func serve(p *pipelines.FeatureExtractionPipeline, pool []entry, r request) (any, error) {
	if r.Op == "embed" {
		var vectors [][]float32
		for _, e := range pool[:min(len(pool), r.Texts)] {
			v, err := embed(p, []entry{e})
			if err != nil {
				return nil, err
			}
			vectors = append(vectors, v...)
		}
		return map[string]any{"vectors": vectors}, nil
	}
	tokens, at := 0, 0
	start, used := time.Now(), processorTime()
	for time.Since(start).Seconds() < r.Seconds {
		batch := make([]entry, r.Batch)
		for i := range batch {
			batch[i] = pool[(at+i)%len(pool)]
			tokens += len(batch[i].IDs)
		}
		at += len(batch)
		if _, err := embed(p, batch); err != nil {
			return nil, err
		}
	}
	return map[string]any{"tokens": tokens, "seconds": time.Since(start).Seconds(), "cpu": (processorTime() - used).Seconds()}, nil
}

func embed(p *pipelines.FeatureExtractionPipeline, entries []entry) ([][]float32, error) {
	batch := backends.NewBatch(len(entries))
	for _, e := range entries {
		n := len(e.IDs)
		mask := make([]uint32, n)
		for i := range mask {
			mask[i] = 1
		}
		batch.Input = append(batch.Input, backends.TokenizedInput{
			TokenIDs: e.IDs, TypeIDs: make([]uint32, n), AttentionMask: mask, MaxAttentionIndex: n - 1,
		})
		batch.MaxSequenceLength = max(batch.MaxSequenceLength, n)
	}
	if err := backends.CreateInputTensors(batch, p.Model, p.Runtime); err != nil {
		return nil, err
	}
	defer batch.Destroy()
	if err := p.Forward(batch); err != nil {
		return nil, err
	}
	out, err := p.Postprocess(batch)
	if err != nil {
		return nil, err
	}
	return out.Embeddings, nil
}

func version() string {
	info, _ := debug.ReadBuildInfo()
	for _, m := range info.Deps {
		if m.Path == "github.com/knights-analytics/hugot" {
			return m.Version
		}
	}
	return ""
}

// processorTime is what the process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
