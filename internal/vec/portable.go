package vec

import "math"

// The portable twins are unrolled by hand, with sums that do not wait for each
// other: the compiler does neither.

func dotInt8Portable(q []int16, v []int8) int64 {
	var a, b, c, d int64
	for len(q) >= 8 && len(v) >= 8 {
		x, y := (*[8]int16)(q), (*[8]int8)(v)
		a += int64(x[0])*int64(y[0]) + int64(x[4])*int64(y[4])
		b += int64(x[1])*int64(y[1]) + int64(x[5])*int64(y[5])
		c += int64(x[2])*int64(y[2]) + int64(x[6])*int64(y[6])
		d += int64(x[3])*int64(y[3]) + int64(x[7])*int64(y[7])
		q, v = q[8:], v[8:]
	}
	for i := range q {
		a += int64(q[i]) * int64(v[i])
	}
	return a + b + c + d
}

func dotF32Portable(q, v []float32) float32 {
	var a, b, c, d float32
	for len(q) >= 4 && len(v) >= 4 {
		x, y := (*[4]float32)(q), (*[4]float32)(v)
		a += x[0] * y[0]
		b += x[1] * y[1]
		c += x[2] * y[2]
		d += x[3] * y[3]
		q, v = q[4:], v[4:]
	}
	for i := range q {
		a += q[i] * v[i]
	}
	return a + b + (c + d)
}

func dotF16Portable(q []float32, v []uint16) float32 {
	var a, b, c, d float32
	for len(q) >= 4 && len(v) >= 4 {
		x, y := (*[4]float32)(q), (*[4]uint16)(v)
		a += x[0] * widen(y[0])
		b += x[1] * widen(y[1])
		c += x[2] * widen(y[2])
		d += x[3] * widen(y[3])
		q, v = q[4:], v[4:]
	}
	for i := range q {
		a += q[i] * widen(v[i])
	}
	return a + b + (c + d)
}

// widen gives the value of a binary16.
func widen(h uint16) float32 {
	sign := uint32(h>>15) << 31
	// The bits without the sign are those of a float32 but for the bias of the
	// exponent, which the product adds; it also makes subnormal numbers right.
	v := math.Float32frombits(uint32(h&0x7fff)<<13) * (1 << 112)
	if h&0x7c00 == 0x7c00 { // infinite or NaN
		v = math.Float32frombits(0x7f800000 | uint32(h&0x3ff)<<13)
	}
	return math.Float32frombits(math.Float32bits(v) | sign)
}
