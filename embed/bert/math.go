package bert

import "math"

// add sets dst[i] += src[i].
func add(dst, src []float32) {
	src = src[:len(dst)]
	for i := range dst {
		dst[i] += src[i]
	}
}

// normalize shifts and scales x to mean 0 and variance 1, then by the weights.
func (ln *layerNorm) normalize(x []float32, eps float32) {
	n := float32(len(x))
	mean := sum(x) / n
	var s0, s1, s2, s3 float32
	i := 0
	for ; i+4 <= len(x); i += 4 {
		q := (*[4]float32)(x[i:])
		q[0], q[1], q[2], q[3] = q[0]-mean, q[1]-mean, q[2]-mean, q[3]-mean
		s0 += q[0] * q[0]
		s1 += q[1] * q[1]
		s2 += q[2] * q[2]
		s3 += q[3] * q[3]
	}
	for ; i < len(x); i++ {
		x[i] -= mean
		s0 += x[i] * x[i]
	}
	inv := float32(1 / math.Sqrt(float64((s0+s1+s2+s3)/n+eps)))
	w, b := ln.weight[:len(x)], ln.bias[:len(x)]
	for i := range x {
		x[i] = x[i]*inv*w[i] + b[i]
	}
}

// sum adds in four chains, which are faster than one and more exact.
func sum(x []float32) float32 {
	var s0, s1, s2, s3 float32
	for ; len(x) >= 4; x = x[4:] {
		s0 += x[0]
		s1 += x[1]
		s2 += x[2]
		s3 += x[3]
	}
	for _, v := range x {
		s0 += v
	}
	return (s0 + s1) + (s2 + s3)
}
