package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/minirag/minirag/embed/bert/internal/asm/layout"
)

// headSums are those of up to twelve rows with two panels.
type headSums [2][maxTokens]reg.VecVirtual

func (s *headSums) each(n int, f func(p, t int, v reg.VecVirtual)) {
	for t := range n {
		for p := range 2 {
			f(p, t, s[p][t])
		}
	}
}

func newHeadSums(n int) *headSums {
	s := &headSums{}
	for t := range n {
		for p := range 2 {
			s[p][t] = ZMM()
		}
	}
	return s
}

// write writes the sums as float32, times the scale of each lane and then that of
// each row; second is the distance in bytes of the second panel's.

// write writes the sums as float32, times the scale of each lane and then that of
// each row.
func (s *headSums) write(n int, laneScales, rowScales, out, outStride reg.Register) {
	var scale [2]reg.VecVirtual
	for p := range scale {
		scale[p] = ZMM()
		VMOVUPS(Mem{Base: laneScales, Disp: 64 * p}, scale[p])
	}
	to, b := GP64(), ZMM()
	MOVQ(out, to)
	s.each(n, func(p, t int, v reg.VecVirtual) {
		if p == 0 {
			VBROADCASTSS(Mem{Base: rowScales, Disp: 4 * t}, b)
		}
		VCVTDQ2PS(v, v)
		VMULPS(scale[p], v, v)
		VMULPS(b, v, v)
		VMOVUPS(v, Mem{Base: to, Disp: 64 * p})
		if p == 1 && t+1 < n {
			ADDQ(outStride, to)
		}
	})
}

// scores writes the products of n queries with panels of keys in twos, of pairs
// of int16.
func scores(n int) {
	name := fmt.Sprintf("scoresWide%d", n)
	TEXT(name, NOSPLIT, "func(out *float32, outStride int, q *float32, words int, qScales, keys *float32, keyStride int, keyScales *float32, twos int)")
	Pragma("noescape")
	q := Load(Param("q"), GP64()).(reg.GPVirtual)
	words := Load(Param("words"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), words)
	a := newRows(q, words, n)
	out := Load(Param("out"), GP64())
	keys := Load(Param("keys"), GP64())
	keyStride := Load(Param("keyStride"), GP64())
	keyScales := Load(Param("keyScales"), GP64())
	twos := Load(Param("twos"), GP64())
	SHLQ(Imm(2), keyStride)

	Label(name + "Two")
	acc := newHeadSums(n)
	acc.each(n, func(_, _ int, v reg.VecVirtual) { VPXORD(v, v, v) })
	at, left := GP64(), GP64()
	MOVQ(keys, at)
	Load(Param("words"), left)
	Label(name + "Word")
	acc.products(a, n, Mem{Base: at}, Mem{Base: at, Disp: 64})
	ADDQ(keyStride, at)
	DECQ(left)
	JNE(LabelRef(name + "Word"))
	a.each(func(base reg.GPVirtual) { SUBQ(words, base) })
	{
		qScales, outStride := GP64(), GP64()
		Load(Param("qScales"), qScales)
		Load(Param("outStride"), outStride)
		SHLQ(Imm(2), outStride)
		acc.write(n, keyScales, qScales, out, outStride)
	}
	ADDQ(I32(128), keyScales)
	ADDQ(I32(128), keys)
	ADDQ(I32(128), out)
	DECQ(twos)
	JNE(LabelRef(name + "Two"))
	VZEROUPPER()
	RET()
}

// products adds the products of a pair of int16 of each of n rows, which move on,
// with the pairs of two vectors.
func (s *headSums) products(a rows, n int, first, second Mem) {
	w0, w1, b := ZMM(), ZMM(), ZMM()
	VMOVDQU32(first, w0)
	VMOVDQU32(second, w1)
	s.each(n, func(p, t int, v reg.VecVirtual) {
		if p == 0 {
			VPBROADCASTD(a.at(t, 0), b)
			VPDPWSSD(w0, b, v)
		} else {
			VPDPWSSD(w1, b, v)
		}
	})
	a.each(func(base reg.GPVirtual) { ADDQ(Imm(4), base) })
}

// mix writes the products of n rows of probabilities with two panels of values.
func mix(n int) {
	name := fmt.Sprintf("mixWide%d", n)
	TEXT(name, NOSPLIT, "func(out *float32, outStride int, probs *uint32, probStride int, values *uint32, valueStride int, sums, scales *float32, pairs int)")
	Pragma("noescape")
	probs := Load(Param("probs"), GP64()).(reg.GPVirtual)
	probStride := Load(Param("probStride"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), probStride)
	a := newRows(probs, probStride, n)
	values := Load(Param("values"), GP64())
	second := Load(Param("valueStride"), GP64())
	left := Load(Param("pairs"), GP64())
	acc := newHeadSums(n)
	acc.each(n, func(_, _ int, v reg.VecVirtual) { VPXORD(v, v, v) })

	Label(name + "Pair")
	acc.products(a, n, Mem{Base: values}, Mem{Base: values, Index: second, Scale: 4})
	ADDQ(Imm(64), values)
	DECQ(left)
	JNE(LabelRef(name + "Pair"))

	out := Load(Param("out"), GP64())
	outStride := Load(Param("outStride"), GP64())
	sums := Load(Param("sums"), GP64())
	scales := Load(Param("scales"), GP64())
	SHLQ(Imm(2), outStride)
	acc.write(n, scales, sums, out, outStride)
	VZEROUPPER()
	RET()
}

