// Command avx512 writes the kernels of package kernel for AVX-512 with VNNI.
// The layout of the operands is that of the AVX2 kernels.
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
	maxTokens = 12

	// manyLines and fewLines are how many lines a group of the kernels for many
	// and for few tokens asks for.
	manyLines = 2
	fewLines  = groupBytes / 64

	sumsPerRound = 20
)

func main() {
	ConstraintExpr("amd64")
	q4("q4Wide12", maxTokens, 1, manyLines)
	for t := 1; t <= maxTokens; t++ {
		q4(fmt.Sprintf("q4WideFew%d", t), t, 1, fewLines)
	}
	q4("q4Pair6", maxTokens/2, 2, manyLines)
	for t := 1; t <= maxTokens/2; t++ {
		q4(fmt.Sprintf("q4PairFew%d", t), t, 2, 2*fewLines)
	}
	for t := 1; t <= maxTokens; t++ {
		f32(t)
	}
	sums()
	c := constants{}
	quantize(c)
	gelu(c)
	softmax(c)
	addNorm(c)
	probabilities(c)
	for t := 1; t <= maxTokens; t++ {
		scores(t)
		mix(t)
	}
	Generate()
}

// rows addresses up to twelve rows that lie stride bytes apart: every fourth
// has a register.
type rows struct {
	base            [maxTokens / 4]reg.GPVirtual
	n               int
	stride, stride3 reg.GPVirtual
}

func newRows(base, stride reg.GPVirtual, n int) rows {
	r := rows{n: n, stride: stride, stride3: GP64()}
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.stride3)
	r.base[0] = base
	for i := 1; 4*i < n; i++ {
		r.base[i] = GP64()
		LEAQ(Mem{Base: r.base[i-1], Index: stride, Scale: 4}, r.base[i])
	}
	return r
}

func (r rows) at(t, disp int) Mem { return r.atBase(r.base[t/4], t, disp) }

// atBase addresses row t, base being the address of row t&^3.
func (r rows) atBase(base reg.GPVirtual, t, disp int) Mem {
	switch t % 4 {
	case 0:
		return Mem{Base: base, Disp: disp}
	case 3:
		return Mem{Base: base, Index: r.stride3, Scale: 1, Disp: disp}
	default:
		return Mem{Base: base, Index: r.stride, Scale: uint8(t % 4), Disp: disp}
	}
}

func (r rows) each(f func(base reg.GPVirtual)) {
	for i := 0; 4*i < r.n; i++ {
		f(r.base[i])
	}
}

