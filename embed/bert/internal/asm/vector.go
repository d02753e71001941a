package main

import (
	"fmt"
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/minirag/minirag/embed/bert/internal/asm/layout"
)

// broadcast returns a register with v in all lanes.
func broadcast(name string, v float32) reg.VecVirtual {
	y := YMM()
	VBROADCASTSS(constant(name, v), y)
	return y
}

var constants = map[string]Mem{}

// constant returns the place of v, which all functions share. Its bits are
// written, as the assembler has no word for infinity.
func constant(name string, v float32) Mem {
	return word(name, math.Float32bits(v))
}

func word(name string, bits uint32) Mem {
	m, ok := constants[name]
	if !ok {
		m = ConstData(name, U32(bits))
		constants[name] = m
	}
	return m
}

// packOrder returns the place of the order of quadruples that undoes that of
// VPACK, which works within halves.
func packOrder() Mem {
	const name = "packOrder"
	m, ok := constants[name]
	if !ok {
		m = GLOBL(name, RODATA|NOPTR)
		for i, v := range []uint32{0, 4, 1, 5, 2, 6, 3, 7} {
			DATA(4*i, U32(v))
		}
		constants[name] = m
	}
	return m
}

// horizontalMax leaves in all lanes of v the largest of its unsigned words.
func horizontalMax(v reg.VecVirtual) {
	other := YMM()
	VPERM2I128(Imm(1), v, v, other)
	VPMAXUD(other, v, v)
	VPSHUFD(Imm(0x4e), v, other)
	VPMAXUD(other, v, v)
	VPSHUFD(Imm(0xb1), v, other)
	VPMAXUD(other, v, v)
}

// quantize writes the twin of quantizePortable for whole parts of up to
// partGroups groups.
func quantize() {
	TEXT("quantizeRows", NOSPLIT, "func(dst, scales *byte, dstStride int, x *float32, stride, groups, rows int)")
	Pragma("noescape")
	firstDst := Load(Param("dst"), GP64())
	firstScales := Load(Param("scales"), GP64())
	dstStride := Load(Param("dstStride"), GP64())
	first := Load(Param("x"), GP64())
	stride := Load(Param("stride"), GP64())
	rows := Load(Param("rows"), GP64())
	SHLQ(Imm(2), stride)
	dst, row, left, scales := GP64(), GP64(), GP64(), GP64()

	sign, offset := YMM(), YMM()
	VPCMPEQD(sign, sign, sign)
	VPSRLD(Imm(1), sign, sign)
	VPBROADCASTD(word("byteOffset", 0x80808080), offset)
	limit := broadcast("limit", 127)
	smallest := broadcast("smallest", 1e-36)
	infinite := broadcast("infinite", float32(math.Inf(1)))
	// VPACK works within halves: this puts the quadruples back in order.
	order := YMM()
	VMOVDQU(packOrder(), order)

	Label("quantizeRow")
	MOVQ(firstDst, dst)
	MOVQ(firstScales, scales)
	MOVQ(first, row)
	Load(Param("groups"), left)
	Label("quantizePart")
	inPart, n, at := GP64(), GP64(), GP64()
	MOVQ(U32(partGroups), inPart)
	CMPQ(left, inPart)
	CMOVQLT(left, inPart)
	SUBQ(inPart, left)

	top := YMM()
	VPXOR(top, top, top)
	MOVQ(inPart, n)
	MOVQ(row, at)
	Label("quantizeTop")
	for i := range 4 {
		abs := YMM()
		VPAND(Mem{Base: at, Disp: 32 * i}, sign, abs)
		VPMAXUD(abs, top, top)
	}
	ADDQ(Imm(4*group), at)
	DECQ(n)
	JNE(LabelRef("quantizeTop"))
	horizontalMax(top)

	scale, inv, mask := YMM(), YMM(), YMM()
	VDIVPS(limit, top, scale)
	VCMPPS(Imm(5), smallest, top, mask) // not less than, true for NaN
	VANDPS(mask, scale, scale)
	VDIVPS(top, limit, inv)
	VANDPS(mask, inv, inv)
	VCMPPS(Imm(1), infinite, inv, mask) // less than, false for NaN
	VANDPS(mask, inv, inv)
	VMOVSS(scale.AsX(), Mem{Base: scales})
	ADDQ(Imm(4), scales)

	Label("quantizeGroup")
	var v [4]reg.VecVirtual
	for i := range v {
		v[i] = YMM()
		VMULPS(Mem{Base: row, Disp: 32 * i}, inv, v[i])
		VCVTPS2DQ(v[i], v[i])
	}
	VPACKSSDW(v[1], v[0], v[0])
	VPACKSSDW(v[3], v[2], v[2])
	VPACKSSWB(v[2], v[0], v[0])
	VPERMD(v[0], order, v[0])
	VPXOR(offset, v[0], v[0])
	VMOVDQU(v[0], Mem{Base: dst})
	ADDQ(Imm(4*group), row)
	ADDQ(Imm(group), dst)
	DECQ(inPart)
	JNE(LabelRef("quantizeGroup"))
	TESTQ(left, left)
	JNE(LabelRef("quantizePart"))
	ADDQ(dstStride, firstDst)
	ADDQ(dstStride, firstScales)
	ADDQ(stride, first)
	DECQ(rows)
	JNE(LabelRef("quantizeRow"))
	VZEROUPPER()
	RET()
}

