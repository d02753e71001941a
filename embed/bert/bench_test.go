package bert_test

import (
	"context"
	"fmt"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minirag/minirag/embed/bert"
)

func BenchmarkEmbed(b *testing.B) {
	file := sharedFile(b, sharedModel)
	text := ""
	for _, g := range goldens(b, "embeddings.dev.jsonl") {
		text += g.Text + " "
	}
	for _, threads := range []int{1, 2} {
		m, err := bert.NewBytes(file, &bert.Options{Threads: threads})
		if err != nil {
			b.Fatal(err)
		}
		ids := m.Tokenizer().Encode(nil, text)
		for _, tokens := range []int{16, 110, 400} {
			var seqs [][]int32
			for i := range max(1, 440/tokens) {
				seqs = append(seqs, ids[i*tokens:][:tokens])
			}
			b.Run(fmt.Sprintf("tokens=%d/threads=%d", tokens, threads), func(b *testing.B) {
				start := cpuTime()
				for b.Loop() {
					if _, err := m.EmbedIDs(b.Context(), seqs); err != nil {
						b.Fatal(err)
					}
				}
				n := float64(b.N * tokens * len(seqs))
				b.ReportMetric(n/b.Elapsed().Seconds(), "tokens/s")
				b.ReportMetric(n/(cpuTime()-start).Seconds(), "tokens/CPU-s")
			})
		}
		b.Run(fmt.Sprintf("query=10/threads=%d", threads), func(b *testing.B) {
			for b.Loop() {
				if _, err := m.EmbedIDs(b.Context(), [][]int32{ids[:10]}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}

// A query of ten tokens, alone and while two callers embed long batches.
func BenchmarkQuery(b *testing.B) {
	m, err := bert.NewBytes(sharedFile(b, sharedModel), nil)
	if err != nil {
		b.Fatal(err)
	}
	long := make([]int32, 400)
	for i := range long {
		long[i] = int32(1000 + i*37)
	}
	for _, callers := range []int{0, 2} {
		b.Run(fmt.Sprintf("batches=%d", callers), func(b *testing.B) {
			ctx, cancel := context.WithCancel(b.Context())
			var wg sync.WaitGroup
			for range callers {
				wg.Go(func() {
					for ctx.Err() == nil {
						m.EmbedIDs(ctx, [][]int32{long, long[:100], long, long[:16]})
					}
				})
			}
			var times []time.Duration
			for b.Loop() {
				start := time.Now()
				if _, err := m.EmbedQueryIDs(b.Context(), long[:10]); err != nil {
					b.Fatal(err)
				}
				times = append(times, time.Since(start))
			}
			cancel()
			wg.Wait()
			slices.Sort(times)
			for _, p := range []int{50, 95} {
				b.ReportMetric(float64(times[len(times)*p/100].Microseconds())/1000, fmt.Sprintf("p%d-ms", p))
			}
		})
	}
}

func BenchmarkTokenizer(b *testing.B) {
	m, err := bert.NewBytes(sharedFile(b, sharedModel), nil)
	if err != nil {
		b.Fatal(err)
	}
	var text strings.Builder
	for _, g := range goldens(b, "tokens.dev.jsonl") {
		text.WriteString(g.Text)
		text.WriteByte('\n')
	}
	s := text.String()
	var ids []int32
	b.Run("encode", func(b *testing.B) {
		b.SetBytes(int64(len(s)))
		b.ReportAllocs()
		start := cpuTime()
		for b.Loop() {
			ids = m.Tokenizer().Encode(ids[:0], s)
		}
		b.ReportMetric(float64(b.N*len(s))/1e6/(cpuTime()-start).Seconds(), "MB/CPU-s")
	})
	b.Run("count", func(b *testing.B) {
		b.SetBytes(int64(len(s)))
		b.ReportAllocs()
		start := cpuTime()
		for b.Loop() {
			m.Tokenizer().Count(s)
		}
		b.ReportMetric(float64(b.N*len(s))/1e6/(cpuTime()-start).Seconds(), "MB/CPU-s")
	})
}

func BenchmarkNew(b *testing.B) {
	file := sharedFile(b, sharedModel)
	prepared, err := bert.PrepareVocabulary(string(file))
	if err != nil {
		b.Fatal(err)
	}
	for name, opts := range map[string]*bert.Options{"prepared": {Vocabulary: string(prepared)}, "whole": nil} {
		b.Run(name, func(b *testing.B) {
			b.ReportAllocs()
			start := cpuTime()
			for b.Loop() {
				if _, err := bert.NewBytes(file, opts); err != nil {
					b.Fatal(err)
				}
			}
			b.ReportMetric((cpuTime()-start).Seconds()*1000/float64(b.N), "CPU-ms")
		})
	}
}
