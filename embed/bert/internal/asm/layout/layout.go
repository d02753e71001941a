// Package layout has what the generated kernels of all widths have in common:
// the layout of their operands and the coefficients that package kernel
// documents.
package layout

// The layout of weights and activations.
const (
	Lanes        = 16
	Group        = 32
	PartGroups   = 2
	GroupWeights = Lanes * Group
	GroupBytes   = GroupWeights + 4*Lanes
	PartStart    = 4 * Lanes
)

// PairBias is what keeps the sums of two groups, in the halves of a word, above
// zero.
const PairBias = 0x7fff7fff

// GeluLimit bounds the argument of [GeluP] and [GeluQ].
const GeluLimit = 5.3

// GeluP and GeluQ return the coefficients of GELU, constant term first.
func GeluP() []float32 {
	return []float32{0.3989420533180237, 0.03571593016386032, 0.0044981446117162704, 0.00016954985039774328,
		3.288751031504944e-06, -2.283764466426419e-08, 1.1793081788891158e-10}
}

// GeluQ is the denominator, see [GeluP].
func GeluQ() []float32 {
	return []float32{1, 0.2561900019645691, 0.028979020193219185, 0.0018218513578176498, 6.258000212255865e-05}
}

// The constants of the exponential function: the least argument, the number
// that rounds to an integer when it is added, and ln 2 in two parts, of which
// the first has few bits.
const (
	ExpLeast = -87
	ExpRound = 12582912
	Ln2High  = 0.693359375
	Ln2Low   = -2.12194440e-4
)

// ExpTaylor returns the coefficients of e^x around 0, constant term first.
func ExpTaylor() []float32 { return []float32{1, 1, 1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720} }

// The constants of attention, see package kernel: the least argument of 2^x, the
// number that rounds to an integer and adds the bias of an exponent, the most that
// a probability and the sum of those of a row become, that of a value, and that of a query or key.
const (
	Exp2Least = -30
	Exp2Round = 12582912 + 127
	ProbMost  = 1<<15 - 1
	ProbSum   = 15 << 14
	ValueMost = 1<<13 - 1
	HeadMost  = 1<<12 - 1
)

// Exp2Poly returns the coefficients of 2^x around 0, constant term first.
func Exp2Poly() []float32 {
	return []float32{0.9999993, 0.6931218, 0.24024744, 0.055917863, 0.009570102}
}