// q4 writes the 4-bit × 8-bit product for tiles of n tokens and one panel or
// two. Four products of bytes and their sum are one instruction. Two panels with
// half of the tokens load less for as many of them: with one, loads are what
// bounds it. Every group asks for a few lines of the memory from ahead bytes
// after panel, step bytes apart. The second panel lies panelBytes after the
// first, its output panelStride elements.
func q4(name string, n, panels, lines int) {
	TEXT(name, NOSPLIT, "func(out *float32, outStride, panelStride int, act *byte, actStride int, panel *byte, panelBytes int, bias *float32, groups, tiles, ahead, step int)")
	Pragma("noescape")
	act := Load(Param("act"), GP64()).(reg.GPVirtual)
	stride := Load(Param("actStride"), GP64()).(reg.GPVirtual)
	a := newRows(act, stride, n)
	next := Load(Param("panel"), GP64())
	{
		ahead := Load(Param("ahead"), GP64())
		ADDQ(ahead, next)
	}
	step := Load(Param("step"), GP64())
	odd := K()
	{
		v := GP32()
		MOVL(U32(0xaaaaaaaa), v)
		KMOVD(v, odd)
	}
	var second reg.Register
	if panels == 2 {
		second = Load(Param("panelBytes"), GP64())
	}

	// The tiles that are left and the output have no register.
	local := AllocLocal(16)
	outAt, tilesLeft := local, local.Offset(8)
	{
		v := Load(Param("out"), GP64())
		MOVQ(v, outAt)
		v = Load(Param("tiles"), GP64())
		MOVQ(v, tilesLeft)
	}
	bias := ZMM()
	{
		v := GP32()
		MOVL(U32(layout.PairBias), v)
		VPBROADCASTD(v, bias)
	}
	each := func(f func(p, t int)) {
		for p := range panels {
			for t := range n {
				f(p, t)
			}
		}
	}

	tile, part, single, last := name+"Tile", name+"Part", name+"Single", name+"Last"
	Label(tile)
	var acc, sums [2][maxTokens]reg.VecVirtual
	each(func(p, t int) {
		acc[p][t], sums[p][t] = ZMM(), ZMM()
		VPXORD(sums[p][t], sums[p][t], sums[p][t])
	})
	w, left, scales := GP64(), GP64(), GP64()
	Load(Param("panel"), w)
	Load(Param("groups"), left)
	MOVQ(left, scales)
	SHLQ(Imm(5), scales)
	ADDQ(act, scales)
	weightsAt := func(p, disp int) Mem {
		if p == 1 {
			return Mem{Base: w, Index: second, Scale: 1, Disp: disp}
		}
		return Mem{Base: w, Disp: disp}
	}

	Label(part)
	each(func(p, t int) { VMOVDQU32(weightsAt(p, 0), acc[p][t]) })
	ADDQ(I32(partStart), w)
	products := func(g int) {
		asked := 0
		for q := range group / 4 {
			var weights [2]reg.VecVirtual
			for p := range panels {
				weights[p] = ZMM()
				VMOVDQU32(weightsAt(p, g*groupBytes+q*64), weights[p])
			}
			for t := range n {
				b := ZMM()
				VPBROADCASTD(a.at(t, g*group+q*4), b)
				for p := range panels {
					VPDPBUSD(weights[p], b, acc[p][t])
				}
			}
			for ; asked*group/4 < (q+1)*lines; asked++ {
				PREFETCHT1(Mem{Base: next})
				ADDQ(step, next)
			}
		}
	}
	CMPQ(left, Imm(1))
	JE(LabelRef(single))
	products(0)
	// The halves change places, on other units than a rotation, which would keep
	// products waiting.
	each(func(p, t int) { VPSHUFLW(Imm(0xb1), acc[p][t], acc[p][t]) })
	each(func(p, t int) { VPSHUFHW(Imm(0xb1), acc[p][t], acc[p][t]) })
	Label(last)
	products(1)
	ADDQ(I32(2*groupBytes), w)
	a.each(func(base reg.GPVirtual) { ADDQ(Imm(2*group), base) })

	{
		var pair [2]reg.VecVirtual
		for p := range panels {
			pair[p] = ZMM()
			VMOVDQU32(weightsAt(p, -4*lanes), pair[p])
			VMOVDQU16(weightsAt(p, -4*lanes-groupBytes), odd, pair[p])
		}
		at, f := GP64(), ZMM()
		MOVQ(scales, at)
		for t := range n {
			if t > 0 && t%4 == 0 {
				LEAQ(Mem{Base: at, Index: stride, Scale: 4}, at)
			}
			VBROADCASTSS(a.atBase(at, t, 0), f)
			for p := range panels {
				v := acc[p][t]
				VPSUBW(bias, v, v)
				VPMADDWD(pair[p], v, v)
				VCVTDQ2PS(v, v)
				VFMADD231PS(f, v, sums[p][t])
			}
		}
	}
	ADDQ(Imm(4), scales)
	SUBQ(Imm(2), left)
	JG(LabelRef(part))

	{
		out, outStride, other, biases := GP64(), GP64(), GP64(), GP64()
		Load(Param("bias"), biases)
		MOVQ(outAt, out)
		Load(Param("outStride"), outStride)
		SHLQ(Imm(2), outStride)
		var rowScale, b [2]reg.VecVirtual
		for p := range panels {
			rowScale[p], b[p] = ZMM(), ZMM()
			VMOVUPS(weightsAt(p, 0), rowScale[p])
			VMOVUPS(Mem{Base: biases, Disp: 4 * lanes * p}, b[p])
		}
		if panels == 2 {
			Load(Param("panelStride"), other)
		}
		for t := range n {
			for p := range panels {
				VFMADD132PS(rowScale[p], b[p], sums[p][t])
				to := Mem{Base: out}
				if p == 1 {
					to = Mem{Base: out, Index: other, Scale: 4}
				}
				VMOVUPS(sums[p][t], to)
			}
			ADDQ(outStride, out)
		}
		MOVQ(out, outAt)
	}
	{
		// To the first column of the rows of the next tile.
		forward := GP64()
		Load(Param("groups"), left)
		SHLQ(Imm(5), left)
		IMUL3Q(Imm(uint64(n)), stride, forward)
		SUBQ(left, forward)
		a.each(func(base reg.GPVirtual) { ADDQ(forward, base) })
	}
	DECQ(tilesLeft)
	JNE(LabelRef(tile))
	VZEROUPPER()
	RET()

	Label(single)
	SUBQ(I32(groupBytes), w)
	a.each(func(base reg.GPVirtual) { SUBQ(Imm(group), base) })
	JMP(LabelRef(last))
}

// sums writes what q4 is measured against: rounds of twenty products of 64
// bytes with their sums, that wait for nothing but the units that compute them.
func sums() {
	TEXT("wideSums", NOSPLIT, "func(rounds int)")
	Pragma("noescape")
	left := Load(Param("rounds"), GP64())
	w, b := ZMM(), ZMM()
	VPXORD(w, w, w)
	VPXORD(b, b, b)
	var acc [sumsPerRound]reg.VecVirtual
	for i := range acc {
		acc[i] = ZMM()
		VPXORD(acc[i], acc[i], acc[i])
	}
	Label("sums")
	for i := range acc {
		VPDPBUSD(w, b, acc[i])
	}
	DECQ(left)
	JNE(LabelRef("sums"))
	VZEROUPPER()
	RET()
}
