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

// The tests of this file compare every set with the portable one.

// alike tells whether numbers differ by at most tolerance, or are not finite in
// the same way.
func alike(a, b, tolerance float32) bool {
	switch x, y := float64(a), float64(b); {
	case math.IsNaN(y):
		return math.IsNaN(x)
	case math.IsInf(y, 0) || math.IsInf(x, 0):
		return x == y
	default:
		return math.Abs(x-y) <= float64(tolerance)
	}
}

func TestMulQ4Extremes(t *testing.T) {
	rng := rand.New(rand.NewPCG(15, 16))
	weights := map[string]func(l, c int) int{
		"lowest":  func(int, int) int { return -8 },
		"highest": func(int, int) int { return 7 },
		"by sign": func(_, c int) int { return 7 - 15*(c%2) },
		"by row":  func(l, _ int) int { return l - 8 },
		"random":  func(int, int) int { return rng.IntN(16) - 8 },
	}
	scales := map[string]func(l, g int) float32{
		"alike":       func(int, int) float32 { return 1 },
		"negative":    func(int, int) float32 { return -1 },
		"alternating": func(_, g int) float32 { return float32(1 - 2*(g%2)) },
		"far apart":   func(_, g int) float32 { return []float32{1, 1. / 1024, 0}[g%3] },
	}
	acts := map[string]func(c int) byte{
		"highest": func(int) byte { return 255 },
		"lowest":  func(int) byte { return 1 },
		"by sign": func(c int) byte { return byte(1 + 254*(c%2)) },
		"zero":    func(int) byte { return 128 },
		"random":  func(int) byte { return byte(1 + rng.IntN(255)) },
	}
	for wName, weight := range weights {
		for sName, scale := range scales {
			for aName, act := range acts {
				for _, groups := range []int{1, 3, 4, 5, 12} {
					p := blocks(weight, scale, kernel.Lanes, groups)
					for _, tokens := range []int{1, 2, 3, 4, 5, 6, 7, 12, 13} {
						rows := activations(act, func(token, part int) float32 { return float32(token+1) * float32(part+1) }, groups, tokens)
						if diff := compareQ4(t, p, rows, groups, tokens); diff != "" {
							t.Fatalf("weights %s, scales %s, activations %s, %d groups, %d tokens: %s", wName, sName, aName, groups, tokens, diff)
						}
					}
				}
			}
		}
	}
}

// activations are quantised rows.
func activations(act func(c int) byte, scale func(token, part int) float32, groups, tokens int) []byte {
	size, cols := kernel.ActBytes(groups), groups*kernel.Group
	rows := make([]byte, tokens*size)
	for t := range tokens {
		row := rows[t*size:][:size]
		for c := range cols {
			row[c] = act(c)
		}
		for part := 0; part*kernel.PartGroups < groups; part++ {
			binary.LittleEndian.PutUint32(row[cols+4*part:], math.Float32bits(scale(t, part)))
		}
	}
	return rows
}

// compareQ4 tells where a set gives another product with a panel of the blocks
// than the portable one: the integers of a part are the same, so that only sums
// of parts are rounded differently.
func compareQ4(t *testing.T, blocks string, rows []byte, groups, tokens int) string {
	t.Helper()
	panelOf := func(s *kernel.Set) []byte {
		p := make([]byte, kernel.PanelBytes(groups))
		s.PackQ4(p, blocks, groups)
		return p
	}
	panel := panelOf(kernel.Portable())
	const stride = kernel.Lanes + 2
	size, cols := kernel.ActBytes(groups), groups*kernel.Group
	bias := make([]float32, kernel.Lanes)
	for i := range bias {
		bias[i] = float32(i)
	}
	want := make([]float32, tokens*stride)
	kernel.Portable().MulQ4(want, stride, kernel.Lanes, rows, panel, bias, groups, tokens)
	for _, s := range sets(t) {
		got := make([]float32, tokens*stride)
		s.MulQ4(got, stride, kernel.Lanes, rows, panelOf(s), bias, groups, tokens)
		for i := range got {
			token, lane := i/stride, i%stride
			tolerance := float32(0)
			if lane < kernel.Lanes {
				// The largest sum that there can be.
				unit := math.Float32frombits(binary.LittleEndian.Uint32(panel[len(panel)-4*kernel.Lanes+4*lane:]))
				for part := 0; part*kernel.PartGroups < groups; part++ {
					scale := math.Float32frombits(binary.LittleEndian.Uint32(rows[token*size+cols+4*part:]))
					tolerance += 1 << 31 * unit * float32(math.Abs(float64(scale)))
				}
				tolerance = tolerance*1e-6 + 1e-5
			}
			if !alike(got[i], want[i], tolerance) {
				return fmt.Sprintf("%s: token %d lane %d = %v, want %v", s.Name(), token, lane, got[i], want[i])
			}
		}
	}
	return ""
}

