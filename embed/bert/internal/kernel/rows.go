package kernel

import "math"

// AddNorm sets x to the sum of x and y, shifted and scaled to mean 0 and
// variance 1, then times weight and plus bias. All have the length of x.
func (s *Set) AddNorm(x, y, weight, bias []float32, eps float32) {
	n := len(x)
	y, weight, bias = y[:n], weight[:n], bias[:n]
	if n%8 != 0 {
		addNormPortable(x, y, weight, bias, eps)
		return
	}
	if n > 0 {
		s.addNorm(x, y, weight, bias, eps)
	}
}

// Transpose writes eight columns of blocks × 8 rows, srcStride apart, as eight
// rows, dstStride apart.
func (s *Set) Transpose(dst []float32, dstStride int, src []float32, srcStride, blocks int) {
	if blocks == 0 {
		return
	}
	if blocks < 0 || dstStride < 8*blocks || srcStride < 8 {
		panic("kernel: Transpose of a wrong shape")
	}
	s.transpose(dst[:7*dstStride+8*blocks], dstStride, src[:(8*blocks-1)*srcStride+8], srcStride, blocks)
}

// addNormPortable is the twin of addNormVectors but for the order of sums.
func addNormPortable(x, y, weight, bias []float32, eps float32) {
	n := float32(len(x))
	y, weight, bias = y[:len(x)], weight[:len(x)], bias[:len(x)]
	// Four chains are faster than one and more exact.
	var s [4]float32
	for i := range x {
		x[i] += y[i]
		s[i&3] += x[i]
	}
	mean := (s[0] + s[1] + (s[2] + s[3])) / n
	s = [4]float32{}
	for i := range x {
		v := x[i] - mean
		s[i&3] += v * v
	}
	inv := float32(1 / math.Sqrt(float64((s[0]+s[1]+(s[2]+s[3]))/n+eps)))
	for i := range x {
		x[i] = (x[i]-mean)*inv*weight[i] + bias[i]
	}
}

// transposePortable is the twin of transposeBlocks.
func transposePortable(dst []float32, dstStride int, src []float32, srcStride, blocks int) {
	for r := range 8 * blocks {
		for c, v := range src[r*srcStride:][:8] {
			dst[c*dstStride+r] = v
		}
	}
}
