package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestAddNorm(t *testing.T) {
	rng := rand.New(rand.NewPCG(11, 12))
	for _, n := range []int{1, 7, 8, 24, 384} {
		for _, kind := range []string{"random", "constant", "outlier", "shifted"} {
			x, y, weight, bias := make([]float32, n), make([]float32, n), make([]float32, n), make([]float32, n)
			for i := range x {
				switch kind {
				case "random":
					x[i], y[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
				case "constant":
					x[i], y[i] = 1, 2
				case "outlier":
					x[i] = float32(rng.NormFloat64())
					if i == n/2 {
						y[i] = 1000
					}
				case "shifted":
					x[i], y[i] = 100, float32(rng.NormFloat64())
				}
				weight[i], bias[i] = float32(rng.NormFloat64()), float32(rng.NormFloat64())
			}
			var mean, variance float64
			for i := range x {
				mean += float64(x[i]+y[i]) / float64(n)
			}
			for i := range x {
				variance += math.Pow(float64(x[i]+y[i])-mean, 2) / float64(n)
			}
			for _, s := range sets(t) {
				got := append([]float32(nil), x...)
				s.AddNorm(got, y, weight, bias, 1e-5)
				for i := range x {
					want := (float64(x[i]+y[i])-mean)/math.Sqrt(variance+1e-5)*float64(weight[i]) + float64(bias[i])
					if !(math.Abs(float64(got[i])-want) <= 2e-4*(1+math.Abs(want))) {
						t.Fatalf("%s: %d %s: value %d = %v, want %v", s.Name(), n, kind, i, got[i], want)
					}
				}
			}
		}
	}
}

func TestTranspose(t *testing.T) {
	for _, blocks := range []int{0, 1, 3, 64} {
		for _, s := range sets(t) {
			t.Run(fmt.Sprintf("%s/%d", s.Name(), blocks), func(t *testing.T) {
				const srcStride = 11
				dstStride := 8*blocks + 3
				src, want, got := make([]float32, 8*blocks*srcStride), make([]float32, 8*dstStride), make([]float32, 8*dstStride)
				for i := range src {
					src[i] = float32(i + 1)
					if c := i % srcStride; c < 8 {
						want[c*dstStride+i/srcStride] = src[i]
					}
				}
				s.Transpose(got, dstStride, src, srcStride, blocks)
				if diff := cmp.Diff(want, got); diff != "" {
					t.Errorf("(-want +got):\n%s", diff)
				}
			})
		}
	}
}

func BenchmarkAddNorm(b *testing.B) {
	x, y, w := make([]float32, 384), make([]float32, 384), make([]float32, 384)
	for i := range x {
		x[i], w[i] = float32(i), 1
	}
	for _, s := range sets(b) {
		b.Run(s.Name(), func(b *testing.B) {
			for b.Loop() {
				s.AddNorm(x, y, w, y, 1e-12)
			}
		})
	}
}