// Several panels give what each of them gives alone, wherever their output lies.
func TestMulQ4Panels(t *testing.T) {
	rng := rand.New(rand.NewPCG(17, 18))
	const most = 5
	for _, groups := range []int{1, 3, 4, 7, 12} {
		weights := func(int, int) int { return rng.IntN(16) - 8 }
		scales := func(int, int) float32 { return rng.Float32() - 0.5 }
		size := kernel.PanelBytes(groups)
		bias := make([]float32, most*kernel.Lanes)
		for i := range bias {
			bias[i] = rng.Float32()
		}
		for tokens := 1; tokens <= 40; tokens++ {
			act := activations(func(int) byte { return byte(1 + rng.IntN(255)) }, func(_, _ int) float32 { return rng.Float32() }, groups, tokens)
			for _, layout := range []struct{ outStride, panelStride int }{
				{most*kernel.Lanes + 3, kernel.Lanes},
				{kernel.Lanes, tokens * kernel.Lanes},
			} {
				for _, s := range sets(t) {
					var panels []byte
					for range most {
						panels = append(panels, panel(s, weights, scales, groups)...)
					}
					for count := 1; count <= most; count++ {
						want := make([]float32, tokens*(most*kernel.Lanes+3))
						got := slices.Clone(want)
						for p := range count {
							s.MulQ4(want[p*layout.panelStride:], layout.outStride, kernel.Lanes, act, panels[p*size:][:size], bias[p*kernel.Lanes:], groups, tokens)
						}
						s.MulQ4(got, layout.outStride, layout.panelStride, act, panels[:count*size], bias, groups, tokens)
						if !slices.Equal(got, want) {
							t.Fatalf("%s: %d panels of %d groups, %d tokens, %+v: another product than one by one", s.Name(), count, groups, tokens, layout)
						}
					}
				}
			}
		}
	}
}

// FuzzPackQ4 packs rows of any bytes: scales that are subnormal, zero, of either
// sign or not finite.
func FuzzPackQ4(f *testing.F) {
	rng := rand.New(rand.NewPCG(23, 24))
	for _, groups := range []uint8{0, 3, 4, 11} {
		data := make([]byte, 12*kernel.Lanes*kernel.BlockBytes)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data, groups, uint16(0xffff))
		f.Add(data, groups, uint16(0x83ff)) // subnormal numbers
		f.Add(data, groups, uint16(0xbbff)) // all finite
	}
	f.Fuzz(func(t *testing.T, data []byte, g uint8, mask uint16) {
		groups := int(g)%13 + 1
		rows := make([]byte, kernel.Lanes*groups*kernel.BlockBytes)
		if len(data) > 0 {
			for i := range rows {
				rows[i] = data[i%len(data)]
			}
		}
		for at := 0; at < len(rows); at += kernel.BlockBytes {
			binary.LittleEndian.PutUint16(rows[at:], binary.LittleEndian.Uint16(rows[at:])&mask)
		}
		for _, s := range sets(t) {
			want := make([]byte, kernel.PanelBytes(groups))
			kernel.PackPortable(s, want, string(rows), groups)
			got := make([]byte, len(want))
			s.PackQ4(got, string(rows), groups)
			if !bytes.Equal(got, want) {
				t.Fatalf("%s: %d groups: another panel than the portable one", s.Name(), groups)
			}
		}
	})
}

