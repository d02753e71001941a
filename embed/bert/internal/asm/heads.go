package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/minirag/minirag/embed/bert/internal/asm/layout"
)

// maxHeadTokens is the most queries that scores and mix take at once.
const maxHeadTokens = 6

// inverse leaves in inv what numbers, of which top has the largest magnitude, are
// multiplied by so that it becomes limit, and in scale what undoes that. Both are
// zero if top is too small; inv is zero if there is no inverse.
func inverse(top, limit, smallest, infinite, scale, inv, mask reg.VecVirtual) {
	VDIVPS(limit, top, scale)
	VCMPPS(Imm(5), smallest, top, mask) // not less than, true for NaN
	VANDPS(mask, scale, scale)
	VDIVPS(top, limit, inv)
	VANDPS(mask, inv, inv)
	VCMPPS(Imm(1), infinite, inv, mask) // less than, false for NaN
	VANDPS(mask, inv, inv)
}

// magnitudes returns a register that takes the signs away.
func magnitudes() reg.VecVirtual {
	sign := YMM()
	VPCMPEQD(sign, sign, sign)
	VPSRLD(Imm(1), sign, sign)
	return sign
}

// headRows writes the twin of quantizeHeadPortable.
func headRows() {
	const name = "headRows"
	TEXT(name, NOSPLIT, "func(dst, scales, x *float32, stride, cols, rows int, factor float32)")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	scales := Load(Param("scales"), GP64())
	row := Load(Param("x"), GP64())
	stride := Load(Param("stride"), GP64())
	cols := Load(Param("cols"), GP64())
	left := Load(Param("rows"), GP64())
	SHLQ(Imm(2), stride)
	SHRQ(Imm(5), cols)
	sign := magnitudes()
	limit := broadcast("headMost", layout.HeadMost)
	smallest := broadcast("smallest", 1e-36)
	infinite := broadcast("infinite", float32(math.Inf(1)))

	Label(name + "Row")
	at, n, top := GP64(), GP64(), YMM()
	VPXOR(top, top, top)
	MOVQ(row, at)
	MOVQ(cols, n)
	Label(name + "Top")
	for i := range 4 {
		abs := YMM()
		VPAND(Mem{Base: at, Disp: 32 * i}, sign, abs)
		VPMAXUD(abs, top, top)
	}
	ADDQ(I32(4*group), at)
	DECQ(n)
	JNE(LabelRef(name + "Top"))
	horizontalMax(top)
	scale, inv, mask := YMM(), YMM(), YMM()
	inverse(top, limit, smallest, infinite, scale, inv, mask)
	{
		factor := Load(Param("factor"), XMM()).(reg.VecVirtual)
		VMULSS(factor, scale.AsX(), factor)
		VMOVSS(factor, Mem{Base: scales})
	}
	ADDQ(Imm(4), scales)

	MOVQ(row, at)
	MOVQ(cols, n)
	Label(name + "Group")
	var v [4]reg.VecVirtual
	for i := range v {
		v[i] = YMM()
		VMULPS(Mem{Base: at, Disp: 32 * i}, inv, v[i])
		VCVTPS2DQ(v[i], v[i])
	}
	VPACKSSDW(v[1], v[0], v[0])
	VPACKSSDW(v[3], v[2], v[2])
	// VPACK works within halves.
	for i := range 2 {
		VPERMQ(Imm(0xd8), v[2*i], v[2*i])
		VMOVDQU(v[2*i], Mem{Base: dst, Disp: 32 * i})
	}
	ADDQ(Imm(2*group), dst)
	ADDQ(I32(4*group), at)
	DECQ(n)
	JNE(LabelRef(name + "Group"))
	ADDQ(stride, row)
	DECQ(left)
	JNE(LabelRef(name + "Row"))
	VZEROUPPER()
	RET()
}

