package vec_test

import (
	"encoding/binary"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/internal/vec"
)

// lengths are those of small questions, the tiles' sizes and what lies beside
// them, and those beyond what a kernel takes at once.
func lengths() []int {
	var all []int
	for n := range 201 {
		all = append(all, n)
	}
	return append(all, 383, 384, 385, 768, 1024, 4096, 4097, 8192, 8193, 20000)
}

func productInt8(q []int16, v []int8) (sum int64) {
	for i := range q {
		sum += int64(q[i]) * int64(v[i])
	}
	return sum
}

// eachWidth runs a test with each set of kernels.
func eachWidth(t *testing.T, test func(t *testing.T)) {
	vec.EachWidth(func(width string) { t.Run(width, test) })
}

func TestInt8(t *testing.T) { eachWidth(t, testInt8) }

func testInt8(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	for name, fill := range map[string]func() (int16, int8){
		"random":  func() (int16, int8) { return int16(rng.IntN(1<<16) - 1<<15), int8(rng.IntN(255) - 127) },
		"highest": func() (int16, int8) { return math.MaxInt16, math.MaxInt8 },
		"lowest":  func() (int16, int8) { return math.MinInt16, math.MaxInt8 },
		"mixed":   func() (int16, int8) { return math.MaxInt16, -128 },
		"zero":    func() (int16, int8) { return 0, 0 },
	} {
		for _, n := range lengths() {
			const most = 17
			// Unaligned starts and a guard behind the end.
			qs, vs := make([]int16, n+3), make([]int8, most*n+8)
			for i := range vs {
				var x int16
				x, vs[i] = fill()
				qs[i%len(qs)] = x
			}
			for _, from := range []int{0, 1, 3} {
				q, v := qs[from:from+n], vs[from:from+most*n]
				want := make([]int64, most)
				for i := range want {
					want[i] = productInt8(q, v[i*n:])
				}
				if got := vec.DotInt8(q, v[:n]); got != want[0] {
					t.Fatalf("%s, %d values from %d: %d, want %d", name, n, from, got, want[0])
				}
				if got := vec.DotInt8Portable(q, v[:n]); got != want[0] {
					t.Fatalf("%s, %d values from %d: portable %d, want %d", name, n, from, got, want[0])
				}
				for _, rows := range []int{0, 1, 3, 4, 5, 7, 8, 9, 16, most} {
					got := make([]int64, rows+1)
					got[rows] = -5
					vec.RowsInt8(got[:rows], q, v)
					for i, g := range got[:rows] {
						if g != want[i] {
							t.Fatalf("%s, row %d of %d, %d values from %d: %d, want %d", name, i, rows, n, from, g, want[i])
						}
					}
					if got[rows] != -5 {
						t.Fatalf("%s, %d rows of %d values: wrote behind them", name, rows, n)
					}
				}
			}
		}
	}
}

// narrow is the binary16 nearest to v, which must be in its range.
func narrow(v float32) uint16 {
	b := math.Float32bits(v)
	sign := uint16(b >> 16 & 0x8000)
	// The product gives the exponent the bias of a binary16.
	b = math.Float32bits(math.Float32frombits(b&^(1<<31)) * (1. / (1 << 112)))
	return sign | uint16((b+0xfff+b>>13&1)>>13)
}

func TestWiden(t *testing.T) { eachWidth(t, testWiden) }

func testWiden(t *testing.T) {
	for h := range uint32(1 << 16) {
		sign, exponent, fraction := 1-2*float64(h>>15), int(h>>10&31), float64(h&0x3ff)
		want := sign * math.Ldexp(1+fraction/1024, exponent-15)
		switch {
		case exponent == 0:
			want = sign * math.Ldexp(fraction, -24)
		case exponent == 31 && fraction == 0:
			want = math.Inf(int(sign))
		case exponent == 31:
			want = math.NaN()
		}
		got := float64(vec.Widen(uint16(h)))
		if got != want && !(math.IsNaN(got) && math.IsNaN(want)) || math.Signbit(got) != (h>>15 == 1) {
			t.Errorf("%#04x is %v, want %v", h, got, want)
		}
		// What the kernel makes of it must be the same.
		const n, most = 16, 8
		q, v := make([]float32, n), make([]uint16, n*most)
		for i := range q {
			q[i] = 0
		}
		q[5] = 1
		for i := range most {
			v[i*n+5] = uint16(h)
		}
		rows := make([]float32, most)
		vec.RowsF16(rows, q, v)
		for _, got := range append(rows, vec.DotF16(q, v)) {
			if got := float64(got); got != want && !(math.IsNaN(got) && math.IsNaN(want)) {
				t.Errorf("%#04x times one is %v, want %v", h, got, want)
			}
		}
	}
}

// A near is a float64 sum with the error that a float32 one may have.
type near struct {
	sum, size float64
	n         int
}

func (n *near) add(x, y float32) {
	p := float64(x) * float64(y)
	n.sum, n.size, n.n = n.sum+p, n.size+math.Abs(p), n.n+1
}

// is tells whether got is the sum as closely as the package says, with a room
// of the smallest float32 for each product, and not finite where the sum is not.
func (n near) is(got float32) bool {
	g := float64(got)
	switch {
	case math.IsNaN(n.sum):
		return g != g
	case math.IsInf(n.sum, 0):
		return g == n.sum
	case n.size > math.MaxFloat32:
		return true // depends on the order
	}
	return math.Abs(g-n.sum) <= (float64(n.n)/4+8)*(0x1p-24*n.size+0x1p-149)
}

