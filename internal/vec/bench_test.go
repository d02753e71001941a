package vec_test

import (
	"fmt"
	"testing"

	"github.com/minirag/minirag/internal/vec"
)

// benchRows are numbers of rows that a cache of the first level, one of the
// third, and none holds.
var benchRows = []int{16, 4096, 100_000}

func benchmarkRows[Q, D any, V int8 | uint16 | float32](b *testing.B, size int, one func(q []Q, v []V) D, rows func(dst []D, q []Q, rows []V)) {
	const dims = 384
	q := make([]Q, dims)
	for _, n := range benchRows {
		v, dst := make([]V, n*dims), make([]D, n)
		for i := range v { // all zero, they would be one page of memory
			v[i] = V(1)
		}
		vec.EachWidth(func(width string) {
			b.Run(fmt.Sprintf("one/%d/%s", n, width), func(b *testing.B) {
				b.SetBytes(int64(n * dims * size))
				for b.Loop() {
					for i := range dst {
						dst[i] = one(q, v[i*dims:])
					}
				}
			})
			b.Run(fmt.Sprintf("rows/%d/%s", n, width), func(b *testing.B) {
				b.SetBytes(int64(n * dims * size))
				for b.Loop() {
					rows(dst, q, v)
				}
			})
		})
	}
}

func BenchmarkInt8(b *testing.B) { benchmarkRows(b, 1, vec.DotInt8, vec.RowsInt8) }

func BenchmarkF32(b *testing.B) { benchmarkRows(b, 4, vec.DotF32, vec.RowsF32) }

func BenchmarkF16(b *testing.B) { benchmarkRows(b, 2, vec.DotF16, vec.RowsF16) }
