package kernel_test

import (
	"testing"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// The peak that BenchmarkMulQ4 is to be compared with.
func BenchmarkPeak(b *testing.B) {
	if kernel.Portable().Name() == best(b) {
		b.Skip("the machine has no AVX2")
	}
	const rounds = 10000
	start := cpuTime()
	for b.Loop() {
		kernel.Pairs(rounds)
	}
	b.ReportMetric(float64(b.N)*rounds*10*32/(cpuTime()-start).Seconds()/1e9, "GMAC/CPU-s")
}

func best(b *testing.B) string {
	s, err := kernel.Named("")
	if err != nil {
		b.Fatal(err)
	}
	return s.Name()
}
