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

	sign, offset := broadcast(c.word("magnitude", 1<<31-1)), broadcast(c.word("byteOffset", 0x80808080))
	// VPACK works within quarters: this puts the quadruples back in order.
	order := ZMM()
	{
		d := GLOBL("packOrderWide", RODATA|NOPTR)
		for i := range 16 {
			DATA(4*i, U32(i%4*4+i/4))
		}
		VMOVDQU32(d, order)
	}
	limit := XMM()
	VBROADCASTSS(c.float("limit", 127), limit)

	Label("quantizeWideRow")
	MOVQ(firstDst, dst)
	MOVQ(firstScales, scales)
	MOVQ(first, row)
	Load(Param("groups"), left)
	Label("quantizeWidePart")
	top := ZMM()
	// scaled writes the scale of a part with the largest magnitude in top, and
	// returns its inverse.
	scaled := func() reg.VecVirtual {
		horizontal(top, VPMAXUD)
		// A few lanes do.
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
		return factor
	}
	// load leaves vectors of a row in v and their largest magnitudes in top.
	load := func(v []reg.VecVirtual) {
		for i := range v {
			v[i] = ZMM()
			VMOVUPS(Mem{Base: row, Disp: 64 * i}, v[i])
			if i == 0 {
				VPANDD(v[i], sign, top)
				continue
			}
			abs := ZMM()
			VPANDD(v[i], sign, abs)
			VPMAXUD(abs, top, top)
		}
	}
	SUBQ(Imm(partGroups), left)
	JL(LabelRef("quantizeWideSingle"))
	{
		var v [2 * partGroups]reg.VecVirtual
		load(v[:])
		factor := scaled()
		for i := range v {
			VMULPS(factor, v[i], v[i])
			VCVTPS2DQ(v[i], v[i])
		}
		VPACKSSDW(v[1], v[0], v[0])
		VPACKSSDW(v[3], v[2], v[2])
		VPACKSSWB(v[2], v[0], v[0])
		VPERMD(v[0], order, v[0])
		VPXORD(offset, v[0], v[0])
		VMOVDQU32(v[0], Mem{Base: dst})
		ADDQ(I32(4*group*partGroups), row)
		ADDQ(Imm(group*partGroups), dst)
		TESTQ(left, left)
		JNE(LabelRef("quantizeWidePart"))
	}
	Label("quantizeWideNext")
	ADDQ(dstStride, firstDst)
	ADDQ(dstStride, firstScales)
	ADDQ(stride, first)
	DECQ(rows)
	JNE(LabelRef("quantizeWideRow"))
	VZEROUPPER()
	RET()

	Label("quantizeWideSingle")
	{
		var v [2]reg.VecVirtual
		load(v[:])
		factor := scaled()
		for i := range v {
			b := XMM()
			VMULPS(factor, v[i], v[i])
			VCVTPS2DQ(v[i], v[i])
			VPMOVSDB(v[i], b)
			VPXOR(offset.AsX(), b, b)
			VMOVDQU(b, Mem{Base: dst, Disp: 16 * i})
		}
	}
	JMP(LabelRef("quantizeWideNext"))
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
