package main

import "math"

// constant fills v with a float32.
func (f writer) constant(v int, x float64) { f.bits(v, math.Float32bits(float32(x))) }

// bits fills v with a word.
func (f writer) bits(v int, word uint32) {
	f.Go("MOVD $0x%08x, R16", word)
	f.Op("dup v%d.4s, w16", v)
}

// horner leaves in dst, for each of the pairs of registers, the polynomial of
// the coefficients, in registers, of u. The highest is the last.
func (f writer) horner(dst, next, u [2]int, coefficients []int) [2]int {
	sum := coefficients[len(coefficients)-1]
	for half := range 2 {
		f.Op("mov v%d.16b, v%d.16b", dst[half], sum)
	}
	for i := len(coefficients) - 2; i >= 0; i-- {
		for half := range 2 {
			f.Op("mov v%d.16b, v%d.16b", next[half], coefficients[i])
		}
		for half := range 2 {
			f.Op("fmla v%d.4s, v%d.4s, v%d.4s", next[half], dst[half], u[half])
		}
		dst, next = next, dst
	}
	return dst
}

// both adds an instruction for both halves of a vector of eight; each register
// is that of the first half, followed by that of the second.
func (f writer) both(text string, regs ...[2]int) {
	for half := range 2 {
		args := make([]any, len(regs))
		for i, r := range regs {
			args[i] = r[half]
		}
		f.Op(text, args...)
	}
}

// all is a register that both halves use.
func all(v int) [2]int { return [2]int{v, v} }

// The coefficients of package kernel.
var (
	geluP = []float64{0.3989420533180237, 0.03571593016386032, 0.0044981446117162704, 0.00016954985039774328,
		3.288751031504944e-06, -2.283764466426419e-08, 1.1793081788891158e-10}
	geluQ = []float64{1, 0.2561900019645691, 0.028979020193219185, 0.0018218513578176498, 6.258000212255865e-05}
)

const geluLimit = 5.3

// gelu writes the twin of geluPortable for a number of vectors of eight.
func (f writer) gelu() {
	at := f.Func("geluVectors", "is gelu for a number of vectors of eight.", "(x *float32, vectors int)")
	const lowest, highest, half = 16, 17, 18
	f.load(at, 0, "x", "vectors")
	f.constant(lowest, -geluLimit)
	f.constant(highest, geluLimit)
	f.constant(half, 0.5)
	place := func(first int, c []float64) (regs []int) {
		for i, v := range c {
			f.constant(first+i, v)
			regs = append(regs, first+i)
		}
		return regs
	}
	p, q := place(19, geluP), place(26, geluQ)
	x, c, u := [2]int{0, 1}, [2]int{2, 3}, [2]int{4, 5}
	f.Label("loop")
	f.Go("VLD1 (R0), [V0.S4, V1.S4]")
	f.both("fmax v%d.4s, v%d.4s, v%d.4s", x, x, all(lowest)) // a NaN in x stays
	f.both("fmin v%d.4s, v%d.4s, v%d.4s", c, x, all(highest))
	f.both("fmul v%d.4s, v%d.4s, v%d.4s", u, c, c)
	above := f.horner([2]int{6, 7}, [2]int{8, 9}, u, p)
	below := f.horner([2]int{10, 11}, [2]int{12, 13}, u, q)
	f.both("fmul v%d.4s, v%d.4s, v%d.4s", above, above, c)
	f.both("fdiv v%d.4s, v%d.4s, v%d.4s", above, above, below)
	f.both("fadd v%d.4s, v%d.4s, v%d.4s", above, above, all(half))
	f.both("fmul v%d.4s, v%d.4s, v%d.4s", x, x, above)
	f.Go("VST1.P [V0.S4, V1.S4], 32(R0)")
	f.Go("SUBS $1, R1")
	f.Go("BNE loop")
	f.Go("RET")
}

