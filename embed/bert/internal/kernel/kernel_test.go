package kernel_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// blocks are rows [lane][column] of weights -8..7 with their scales, as Q4_0.
func blocks(weight func(lane, col int) int, scale func(lane, group int) float32, lanes, groups int) string {
	var rows []byte
	for l := range lanes {
		for g := range groups {
			rows = binary.LittleEndian.AppendUint16(rows, half(scale(l, g)))
			for i := range kernel.Group / 2 {
				c := g*kernel.Group + i
				rows = append(rows, byte(weight(l, c)+8)|byte(weight(l, c+kernel.Group/2)+8)<<4)
			}
		}
	}
	return string(rows)
}

// panel is a panel of them, for a set.
func panel(s *kernel.Set, weight func(lane, col int) int, scale func(lane, group int) float32, groups int) []byte {
	p := make([]byte, kernel.PanelBytes(groups))
	s.PackQ4(p, blocks(weight, scale, kernel.Lanes, groups), groups)
	return p
}

// half cuts a number down to a binary16, whose exponent must suffice.
func half(v float32) uint16 {
	b := math.Float32bits(v)
	if e := b >> 23 & 255; e < 113 {
		return uint16(b >> 16 & 0x8000)
	}
	return uint16(b>>16&0x8000 | (b>>13&0x3ffff - 112<<10))
}

func widen(h uint16) float32 {
	if h&0x7fff == 0 {
		return 0
	}
	return math.Float32frombits(uint32(h>>15)<<31 | (uint32(h&0x7fff)<<13 + 112<<23))
}

func TestPackQ4(t *testing.T) {
	rng := rand.New(rand.NewPCG(13, 14))
	for _, groups := range []int{1, 3, 4, 5, 12, 48} {
		for _, lanes := range []int{1, kernel.Lanes - 1, kernel.Lanes} {
			for name, scale := range map[string]func(int, int) float32{
				"random":   func(int, int) float32 { return float32(rng.NormFloat64()) },
				"zero":     func(int, int) float32 { return 0 },
				"infinite": func(l, g int) float32 { return float32(math.Inf(l%2*2 - 1)) },
			} {
				rows := blocks(func(int, int) int { return rng.IntN(16) - 8 }, scale, lanes, groups)
				for _, s := range sets(t) {
					want := make([]byte, kernel.PanelBytes(groups))
					kernel.PackPortable(s, want, rows, groups)
					got := bytes.Repeat([]byte{0xa5}, len(want))
					s.PackQ4(got, rows, groups)
					if !bytes.Equal(got, want) {
						t.Errorf("%s: %d groups, %d rows, %s scales: another panel than the portable one", s.Name(), groups, lanes, name)
					}
				}
			}
		}
	}
}

// dequantize undoes Quantize of groups.
func dequantize(act []byte, groups int) []float32 {
	var row []float32
	for c := range groups * kernel.Group {
		at := groups*kernel.Group + c/kernel.Group/kernel.PartGroups*4
		scale := math.Float32frombits(binary.LittleEndian.Uint32(act[at:]))
		row = append(row, scale*float32(int(act[c])-128))
	}
	return row
}

// sets are the kernels under test; the portable ones are first.
func sets(testing.TB) []*kernel.Set {
	all := kernel.Available()
	slices.Reverse(all)
	return all
}

func TestMulQ4(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	weights := map[string]func(int, int) int{
		"random":  func(int, int) int { return rng.IntN(16) - 8 },
		"lowest":  func(int, int) int { return -8 },
		"highest": func(int, int) int { return 7 },
	}
	acts := map[string]func(int) float32{
		"random":     func(int) float32 { return float32(rng.NormFloat64()) },
		"saturating": func(int) float32 { return 3 },
		"negative":   func(int) float32 { return -3 },
		"alternating": func(i int) float32 {
			return float32(1 - 2*(i/2%2))
		},
		"outlier": func(i int) float32 {
			if i == 5 {
				return 1e4
			}
			return float32(rng.NormFloat64())
		},
		"zero": func(int) float32 { return 0 },
	}
	for wName, weight := range weights {
		for aName, act := range acts {
			for _, groups := range []int{1, 2, 5, 48} {
				for _, tokens := range []int{0, 1, 2, 3, 4, 5, 7, 11} {
					t.Run(fmt.Sprintf("%s/%s/%dx%d", wName, aName, groups, tokens), func(t *testing.T) {
						checkMulQ4(t, weight, act, groups, tokens, rng)
					})
				}
			}
		}
	}
}

