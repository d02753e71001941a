// Command asm writes the AVX2 kernels of package kernel. It is a module of
// its own, so that avo is needed only by those who change a kernel.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// The layout of the operands; package kernel documents it.
const (
	group           = 32
	scaleOffset     = group
	laneSumsOffset  = group + 4
	actGroupBytes   = group + 8
	panelWeights    = 16 * group
	panelGroupBytes = panelWeights + 16*4
	maxTokens       = 4
)

func main() {
	ConstraintExpr("amd64")
	for t := 1; t <= maxTokens; t++ {
		q4(t)
	}
	for t := 1; t <= maxTokens; t++ {
		f32(t)
	}
	quantize()
	gelu()
	softmax()
	Generate()
}

// rows addresses up to four rows that lie stride bytes apart.
type rows struct {
	base, stride, stride3 reg.GPVirtual
}

func newRows(base, stride reg.GPVirtual, n int) rows {
	r := rows{base: base, stride: stride}
	if n > 3 {
		r.stride3 = GP64()
		LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, r.stride3)
	}
	return r
}

func (r rows) at(t, disp int) Mem {
	switch t {
	case 0:
		return Mem{Base: r.base, Disp: disp}
	case 3:
		return Mem{Base: r.base, Index: r.stride3, Scale: 1, Disp: disp}
	}
	return Mem{Base: r.base, Index: r.stride, Scale: uint8(t), Disp: disp}
}

// next moves base to the row after the last of n.
func (r rows) next(n int) {
	for range n {
		ADDQ(r.stride, r.base)
	}
}

// q4 writes the 4-bit × 8-bit product for tiles of n tokens and 16 lanes.
func q4(n int) {
	TEXT(fmt.Sprintf("q4Tiles%d", n), NOSPLIT, "func(out *float32, outStride int, act, panel *byte, bias *float32, groups, tiles int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64()).(reg.GPVirtual)
	outStride := Load(Param("outStride"), GP64()).(reg.GPVirtual)
	act := Load(Param("act"), GP64()).(reg.GPVirtual)
	panel := Load(Param("panel"), GP64()).(reg.GPVirtual)
	bias := Load(Param("bias"), GP64()).(reg.GPVirtual)
	groups := Load(Param("groups"), GP64()).(reg.GPVirtual)
	tiles := Load(Param("tiles"), GP64()).(reg.GPVirtual)

	actStride := GP64()
	IMUL3Q(Imm(actGroupBytes), groups, actStride)
	SHLQ(Imm(2), outStride)
	o, a := newRows(out, outStride, n), newRows(act, actStride, n)

	// The sums of all groups so far, 32-byte aligned on the stack.
	local := AllocLocal(n*64 + 32)
	sums := GP64()
	LEAQ(local, sums)
	ADDQ(Imm(31), sums)
	ANDQ(I32(-32), sums)
	sum := func(t, half int) Mem { return Mem{Base: sums, Disp: t*64 + half*32} }

	ones := YMM()
	VPCMPEQW(ones, ones, ones)
	VPSRLW(Imm(15), ones, ones)

	tile := fmt.Sprintf("tile%d", n)
	loop := fmt.Sprintf("group%d", n)
	Label(tile)
	zero := YMM()
	VPXOR(zero, zero, zero)
	for t := range n {
		VMOVDQA(zero, sum(t, 0))
		VMOVDQA(zero, sum(t, 1))
	}
	w, left := GP64(), GP64()
	MOVQ(panel, w)
	MOVQ(groups, left)

	Label(loop)
	var acc [maxTokens][2]reg.VecVirtual
	for t := range n {
		acc[t] = [2]reg.VecVirtual{YMM(), YMM()}
		VPBROADCASTD(a.at(t, laneSumsOffset), acc[t][0])
		VMOVDQA(acc[t][0], acc[t][1])
	}
	for q := range group / 4 {
		w0, w1 := YMM(), YMM()
		VMOVDQU(Mem{Base: w, Disp: q * 64}, w0)
		VMOVDQU(Mem{Base: w, Disp: q*64 + 32}, w1)
		for t := range n {
			b, p := YMM(), YMM()
			VPBROADCASTD(a.at(t, q*4), b)
			VPMADDUBSW(b, w0, p)
			VPADDW(p, acc[t][0], acc[t][0])
			VPMADDUBSW(b, w1, b)
			VPADDW(b, acc[t][1], acc[t][1])
		}
	}
	for t := range n {
		scale := YMM()
		VBROADCASTSS(a.at(t, scaleOffset), scale)
		for half := range 2 {
			v := acc[t][half]
			VPMADDWD(ones, v, v)
			VCVTDQ2PS(v, v)
			VMULPS(scale, v, v)
			s := YMM()
			VMOVAPS(sum(t, half), s)
			VFMADD231PS(Mem{Base: w, Disp: panelWeights + half*32}, v, s)
			VMOVAPS(s, sum(t, half))
		}
	}
	ADDQ(I32(panelGroupBytes), w)
	ADDQ(Imm(actGroupBytes), act)
	DECQ(left)
	JNE(LabelRef(loop))

	b0, b1 := YMM(), YMM()
	VMOVUPS(Mem{Base: bias}, b0)
	VMOVUPS(Mem{Base: bias, Disp: 32}, b1)
	for t := range n {
		v := YMM()
		VADDPS(sum(t, 0), b0, v)
		VMOVUPS(v, o.at(t, 0))
		VADDPS(sum(t, 1), b1, v)
		VMOVUPS(v, o.at(t, 32))
	}
	o.next(n)
	// The loop over groups has already passed the first of the n rows.
	a.next(n - 1)
	DECQ(tiles)
	JNE(LabelRef(tile))
	VZEROUPPER()
	RET()
}

// f32 writes the float32 product for tiles of n tokens and 16 lanes.
func f32(n int) {
	TEXT(fmt.Sprintf("f32Tiles%d", n), NOSPLIT, "func(out *float32, outStride int, a *float32, aStride int, w *float32, wStride, k, tiles int)")
	Pragma("noescape")
	out := Load(Param("out"), GP64()).(reg.GPVirtual)
	outStride := Load(Param("outStride"), GP64()).(reg.GPVirtual)
	act := Load(Param("a"), GP64()).(reg.GPVirtual)
	actStride := Load(Param("aStride"), GP64()).(reg.GPVirtual)
	panel := Load(Param("w"), GP64()).(reg.GPVirtual)
	wStride := Load(Param("wStride"), GP64()).(reg.GPVirtual)
	k := Load(Param("k"), GP64()).(reg.GPVirtual)
	tiles := Load(Param("tiles"), GP64()).(reg.GPVirtual)
	SHLQ(Imm(2), outStride)
	SHLQ(Imm(2), actStride)
	SHLQ(Imm(2), wStride)
	o, a := newRows(out, outStride, n), newRows(act, actStride, n)
	back := GP64()
	MOVQ(k, back)
	SHLQ(Imm(2), back)

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
	MOVQ(panel, w)
	MOVQ(k, left)
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
		VMOVUPS(acc[t][0], o.at(t, 0))
		VMOVUPS(acc[t][1], o.at(t, 32))
	}
	o.next(n)
	SUBQ(back, act)
	a.next(n)
	DECQ(tiles)
	JNE(LabelRef(tile))
	VZEROUPPER()
	RET()
}