// probabilities writes the twin of probabilitiesPortable for rows in twos, so that
// one need not wait for the other: with an odd number it computes another.
func probabilities(c constants) {
	TEXT("probabilitiesWide", NOSPLIT, "func(probs *uint32, sums, scores *float32, stride, tokens, rows int)")
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
	// The lanes of the last vector that count.
	mask := K()
	{
		rest, bits := GP64(), GP32()
		DECQ(blocks)
		MOVQ(blocks, rest)
		NOTQ(rest)
		ANDQ(Imm(lanes-1), rest) // the lanes that do not
		MOVL(U32(1<<lanes-1), bits)
		SHRXL(rest.(reg.GPVirtual).As32(), bits, bits)
		KMOVW(bits, mask)
		SHRQ(Imm(4), blocks)
	}
	negative := broadcast(c.float("negative", float32(math.Inf(-1))))
	least := broadcast(c.float("exp2Least", layout.Exp2Least))
	most, spread := broadcast(c.float("probMost", layout.ProbMost)), broadcast(c.float("probSum", layout.ProbSum))
	poly := newPolynomial(c, "exp2Poly", layout.Exp2Poly())
	one := XMM()
	VMOVSS(c.float("one", 1), one)

	at, n := GP64(), GP64()
	var top, total, unit, whole, x, e, power [2]reg.VecVirtual
	for r := range 2 {
		top[r], total[r], unit[r], whole[r] = ZMM(), ZMM(), ZMM(), ZMM()
		x[r], e[r], power[r] = ZMM(), ZMM(), ZMM()
	}
	// of addresses a row or the next.
	of := func(base, stride reg.Register, r int) Mem {
		if r == 1 {
			return Mem{Base: base, Index: stride, Scale: 1}
		}
		return Mem{Base: base}
	}
	twice := func(f func(r int)) { f(0); f(1) }

	Label("probabilitiesWideRows")
	twice(func(r int) { VMOVAPS(negative, top[r]) })
	MOVQ(row, at)
	MOVQ(blocks, n)
	TESTQ(n, n)
	JE(LabelRef("probabilitiesWideLast"))
	Label("probabilitiesWideTop")
	twice(func(r int) { VMAXPS(of(at, stride, r), top[r], top[r]) })
	ADDQ(Imm(64), at)
	DECQ(n)
	JNE(LabelRef("probabilitiesWideTop"))
	Label("probabilitiesWideLast")
	twice(func(r int) {
		VMOVAPS(negative, x[r])
		VMOVUPS(of(at, stride, r), mask, x[r])
		VMOVUPS(x[r], of(at, stride, r))
		VMAXPS(x[r], top[r], top[r])
	})
	twice(func(r int) { horizontal(top[r], VMAXPS) })

	twice(func(r int) { VPXORD(total[r], total[r], total[r]) })
	MOVQ(row, at)
	LEAQ(Mem{Base: blocks, Disp: 1}, n)
	Label("probabilitiesWideExp")
	twice(func(r int) {
		VMOVUPS(of(at, stride, r), x[r])
		VSUBPS(top[r], x[r], x[r])
		VMAXPS(x[r], least, x[r]) // a NaN in x stays
		VRNDSCALEPS(Imm(0), x[r], power[r])
		VSUBPS(power[r], x[r], x[r])
	})
	twice(func(r int) { VMOVAPS(poly[len(poly)-1], e[r]) })
	for i := len(poly) - 2; i >= 0; i-- {
		twice(func(r int) { VFMADD213PS(poly[i], x[r], e[r]) })
	}
	twice(func(r int) {
		VSCALEFPS(power[r], e[r], e[r])
		VMOVUPS(e[r], of(at, stride, r))
		VADDPS(e[r], total[r], total[r])
	})
	ADDQ(Imm(64), at)
	DECQ(n)
	JNE(LabelRef("probabilitiesWideExp"))
	twice(func(r int) { horizontal(total[r], VADDPS) })
	twice(func(r int) {
		u := XMM()
		VDIVSS(total[r].AsX(), spread.AsX(), u)
		VMINSS(u, most.AsX(), u) // a NaN in u stays
		VBROADCASTSS(u, unit[r])
		VPXORD(whole[r], whole[r], whole[r])
	})

	MOVQ(row, at)
	to := GP64()
	MOVQ(probs, to)
	LEAQ(Mem{Base: blocks, Disp: 1}, n)
	Label("probabilitiesWideRound")
	twice(func(r int) {
		VMULPS(of(at, stride, r), unit[r], x[r])
		VCVTPS2DQ(x[r], x[r])
		VPADDD(x[r], whole[r], whole[r])
		b := YMM()
		VPMOVSDW(x[r], b)
		VMOVDQU(b, of(to, probStride, r))
	})
	ADDQ(Imm(64), at)
	ADDQ(Imm(32), to)
	DECQ(n)
	JNE(LabelRef("probabilitiesWideRound"))
	twice(func(r int) { horizontal(whole[r], VPADDD) })
	twice(func(r int) {
		// What is not finite stays so.
		rest, result := XMM(), XMM()
		VSUBSS(total[r].AsX(), total[r].AsX(), rest)
		VCVTDQ2PS(whole[r].AsX(), result)
		VADDSS(rest, result, result)
		VDIVSS(result, one, result)
		VMOVSS(result, Mem{Base: sums, Disp: 4 * r})
	})
	ADDQ(Imm(8), sums)
	LEAQ(Mem{Base: row, Index: stride, Scale: 2}, row)
	LEAQ(Mem{Base: probs, Index: probStride, Scale: 2}, probs)
	SUBQ(Imm(2), rows)
	JG(LabelRef("probabilitiesWideRows"))
	VZEROUPPER()
	RET()
}