// softmax writes the twin of softmaxPortable for a number of vectors of eight.
func (f writer) softmax() {
	at := f.Func("softmaxVectors", "is softmax for a number of vectors of eight.", "(x *float32, vectors int) float32")
	const lowest, log2e, shift, ln2Hi, ln2Lo, bias, top, exp0 = 16, 17, 18, 19, 20, 21, 22, 23
	f.load(at, 0, "x", "vectors")
	f.constant(lowest, -87)
	f.constant(log2e, math.Log2E)
	f.constant(shift, 12582912)
	f.constant(ln2Hi, 0.693359375)
	f.constant(ln2Lo, -2.12194440e-4)
	f.bits(bias, 127<<23)
	coefficients := []int{exp0, exp0} // 1 twice
	f.constant(exp0, 1)
	for i, v := range []float64{1. / 2, 1. / 6, 1. / 24, 1. / 120, 1. / 720} {
		f.constant(exp0+1+i, v)
		coefficients = append(coefficients, exp0+1+i)
	}

	f.Go("MOVD R0, R2")
	f.Go("MOVD R1, R3")
	f.Go("VLD1 (R2), [V0.S4, V1.S4]")
	f.Label("top")
	f.Go("VLD1.P 32(R2), [V2.S4, V3.S4]")
	f.both("fmax v%d.4s, v%d.4s, v%d.4s", [2]int{0, 1}, [2]int{0, 1}, [2]int{2, 3})
	f.Go("SUBS $1, R3")
	f.Go("BNE top")
	f.Op("fmax v0.4s, v0.4s, v1.4s")
	f.Op("fmaxv s0, v0.4s")
	f.Op("dup v%d.4s, v0.s[0]", top)

	const sum = 14
	x, n, power := [2]int{0, 1}, [2]int{2, 3}, [2]int{4, 5}
	f.Zero(sum, 2)
	f.Label("loop")
	f.Go("VLD1 (R0), [V0.S4, V1.S4]")
	f.both("fsub v%d.4s, v%d.4s, v%d.4s", x, x, all(top))
	f.both("fmax v%d.4s, v%d.4s, v%d.4s", x, x, all(lowest)) // a NaN in x stays
	f.both("mov v%d.16b, v%d.16b", n, all(shift))
	f.both("fmla v%d.4s, v%d.4s, v%d.4s", n, x, all(log2e))
	f.both("shl v%d.4s, v%d.4s, #23", power, n)
	f.both("add v%d.4s, v%d.4s, v%d.4s", power, power, all(bias))
	f.both("fsub v%d.4s, v%d.4s, v%d.4s", n, n, all(shift))
	f.both("fmls v%d.4s, v%d.4s, v%d.4s", x, n, all(ln2Hi))
	f.both("fmls v%d.4s, v%d.4s, v%d.4s", x, n, all(ln2Lo))
	p := f.horner([2]int{6, 7}, [2]int{8, 9}, x, coefficients)
	f.both("fmul v%d.4s, v%d.4s, v%d.4s", x, p, power)
	f.both("fadd v%d.4s, v%d.4s, v%d.4s", [2]int{sum, sum + 1}, [2]int{sum, sum + 1}, x)
	f.Go("VST1.P [V0.S4, V1.S4], 32(R0)")
	f.Go("SUBS $1, R1")
	f.Go("BNE loop")
	f.sum(sum)
	f.Go("FMOVS F%d, %s", sum, at["ret"])
	f.Go("RET")
}

