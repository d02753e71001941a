package kernel

import "math"

// Gelu replaces each x by x·Φ(x), with an absolute error below 1e-6 of x. The
// length must be a multiple of 8.
func (s *Set) Gelu(x []float32) {
	if len(x)%8 != 0 {
		panic("kernel: Gelu of a wrong length")
	}
	if len(x) > 0 {
		s.gelu(x)
	}
}

// Softmax replaces each x by e^(x-top), where top is the largest, and returns
// their sum, by which the caller divides. The length must be a multiple of 8
// and not zero; elements of -Inf fill up and count nothing.
func (s *Set) Softmax(x []float32) float32 {
	if len(x)%8 != 0 || len(x) == 0 {
		panic("kernel: Softmax of a wrong length")
	}
	return s.softmax(x)
}

// exp returns e^x for x <= 0 with a relative error below 1e-6; what is smaller
// than e^-87 (1.6e-38) becomes that. It is the usual reduction to 2^n · e^r
// with |r| <= ln(2)/2, and the Taylor polynomial of degree 6.
func exp(x float32) float32 {
	const (
		log2e = 1.44269504088896340736
		ln2Hi = 0.693359375 // few bits, so that n·ln2Hi is exact
		ln2Lo = -2.12194440e-4
		shift = 12582912 // 1.5·2^23: the sum with it is rounded to a whole number
	)
	if x < -87 {
		x = -87
	}
	n := x*log2e + shift
	bits := math.Float32bits(n)
	n -= shift
	r := x - n*ln2Hi - n*ln2Lo
	p := 1 + r*(1+r*(1./2+r*(1./6+r*(1./24+r*(1./120+r*(1./720))))))
	return p * math.Float32frombits((bits+127)<<23)
}

// geluPortable is the twin of geluVectors. Φ comes from erfc as formula 7.1.26
// of Abramowitz and Stegun has it, whose error is 1.5e-7.
func geluPortable(x []float32) {
	for i, v := range x {
		z := v * (1 / math.Sqrt2)
		if z < 0 {
			z = -z
		}
		t := 1 / (1 + 0.3275911*z)
		tail := 0.5 * t * (0.254829592 + t*(-0.284496736+t*(1.421413741+t*(-1.453152027+t*1.061405429)))) * exp(-z*z)
		if v > 0 {
			x[i] = v - v*tail
		} else {
			x[i] = v * tail
		}
	}
}

// softmaxPortable is the twin of softmaxVectors.
func softmaxPortable(x []float32) float32 {
	top := x[0]
	for _, v := range x {
		if v > top {
			top = v
		}
	}
	var total float32
	for i, v := range x {
		e := exp(v - top)
		x[i] = e
		total += e
	}
	return total
}
