package kernel_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// heads are the queries, keys and values of a head, rows headStride(d) apart.
type heads struct {
	d, tokens int
	q, k, v   []float32
}

func headStride(d int) int { return d + 5 }

func newHeads(d, tokens int, fill func(kind string, token, col int) float32) *heads {
	h := &heads{d: d, tokens: tokens}
	for i, dst := range []*[]float32{&h.q, &h.k, &h.v} {
		kind := "qkv"[i : i+1]
		x := make([]float32, tokens*headStride(d))
		for i := range x {
			x[i] = float32(math.NaN()) // what lies between the rows is nobody's
		}
		for t := range tokens {
			for c := range d {
				x[t*headStride(d)+c] = fill(kind, t, c)
			}
		}
		*dst = x
	}
	return h
}

const untouched = -12345

func (h *heads) attend(s *kernel.Set, m *kernel.HeadMemory) []float32 {
	out := make([]float32, h.tokens*headStride(h.d))
	for i := range out {
		out[i] = untouched
	}
	s.Attend(m, out, headStride(h.d), h.q, h.k, h.v, headStride(h.d), h.d, h.tokens)
	return out
}

// exact computes in float64; size has the sum of the magnitudes of each.
func (h *heads) exact() (out []float64) {
	at := func(x []float32, t, c int) float64 { return float64(x[t*headStride(h.d)+c]) }
	for i := range h.tokens {
		p, top, sum := make([]float64, h.tokens), math.Inf(-1), 0.0
		for j := range p {
			for c := range h.d {
				p[j] += at(h.q, i, c) * at(h.k, j, c) / math.Sqrt(float64(h.d))
			}
			top = max(top, p[j])
		}
		for j := range p {
			p[j] = math.Exp(p[j] - top)
			sum += p[j]
		}
		for c := range h.d {
			v := 0.0
			for j := range p {
				v += p[j] / sum * at(h.v, j, c)
			}
			out = append(out, v)
		}
	}
	return out
}

// Attention in integers is that in float64 within what rounding does.
func TestAttend(t *testing.T) {
	rng := rand.New(rand.NewPCG(31, 32))
	normal := func(scale float64) float32 { return float32(rng.NormFloat64() * scale) }
	fills := map[string]func(kind string, token, col int) float32{
		"random": func(string, int, int) float32 { return normal(1) },
		"zero":   func(string, int, int) float32 { return 0 },
		"alike":  func(string, int, int) float32 { return 1.5 },
		"sharp": func(kind string, token, col int) float32 {
			if kind == "v" {
				return normal(1)
			}
			return float32(1 - 2*((token+col)%3%2))
		},
		"saturating": func(kind string, token, col int) float32 {
			return float32(3 - 6*((token*7+col)%2))
		},
		"large key": func(kind string, token, col int) float32 {
			if kind == "k" && token == 3 {
				return normal(1) * 20
			}
			return normal(0.3)
		},
		"tiny": func(string, int, int) float32 { return normal(1e-20) },
	}
	for name, fill := range fills {
		for _, d := range []int{32, 64, 96} {
			for _, tokens := range []int{1, 2, 3, 5, 7, 12, 13, 15, 16, 17, 31, 32, 33, 64, 110, 512} {
				if tokens > 110 && d > 32 {
					continue
				}
				h := newHeads(d, tokens, fill)
				want := h.exact()
				top := 0.0
				for i := range tokens {
					for c := range d {
						top = max(top, math.Abs(float64(h.v[i*headStride(d)+c])))
					}
				}
				m := &kernel.HeadMemory{}
				for _, s := range sets(t) {
					out := h.attend(s, m)
					for i, got := range out {
						token, c := i/headStride(d), i%headStride(d)
						if c >= d {
							if got != untouched {
								t.Fatalf("%s %s: wrote beyond the columns of token %d", s.Name(), name, token)
							}
							continue
						}
						if w := want[token*d+c]; !(math.Abs(float64(got)-w) <= 1e-2*top) {
							t.Fatalf("%s %s: %d columns, token %d of %d, column %d = %v, want %v", s.Name(), name, d, token, tokens, c, got, w)
						}
					}
				}
			}
		}
	}
}

