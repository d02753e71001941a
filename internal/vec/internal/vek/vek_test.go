// Package vek compares package vec with github.com/viterin/vek, in a module of
// its own so that only the comparison needs it.
package vek

import (
	"fmt"
	"math"
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
// lowest of many short runs, as other work slows down most of them on a busy
// machine. Of the formats, vek has float32 only.
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
			run  func()
		}{
			{"vek-f32", func() {
				for i := range dst {
					dst[i] = vek32.Dot(q, rows[i*dims:][:dims])
				}
			}},
			{"f32", func() {
				for i := range dst {
					dst[i] = vec.DotF32(q, rows[i*dims:][:dims])
				}
			}},
			{"f32-rows", func() { vec.RowsF32(dst, q, rows) }},
			{"f16", func() {
				for i := range dst {
					dst[i] = vec.DotF16(q, half[i*dims:][:dims])
				}
			}},
			{"f16-rows", func() { vec.RowsF16(dst, q, half) }},
			{"int8", func() {
				for i := range sums {
					sums[i] = vec.DotInt8(wide, small[i*dims:][:dims])
				}
			}},
			{"int8-rows", func() { vec.RowsInt8(sums, wide, small) }},
		} {
			b.Run(fmt.Sprintf("%s/%d", bench.name, n), func(b *testing.B) {
				passes := max(1, 4096/n)
				lowest := time.Duration(math.MaxInt64)
				for b.Loop() {
					start := time.Now()
					for range passes {
						bench.run()
					}
					lowest = min(lowest, time.Since(start))
				}
				b.ReportMetric(float64(lowest.Nanoseconds())/float64(n*passes), "ns/row")
			})
		}
	}
}
