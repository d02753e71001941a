package vec_test

import (
	"math"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/internal/vec"
)

// TestRowsInt8Tiles tries the kernels of both kinds of CPU where there are
// both.
func TestRowsInt8Tiles(t *testing.T) {
	rng := rand.New(rand.NewPCG(7, 8))
	for name, run := range vec.RowsInt8Tiles() {
		for _, n := range []int{16, 32, 384, 4096} {
			for kind, fill := range map[string]func() (int16, int8){
				"random":  func() (int16, int8) { return int16(rng.IntN(1<<16) - 1<<15), int8(rng.IntN(255) - 127) },
				"highest": func() (int16, int8) { return math.MaxInt16, math.MaxInt8 },
				"lowest":  func() (int16, int8) { return math.MinInt16, math.MaxInt8 },
				"mixed":   func() (int16, int8) { return math.MaxInt16, -128 },
			} {
				const rows = 8
				q, v, got := make([]int16, n), make([]int8, rows*n), make([]int64, rows)
				for i := range v {
					q[i%n], v[i] = fill()
				}
				run(got, q, v)
				for i, g := range got {
					if want := productInt8(q, v[i*n:]); g != want {
						t.Fatalf("%s: %s, row %d of %d values: %d, want %d", name, kind, i, n, g, want)
					}
				}
			}
		}
	}
}