// exponential holds the constants of e^x.
type exponential struct {
	lowest, log2e, shift, ln2Hi, ln2Lo, bias reg.VecVirtual
}

func newExponential() *exponential {
	e := &exponential{
		lowest: broadcast("lowest", layout.ExpLeast),
		log2e:  broadcast("log2e", math.Log2E),
		shift:  broadcast("shift", layout.ExpRound),
		ln2Hi:  broadcast("ln2Hi", layout.Ln2High),
		ln2Lo:  broadcast("ln2Lo", layout.Ln2Low),
		bias:   YMM(),
	}
	VPBROADCASTD(word("exponentBias", 127<<23), e.bias)
	return e
}

// apply replaces x by e^x, as the twin does.
func (e *exponential) apply(x reg.VecVirtual) {
	n, p, c := YMM(), YMM(), YMM()
	VMAXPS(x, e.lowest, x) // a NaN in x stays
	VMOVAPS(e.shift, n)
	VFMADD231PS(e.log2e, x, n)
	VPSLLD(Imm(23), n, p)
	VPADDD(e.bias, p, p)
	VSUBPS(e.shift, n, n)
	VFNMADD231PS(e.ln2Hi, n, x)
	VFNMADD231PS(e.ln2Lo, n, x)
	taylor := layout.ExpTaylor()
	VBROADCASTSS(constant("exp6", taylor[6]), n)
	for i := 5; i >= 0; i-- {
		VBROADCASTSS(constant(fmt.Sprintf("exp%d", max(i, 1)), taylor[i]), c)
		VFMADD213PS(c, x, n)
	}
	VMULPS(p, n, x)
}

// gelu writes the twin of geluPortable for a number of vectors.
func gelu() {
	TEXT("geluVectors", NOSPLIT, "func(x *float32, vectors int)")
	Pragma("noescape")
	ptr := Load(Param("x"), GP64())
	left := Load(Param("vectors"), GP64())
	lowest, highest := broadcast("geluLowest", -layout.GeluLimit), broadcast("geluHighest", layout.GeluLimit)
	half := broadcast("half", 0.5)
	polynomial := func(name string, c []float32, u reg.VecVirtual) reg.VecVirtual {
		at := func(i int) Mem { return constant(fmt.Sprintf("%s%d", name, i), c[i]) }
		sum := YMM()
		VBROADCASTSS(at(len(c)-1), sum)
		for i := len(c) - 2; i >= 0; i-- {
			term := YMM()
			VBROADCASTSS(at(i), term)
			VFMADD213PS(term, u, sum)
		}
		return sum
	}

	Label("geluLoop")
	x, c, u := YMM(), YMM(), YMM()
	VMAXPS(Mem{Base: ptr}, lowest, x) // a NaN in x stays
	VMINPS(x, highest, c)
	VMULPS(c, c, u)
	p := polynomial("geluP", layout.GeluP(), u)
	q := polynomial("geluQ", layout.GeluQ(), u)
	VMULPS(c, p, p)
	VDIVPS(q, p, p)
	VADDPS(half, p, p)
	VMULPS(x, p, p)
	VMOVUPS(p, Mem{Base: ptr})
	ADDQ(Imm(32), ptr)
	DECQ(left)
	JNE(LabelRef("geluLoop"))
	VZEROUPPER()
	RET()
}

// softmax writes the twin of softmaxPortable for a number of vectors.
func softmax() {
	TEXT("softmaxVectors", NOSPLIT, "func(x *float32, vectors int) float32")
	Pragma("noescape")
	ptr := Load(Param("x"), GP64())
	left := Load(Param("vectors"), GP64())
	e := newExponential()

	at, n, top, other := GP64(), GP64(), YMM(), YMM()
	MOVQ(ptr, at)
	MOVQ(left, n)
	VMOVUPS(Mem{Base: at}, top)
	Label("topLoop")
	VMAXPS(Mem{Base: at}, top, top)
	ADDQ(Imm(32), at)
	DECQ(n)
	JNE(LabelRef("topLoop"))
	VPERM2F128(Imm(1), top, top, other)
	VMAXPS(other, top, top)
	VPERMILPS(Imm(0x4e), top, other)
	VMAXPS(other, top, top)
	VPERMILPS(Imm(0xb1), top, other)
	VMAXPS(other, top, top)

	sum := newHalfSums()
	Label("softmaxLoop")
	x := YMM()
	VMOVUPS(Mem{Base: ptr}, x)
	VSUBPS(top, x, x)
	e.apply(x)
	VMOVUPS(x, Mem{Base: ptr})
	sum.add(x)
	ADDQ(Imm(32), ptr)
	DECQ(left)
	JNE(LabelRef("softmaxLoop"))
	total := sum.total()
	result := XMM()
	VMOVAPS(total.AsX(), result)
	VZEROUPPER()
	Store(result, ReturnIndex(0))
	RET()
}