func checkMulQ4(t *testing.T, weight func(int, int) int, act func(int) float32, groups, tokens int, rng *rand.Rand) {
	cols := groups * kernel.Group
	w := make([]int, kernel.Lanes*cols)
	for i := range w {
		w[i] = weight(i/cols, i%cols)
	}
	scales := make([]float32, kernel.Lanes*groups)
	for i := range scales {
		scales[i] = widen(half(float32(rng.NormFloat64()) / 64))
	}
	bias := make([]float32, kernel.Lanes)
	for i := range bias {
		bias[i] = float32(i) - 7
	}
	rowBytes := kernel.ActBytes(groups)
	a := make([]byte, tokens*rowBytes)
	row := make([]float32, cols)
	for k := range tokens {
		for i := range row {
			row[i] = act(i)
		}
		kernel.Portable().Quantize(a[k*rowBytes:][:rowBytes], row, cols, groups, 1)
	}
	const stride = kernel.Lanes + 3
	for _, s := range sets(t) {
		p := panel(s, func(l, c int) int { return w[l*cols+c] }, func(l, g int) float32 { return scales[l*groups+g] }, groups)
		out := make([]float32, tokens*stride)
		for i := range out {
			out[i] = -12345
		}
		s.MulQ4(out, stride, kernel.Lanes, a, p, bias, groups, tokens)
		for k := range tokens {
			deq := dequantize(a[k*rowBytes:][:rowBytes], groups)
			for l := range stride {
				got := out[k*stride+l]
				if l >= kernel.Lanes {
					if got != -12345 {
						t.Fatalf("%s: wrote beyond the lanes of token %d", s.Name(), k)
					}
					continue
				}
				want, size := float64(bias[l]), math.Abs(float64(bias[l]))
				top := 0.0 // scales are rounded to a part of the largest
				for g := range groups {
					top = max(top, math.Abs(float64(scales[l*groups+g])))
				}
				for c, v := range deq {
					p := float64(v) * float64(w[l*cols+c]) * float64(scales[l*groups+c/kernel.Group])
					want, size = want+p, size+math.Abs(p)+3.1*math.Abs(float64(v)*float64(w[l*cols+c]))*top
				}
				if !(math.Abs(float64(got)-want) <= 1e-5*size+1e-6) {
					t.Fatalf("%s: token %d lane %d = %v, want %v", s.Name(), k, l, got, want)
				}
			}
		}
	}
}

func TestMulF32(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	for _, k := range []int{1, 2, 31, 384} {
		for _, tokens := range []int{0, 1, 2, 3, 4, 5, 6, 9, 13} {
			aStride, wStride, stride := k+2, kernel.Lanes+5, kernel.Lanes+1
			a, w := make([]float32, max(tokens, 1)*aStride), make([]float32, k*wStride)
			for i := range a {
				a[i] = float32(rng.NormFloat64())
			}
			for i := range w {
				w[i] = float32(rng.NormFloat64())
			}
			scale := make([]float32, tokens)
			for i := range scale {
				scale[i] = float32(i) - 2
			}
			for _, s := range sets(t) {
				out := make([]float32, tokens*stride)
				s.MulF32(out, stride, a, aStride, w, wStride, scale, k, tokens)
				for i, got := range out {
					row, l := i/stride, i%stride
					want, size := 0.0, 0.0
					if l < kernel.Lanes {
						for c := range k {
							p := float64(a[row*aStride+c]) * float64(w[c*wStride+l]) * float64(scale[row])
							want, size = want+p, size+math.Abs(p)
						}
					}
					if !(math.Abs(float64(got)-want) <= 1e-5*size) {
						t.Fatalf("%s: k %d, token %d of %d, lane %d = %v, want %v", s.Name(), k, row, tokens, l, got, want)
					}
				}
			}
		}
	}
}