// headValues writes the twin of valuesPortable.
func headValues() {
	TEXT("headValues", NOSPLIT, "func(dst *uint32, scales, x *float32, stride, tokens int)")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64())
	scales := Load(Param("scales"), GP64())
	row := Load(Param("x"), GP64())
	stride := Load(Param("stride"), GP64())
	left := Load(Param("tokens"), GP64())
	SHLQ(Imm(2), stride)
	sign := magnitudes()
	limit := broadcast("valueMost", layout.ValueMost)
	smallest := broadcast("smallest", 1e-36)
	infinite := broadcast("infinite", float32(math.Inf(1)))
	at, n := GP64(), GP64()
	MOVQ(row, at)
	MOVQ(left, n)
	var top, inv [2]reg.VecVirtual
	for half := range top {
		top[half], inv[half] = YMM(), YMM()
		VPXOR(top[half], top[half], top[half])
	}
	Label("headValuesTop")
	for half, v := range top {
		abs := YMM()
		VPAND(Mem{Base: at, Disp: 32 * half}, sign, abs)
		VPMAXUD(abs, v, v)
	}
	ADDQ(stride, at)
	DECQ(n)
	JNE(LabelRef("headValuesTop"))
	for half := range top {
		scale, mask := YMM(), YMM()
		inverse(top[half], limit, smallest, infinite, scale, inv[half], mask)
		VMOVUPS(scale, Mem{Base: scales, Disp: 32 * half})
	}

	// put writes a word of two rows, or of one.
	put := func(rows int) {
		for half := range 2 {
			first := YMM()
			VMULPS(Mem{Base: row, Disp: 32 * half}, inv[half], first)
			VCVTPS2DQ(first, first)
			second := YMM()
			if rows == 2 {
				VMULPS(Mem{Base: row, Index: stride, Scale: 1, Disp: 32 * half}, inv[half], second)
				VCVTPS2DQ(second, second)
				VPSLLD(Imm(16), second, second)
			} else {
				VPXOR(second, second, second)
			}
			VPBLENDW(Imm(0xaa), second, first, first)
			VMOVDQU(first, Mem{Base: dst, Disp: 32 * half})
		}
	}
	SUBQ(Imm(2), left)
	JL(LabelRef("headValuesLast"))
	Label("headValuesPair")
	put(2)
	ADDQ(Imm(4*lanes), dst)
	LEAQ(Mem{Base: row, Index: stride, Scale: 2}, row)
	SUBQ(Imm(2), left)
	JGE(LabelRef("headValuesPair"))
	Label("headValuesLast")
	ADDQ(Imm(2), left)
	JE(LabelRef("headValuesEnd"))
	put(1)
	Label("headValuesEnd")
	VZEROUPPER()
	RET()
}

