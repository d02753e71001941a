package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/minirag/minirag/embed/bert/internal/asm/layout"
)

// constants are the words in memory that functions share.
type constants map[string]Mem

func (c constants) float(name string, v float32) Mem { return c.word(name, math.Float32bits(v)) }

// word writes bits, as the assembler has no word for infinity.
func (c constants) word(name string, bits uint32) Mem {
	m, ok := c[name]
	if !ok {
		m = ConstData(name, U32(bits))
		c[name] = m
	}
	return m
}

func broadcast(m Mem) reg.VecVirtual {
	z := ZMM()
	VBROADCASTSS(m, z)
	return z
}

// horizontal combines the lanes of v so that all of them have the result.
func horizontal(v reg.VecVirtual, combine func(ops ...Op)) {
	other := ZMM()
	VSHUFF64X2(Imm(0x4e), v, v, other)
	combine(other, v, v)
	VSHUFF64X2(Imm(0xb1), v, v, other)
	combine(other, v, v)
	VPERMILPS(Imm(0x4e), v, other)
	combine(other, v, v)
	VPERMILPS(Imm(0xb1), v, other)
	combine(other, v, v)
}

// quantize writes the twin of quantizePortable for whole parts of up to
// partGroups groups.
func quantize(c constants) {
	TEXT("quantizeWide", NOSPLIT, "func(dst, scales *byte, dstStride int, x *float32, stride, groups, rows int)")
	Pragma("noescape")
	firstDst := Load(Param("dst"), GP64())
	firstScales := Load(Param("scales"), GP64())
	dstStride := Load(Param("dstStride"), GP64())
	first := Load(Param("x"), GP64())
	stride := Load(Param("stride"), GP64())
	rows := Load(Param("rows"), GP64())
	SHLQ(Imm(2), stride)
	dst, row, left, scales := GP64(), GP64(), GP64(), GP64()

	sign, offset := broadcast(c.word("magnitude", 1<<31-1)), XMM()
	VPBROADCASTD(c.word("byteOffset", 0x80808080), offset)
	limit := XMM()
	VBROADCASTSS(c.float("limit", 127), limit)

	Label("quantizeWideRow")
	MOVQ(firstDst, dst)
	MOVQ(firstScales, scales)
	MOVQ(first, row)
	Load(Param("groups"), left)
	Label("quantizeWidePart")
	inPart, n, at := GP64(), GP64(), GP64()
	MOVQ(U32(partGroups), inPart)
	CMPQ(left, inPart)
	CMOVQLT(left, inPart)
	SUBQ(inPart, left)

	top, other := ZMM(), ZMM()
	VPXORD(top, top, top)
	VPXORD(other, other, other)
	MOVQ(inPart, n)
	MOVQ(row, at)
	Label("quantizeWideTop")
	for i, largest := range []reg.VecVirtual{top, other} {
		abs := ZMM()
		VPANDD(Mem{Base: at, Disp: 64 * i}, sign, abs)
		VPMAXUD(abs, largest, largest)
	}
	ADDQ(Imm(4*group), at)
	DECQ(n)
	JNE(LabelRef("quantizeWideTop"))
	VPMAXUD(other, top, top)
	horizontal(top, VPMAXUD)

	// In all of a part but its values a few lanes do.
	scale, inv, mask, bound := XMM(), XMM(), XMM(), XMM()
	VDIVPS(limit, top.AsX(), scale)
	VBROADCASTSS(c.float("smallest", 1e-36), bound)
	VCMPPS(Imm(5), bound, top.AsX(), mask) // not less than, true for NaN
	VANDPS(mask, scale, scale)
	VDIVPS(top.AsX(), limit, inv)
	VANDPS(mask, inv, inv)
	VBROADCASTSS(c.float("infinite", float32(math.Inf(1))), bound)
	VCMPPS(Imm(1), bound, inv, mask) // less than, false for NaN
	VANDPS(mask, inv, inv)
	VMOVSS(scale, Mem{Base: scales})
	ADDQ(Imm(4), scales)
	factor := ZMM()
	VBROADCASTSS(inv, factor)

	Label("quantizeWideGroup")
	for i := range 2 {
		v, b := ZMM(), XMM()
		VMULPS(Mem{Base: row, Disp: 64 * i}, factor, v)
		VCVTPS2DQ(v, v)
		VPMOVSDB(v, b)
		VPXOR(offset, b, b)
		VMOVDQU(b, Mem{Base: dst, Disp: 16 * i})
	}
	ADDQ(Imm(4*group), row)
	ADDQ(Imm(group), dst)
	DECQ(inPart)
	JNE(LabelRef("quantizeWideGroup"))
	TESTQ(left, left)
	JNE(LabelRef("quantizeWidePart"))
	ADDQ(dstStride, firstDst)
	ADDQ(dstStride, firstScales)
	ADDQ(stride, first)
	DECQ(rows)
	JNE(LabelRef("quantizeWideRow"))
	VZEROUPPER()
	RET()
}

