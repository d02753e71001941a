package f16_test

import (
	"math"
	"testing"

	"github.com/minirag/minirag/internal/f16"
)

// value computes a finite binary16 number from the definition.
func value(h uint16) float64 {
	exp, mant := int(h>>10&0x1f), float64(h&0x3ff)
	v := math.Ldexp(1024+mant, exp-25)
	if exp == 0 {
		v = math.Ldexp(mant, -24)
	}
	if h&0x8000 != 0 {
		v = -v
	}
	return v
}

func TestEveryNumber(t *testing.T) {
	for i := range 1 << 16 {
		h := uint16(i)
		f := f16.To32(h)
		if exp, mant := h>>10&0x1f, h&0x3ff; exp == 0x1f {
			switch {
			case mant != 0 && !math.IsNaN(float64(f)):
				t.Fatalf("To32(%#04x) = %v, want NaN", h, f)
			case mant == 0 && !math.IsInf(float64(f), 1-2*int(h>>15)):
				t.Fatalf("To32(%#04x) = %v, want an infinity", h, f)
			}
		} else if float64(f) != value(h) || math.Signbit(float64(f)) != (h>>15 == 1) {
			t.Fatalf("To32(%#04x) = %v, want %v", h, f, value(h))
		}
		if got := f16.From32(f); got != h && got != h|0x200 { // a NaN becomes quiet
			t.Fatalf("From32(To32(%#04x)) = %#04x", h, got)
		}
	}
}

// Between two neighbours the nearer one is taken, and the even one from the
// middle. Every gap, both signs, and the floats next to the middle.
func TestRounding(t *testing.T) {
	check := func(f float32, want uint16) {
		t.Helper()
		if got := f16.From32(f); got != want {
			t.Fatalf("From32(%v) = %#04x, want %#04x", f, got, want)
		}
		if got := f16.From32(-f); got != want|0x8000 {
			t.Fatalf("From32(%v) = %#04x, want %#04x", -f, got, want|0x8000)
		}
	}
	const largest = 0x7bff
	for h := range uint16(largest + 1) {
		lo, hi := value(h), value(h+1)
		if h == largest {
			hi = 65536 // what would come next decides the rounding to infinity
		}
		mid := float32((lo + hi) / 2) // exact: two binary16 numbers have 12 bits between them
		even := h + h&1
		check(math.Nextafter32(mid, 0), h)
		check(mid, even)
		check(math.Nextafter32(mid, math.MaxFloat32), h+1)
	}
	check(math.MaxFloat32, 0x7c00)
	check(math.SmallestNonzeroFloat32, 0)
}