// All sets have the same integers: they differ by the rounding of the exponential
// function, AVX2 and AVX-512 in nothing.
func compareAttend(h *heads) string {
	m := &kernel.HeadMemory{}
	want := h.attend(kernel.Portable(), m)
	top, finite := float32(0), true
	for i := range h.tokens {
		for c := range h.d {
			at := i*headStride(h.d) + c
			top = max(top, h.v[at], -h.v[at])
			for _, x := range [][]float32{h.q, h.k, h.v} {
				finite = finite && x[at]-x[at] == 0
			}
		}
	}
	results := map[string][]float32{}
	for _, s := range kernel.Available() {
		got := h.attend(s, m)
		for i := range got {
			// How what is not finite shows depends on the order.
			bad := got[i]-got[i] != 0 && want[i]-want[i] != 0
			if finite && !bad && !alike(got[i], want[i], 2e-3*top) {
				return fmt.Sprintf("%s: token %d of %d, column %d = %v, want %v", s.Name(), i/headStride(h.d), h.tokens, i%headStride(h.d), got[i], want[i])
			}
		}
		results[s.Name()] = got
	}
	if narrow, wide := results["avx2"], results["avx512vnni"]; narrow != nil && wide != nil && !slices.EqualFunc(narrow, wide, func(a, b float32) bool { return math.Float32bits(a) == math.Float32bits(b) || a != a && b != b }) {
		return fmt.Sprintf("AVX2 and AVX-512 differ with %d tokens of %d columns", h.tokens, h.d)
	}
	return ""
}

func TestAttendTwins(t *testing.T) {
	rng := rand.New(rand.NewPCG(33, 34))
	for tokens := 1; tokens <= 70; tokens++ {
		for _, spread := range []float64{0.1, 1, 5} {
			h := newHeads(32+tokens%2*32, tokens, func(string, int, int) float32 { return float32(rng.NormFloat64() * spread) })
			if diff := compareAttend(h); diff != "" {
				t.Fatalf("spread %v: %s", spread, diff)
			}
		}
	}
}

// What is not finite shows in each row that it has a part in.
func TestAttendNotFinite(t *testing.T) {
	rng := rand.New(rand.NewPCG(35, 36))
	for _, bad := range []float32{float32(math.NaN()), float32(math.Inf(1)), float32(math.Inf(-1))} {
		for _, where := range []string{"q", "k", "v"} {
			h := newHeads(32, 20, func(kind string, token, col int) float32 {
				if kind == where && token == 17 && col == 9 {
					return bad
				}
				return float32(rng.NormFloat64())
			})
			for _, s := range sets(t) {
				out := h.attend(s, &kernel.HeadMemory{})
				if where == "k" && bad == bad {
					// The probability of an infinite logarithm may be zero.
					if !slices.ContainsFunc(out, func(v float32) bool { return v-v != 0 }) {
						t.Errorf("%s: %v in a key does not show", s.Name(), bad)
					}
					continue
				}
				for token := range h.tokens {
					row := out[token*headStride(32):][:32]
					finite := !slices.ContainsFunc(row, func(v float32) bool { return v-v != 0 })
					if want := where == "q" && token != 17; finite != want {
						t.Errorf("%s: %v in %s: token %d is finite: %t, want %t", s.Name(), bad, where, token, finite, want)
					}
				}
			}
		}
	}
}

func FuzzAttend(f *testing.F) {
	f.Add(uint64(1), uint8(5), int8(0), int8(0), int8(0))
	f.Add(uint64(2), uint8(33), int8(3), int8(-3), int8(20))
	f.Add(uint64(3), uint8(200), int8(-60), int8(60), int8(-90))
	f.Add(uint64(4), uint8(16), int8(2), int8(2), int8(0))
	f.Fuzz(func(t *testing.T, seed uint64, n uint8, qExp, kExp, vExp int8) {
		rng := rand.New(rand.NewPCG(seed, 37))
		exps := map[string]int8{"q": qExp, "k": kExp, "v": vExp}
		h := newHeads(32+int(seed%2)*32, int(n)+1, func(kind string, token, col int) float32 {
			v := rng.NormFloat64()
			if rng.IntN(64) == 0 {
				v *= 30
			}
			return float32(math.Ldexp(v, int(exps[kind])))
		})
		if diff := compareAttend(h); diff != "" {
			t.Fatal(diff)
		}
	})
}

func BenchmarkAttend(b *testing.B) {
	for _, tokens := range []int{16, 110, 400} {
		const stride = 384
		x := make([]float32, tokens*stride)
		rng := rand.New(rand.NewPCG(1, 1))
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		out, m := make([]float32, tokens*stride), &kernel.HeadMemory{}
		for _, s := range sets(b) {
			b.Run(fmt.Sprintf("%s/%d", s.Name(), tokens), func(b *testing.B) {
				for b.Loop() {
					s.Attend(m, out, stride, x, x, x, stride, 32, tokens)
				}
				b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N)/float64(tokens), "ns/token")
			})
		}
	}
}