// probabilities writes the twin of probabilitiesPortable.
func (f writer) probabilities() {
	at := f.Func("probabilities", "makes int16 of rows of logarithms.",
		"(probs *uint32, sums *float32, scores *float32, stride int, tokens int, rows int)")
	const unit, total, least, shift, most, top, poly0, spread = 12, 14, 16, 17, 18, 19, 20, 25
	f.load(at, 0, "probs", "sums", "scores", "stride", "tokens", "rows")
	f.constant(least, -30)
	f.constant(shift, 12582912+127)
	f.constant(most, 1<<15-1)
	f.constant(spread, 15<<14)
	var poly []int
	for i, v := range []float64{0.9999993, 0.6931218, 0.24024744, 0.055917863, 0.009570102} {
		f.constant(poly0+i, v)
		poly = append(poly, poly0+i)
	}
	f.Go("LSL $1, R3, R11") // the distance of rows of int16
	f.Go("LSL $2, R3")
	f.Go("ADD $15, R4, R6")
	f.Go("LSR $4, R6")
	f.Go("LSL $4, R6, R10")
	f.Go("SUB R4, R10") // what fills up the last 16
	f.Go("LSL $1, R6")  // vectors of eight
	f.Go("MOVD $0xff800000, R12")

	f.Label("row")
	f.Go("ADD R4<<2, R2, R7")
	f.Go("MOVD R10, R8")
	f.Go("CBZ R8, filled")
	f.Label("fill")
	f.Go("MOVW R12, (R7)")
	f.Go("ADD $4, R7")
	f.Go("SUBS $1, R8")
	f.Go("BNE fill")
	f.Label("filled")
	f.Go("MOVD R2, R7")
	f.Go("MOVD R6, R8")
	f.Go("VLD1 (R7), [V0.S4, V1.S4]")
	f.Label("top")
	f.Go("VLD1.P 32(R7), [V2.S4, V3.S4]")
	f.both("fmax v%d.4s, v%d.4s, v%d.4s", [2]int{0, 1}, [2]int{0, 1}, [2]int{2, 3})
	f.Go("SUBS $1, R8")
	f.Go("BNE top")
	f.Op("fmax v0.4s, v0.4s, v1.4s")
	f.Op("fmaxv s0, v0.4s")
	f.Op("dup v%d.4s, v0.s[0]", top)

	x, n, power, sum := [2]int{0, 1}, [2]int{2, 3}, [2]int{4, 5}, [2]int{total, total + 1}
	f.Zero(total, 2)
	f.Go("MOVD R2, R7")
	f.Go("MOVD R6, R8")
	f.Label("exp")
	f.Go("VLD1 (R7), [V0.S4, V1.S4]")
	f.both("fsub v%d.4s, v%d.4s, v%d.4s", x, x, all(top))
	f.both("fmax v%d.4s, v%d.4s, v%d.4s", x, x, all(least)) // a NaN in x stays
	f.both("fadd v%d.4s, v%d.4s, v%d.4s", n, x, all(shift))
	f.both("shl v%d.4s, v%d.4s, #23", power, n)
	f.both("fsub v%d.4s, v%d.4s, v%d.4s", n, n, all(shift))
	f.both("fsub v%d.4s, v%d.4s, v%d.4s", x, x, n)
	p := f.horner([2]int{6, 7}, [2]int{8, 9}, x, poly)
	f.both("fmul v%d.4s, v%d.4s, v%d.4s", x, p, power)
	f.both("fadd v%d.4s, v%d.4s, v%d.4s", sum, sum, x)
	f.Go("VST1.P [V0.S4, V1.S4], 32(R7)")
	f.Go("SUBS $1, R8")
	f.Go("BNE exp")
	f.sum(total)
	f.Go("FDIVS F%d, F%d, F%d", total, spread, unit)
	f.Op("dup v%d.4s, v%d.s[0]", unit, unit)
	f.Op("fmin v%d.4s, v%d.4s, v%d.4s", unit, unit, most)

	const whole = 10
	f.Zero(whole, 2)
	f.Go("MOVD R2, R7")
	f.Go("MOVD R6, R8")
	f.Go("MOVD R0, R9")
	f.Label("round")
	f.Go("VLD1.P 32(R7), [V0.S4, V1.S4]")
	f.both("fmul v%d.4s, v%d.4s, v%d.4s", x, x, all(unit))
	f.both("fcvtns v%d.4s, v%d.4s", x, x)
	f.both("add v%d.4s, v%d.4s, v%d.4s", [2]int{whole, whole + 1}, [2]int{whole, whole + 1}, x)
	f.Op("sqxtn v2.4h, v0.4s")
	f.Op("sqxtn2 v2.8h, v1.4s")
	f.Go("VST1.P [V2.H8], 16(R9)")
	f.Go("SUBS $1, R8")
	f.Go("BNE round")
	f.Op("add v%d.4s, v%d.4s, v%d.4s", whole, whole, whole+1)
	f.Op("addv s%d, v%d.4s", whole, whole)
	f.Op("scvtf v%d.4s, v%d.4s", whole, whole)
	// What is not finite stays so.
	f.Go("FSUBS F%d, F%d, F%d", total, total, total)
	f.Go("FADDS F%d, F%d, F%d", total, whole, whole)
	f.Go("FMOVS $1.0, F0")
	f.Go("FDIVS F%d, F0, F0", whole)
	f.Go("FMOVS F0, (R1)")
	f.Go("ADD $4, R1")
	f.Go("ADD R3, R2")
	f.Go("ADD R11, R0")
	f.Go("SUBS $1, R5")
	f.Go("BNE row")
	f.Go("RET")
}

