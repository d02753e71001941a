package bert

import "math"

// The scalar functions of the encoder, in float32 with an absolute error
// below 1e-6 (the tests measure it), as the vectors need no more.

// exp returns e^x for x <= 0; smaller than 1e-38 becomes 0. It is the usual reduction
// to 2^n · e^r with |r| <= ln(2)/2, and the Taylor polynomial of degree 6.
func exp(x float32) float32 {
	const (
		log2e = 1.44269504088896340736
		ln2Hi = 0.693359375 // few bits, so that n·ln2Hi is exact
		ln2Lo = -2.12194440e-4
		shift = 12582912 // 1.5·2^23: the sum with it is rounded to a whole number
	)
	if !(x > -87) {
		if x != x {
			return x
		}
		return 0
	}
	n := x*log2e + shift
	bits := math.Float32bits(n)
	n -= shift
	r := x - n*ln2Hi - n*ln2Lo
	p := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120+r*(1./720))))))
	return p * math.Float32frombits((bits+127)<<23)
}

// gelu returns x·Φ(x). Φ comes from erfc as Abramowitz and Stegun 7.1.26 has
// it, whose error is 1.5e-7.
func gelu(x float32) float32 {
	z := x * (1 / math.Sqrt2)
	if z < 0 {
		z = -z
	}
	t := 1 / (1 + 0.3275911*z)
	tail := 0.5 * t * (0.254829592 + t*(-0.284496736+t*(1.421413741+t*(-1.453152027+t*1.061405429)))) * exp(-z*z)
	if x > 0 {
		return x - x*tail
	}
	return x * tail
}

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

// softmax turns x into weights that are not yet divided by their sum, which
// it returns.
func softmax(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		top = max(top, v)
	}
	var total float32
	for i, v := range x {
		e := exp(v - top)
		x[i] = e
		total += e
	}
	return total
}
