package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// packRows writes the twin of packPortable for eight rows, half of the lanes.
func packRows() {
	TEXT("packRows", NOSPLIT, "func(panel, rows *byte, rowBytes, groups int)")
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

	nibble, eight, ones, ones16, all := YMM(), YMM(), YMM(), YMM(), YMM()
	VPBROADCASTD(word("nibble", 0x0f0f0f0f), nibble)
	VPBROADCASTD(word("eightBytes", 0x08080808), eight)
	VPBROADCASTD(word("oneBytes", 0x01010101), ones)
	VPBROADCASTD(word("oneWords", 0x00010001), ones16)
	VPBROADCASTD(word("zeroPoints", 8*group), all)

	Label("packPart")
	start, inPart, offset := GP64(), GP64(), YMM()
	MOVQ(panel, start)
	ADDQ(I32(partStart), panel)
	MOVQ(U32(partGroups), inPart)
	CMPQ(left, inPart)
	CMOVQLT(left, inPart)
	SUBQ(inPart, left)
	VPXOR(offset, offset, offset)

	Label("packGroup")
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
	VPMADDUBSW(ones, sum, sum)
	VPMADDWD(ones16, sum, sum)
	VPSUBD(sum, all, sum) // less what the zero points add, and negative
	VPSLLD(Imm(7), sum, sum)
	scale := YMM()
	VMOVDQU(Mem{Base: panel, Disp: groupWeights}, scale)
	VPSRAD(Imm(16), scale, scale)
	VPMULLD(scale, sum, sum)
	VPADDD(sum, offset, offset)
	ADDQ(I32(groupBytes), panel)
	ADDQ(Imm(block), row)
	ADDQ(Imm(block), later)
	DECQ(inPart)
	JNE(LabelRef("packGroup"))
	VMOVDQU(offset, Mem{Base: start})
	TESTQ(left, left)
	JNE(LabelRef("packPart"))
	VZEROUPPER()
	RET()
}