// sum leaves in the first lane of v the sum of the lanes of v and v+1.
func (f writer) sum(v int) {
	f.Op("fadd v%d.4s, v%d.4s, v%d.4s", v, v, v+1)
	f.Op("faddp v%d.4s, v%d.4s, v%d.4s", v, v, v)
	f.Op("faddp s%d, v%d.2s", v, v)
}

// scaling are the registers with which numbers become integers: three
// constants, what is computed, and one that is free.
type scaling struct{ limit, smallest, infinite, scale, inv, mask int }

func (f writer) begin(s scaling, limit float64) {
	f.constant(s.limit, limit)
	f.constant(s.smallest, 1e-36)
	f.constant(s.infinite, math.Inf(1))
}

// inverse sets inv to what makes limit of the largest magnitude in top, and scale
// to what undoes that. Both are zero if top is too small; inv is zero if there is
// no inverse.
func (f writer) inverse(s scaling, top int) {
	f.Op("fdiv v%d.4s, v%d.4s, v%d.4s", s.scale, top, s.limit)
	f.Op("fdiv v%d.4s, v%d.4s, v%d.4s", s.inv, s.limit, top)
	f.Op("fcmgt v%d.4s, v%d.4s, v%d.4s", s.mask, s.smallest, top) // not so for a NaN
	f.Op("bic v%d.16b, v%d.16b, v%d.16b", s.scale, s.scale, s.mask)
	f.Op("bic v%d.16b, v%d.16b, v%d.16b", s.inv, s.inv, s.mask)
	f.Op("fcmgt v%d.4s, v%d.4s, v%d.4s", s.mask, s.infinite, s.inv)
	f.Op("and v%d.16b, v%d.16b, v%d.16b", s.inv, s.inv, s.mask)
}

// largest moves on by a group and makes the words of top the largest magnitudes.
func (f writer) largest(top int, at string) {
	for range 2 {
		f.Go("VLD1.P 64(%s), %s", at, four(0))
		f.Each(0, 4, "fabs v%[1]d.4s, v%[1]d.4s")
		// The bits order like magnitudes.
		f.Op("umax v0.4s, v0.4s, v1.4s")
		f.Op("umax v2.4s, v2.4s, v3.4s")
		f.Op("umax v0.4s, v0.4s, v2.4s")
		f.Op("umax v%d.4s, v%d.4s, v0.4s", top, top)
	}
}