// polynomial evaluates coefficients, constant term first, that stay in registers.
type polynomial []reg.VecVirtual

func newPolynomial(c constants, name string, coefficients []float32) polynomial {
	var p polynomial
	for i, v := range coefficients {
		p = append(p, broadcast(c.float(name+string(rune('0'+i)), v)))
	}
	return p
}

func (p polynomial) at(x reg.VecVirtual) reg.VecVirtual {
	sum := ZMM()
	VMOVAPS(p[len(p)-1], sum)
	for i := len(p) - 2; i >= 0; i-- {
		VFMADD213PS(p[i], x, sum)
	}
	return sum
}

// gelu writes the twin of geluPortable for a number of vectors.
func gelu(c constants) {
	TEXT("geluWide", NOSPLIT, "func(x *float32, vectors int)")
	Pragma("noescape")
	ptr := Load(Param("x"), GP64())
	left := Load(Param("vectors"), GP64())
	lowest, highest := broadcast(c.float("geluLowest", -layout.GeluLimit)), broadcast(c.float("geluHighest", layout.GeluLimit))
	half := broadcast(c.float("half", 0.5))
	p, q := newPolynomial(c, "geluP", layout.GeluP()), newPolynomial(c, "geluQ", layout.GeluQ())

	Label("geluWideLoop")
	x, clipped, u := ZMM(), ZMM(), ZMM()
	VMAXPS(Mem{Base: ptr}, lowest, x) // a NaN in x stays
	VMINPS(x, highest, clipped)
	VMULPS(clipped, clipped, u)
	num, den := p.at(u), q.at(u)
	VMULPS(clipped, num, num)
	VDIVPS(den, num, num)
	VADDPS(half, num, num)
	VMULPS(x, num, num)
	VMOVUPS(num, Mem{Base: ptr})
	ADDQ(Imm(64), ptr)
	DECQ(left)
	JNE(LabelRef("geluWideLoop"))
	VZEROUPPER()
	RET()
}

