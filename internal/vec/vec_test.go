package vec_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/internal/vec"
)

func product(q []int16, v []int8) (sum int64) {
	for i := range q {
		sum += int64(q[i]) * int64(v[i])
	}
	return sum
}

func TestDotInt8(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	fills := map[string]func() (int16, int8){
		"random":  func() (int16, int8) { return int16(rng.IntN(1<<16) - 1<<15), int8(rng.IntN(255) - 127) },
		"highest": func() (int16, int8) { return math.MaxInt16, math.MaxInt8 },
		"lowest":  func() (int16, int8) { return math.MinInt16, math.MaxInt8 },
		"mixed":   func() (int16, int8) { return math.MaxInt16, -128 },
		"zero":    func() (int16, int8) { return 0, 0 },
	}
	for name, fill := range fills {
		for _, n := range []int{0, 1, 7, 8, 31, 32, 33, 63, 64, 96, 383, 384, 385, 768, 1024, 4096, 8192, 8193, 20000} {
			// Unaligned starts and a guard behind the end.
			q, v := make([]int16, n+3), make([]int8, n+5)
			for i := range q {
				q[i], v[i] = fill()
			}
			for _, from := range []int{0, 1, 3} {
				qs, vs := q[from:from+max(0, n-from)], v[from:]
				if got, want := vec.DotInt8(qs, vs), product(qs, vs); got != want {
					t.Errorf("%s, %d values from %d: %d, want %d", name, len(qs), from, got, want)
				}
			}
		}
	}
}

func FuzzDotInt8(f *testing.F) {
	f.Add([]byte("some bytes to begin with, more than thirty-two of them, and then a few more than that"))
	f.Fuzz(func(t *testing.T, data []byte) {
		n := len(data) / 3
		q, v := make([]int16, n), make([]int8, n)
		for i := range n {
			q[i], v[i] = int16(data[3*i])<<8|int16(data[3*i+1]), max(int8(data[3*i+2]), -127)
		}
		if got, want := vec.DotInt8(q, v), product(q, v); got != want {
			t.Errorf("%d values: %d, want %d", n, got, want)
		}
	})
}

func BenchmarkDotInt8(b *testing.B) {
	for _, n := range []int{384, 1024} {
		q, v := make([]int16, n), make([]int8, n)
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			b.SetBytes(int64(n))
			for b.Loop() {
				vec.DotInt8(q, v)
			}
		})
	}
}
