package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// f32 writes the float32 product for tiles of n tokens and 16 lanes. Two sums
// are added to in a cycle, each of which takes four: eight tokens or more keep
// them busy.
func f32(n int) {
	name := fmt.Sprintf("f32Wide%d", n)
	TEXT(name, NOSPLIT, "func(out *float32, outStride int, a *float32, aStride int, w *float32, wStride int, scale *float32, k, tiles int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64())
	outStride := Load(Param("outStride"), GP64())
	act := Load(Param("a"), GP64()).(reg.GPVirtual)
	stride := Load(Param("aStride"), GP64()).(reg.GPVirtual)
	wStride := Load(Param("wStride"), GP64())
	scale := Load(Param("scale"), GP64())
	tiles := Load(Param("tiles"), GP64())
	SHLQ(Imm(2), outStride)
	SHLQ(Imm(2), stride)
	SHLQ(Imm(2), wStride)
	a := newRows(act, stride, n)

	tile, loop := name+"Tile", name+"Column"
	Label(tile)
	var acc [maxTokens]reg.VecVirtual
	for t := range n {
		acc[t] = ZMM()
		VPXORD(acc[t], acc[t], acc[t])
	}
	w, left := GP64(), GP64()
	Load(Param("w"), w)
	Load(Param("k"), left)
	Label(loop)
	weights := ZMM()
	VMOVUPS(Mem{Base: w}, weights)
	for t := range n {
		VFMADD231PS_BCST(a.at(t, 0), weights, acc[t])
	}
	ADDQ(wStride, w)
	a.each(func(base reg.GPVirtual) { ADDQ(Imm(4), base) })
	DECQ(left)
	JNE(LabelRef(loop))

	for t := range n {
		VMULPS_BCST(Mem{Base: scale, Disp: 4 * t}, acc[t], acc[t])
		VMOVUPS(acc[t], Mem{Base: out})
		ADDQ(outStride, out)
	}
	ADDQ(Imm(uint64(4*n)), scale)
	forward := GP64()
	Load(Param("k"), left)
	SHLQ(Imm(2), left)
	IMUL3Q(Imm(uint64(n)), stride, forward)
	SUBQ(left, forward)
	a.each(func(base reg.GPVirtual) { ADDQ(forward, base) })
	DECQ(tiles)
	JNE(LabelRef(tile))
	VZEROUPPER()
	RET()
}