func FuzzMulQ4(f *testing.F) {
	rng := rand.New(rand.NewPCG(17, 18))
	for _, groups := range []uint8{1, 4, 7} {
		data := make([]byte, 2000)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		f.Add(data, groups, uint8(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, g, n uint8) {
		if len(data) == 0 {
			return
		}
		groups, tokens := int(g)%13+1, int(n)%8+1
		at := 0
		next := func() byte {
			at++
			return data[(at*at+at)/2%len(data)] // not every row begins alike
		}
		p := blocks(func(int, int) int { return int(next()%16) - 8 },
			func(int, int) float32 { return widen(uint16(next())<<8 | uint16(next())&^0x4000) }, kernel.Lanes, groups)
		// An activation is never the lowest byte, as Quantize says.
		rows := activations(func(int) byte { return max(next(), 1) }, func(int, int) float32 { return float32(int(next())-100) / 64 }, groups, tokens)
		if diff := compareQ4(t, p, rows, groups, tokens); diff != "" {
			t.Fatalf("%d groups, %d tokens: %s", groups, tokens, diff)
		}
	})
}

func FuzzMulF32(f *testing.F) {
	rng := rand.New(rand.NewPCG(19, 20))
	for _, k := range []uint8{1, 4, 33} {
		var data []byte
		for range 500 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(rng.NormFloat64())))
		}
		f.Add(data, k, uint8(5))
	}
	f.Fuzz(func(t *testing.T, data []byte, k8, n uint8) {
		values := bytesToFloats(data)
		if len(values) == 0 {
			return
		}
		k, tokens := int(k8)%70+1, int(n)%14+1
		at := 0
		fill := func(x []float32) []float32 {
			for i := range x {
				x[i] = values[at%len(values)]
				at++
			}
			return x
		}
		const stride = kernel.Lanes + 1
		aStride, wStride := k+1, kernel.Lanes+3
		a, w, scale := fill(make([]float32, tokens*aStride)), fill(make([]float32, k*wStride)), fill(make([]float32, tokens))
		want := make([]float32, tokens*stride)
		kernel.Portable().MulF32(want, stride, a, aStride, w, wStride, scale, k, tokens)
		for _, s := range sets(t) {
			got := make([]float32, len(want))
			s.MulF32(got, stride, a, aStride, w, wStride, scale, k, tokens)
			for i := range got {
				size := 0.0
				if token, lane := i/stride, i%stride; lane < kernel.Lanes {
					for c := range k {
						size += math.Abs(float64(a[token*aStride+c]) * float64(w[c*wStride+lane]))
					}
					if size > math.MaxFloat32 {
						continue // whether it stays finite depends on the order
					}
					size *= math.Abs(float64(scale[token]))
				}
				if size > math.MaxFloat32 {
					continue
				}
				if !alike(got[i], want[i], float32(size*1e-5)+1e-40) && size == size {
					t.Fatalf("%s: token %d of %d, lane %d, k %d: %v, want %v", s.Name(), i/stride, tokens, i%stride, k, got[i], want[i])
				}
			}
		}
	})
}