// rounded moves on by a group and leaves it, times inv, as int16 in v8 to v11.
func (f writer) rounded(at string, inv int) {
	f.Go("VLD1.P 64(%s), %s", at, four(0))
	f.Go("VLD1.P 64(%s), %s", at, four(4))
	for v := range 8 {
		f.Op("fmul v%d.4s, v%d.4s, v%d.4s", v, v, inv)
		f.Op("fcvtns v%d.4s, v%d.4s", v, v)
	}
	for i := range 4 {
		f.Op("sqxtn v%d.4h, v%d.4s", 8+i, 2*i)
		f.Op("sqxtn2 v%d.8h, v%d.4s", 8+i, 2*i+1)
	}
}

// quantize writes the twin of quantizePortable for whole parts of up to
// partGroups groups.
func (f writer) quantize() {
	at := f.Func("quantizeRows", "is quantize.", "(dst *byte, scales *byte, dstStride int, x *float32, stride int, groups int, rows int)")
	const offset, top = 27, 16
	s := scaling{limit: 24, smallest: 25, infinite: 26, scale: 17, inv: 18, mask: 19}
	f.load(at, 8, "dst", "scales", "dstStride", "x", "stride", "groups", "rows")
	f.Go("LSL $2, R12")
	f.begin(s, 127)
	f.bits(offset, 0x80808080)

	f.Label("row")
	f.Go("MOVD R8, R0")
	f.Go("MOVD R9, R1")
	f.Go("MOVD R11, R2")
	f.Go("MOVD R13, R3")
	f.Label("part")
	f.Go("MOVD $%d, R4", partGroups)
	f.Go("CMP $%d, R3", partGroups)
	f.Go("CSEL LT, R3, R4, R4")
	f.Go("SUB R4, R3")
	f.Go("MOVD R4, R5")
	f.Go("MOVD R2, R6")
	f.Zero(top, 1)
	f.Label("top")
	f.largest(top, "R6")
	f.Go("SUBS $1, R5")
	f.Go("BNE top")
	f.Op("umaxv s%d, v%d.4s", top, top)
	f.Op("dup v%d.4s, v%d.s[0]", top, top)
	f.inverse(s, top)
	f.Go("FMOVS F%d, (R1)", s.scale)
	f.Go("ADD $4, R1")

	f.Label("group")
	f.rounded("R2", s.inv)
	for i := range 2 {
		f.Op("sqxtn v%d.8b, v%d.8h", i, 8+2*i)
		f.Op("sqxtn2 v%d.16b, v%d.8h", i, 9+2*i)
		f.Op("eor v%d.16b, v%d.16b, v%d.16b", i, i, offset)
	}
	f.Go("VST1.P [V0.B16, V1.B16], 32(R0)")
	f.Go("SUBS $1, R4")
	f.Go("BNE group")
	f.Go("CBNZ R3, part")
	f.Go("ADD R10, R8")
	f.Go("ADD R10, R9")
	f.Go("ADD R12, R11")
	f.Go("SUBS $1, R14")
	f.Go("BNE row")
	f.Go("RET")
}

