package main

import (
	"math"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/minirag/minirag/embed/bert/internal/asm/layout"
)

// packRows writes the twin of packPortable for eight rows, half of the lanes, and
// either kind of start.
func packRows(name string, paired bool) {
	TEXT(name, NOSPLIT, "func(panel, end, rows *byte, rowBytes, groups int)")
	Pragma("noescape")
	const block = 2 + group/2
	panel := Load(Param("panel"), GP64())
	row := Load(Param("rows"), GP64()).(reg.GPVirtual)
	stride := Load(Param("rowBytes"), GP64()).(reg.GPVirtual)
	left := Load(Param("groups"), GP64())
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	later := GP64() // the fifth row
	LEAQ(Mem{Base: row, Index: stride, Scale: 4}, later)
	low := rows{base: row, stride: stride, stride3: stride3}
	high := rows{base: later, stride: stride, stride3: stride3}

	// There are too few registers to keep the constants in them.
	repeated := func(name string, bits uint32) reg.VecVirtual {
		v := YMM()
		VPBROADCASTD(word(name, bits), v)
		return v
	}
	// The magnitudes of the scales: the largest of each row first.
	magnitude := repeated("halfMagnitude", 0x7fff)
	halves := func() reg.VecVirtual {
		x, v := XMM(), YMM()
		VPXOR(x, x, x)
		for i := range 8 {
			r := low
			if i >= 4 {
				r = high
			}
			VPINSRW(Imm(uint64(i)), r.at(i%4, 0), x, x)
		}
		VPMOVZXWD(x, v)
		return v
	}
	top, inv := YMM(), YMM()
	VPXOR(top, top, top)
	n, back := GP64(), GP64()
	MOVQ(left, n)
	XORQ(back, back)
	Label(name + "Top")
	{
		v := halves()
		VPAND(magnitude, v, v)
		VPMAXUD(v, top, top)
		ADDQ(Imm(block), row)
		ADDQ(Imm(block), later)
		ADDQ(Imm(block), back)
		DECQ(n)
		JNE(LabelRef(name + "Top"))
	}
	SUBQ(back, row)
	SUBQ(back, later)
	{
		// Zero gives no inverse, and what is not finite neither, but shows.
		end := Load(Param("end"), GP64())
		zero, bad, largest, most := YMM(), YMM(), YMM(), YMM()
		VPCMPGTD(repeated("halfFinite", 0x7bff), top, bad)
		VPXOR(zero, zero, zero)
		VPCMPEQD(zero, top, zero)
		VPSLLD(Imm(13), top, largest)
		VMULPS(repeated("halfExponent", (127+112)<<23), largest, largest)
		VBROADCASTSS(constant("maxScale", 1<<14), most)
		VDIVPS(largest, most, inv)
		VPANDN(inv, zero, inv)
		VPANDN(inv, bad, inv)
		VBROADCASTSS(constant("scaleUnit", 1./(1<<14)), most)
		VMULPS(most, largest, largest)
		VBROADCASTSS(constant("notANumber", float32(math.NaN())), most)
		VBLENDVPS(bad, most, largest, largest)
		VMOVUPS(largest, Mem{Base: end})
	}

	Label(name + "Part")
	start, inPart, offset := GP64(), GP64(), YMM()
	MOVQ(panel, start)
	ADDQ(I32(partStart), panel)
	MOVQ(U32(partGroups), inPart)
	CMPQ(left, inPart)
	CMOVQLT(left, inPart)
	SUBQ(inPart, left)
	if paired {
		VPBROADCASTD(word("pairBias", layout.PairBias), offset)
	} else {
		VPXOR(offset, offset, offset)
	}
	shiftBits := XMM()
	if paired {
		VPXOR(shiftBits, shiftBits, shiftBits)
	}

	Label(name + "Group")
	var a, b [4]reg.VecVirtual
	for i := range a {
		a[i], b[i] = YMM(), YMM()
		VMOVDQU(low.at(i, 2), a[i].AsX())
		VINSERTI128(Imm(1), high.at(i, 2), a[i], a[i])
	}
	// Four words of four rows become the rows' first words, and so on.
	VPUNPCKLDQ(a[1], a[0], b[0])
	VPUNPCKHDQ(a[1], a[0], b[1])
	VPUNPCKLDQ(a[3], a[2], b[2])
	VPUNPCKHDQ(a[3], a[2], b[3])
	VPUNPCKLQDQ(b[2], b[0], a[0])
	VPUNPCKHQDQ(b[2], b[0], a[1])
	VPUNPCKLQDQ(b[3], b[1], a[2])
	VPUNPCKHQDQ(b[3], b[1], a[3])
	sum := YMM()
	VPXOR(sum, sum, sum)
	nibble, eight := repeated("nibble", 0x0f0f0f0f), repeated("eightBytes", 0x08080808)
	for q := range a {
		upper := YMM()
		VPSRLW(Imm(4), a[q], upper)
		for i, v := range []reg.VecVirtual{a[q], upper} {
			VPAND(nibble, v, v)
			VPADDB(v, sum, sum)
			VPSUBB(eight, v, v)
			VMOVDQU(v, Mem{Base: panel, Disp: (q + 4*i) * 64})
		}
	}
	VPMADDUBSW(repeated("oneBytes", 0x01010101), sum, sum)
	VPMADDWD(repeated("oneWords", 0x00010001), sum, sum)
	VPSUBD(sum, repeated("zeroPoints", 8*group), sum) // less what the zero points add, and negative
	VPSLLD(Imm(7), sum, sum)
	half := halves()
	scale, shift := YMM(), YMM()
	VPAND(magnitude, half, scale)
	VPSLLD(Imm(13), scale, scale)
	VMULPS(repeated("halfExponent", (127+112)<<23), scale, scale)
	VMULPS(inv, scale, scale)
	VBROADCASTSS(constant("shift", layout.ExpRound), shift)
	VADDPS(shift, scale, scale)
	VPSUBD(shift, scale, scale)
	VPSLLD(Imm(16), half, half) // the sign of the scale
	VPOR(repeated("oddBit", 1), half, half)
	VPSIGND(half, scale, scale)
	VPSLLD(Imm(16), scale, shift)
	VPBLENDW(Imm(0xaa), shift, scale, shift)
	VMOVDQU(shift, Mem{Base: panel, Disp: groupWeights})
	if paired {
		// The second group is in the upper half.
		VPSLLD(shiftBits, sum, sum)
		VMOVD(word("pairShift", 16), shiftBits)
	} else {
		VPMULLD(scale, sum, sum)
	}
	VPADDD(sum, offset, offset)
	ADDQ(I32(groupBytes), panel)
	ADDQ(Imm(block), row)
	ADDQ(Imm(block), later)
	DECQ(inPart)
	JNE(LabelRef(name + "Group"))
	VMOVDQU(offset, Mem{Base: start})
	TESTQ(left, left)
	JNE(LabelRef(name + "Part"))
	VZEROUPPER()
	RET()
}