// checkFloats runs every form of the float32 and the binary16 product of q with rows
// of its length, each of which begins with v.
func checkFloats(t *testing.T, name string, q, v []float32, half []uint16, rows int) {
	t.Helper()
	n := len(q)
	f32, f16 := make([]float32, rows+1), make([]float32, rows+1)
	f32[rows], f16[rows] = -5, -5
	vec.RowsF32(f32[:rows], q, v)
	vec.RowsF16(f16[:rows], q, half)
	if f32[rows] != -5 || f16[rows] != -5 {
		t.Fatalf("%s, %d rows of %d values: wrote behind them", name, rows, n)
	}
	for r := range rows {
		x, h := v[r*n:][:n], half[r*n:][:n]
		var want32, want16 near
		for i := range q {
			want32.add(q[i], x[i])
			want16.add(q[i], vec.Widen(h[i]))
		}
		for kind, got := range map[string]float32{"row": f32[r], "one": vec.DotF32(q, x), "portable": vec.DotF32Portable(q, x)} {
			if !want32.is(got) {
				t.Fatalf("%s, float32, %s %d of %d, %d values: %v, want %v", name, kind, r, rows, n, got, want32)
			}
		}
		for kind, got := range map[string]float32{"row": f16[r], "one": vec.DotF16(q, h), "portable": vec.DotF16Portable(q, h)} {
			if !want16.is(got) {
				t.Fatalf("%s, binary16, %s %d of %d, %d values: %v, want %v", name, kind, r, rows, n, got, want16)
			}
		}
	}
}

func TestFloats(t *testing.T) { eachWidth(t, testFloats) }

func testFloats(t *testing.T) {
	rng := rand.New(rand.NewPCG(3, 4))
	inf, nan := float32(math.Inf(1)), float32(math.NaN())
	for name, fill := range map[string]func(i int) (float32, float32){
		"random":  func(int) (float32, float32) { return float32(rng.NormFloat64()), float32(rng.NormFloat64()) },
		"outlier": func(i int) (float32, float32) { return float32(1 + i%7*i%7*1000), float32(rng.NormFloat64()) },
		"zero":    func(int) (float32, float32) { return 0, float32(rng.NormFloat64()) },
		"tiny":    func(int) (float32, float32) { return 1e-30, float32(rng.NormFloat64() * 1e-6) },
		"large":   func(int) (float32, float32) { return 1e30, 60000 },
		"infinite": func(i int) (float32, float32) {
			if i%37 == 5 {
				return 1, inf
			}
			return 1, float32(rng.NormFloat64())
		},
		"nan": func(i int) (float32, float32) {
			if i%37 == 5 {
				return 1, nan
			}
			return 1, float32(rng.NormFloat64())
		},
		"infinite question": func(i int) (float32, float32) {
			if i == 3 {
				return -inf, 2
			}
			return 1, float32(1 + rng.Float64())
		},
	} {
		for _, n := range lengths() {
			const rows = 12
			qs, vs, halves := make([]float32, n+3), make([]float32, rows*n+3), make([]uint16, rows*n+3)
			for i := range vs {
				qs[i%len(qs)], vs[i] = fill(i % len(qs))
				switch v := vs[i]; {
				case v != v:
					halves[i] = 0x7e00
				case math.IsInf(float64(v), 1):
					halves[i] = 0x7c00
				default:
					halves[i] = narrow(v)
				}
			}
			for _, from := range []int{0, 1, 3} {
				checkFloats(t, name, qs[from:from+n], vs[from:], halves[from:], rows-from)
			}
		}
	}
}

func FuzzInt8(f *testing.F) {
	f.Add([]byte("some bytes to begin with, more than thirty-two of them, and then a few more than that"), uint8(1))
	f.Add(make([]byte, 16*7), uint8(5))
	f.Fuzz(func(t *testing.T, data []byte, rows uint8) {
		r := int(rows%17) + 1
		n := len(data) / (2 + r)
		q, v := make([]int16, n), make([]int8, r*n)
		for i := range q {
			q[i] = int16(binary.LittleEndian.Uint16(data[2*i:]))
		}
		for i := range v {
			v[i] = max(int8(data[2*n+i]), -127)
		}
		vec.EachWidth(func(width string) {
			got := make([]int64, r)
			vec.RowsInt8(got, q, v)
			for i, g := range got {
				row := v[i*n:][:n]
				if want, one := vec.DotInt8Portable(q, row), vec.DotInt8(q, row); g != want || one != want {
					t.Fatalf("%s, row %d of %d values: %d, alone %d, want %d", width, i, n, g, one, want)
				}
			}
		})
	})
}

func FuzzFloats(f *testing.F) {
	rng := rand.New(rand.NewPCG(5, 6))
	for _, rows := range []uint8{0, 3, 4, 8} {
		var data []byte
		for range 300 {
			data = binary.LittleEndian.AppendUint32(data, math.Float32bits(float32(rng.NormFloat64())))
		}
		f.Add(data, rows)
	}
	f.Fuzz(func(t *testing.T, data []byte, rows uint8) {
		r := int(rows%17) + 1
		n := len(data) / (4 + 4*r)
		q, v, half := make([]float32, n), make([]float32, r*n), make([]uint16, r*n)
		for i := range q {
			q[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[4*i:]))
		}
		for i := range v {
			bits := binary.LittleEndian.Uint32(data[4*n+4*i:])
			v[i], half[i] = math.Float32frombits(bits), uint16(bits>>16^bits)
		}
		vec.EachWidth(func(width string) { checkFloats(t, width, q, v, half, r) })
	})
}