// addNorm writes the twin of addNormPortable for a number of vectors of eight.
func (f writer) addNorm() {
	at := f.Func("addNormVectors", "is addNorm for a number of vectors of eight.",
		"(x *float32, y *float32, weight *float32, bias *float32, eps float32, vectors int)")
	const eps, n, mean, inv = 16, 17, 18, 19
	f.load(at, 0, "x", "y", "weight", "bias")
	f.load(at, 5, "vectors")
	f.Go("FMOVS %s, F%d", at["eps"], eps)
	f.Go("LSL $3, R5, R4")
	f.Go("SCVTFS R4, F%d", n)

	x, y, sum := [2]int{0, 1}, [2]int{2, 3}, [2]int{6, 7}
	loop := func(label string, body func()) {
		f.Go("MOVD R0, R6")
		f.Go("MOVD R5, R7")
		f.Label(label)
		body()
		f.Go("SUBS $1, R7")
		f.Go("BNE %s", label)
	}
	f.Zero(6, 2)
	loop("add", func() {
		f.Go("VLD1 (R6), [V0.S4, V1.S4]")
		f.Go("VLD1.P 32(R1), [V2.S4, V3.S4]")
		f.both("fadd v%d.4s, v%d.4s, v%d.4s", x, x, y)
		f.both("fadd v%d.4s, v%d.4s, v%d.4s", sum, sum, x)
		f.Go("VST1.P [V0.S4, V1.S4], 32(R6)")
	})
	f.sum(6)
	f.Go("FDIVS F%d, F6, F6", n)
	f.Op("dup v%d.4s, v6.s[0]", mean)

	f.Zero(6, 2)
	loop("squares", func() {
		f.Go("VLD1.P 32(R6), [V0.S4, V1.S4]")
		f.both("fsub v%d.4s, v%d.4s, v%d.4s", x, x, all(mean))
		f.both("fmla v%d.4s, v%d.4s, v%d.4s", sum, x, x)
	})
	f.sum(6)
	f.Go("FDIVS F%d, F6, F6", n)
	f.Go("FADDS F%d, F6, F6", eps)
	f.Go("FSQRTS F6, F6")
	f.Go("FMOVS $1.0, F7")
	f.Go("FDIVS F6, F7, F6")
	f.Op("dup v%d.4s, v6.s[0]", inv)

	loop("scale", func() {
		f.Go("VLD1 (R6), [V0.S4, V1.S4]")
		f.Go("VLD1.P 32(R2), [V2.S4, V3.S4]")
		f.Go("VLD1.P 32(R3), [V4.S4, V5.S4]")
		f.both("fsub v%d.4s, v%d.4s, v%d.4s", x, x, all(mean))
		f.both("fmul v%d.4s, v%d.4s, v%d.4s", x, x, all(inv))
		f.both("fmla v%d.4s, v%d.4s, v%d.4s", [2]int{4, 5}, x, y)
		f.Go("VST1.P [V4.S4, V5.S4], 32(R6)")
	})
	f.Go("RET")
}

// transpose writes the twin of transposePortable for blocks of eight rows.
func (f writer) transpose() {
	at := f.Func("transposeBlocks", "is transpose.", "(dst *float32, dstStride int, src *float32, srcStride int, blocks int)")
	f.load(at, 0, "dst", "dstStride", "src", "srcStride", "blocks")
	f.Go("LSL $2, R1")
	f.Go("LSL $2, R3")
	f.Label("block")
	for r := range 8 {
		f.Go("VLD1.P (R2)(R3), [V%d.S4, V%d.S4]", 2*r, 2*r+1)
	}
	f.Go("MOVD R0, R5")
	// Four rows and four columns at a time: low and high columns of the rows, and
	// the upper and lower rows.
	for cols := range 2 {
		for rows := range 2 {
			row := func(i int) int { return 8*rows + 2*i + cols }
			for pair := range 2 {
				f.Op("trn1 v%d.4s, v%d.4s, v%d.4s", 16+2*pair, row(2*pair), row(2*pair+1))
				f.Op("trn2 v%d.4s, v%d.4s, v%d.4s", 17+2*pair, row(2*pair), row(2*pair+1))
			}
			for i := range 2 {
				f.Op("zip1 v%d.2d, v%d.2d, v%d.2d", 20+2*i+rows, 16+i, 18+i)
				f.Op("zip2 v%d.2d, v%d.2d, v%d.2d", 24+2*i+rows, 16+i, 18+i)
			}
		}
		for _, v := range []int{20, 22, 24, 26} {
			f.Go("VST1 [V%d.S4, V%d.S4], (R5)", v, v+1)
			f.Go("ADD R1, R5")
		}
	}
	f.Go("ADD $32, R0")
	f.Go("SUBS $1, R4")
	f.Go("BNE block")
	f.Go("RET")
}
