// Command asm writes the AVX2 kernels of package kernel. It is a module of
// its own, so that avo is needed only by those who change a kernel.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"

	"github.com/minirag/minirag/embed/bert/internal/asm/layout"
)

// The layout of the operands, under short names.
const (
	lanes        = layout.Lanes
	group        = layout.Group
	partGroups   = layout.PartGroups
	groupWeights = layout.GroupWeights
	groupBytes   = layout.GroupBytes
	partStart    = layout.PartStart
)

const (
	maxTokens   = 6
	maxQ4Tokens = 3

	// fewLines is how many lines a group of the kernels for few tokens asks for.
	fewLines = 3

	pairsPerRound = 10
)

func main() {
	ConstraintExpr("amd64")
	for t := 1; t <= maxQ4Tokens; t++ {
		q4(fmt.Sprintf("q4Tiles%d", t), t, 1)
		q4(fmt.Sprintf("q4Few%d", t), t, fewLines)
	}
	for t := 1; t <= maxTokens; t++ {
		f32(t)
	}
	packRows("packRows", false)
	packRows("packPairs", true)
	pairs()
	quantize()
	gelu()
	softmax()
	addNorm()
	transpose()
	headRows()
	headValues()
	probabilities()
	for t := 1; t <= maxHeadTokens; t++ {
		scores(t)
		mix(t)
	}
	Generate()
}

// rows addresses up to six rows that lie stride bytes apart.
type rows struct {
	base, stride, stride3, stride5 reg.GPVirtual
}

func newRows(base, stride reg.GPVirtual, n int) rows {
	r := rows{base: base, stride: stride}
	if n > 3 {
		r.stride3 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.stride3)
	}
	if n > 5 {
		r.stride5 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 4}, r.stride5)
	}
	return r
}

func (r rows) at(t, disp int) Mem {
	switch t {
	case 0:
		return Mem{Base: r.base, Disp: disp}
	case 3:
		return Mem{Base: r.base, Index: r.stride3, Scale: 1, Disp: disp}
	case 5:
		return Mem{Base: r.base, Index: r.stride5, Scale: 1, Disp: disp}
	}
	return Mem{Base: r.base, Index: r.stride, Scale: uint8(t), Disp: disp}
}

// next moves base to the row after the last of n.
func (r rows) next(n int) {
	for range n {
		ADDQ(r.stride, r.base)
	}
}