func TestQuantize(t *testing.T) {
	for _, s := range sets(t) {
		for name, fill := range map[string]float32{
			"zero": 0, "one": 1, "negative": -2.5, "tiny": 1e-30, "subnormal": 1e-44, "large": 1e38,
			"infinite": float32(math.Inf(1)), "nan": float32(math.NaN()),
		} {
			row := make([]float32, kernel.Group)
			row[3] = fill
			act := make([]byte, kernel.ActBytes(1))
			s.Quantize(act, row, kernel.Group, 1, 1)
			got := dequantize(act, 1)
			for i, v := range got {
				want := row[i]
				switch name {
				case "subnormal":
					want = 0 // too small to matter
				case "infinite", "nan":
					if v-v == 0 {
						t.Errorf("%s %s: value %d = %v, want no finite number", s.Name(), name, i, v)
					}
					continue
				}
				if !(math.Abs(float64(v-want)) <= math.Abs(float64(want))/254) {
					t.Errorf("%s %s: value %d = %v, want about %v", s.Name(), name, i, v, want)
				}
			}
		}
	}
}

// Rows become what each of them becomes alone, whole or from a part on, and
// nothing else is written.
func TestQuantizeRows(t *testing.T) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, groups := range []int{1, 2, 3, 12} {
		const rows = 5
		cols, size := groups*kernel.Group, kernel.ActBytes(groups)
		stride := cols + 3
		x := make([]float32, rows*stride)
		for i := range x {
			x[i] = float32(rng.NormFloat64())
		}
		for _, s := range sets(t) {
			want, got := bytes.Repeat([]byte{0xa5}, rows*size), bytes.Repeat([]byte{0xa5}, (rows+1)*size)
			for r := range rows {
				kernel.Portable().Quantize(want[r*size:], x[r*stride:], cols, groups, 1)
			}
			s.Quantize(got, x, stride, groups, rows)
			if !bytes.Equal(got, append(want, bytes.Repeat([]byte{0xa5}, size)...)) {
				t.Errorf("%s: %d rows of %d groups: others than one by one", s.Name(), rows, groups)
			}
			got = bytes.Repeat([]byte{0xa5}, rows*size)
			const step = kernel.PartGroups * kernel.Group
			for c := 0; c < cols; c += step {
				s.QuantizeFrom(got, x[c:], stride, min(step, cols-c), rows, c/step, groups)
			}
			if !bytes.Equal(got, want) {
				t.Errorf("%s: %d rows of %d groups: others in parts", s.Name(), rows, groups)
			}
		}
	}
}

// bytesToFloats reads values of any bits, as a fuzzer makes them.
func bytesToFloats(b []byte) []float32 {
	var x []float32
	for ; len(b) >= 4; b = b[4:] {
		x = append(x, math.Float32frombits(binary.LittleEndian.Uint32(b)))
	}
	return x
}

func FuzzQuantize(f *testing.F) {
	rng := rand.New(rand.NewPCG(7, 8))
	for range 4 {
		b := make([]byte, 2*4*kernel.Group)
		for i := 0; i < len(b); i += 4 {
			binary.LittleEndian.PutUint32(b[i:], math.Float32bits(float32(rng.NormFloat64())))
		}
		f.Add(b)
	}
	f.Add(bytes.Repeat([]byte{0, 0, 128, 127}, kernel.Group)) // infinities
	f.Fuzz(func(t *testing.T, b []byte) {
		row := bytesToFloats(b)
		row = row[:len(row)/kernel.Group*kernel.Group]
		groups := len(row) / kernel.Group
		want := make([]byte, kernel.ActBytes(groups))
		kernel.Portable().Quantize(want, row, len(row), groups, 1)
		for _, s := range sets(t) {
			got := make([]byte, len(want))
			s.Quantize(got, row, len(row), groups, 1)
			for p := 0; p < groups; p += kernel.PartGroups {
				at := groups*kernel.Group + p/kernel.PartGroups*4
				scale := func(b []byte) float32 { return math.Float32frombits(binary.LittleEndian.Uint32(b[at:])) }
				if v := scale(want); v-v != 0 {
					// Only the scale of a part that is not finite has a meaning.
					if v := scale(got); v-v == 0 {
						t.Fatalf("%s: scale %v of a part that is not finite", s.Name(), v)
					}
					continue
				}
				lo, hi := p*kernel.Group, min(p+kernel.PartGroups, groups)*kernel.Group
				if scale(got) != scale(want) || !bytes.Equal(got[lo:hi], want[lo:hi]) {
					t.Fatalf("%s: part at %d = %v × %v, want %v × %v", s.Name(), lo, got[lo:hi], scale(got), want[lo:hi], scale(want))
				}
			}
		}
	})
}

