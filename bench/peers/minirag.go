//go:build ignore

// Minirag is the engine of this module as bench/peers/run.py wants one; the
// protocol stands in engine.py. It takes the file of texts, the model and the
// number of threads.
package main

import (
	"bufio"
	"context"
	"encoding/json"
	"fmt"
	"os"
	"runtime"
	"strconv"
	"syscall"
	"time"

	"github.com/minirag/minirag/embed/bert"
)

type entry struct {
	IDs []int32 `json:"ids"`
}

type request struct {
	Op      string  `json:"op"`
	Length  int     `json:"length"`
	Texts   int     `json:"texts"`
	Batch   int     `json:"batch"`
	Seconds float64 `json:"seconds"`
}

func main() {
	if err := run(context.Background()); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context) error {
	data, err := os.ReadFile(os.Args[1])
	if err != nil {
		return err
	}
	var pools map[int][]entry
	if err := json.Unmarshal(data, &pools); err != nil {
		return err
	}
	gguf, err := os.ReadFile(os.Args[2])
	if err != nil {
		return err
	}
	threads, err := strconv.Atoi(os.Args[3])
	if err != nil {
		return err
	}
	m, err := bert.NewBytes(gguf, &bert.Options{Threads: threads})
	if err != nil {
		return err
	}
	out := json.NewEncoder(os.Stdout)
	version := fmt.Sprintf("minirag, kernel %s, %d threads, %s", m.Info().Kernel, m.Info().Threads, runtime.Version())
	if err := out.Encode(map[string]any{"version": version}); err != nil {
		return err
	}
	lines := bufio.NewScanner(os.Stdin)
	for lines.Scan() {
		var r request
		if err := json.Unmarshal(lines.Bytes(), &r); err != nil {
			return err
		}
		answer, err := serve(ctx, m, pools[r.Length], r)
		if err != nil {
			return err
		}
		if err := out.Encode(answer); err != nil {
			return err
		}
	}
	return lines.Err()
}

func serve(ctx context.Context, m *bert.Model, pool []entry, r request) (any, error) {
	if r.Op == "embed" {
		var seqs [][]int32
		for _, e := range pool[:min(len(pool), r.Texts)] {
			seqs = append(seqs, e.IDs)
		}
		vectors, err := m.EmbedIDs(ctx, seqs)
		return map[string]any{"vectors": vectors}, err
	}
	tokens, at := 0, 0
	start, used := time.Now(), processorTime()
	for time.Since(start).Seconds() < r.Seconds {
		seqs := make([][]int32, r.Batch)
		for i := range seqs {
			seqs[i] = pool[(at+i)%len(pool)].IDs
			tokens += len(seqs[i])
		}
		at += len(seqs)
		if _, err := m.EmbedIDs(ctx, seqs); err != nil {
			return nil, err
		}
	}
	return map[string]any{"tokens": tokens, "seconds": time.Since(start).Seconds(), "cpu": (processorTime() - used).Seconds()}, nil
}

// processorTime is what the process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if err := syscall.Getrusage(syscall.RUSAGE_SELF, &u); err != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