// q4 writes the 4-bit × 8-bit product for tiles of n tokens and 16 lanes. With
// three tokens the sums of int16 and of int32, two columns of weights, an
// activation and a product are the 16 registers. Every group asks for a few lines of
// the memory from ahead bytes after panel, step bytes apart.
func q4(name string, n, lines int) {
	TEXT(name, NOSPLIT, "func(out *float32, outStride int, act *byte, actStride int, panel *byte, bias *float32, groups, tiles, ahead, step int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64()).(reg.GPVirtual)
	outStride := Load(Param("outStride"), GP64()).(reg.GPVirtual)
	act := Load(Param("act"), GP64()).(reg.GPVirtual)
	next := Load(Param("panel"), GP64())
	{
		ahead := Load(Param("ahead"), GP64())
		ADDQ(ahead, next)
	}
	step := Load(Param("step"), GP64())
	actStride := Load(Param("actStride"), GP64()).(reg.GPVirtual)
	tiles := Load(Param("tiles"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), outStride)
	o, a := newRows(out, outStride, n), newRows(act, actStride, n)

	// The sums of all parts so far, 32-byte aligned on the stack.
	local := AllocLocal(n*64 + 32)
	sums := GP64()
	LEAQ(local, sums)
	ADDQ(Imm(31), sums)
	ANDQ(I32(-32), sums)
	sum := func(t, half int) Mem { return Mem{Base: sums, Disp: t*64 + half*32} }

	tile, part, loop := name+"Tile", name+"Part", name+"Group"
	Label(tile)
	zero := YMM()
	VPXOR(zero, zero, zero)
	for t := range n {
		VMOVDQA(zero, sum(t, 0))
		VMOVDQA(zero, sum(t, 1))
	}
	w, left, scales, inPart := GP64(), GP64(), GP64(), GP64()
	Load(Param("panel"), w)
	Load(Param("groups"), left)
	MOVQ(left, scales)
	SHLQ(Imm(5), scales)
	ADDQ(act, scales)
	sc := rows{base: scales, stride: actStride}

	Label(part)
	var acc, total [maxTokens][2]reg.VecVirtual
	for t := range n {
		for half := range 2 {
			acc[t][half], total[t][half] = YMM(), YMM()
			VMOVDQU(Mem{Base: w, Disp: 32 * half}, total[t][half])
		}
	}
	ADDQ(I32(partStart), w)
	MOVQ(U32(partGroups), inPart)
	CMPQ(left, inPart)
	CMOVQLT(left, inPart)
	SUBQ(inPart, left)

	Label(loop)
	for q := range group / 4 {
		w0, w1 := YMM(), YMM()
		VMOVDQU(Mem{Base: w, Disp: q * 64}, w0)
		VMOVDQU(Mem{Base: w, Disp: q*64 + 32}, w1)
		for t := range n {
			b := YMM()
			VPBROADCASTD(a.at(t, q*4), b)
			if q == 0 {
				VPMADDUBSW(w0, b, acc[t][0])
				VPMADDUBSW(w1, b, acc[t][1])
				continue
			}
			p := YMM()
			VPMADDUBSW(w0, b, p)
			VPADDW(p, acc[t][0], acc[t][0])
			VPMADDUBSW(w1, b, b)
			VPADDW(b, acc[t][1], acc[t][1])
		}
	}
	for t := range n {
		for half := range 2 {
			v := acc[t][half]
			VPMADDWD(Mem{Base: w, Disp: groupWeights + half*32}, v, v)
			VPADDD(v, total[t][half], total[t][half])
		}
	}
	for range lines {
		PREFETCHT1(Mem{Base: next})
		ADDQ(step, next)
	}
	ADDQ(I32(groupBytes), w)
	ADDQ(Imm(group), act)
	DECQ(inPart)
	JNE(LabelRef(loop))

	for t := range n {
		scale := YMM()
		VBROADCASTSS(sc.at(t, 0), scale)
		for half := range 2 {
			v := total[t][half]
			VCVTDQ2PS(v, v)
			VFMADD213PS(sum(t, half), scale, v)
			VMOVAPS(v, sum(t, half))
		}
	}
	ADDQ(Imm(4), scales)
	TESTQ(left, left)
	JNE(LabelRef(part))

	bias := GP64()
	Load(Param("bias"), bias)
	for half := range 2 {
		rowScale, b := YMM(), YMM()
		VMOVUPS(Mem{Base: w, Disp: 32 * half}, rowScale)
		VMOVUPS(Mem{Base: bias, Disp: 32 * half}, b)
		for t := range n {
			v := YMM()
			VMOVAPS(rowScale, v)
			VFMADD132PS(sum(t, half), b, v)
			VMOVUPS(v, o.at(t, 32*half))
		}
	}
	o.next(n)
	Load(Param("groups"), left)
	SHLQ(Imm(5), left)
	SUBQ(left, act)
	a.next(n)
	DECQ(tiles)
	JNE(LabelRef(tile))
	VZEROUPPER()
	RET()
}

// pairs writes what q4 is measured against: rounds of ten products of bytes,
// each with its sum, that wait for nothing but the units that compute them.
func pairs() {
	TEXT("pairs", NOSPLIT, "func(rounds int)")
	Pragma("noescape")
	left := Load(Param("rounds"), GP64())
	w, b := YMM(), YMM()
	VPXOR(w, w, w)
	VPXOR(b, b, b)
	var acc [pairsPerRound]reg.VecVirtual
	for i := range acc {
		acc[i] = YMM()
		VPXOR(acc[i], acc[i], acc[i])
	}
	Label("pairs")
	for i := range acc {
		p := YMM()
		VPMADDUBSW(w, b, p)
		VPADDW(p, acc[i], acc[i])
	}
	DECQ(left)
	JNE(LabelRef("pairs"))
	VZEROUPPER()
	RET()
}

// f32 writes the float32 product for tiles of n tokens and 16 lanes. Six
// tokens have twelve sums, enough for two that take four cycles each to be
// added to in every cycle.
func f32(n int) {
	TEXT(fmt.Sprintf("f32Tiles%d", n), NOSPLIT, "func(out *float32, outStride int, a *float32, aStride int, w *float32, wStride int, scale *float32, k, tiles int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64()).(reg.GPVirtual)
	outStride := Load(Param("outStride"), GP64()).(reg.GPVirtual)
	act := Load(Param("a"), GP64()).(reg.GPVirtual)
	actStride := Load(Param("aStride"), GP64()).(reg.GPVirtual)
	wStride := Load(Param("wStride"), GP64()).(reg.GPVirtual)
	scale := Load(Param("scale"), GP64()).(reg.GPVirtual)
	tiles := Load(Param("tiles"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), outStride)
	SHLQ(Imm(2), actStride)
	SHLQ(Imm(2), wStride)
	a := newRows(act, actStride, n)

	tile := fmt.Sprintf("ftile%d", n)
	loop := fmt.Sprintf("fk%d", n)
	Label(tile)
	var acc [maxTokens][2]reg.VecVirtual
	for t := range n {
		acc[t] = [2]reg.VecVirtual{YMM(), YMM()}
		VXORPS(acc[t][0], acc[t][0], acc[t][0])
		VXORPS(acc[t][1], acc[t][1], acc[t][1])
	}
	w, left := GP64(), GP64()
	Load(Param("w"), w)
	Load(Param("k"), left)
	Label(loop)
	w0, w1 := YMM(), YMM()
	VMOVUPS(Mem{Base: w}, w0)
	VMOVUPS(Mem{Base: w, Disp: 32}, w1)
	for t := range n {
		b := YMM()
		VBROADCASTSS(a.at(t, 0), b)
		VFMADD231PS(b, w0, acc[t][0])
		VFMADD231PS(b, w1, acc[t][1])
	}
	ADDQ(wStride, w)
	ADDQ(Imm(4), act)
	DECQ(left)
	JNE(LabelRef(loop))
	for t := range n {
		b := YMM()
		VBROADCASTSS(Mem{Base: scale, Disp: 4 * t}, b)
		for half := range 2 {
			VMULPS(b, acc[t][half], acc[t][half])
			VMOVUPS(acc[t][half], Mem{Base: out, Disp: 32 * half})
		}
		ADDQ(outStride, out)
	}
	ADDQ(Imm(uint64(4*n)), scale)
	Load(Param("k"), left)
	SHLQ(Imm(2), left)
	SUBQ(left, act)
	a.next(n)
	DECQ(tiles)
	JNE(LabelRef(tile))
	VZEROUPPER()
	RET()
}