func TestGelu(t *testing.T) {
	for _, s := range sets(t) {
		var x []float32
		for i := -8000; i < 8000; i++ {
			x = append(x, float32(i)/1000)
		}
		x = append(x, -1e30, -100, -20, 20, 100, 1e30, 0, 1e-30)
		got := append([]float32(nil), x...)
		s.Gelu(got)
		for i, v := range x {
			want := float64(v) * 0.5 * math.Erfc(-float64(v)/math.Sqrt2)
			if !(math.Abs(float64(got[i])-want) <= 1e-6*max(1, math.Abs(want))) {
				t.Errorf("%s: gelu(%v) = %v, want %v", s.Name(), v, got[i], want)
			}
		}
		nan := make([]float32, 8)
		nan[5] = float32(math.NaN())
		s.Gelu(nan)
		if nan[5] == nan[5] || nan[4] != 0 {
			t.Errorf("%s: gelu of a NaN = %v", s.Name(), nan)
		}
	}
}

func TestSoftmax(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 10))
	for _, s := range sets(t) {
		for _, n := range []int{8, 16, 24, 512} {
			for _, spread := range []float64{0, 1, 10, 1000} {
				x := make([]float32, n)
				for i := range x {
					x[i] = float32(rng.NormFloat64()*spread + spread)
				}
				x[n-1] = float32(math.Inf(-1))
				top := slices.Max(x)
				got := append([]float32(nil), x...)
				sum, want := float64(s.Softmax(got)), 0.0
				for i, v := range x {
					e := math.Exp(float64(v - top)) // the difference is rounded, as in the kernel
					want += e
					if !(math.Abs(float64(got[i])-e) <= 1e-6*e+1e-37) {
						t.Errorf("%s: e^(%v - %v) = %v, want %v", s.Name(), v, top, got[i], e)
					}
				}
				if !(math.Abs(sum-want) <= 1e-5*want) {
					t.Errorf("%s: sum of %d = %v, want %v", s.Name(), n, sum, want)
				}
			}
		}
	}
}

func BenchmarkMulQ4(b *testing.B) {
	const tokens = 60
	for _, groups := range []int{12, 48} {
		// As many weights as a model has, of which no cache holds all.
		panels := 24 << 20 / kernel.PanelBytes(groups)
		act := make([]byte, tokens*kernel.ActBytes(groups))
		const outPanels = 24
		out, bias := make([]float32, tokens*kernel.Lanes*outPanels), make([]float32, kernel.Lanes*outPanels)
		for _, s := range sets(b) {
			p := panel(s, func(l, c int) int { return (l+c)%16 - 8 }, func(int, int) float32 { return 0.01 }, groups)
			weights := bytes.Repeat(p, panels)
			b.Run(fmt.Sprintf("%s/%d", s.Name(), groups*kernel.Group), func(b *testing.B) {
				start := cpuTime()
				for b.Loop() {
					for i := 0; i < panels; i += outPanels {
						n := min(outPanels, panels-i)
						s.MulQ4(out, kernel.Lanes*outPanels, kernel.Lanes, act, weights[i*len(p):(i+n)*len(p)], bias, groups, tokens)
					}
				}
				b.ReportMetric(float64(b.N)*float64(panels*groups)*kernel.Group*kernel.Lanes*tokens/(cpuTime()-start).Seconds()/1e9, "GMAC/CPU-s")
			})
		}
	}
}

func BenchmarkMulF32(b *testing.B) {
	const tokens, width = 12, 384
	scale := make([]float32, tokens)
	for _, size := range []struct{ k, lanes int }{{32, 112}, {110, 32}, {400, 32}} {
		a, w := make([]float32, tokens*max(size.k, width)), make([]float32, size.k*size.lanes)
		out := make([]float32, tokens*size.lanes)
		for _, s := range sets(b) {
			b.Run(fmt.Sprintf("%s/%dx%d", s.Name(), size.k, size.lanes), func(b *testing.B) {
				start := cpuTime()
				for b.Loop() {
					for p := 0; p < size.lanes; p += kernel.Lanes {
						s.MulF32(out[p:], size.lanes, a, max(size.k, width), w[p:], size.lanes, scale, size.k, tokens)
					}
				}
				b.ReportMetric(float64(b.N)*float64(size.k*size.lanes*tokens)/(cpuTime()-start).Seconds()/1e9, "GMAC/CPU-s")
			})
		}
	}
}
