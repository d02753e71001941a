// Package f16 converts between float32 and IEEE 754 binary16 numbers.
//
// It is pure and imports the standard library only.
package f16

import "math"

// From32 returns the binary16 number nearest to f, ties to even. What is too
// large becomes an infinity; a NaN stays one.
func From32(f float32) uint16 {
	b := math.Float32bits(f)
	sign := uint16(b >> 16 & 0x8000)
	abs := b & 0x7fffffff
	switch {
	case abs > 0x7f800000: // NaN: keep the high payload bits, and make it quiet
		return sign | 0x7e00 | uint16(abs>>13&0x3ff)
	case abs >= 0x47800000: // at least 2^16
		return sign | 0x7c00
	case abs >= 0x38800000: // normal: from 2^-14
		// Rebias the exponent, 127 to 15. A carry out of the mantissa moves
		// to the next exponent and, at the top, to infinity, as it should.
		return sign | uint16(roundShift(abs-(127-15)<<23, 13))
	case abs < 0x33000000: // less than half of the smallest subnormal
		return sign
	}
	exp := abs >> 23
	mant := abs&0x7fffff | 0x800000
	return sign | uint16(roundShift(mant, 126-exp))
}

// roundShift is x / 2^n, rounded to the nearest, ties to even.
func roundShift(x, n uint32) uint32 {
	half := uint32(1) << (n - 1)
	return (x + half - 1 + x>>n&1) >> n
}

// To32 returns the value of a binary16 number, exactly.
func To32(h uint16) float32 {
	sign := uint32(h&0x8000) << 16
	exp := uint32(h >> 10 & 0x1f)
	mant := uint32(h & 0x3ff)
	switch exp {
	case 0: // zero and subnormals: mant * 2^-24
		f := float32(mant) * (1.0 / (1 << 24))
		return math.Float32frombits(math.Float32bits(f) | sign)
	case 0x1f:
		return math.Float32frombits(sign | 0x7f800000 | mant<<13)
	}
	return math.Float32frombits(sign | (exp+127-15)<<23 | mant<<13)
}