// scores writes the products of n queries with panels of keys, both of pairs of
// int16.
func scores(n int) {
	name := fmt.Sprintf("scores%d", n)
	TEXT(name, NOSPLIT, "func(out *float32, outStride int, q *float32, words int, qScales, keys *float32, keyStride int, keyScales *float32, panels int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64())
	outStride := Load(Param("outStride"), GP64())
	q := Load(Param("q"), GP64()).(reg.GPVirtual)
	words := Load(Param("words"), GP64()).(reg.GPVirtual)
	qScales := Load(Param("qScales"), GP64())
	keys := Load(Param("keys"), GP64())
	keyStride := Load(Param("keyStride"), GP64())
	keyScales := Load(Param("keyScales"), GP64())
	panels := Load(Param("panels"), GP64())
	SHLQ(Imm(2), outStride)
	SHLQ(Imm(2), words)
	SHLQ(Imm(2), keyStride)
	a := newRows(q, words, n)

	Label(name + "Panel")
	acc := zeroSums(n)
	at, left := GP64(), GP64()
	MOVQ(keys, at)
	Load(Param("words"), left)
	Label(name + "Word")
	pairProducts(a, Mem{Base: at}, acc, n)
	ADDQ(keyStride, at)
	ADDQ(Imm(4), q)
	DECQ(left)
	JNE(LabelRef(name + "Word"))
	SUBQ(words, q)
	scaled(acc, n, keyScales, qScales, out, outStride)
	ADDQ(Imm(4*lanes), keyScales)
	ADDQ(Imm(4*lanes), keys)
	ADDQ(Imm(4*lanes), out)
	DECQ(panels)
	JNE(LabelRef(name + "Panel"))
	VZEROUPPER()
	RET()
}

// mix writes the products of n rows of probabilities with a panel of values.
func mix(n int) {
	name := fmt.Sprintf("mix%d", n)
	TEXT(name, NOSPLIT, "func(out *float32, outStride int, probs *uint32, probStride int, values *uint32, sums, scales *float32, pairs int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64())
	outStride := Load(Param("outStride"), GP64())
	probs := Load(Param("probs"), GP64()).(reg.GPVirtual)
	probStride := Load(Param("probStride"), GP64()).(reg.GPVirtual)
	values := Load(Param("values"), GP64())
	sums := Load(Param("sums"), GP64())
	scales := Load(Param("scales"), GP64())
	left := Load(Param("pairs"), GP64())
	SHLQ(Imm(2), outStride)
	SHLQ(Imm(2), probStride)
	a := newRows(probs, probStride, n)
	acc := zeroSums(n)
	Label(name + "Pair")
	pairProducts(a, Mem{Base: values}, acc, n)
	ADDQ(Imm(4*lanes), values)
	ADDQ(Imm(4), probs)
	DECQ(left)
	JNE(LabelRef(name + "Pair"))
	scaled(acc, n, scales, sums, out, outStride)
	VZEROUPPER()
	RET()
}

func zeroSums(n int) (acc [maxHeadTokens][2]reg.VecVirtual) {
	for t := range n {
		for half := range 2 {
			acc[t][half] = YMM()
			VPXOR(acc[t][half], acc[t][half], acc[t][half])
		}
	}
	return acc
}

// pairProducts adds to acc the products of a pair of int16 of each of n rows with
// the pairs of 16 lanes.
func pairProducts(a rows, lanes Mem, acc [maxHeadTokens][2]reg.VecVirtual, n int) {
	w0, w1 := YMM(), YMM()
	VMOVDQU(lanes, w0)
	VMOVDQU(lanes.Offset(32), w1)
	for t := range n {
		b, p := YMM(), YMM()
		VPBROADCASTD(a.at(t, 0), b)
		VPMADDWD(w0, b, p)
		VPADDD(p, acc[t][0], acc[t][0])
		VPMADDWD(w1, b, b)
		VPADDD(b, acc[t][1], acc[t][1])
	}
}

// scaled writes the sums as float32, times the scale of each lane and then that
// of each row.
func scaled(acc [maxHeadTokens][2]reg.VecVirtual, n int, laneScales, rowScales, out, outStride reg.Register) {
	s0, s1, to := YMM(), YMM(), GP64()
	VMOVUPS(Mem{Base: laneScales}, s0)
	VMOVUPS(Mem{Base: laneScales, Disp: 32}, s1)
	MOVQ(out, to)
	for t := range n {
		b := YMM()
		VBROADCASTSS(Mem{Base: rowScales, Disp: 4 * t}, b)
		for half, s := range []reg.VecVirtual{s0, s1} {
			v := acc[t][half]
			VCVTDQ2PS(v, v)
			VMULPS(s, v, v)
			VMULPS(b, v, v)
			VMOVUPS(v, Mem{Base: to, Disp: 32 * half})
		}
		if t+1 < n {
			ADDQ(outStride, to)
		}
	}
}

// probabilities writes the twin of probabilitiesPortable. Vectors are taken in
// twos, so that AVX-512 gives the same numbers to the bit.
func probabilities() {
	TEXT("probabilities", NOSPLIT, "func(probs *uint32, sums, scores *float32, stride, tokens, rows int)")
	Pragma("noescape")
	probs := Load(Param("probs"), GP64())
	sums := Load(Param("sums"), GP64())
	row := Load(Param("scores"), GP64())
	stride := Load(Param("stride"), GP64())
	blocks := Load(Param("tokens"), GP64())
	rows := Load(Param("rows"), GP64())
	probStride := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 1}, probStride)
	SHLQ(Imm(2), stride)
	// The lanes of the last 16 that count.
	var mask [2]reg.VecVirtual
	{
		rest, x := GP64(), XMM()
		DECQ(blocks)
		MOVQ(blocks, rest)
		ANDQ(Imm(lanes-1), rest)
		VMOVD(rest.(reg.GPVirtual).As32(), x)
		for half := range mask {
			mask[half] = YMM()
			VPBROADCASTD(x, mask[half])
			at := GLOBL(fmt.Sprintf("lanes%d", half), RODATA|NOPTR)
			for i := range 8 {
				DATA(4*i, U32(8*half+i))
			}
			above := YMM()
			VMOVDQU(at, above)
			VPCMPGTD(mask[half], above, mask[half]) // the lanes that do not
		}
		SHRQ(Imm(4), blocks)
	}

	Label("probabilitiesRow")
	at, n, top := GP64(), GP64(), YMM()
	VBROADCASTSS(constant("negative", float32(math.Inf(-1))), top)
	MOVQ(row, at)
	MOVQ(blocks, n)
	TESTQ(n, n)
	JE(LabelRef("probabilitiesLast"))
	Label("probabilitiesTop")
	VMAXPS(Mem{Base: at}, top, top)
	VMAXPS(Mem{Base: at, Disp: 32}, top, top)
	ADDQ(Imm(4*lanes), at)
	DECQ(n)
	JNE(LabelRef("probabilitiesTop"))
	Label("probabilitiesLast")
	{
		negative := YMM()
		VBROADCASTSS(constant("negative", float32(math.Inf(-1))), negative)
		for half := range mask {
			v := YMM()
			VMOVUPS(Mem{Base: at, Disp: 32 * half}, v)
			VBLENDVPS(mask[half], negative, v, v)
			VMOVUPS(v, Mem{Base: at, Disp: 32 * half})
			VMAXPS(v, top, top)
		}
		other := YMM()
		VPERM2F128(Imm(1), top, top, other)
		VMAXPS(other, top, top)
		VPERMILPS(Imm(0x4e), top, other)
		VMAXPS(other, top, top)
		VPERMILPS(Imm(0xb1), top, other)
		VMAXPS(other, top, top)
	}

	var sum [2]reg.VecVirtual
	for half := range sum {
		sum[half] = YMM()
		VXORPS(sum[half], sum[half], sum[half])
	}
	MOVQ(row, at)
	LEAQ(Mem{Base: blocks, Disp: 1}, n)
	least, shift := broadcast("exp2Least", layout.Exp2Least), broadcast("exp2Round", layout.Exp2Round)
	poly := layout.Exp2Poly()
	Label("probabilitiesExp")
	var x, e, power [2]reg.VecVirtual
	for half := range sum {
		x[half], e[half], power[half] = YMM(), YMM(), YMM()
		VMOVUPS(Mem{Base: at, Disp: 32 * half}, x[half])
		VSUBPS(top, x[half], x[half])
		VMAXPS(x[half], least, x[half]) // a NaN in x stays
		VADDPS(shift, x[half], e[half])
		VPSLLD(Imm(23), e[half], power[half])
		VSUBPS(shift, e[half], e[half])
		VSUBPS(e[half], x[half], x[half])
		VBROADCASTSS(constant(fmt.Sprintf("exp2Poly%d", len(poly)-1), poly[len(poly)-1]), e[half])
	}
	for i := len(poly) - 2; i >= 0; i-- {
		c := YMM()
		VBROADCASTSS(constant(fmt.Sprintf("exp2Poly%d", i), poly[i]), c)
		for half := range sum {
			VFMADD213PS(c, x[half], e[half])
		}
	}
	for half := range sum {
		VMULPS(power[half], e[half], e[half])
		VMOVUPS(e[half], Mem{Base: at, Disp: 32 * half})
		VADDPS(e[half], sum[half], sum[half])
	}
	ADDQ(Imm(4*lanes), at)
	DECQ(n)
	JNE(LabelRef("probabilitiesExp"))
	VADDPS(sum[1], sum[0], sum[0])
	horizontalSum(sum[0])
	unit := broadcast("probSum", layout.ProbSum)
	VDIVPS(sum[0], unit, unit)
	most := broadcast("probMost", layout.ProbMost)
	VMINPS(unit, most, unit) // a NaN in unit stays

	MOVQ(row, at)
	to, whole := GP64(), YMM()
	MOVQ(probs, to)
	LEAQ(Mem{Base: blocks, Disp: 1}, n)
	VPXOR(whole, whole, whole)
	Label("probabilitiesRound")
	var v [2]reg.VecVirtual
	for half := range v {
		v[half] = YMM()
		VMULPS(Mem{Base: at, Disp: 32 * half}, unit, v[half])
		VCVTPS2DQ(v[half], v[half])
		VPADDD(v[half], whole, whole)
	}
	VPACKSSDW(v[1], v[0], v[0])
	VPERMQ(Imm(0xd8), v[0], v[0])
	VMOVDQU(v[0], Mem{Base: to})
	ADDQ(Imm(4*lanes), at)
	ADDQ(Imm(2*lanes), to)
	DECQ(n)
	JNE(LabelRef("probabilitiesRound"))
	{
		other, one := YMM(), XMM()
		VPERM2I128(Imm(1), whole, whole, other)
		VPADDD(other, whole, whole)
		VPSHUFD(Imm(0x4e), whole, other)
		VPADDD(other, whole, whole)
		VPSHUFD(Imm(0xb1), whole, other)
		VPADDD(other, whole, whole)
		// What is not finite stays so.
		total, result := sum[0].AsX(), whole.AsX()
		VSUBSS(total, total, total)
		VCVTDQ2PS(result, result)
		VADDSS(total, result, result)
		VMOVSS(constant("one", 1), one)
		VDIVSS(result, one, result)
		VMOVSS(result, Mem{Base: sums})
	}
	ADDQ(Imm(4), sums)
	ADDQ(stride, row)
	ADDQ(probStride, probs)
	DECQ(rows)
	JNE(LabelRef("probabilitiesRow"))
	VZEROUPPER()
	RET()
}