// softmax writes the twin of softmaxPortable for a number of vectors.
func softmax(c constants) {
	TEXT("softmaxWide", NOSPLIT, "func(x *float32, vectors int) float32")
	Pragma("noescape")
	ptr := Load(Param("x"), GP64())
	left := Load(Param("vectors"), GP64())
	lowest, log2e := broadcast(c.float("lowest", layout.ExpLeast)), broadcast(c.float("log2e", math.Log2E))
	shift := broadcast(c.float("shift", layout.ExpRound))
	ln2Hi, ln2Lo := broadcast(c.float("ln2Hi", layout.Ln2High)), broadcast(c.float("ln2Lo", layout.Ln2Low))
	bias := broadcast(c.word("exponentBias", 127<<23))
	taylor := newPolynomial(c, "exp", layout.ExpTaylor())

	at, n, top := GP64(), GP64(), ZMM()
	MOVQ(ptr, at)
	MOVQ(left, n)
	VMOVUPS(Mem{Base: at}, top)
	Label("softmaxWideTop")
	VMAXPS(Mem{Base: at}, top, top)
	ADDQ(Imm(64), at)
	DECQ(n)
	JNE(LabelRef("softmaxWideTop"))
	horizontal(top, VMAXPS)

	sum := ZMM()
	VPXORD(sum, sum, sum)
	Label("softmaxWideLoop")
	x, e, power := ZMM(), ZMM(), ZMM()
	VMOVUPS(Mem{Base: ptr}, x)
	VSUBPS(top, x, x)
	VMAXPS(x, lowest, x) // a NaN in x stays
	VMOVAPS(shift, e)
	VFMADD231PS(log2e, x, e)
	VPSLLD(Imm(23), e, power)
	VPADDD(bias, power, power)
	VSUBPS(shift, e, e)
	VFNMADD231PS(ln2Hi, e, x)
	VFNMADD231PS(ln2Lo, e, x)
	e = taylor.at(x)
	VMULPS(power, e, e)
	VMOVUPS(e, Mem{Base: ptr})
	VADDPS(e, sum, sum)
	ADDQ(Imm(64), ptr)
	DECQ(left)
	JNE(LabelRef("softmaxWideLoop"))
	horizontal(sum, VADDPS)
	result := XMM()
	VMOVAPS(sum.AsX(), result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}

// addNorm writes the twin of addNormPortable for a number of vectors.
func addNorm(c constants) {
	TEXT("addNormWide", NOSPLIT, "func(x, y, weight, bias *float32, eps float32, vectors int)")
	Pragma("noescape")
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	weight := Load(Param("weight"), GP64())
	bias := Load(Param("bias"), GP64())
	vectors := Load(Param("vectors"), GP64())
	n, inv := XMM(), XMM()
	VXORPS(n, n, n)
	VCVTSI2SSQ(vectors, n, n)
	VMULSS(c.float("lanes", lanes), n, n)

	left, at := GP64(), GP64()
	loop := func(label string, body func()) {
		MOVQ(vectors, left)
		XORQ(at, at)
		Label(label)
		body()
		ADDQ(Imm(64), at)
		DECQ(left)
		JNE(LabelRef(label))
	}
	in := func(base reg.Register) Mem { return Mem{Base: base, Index: at, Scale: 1} }

	sum := ZMM()
	VPXORD(sum, sum, sum)
	loop("normWideSum", func() {
		v := ZMM()
		VMOVUPS(in(x), v)
		VADDPS(in(y), v, v)
		VMOVUPS(v, in(x))
		VADDPS(v, sum, sum)
	})
	horizontal(sum, VADDPS)
	VDIVSS(n, sum.AsX(), inv)
	mean := ZMM()
	VBROADCASTSS(inv, mean)

	squares := ZMM()
	VPXORD(squares, squares, squares)
	loop("normWideSquares", func() {
		v := ZMM()
		VMOVUPS(in(x), v)
		VSUBPS(mean, v, v)
		VFMADD231PS(v, v, squares)
	})
	horizontal(squares, VADDPS)
	one := XMM()
	VDIVSS(n, squares.AsX(), inv)
	{
		eps := Load(Param("eps"), XMM())
		VADDSS(eps, inv, inv)
	}
	VSQRTSS(inv, inv, inv)
	VMOVSS(c.float("one", 1), one)
	VDIVSS(inv, one, inv)
	factor := ZMM()
	VBROADCASTSS(inv, factor)

	loop("normWideScale", func() {
		v, w := ZMM(), ZMM()
		VMOVUPS(in(x), v)
		VSUBPS(mean, v, v)
		VMULPS(factor, v, v)
		VMOVUPS(in(weight), w)
		VFMADD213PS(in(bias), w, v)
		VMOVUPS(v, in(x))
	})
	VZEROUPPER()
	RET()
}
