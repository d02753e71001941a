package kernel_test

import (
	"testing"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// The peaks that BenchmarkMulQ4 is to be compared with.
func BenchmarkPeak(b *testing.B) {
	const rounds = 10000
	for _, s := range sets(b) {
		run, products := kernel.Pairs, 10*32
		switch s.Name() {
		case "portable":
			continue
		case "avx512vnni":
			run, products = kernel.WideSums, 20*64
		}
		b.Run(s.Name(), func(b *testing.B) {
			start := cpuTime()
			for b.Loop() {
				run(rounds)
			}
			b.ReportMetric(float64(b.N)*rounds*float64(products)/(cpuTime()-start).Seconds()/1e9, "GMAC/CPU-s")
		})
	}
}
