// Package vek compares package vec with github.com/viterin/vek, in a module of
// its own so that only the comparison needs it.
package vek

import (
	"fmt"
	"slices"
	"testing"
	"time"

	"github.com/minirag/minirag/internal/vec"
	"github.com/viterin/vek/vek32"
)

// Rows of 384 values that a cache of the first level, one of the second, and
// none holds.
var rowCounts = []int{16, 256, 100_000}

const dims = 384

// BenchmarkDot is a question times every row, in nanoseconds for each row: the
// lower quartile of pieces of at most 256 rows, as other work slows down some of
// them on a busy machine. Of the formats, vek has float32 only.
func BenchmarkDot(b *testing.B) {
	if !vek32.Info().Acceleration {
		b.Fatal("vek has no kernel for this CPU")
	}
	q, wide := make([]float32, dims), make([]int16, dims)
	for i := range q {
		q[i], wide[i] = 1/float32(i+1), int16(i-dims/2)
	}
	for _, n := range rowCounts {
		rows, half, small := make([]float32, n*dims), make([]uint16, n*dims), make([]int8, n*dims)
		for i := range rows {
			rows[i], half[i], small[i] = float32(i%7), 0x3c00, int8(i%7)
		}
		dst, sums := make([]float32, n), make([]int64, n)
		for _, bench := range []struct {
			name string
			run  func(lo, hi int)
		}{
			{"vek-f32", func(lo, hi int) {
				for i := lo; i < hi; i++ {
					dst[i] = vek32.Dot(q, rows[i*dims:][:dims])
				}
			}},
			{"f32", func(lo, hi int) {
				for i := lo; i < hi; i++ {
					dst[i] = vec.DotF32(q, rows[i*dims:][:dims])
				}
			}},
			{"f32-rows", func(lo, hi int) { vec.RowsF32(dst[lo:hi], q, rows[lo*dims:]) }},
			{"f16", func(lo, hi int) {
				for i := lo; i < hi; i++ {
					dst[i] = vec.DotF16(q, half[i*dims:][:dims])
				}
			}},
			{"f16-rows", func(lo, hi int) { vec.RowsF16(dst[lo:hi], q, half[lo*dims:]) }},
			{"int8", func(lo, hi int) {
				for i := lo; i < hi; i++ {
					sums[i] = vec.DotInt8(wide, small[i*dims:][:dims])
				}
			}},
			{"int8-rows", func(lo, hi int) { vec.RowsInt8(sums[lo:hi], wide, small[lo*dims:]) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", bench.name, n), func(b *testing.B) {
				piece := min(n, 256)
				again := 256 / piece // so that the clock does not count
				var times []time.Duration
				for b.Loop() {
					for lo := 0; lo+piece <= n; lo += piece {
						start := time.Now()
						for range again {
							bench.run(lo, lo+piece)
						}
						times = append(times, time.Since(start))
					}
				}
				slices.Sort(times)
				b.ReportMetric(float64(times[len(times)/4].Nanoseconds())/float64(piece*again), "ns/row")
			})
		}
	}
}