// FuzzRows compares what works on one row: Gelu, Softmax and AddNorm.
func FuzzRows(f *testing.F) {
	rng := rand.New(rand.NewPCG(21, 22))
	for _, spread := range []float64{0, 1, 100} {
		var data []byte
		for range 48 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(rng.NormFloat64()*spread)))
		}
		f.Add(data)
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		row := bytesToFloats(data)
		row = row[:len(row)&^7]
		if len(row) == 0 {
			return
		}
		finite, largest := true, float32(0)
		for _, v := range row {
			finite = finite && v-v == 0
			largest = max(largest, v, -v)
		}
		portable := kernel.Portable()
		run := func(s *kernel.Set) (gelu, soft []float32, sum float32) {
			gelu, soft = append(gelu, row...), append(soft, row...)
			s.Gelu(gelu)
			sum = s.Softmax(soft)
			return gelu, soft, sum
		}
		gelu, soft, sum := run(portable)
		for _, s := range sets(t) {
			gotGelu, gotSoft, gotSum := run(s)
			for i, v := range row {
				if !alike(gotGelu[i], gelu[i], 1e-6*max(1, v, -v)) && v-v == 0 {
					t.Fatalf("%s: gelu(%v) = %v, want %v", s.Name(), v, gotGelu[i], gelu[i])
				}
				if v != v && gotGelu[i] == gotGelu[i] {
					t.Fatalf("%s: gelu of a NaN = %v", s.Name(), gotGelu[i])
				}
				if finite && !alike(gotSoft[i], soft[i], 3e-6*soft[i]+1e-37) {
					t.Fatalf("%s: softmax of %v = %v, want %v", s.Name(), v, gotSoft[i], soft[i])
				}
			}
			// The twin adds up one by one, with an error of half a bit for each.
			if finite && !alike(gotSum, sum, (1e-5+0x1p-24*float32(len(row)))*sum) || !finite && hasNaN(row) && gotSum == gotSum {
				t.Fatalf("%s: softmax has the sum %v, want %v", s.Name(), gotSum, sum)
			}
		}
	})
}

func hasNaN(x []float32) bool {
	for _, v := range x {
		if v != v {
			return true
		}
	}
	return false
}

// AVX-512 gives the numbers of AVX2 to the bit, so that an index is the same
// whichever of the two made it.
func TestWidthsAgree(t *testing.T) {
	narrow, err := kernel.Named("avx2")
	if err != nil {
		t.Skip(err)
	}
	wide, err := kernel.Named("avx512vnni")
	if err != nil {
		t.Skip(err)
	}
	rng := rand.New(rand.NewPCG(19, 20))
	row := func(n int) []float32 {
		x := make([]float32, n)
		for i := range x {
			x[i] = float32(rng.NormFloat64()) * 3
		}
		return x
	}
	for _, n := range []int{8, 16, 24, 32, 40, 112, 128, 384, 400, 1536} {
		x := row(n)
		for name, apply := range map[string]func(s *kernel.Set, x []float32) []float32{
			"Softmax": func(s *kernel.Set, x []float32) []float32 { return append(x, s.Softmax(x)) },
			"Gelu":    func(s *kernel.Set, x []float32) []float32 { s.Gelu(x); return x },
			"AddNorm": func(s *kernel.Set, x []float32) []float32 {
				y := slices.Clone(x)
				slices.Reverse(y)
				s.AddNorm(x, y, y, y, 1e-5)
				return x
			},
		} {
			if got, want := apply(wide, slices.Clone(x)), apply(narrow, slices.Clone(x)); !slices.Equal(got, want) {
				t.Errorf("%s of %d differs", name, n)
			}
		}
	}
	for _, groups := range []int{1, 4, 7, 12, 48} {
		rows := blocks(func(int, int) int { return rng.IntN(16) - 8 }, func(int, int) float32 { return rng.Float32() - 0.5 }, kernel.Lanes, groups)
		cols := groups * kernel.Group
		for _, tokens := range []int{1, 5, 13, 60} {
			product := func(s *kernel.Set, x []float32) []float32 {
				size := kernel.PanelBytes(groups)
				p := make([]byte, 2*size)
				s.PackQ4(p[:size], rows, groups)
				copy(p[size:], p)
				act := make([]byte, tokens*kernel.ActBytes(groups))
				s.Quantize(act, x, cols, groups, tokens)
				out := make([]float32, tokens*2*kernel.Lanes)
				s.MulQ4(out, 2*kernel.Lanes, kernel.Lanes, act, p, make([]float32, 2*kernel.Lanes), groups, tokens)
				sums := make([]float32, tokens*kernel.Lanes)
				s.MulF32(sums, kernel.Lanes, x, cols, x[:max(cols, kernel.Lanes)], 0, out[:tokens], cols, tokens)
				return append(out, sums...)
			}
			x := row(tokens*cols + kernel.Lanes)
			if !slices.Equal(product(wide, x), product(narrow, x)) {
				t.Errorf("products of %d tokens with %d groups differ", tokens, groups)
			}
		}
	}
}
