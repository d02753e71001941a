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

// Φ(x) is 1/2 + x·p(x²)/q(x²) within ±geluLimit, where its tail is 6e-8. The
// coefficients, constant term first, are a weighted least-squares fit of ours,
// repeated with more weight on the larger errors; that of x·Φ(x) stays below
// 8e-7·max(1, |x|) in float32.
const geluLimit = 5.3

var (
	geluP = [...]float32{0.3989420533180237, 0.03571593016386032, 0.0044981446117162704, 0.00016954985039774328,
		3.288751031504944e-06, -2.283764466426419e-08, 1.1793081788891158e-10}
	geluQ = [...]float32{1, 0.2561900019645691, 0.028979020193219185, 0.0018218513578176498, 6.258000212255865e-05}
)

// geluPortable is the twin of geluVectors.
func geluPortable(x []float32) {
	for i, v := range x {
		if v < -geluLimit {
			v = -geluLimit
		}
		c := v
		if c > geluLimit {
			c = geluLimit
		}
		u := c * c
		p := geluP[0] + u*(geluP[1]+u*(geluP[2]+u*(geluP[3]+u*(geluP[4]+u*(geluP[5]+u*geluP[6])))))
		q := geluQ[0] + u*(geluQ[1]+u*(geluQ[2]+u*(geluQ[3]+u*geluQ[4])))
		x[i] = v * (0.5 + c*p/q)
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
