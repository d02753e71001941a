package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// horizontalSum leaves in all lanes of v the sum of its lanes.
func horizontalSum(v reg.VecVirtual) {
	other := YMM()
	VPERM2F128(Imm(1), v, v, other)
	VADDPS(other, v, v)
	VPERMILPS(Imm(0x4e), v, other)
	VADDPS(other, v, v)
	VPERMILPS(Imm(0xb1), v, other)
	VADDPS(other, v, v)
}

// halfSums are the sums of every other vector, so that they are added in the
// order of vectors of twice the width: AVX-512 gives the same numbers to the bit.
type halfSums [2]reg.VecVirtual

func newHalfSums() halfSums {
	s := halfSums{YMM(), YMM()}
	VXORPS(s[0], s[0], s[0])
	VXORPS(s[1], s[1], s[1])
	return s
}

// add adds v to the sum that was not added to last.
func (s halfSums) add(v reg.VecVirtual) {
	next := YMM()
	VADDPS(v, s[0], next)
	VMOVAPS(s[1], s[0])
	VMOVAPS(next, s[1])
}

// addSquare is add of v², rounded once.
func (s halfSums) addSquare(v reg.VecVirtual) {
	next := YMM()
	VMOVAPS(s[0], next)
	VFMADD231PS(v, v, next)
	VMOVAPS(s[1], s[0])
	VMOVAPS(next, s[1])
}

// total leaves the sum of all lanes in each lane.
func (s halfSums) total() reg.VecVirtual {
	VADDPS(s[1], s[0], s[0])
	horizontalSum(s[0])
	return s[0]
}

// addNorm writes the twin of addNormPortable for a number of vectors.
func addNorm() {
	TEXT("addNormVectors", NOSPLIT, "func(x, y, weight, bias *float32, eps float32, vectors int)")
	Pragma("noescape")
	x := Load(Param("x"), GP64())
	y := Load(Param("y"), GP64())
	weight := Load(Param("weight"), GP64())
	bias := Load(Param("bias"), GP64())
	vectors := Load(Param("vectors"), GP64())
	eps, n, inv := YMM(), YMM(), YMM()
	epsParam := Load(Param("eps"), XMM()).(reg.VecVirtual)
	VBROADCASTSS(epsParam.AsX(), eps)
	VXORPS(n, n, n)
	VCVTSI2SSQ(vectors, n.AsX(), n.AsX())
	VBROADCASTSS(n.AsX(), n)
	VMULPS(broadcast("eight", 8), n, n)

	left, at := GP64(), GP64()
	loop := func(label string, body func(i int)) {
		MOVQ(vectors, left)
		XORQ(at, at)
		Label(label)
		body(0)
		ADDQ(Imm(32), at)
		DECQ(left)
		JNE(LabelRef(label))
	}
	in := func(base reg.Register) Mem { return Mem{Base: base, Index: at, Scale: 1} }

	sum := newHalfSums()
	loop("normSum", func(int) {
		v := YMM()
		VMOVUPS(in(x), v)
		VADDPS(in(y), v, v)
		VMOVUPS(v, in(x))
		sum.add(v)
	})
	mean := YMM()
	VDIVPS(n, sum.total(), mean)

	squares := newHalfSums()
	loop("normSquares", func(int) {
		v := YMM()
		VMOVUPS(in(x), v)
		VSUBPS(mean, v, v)
		squares.addSquare(v)
	})
	variance := YMM()
	VDIVPS(n, squares.total(), variance)
	VADDPS(eps, variance, variance)
	VSQRTPS(variance, variance)
	VDIVPS(variance, broadcast("one", 1), inv)

	loop("normScale", func(int) {
		v := YMM()
		VMOVUPS(in(x), v)
		VSUBPS(mean, v, v)
		VMULPS(inv, v, v)
		w := YMM()
		VMOVUPS(in(weight), w)
		VFMADD213PS(in(bias), w, v)
		VMOVUPS(v, in(x))
	})
	VZEROUPPER()
	RET()
}

// transpose writes the twin of transposePortable for blocks of eight rows.
func transpose() {
	TEXT("transposeBlocks", NOSPLIT, "func(dst *float32, dstStride int, src *float32, srcStride int, blocks int)")
	Pragma("noescape")
	dst := Load(Param("dst"), GP64()).(reg.GPVirtual)
	dstStride := Load(Param("dstStride"), GP64()).(reg.GPVirtual)
	src := Load(Param("src"), GP64()).(reg.GPVirtual)
	srcStride := Load(Param("srcStride"), GP64()).(reg.GPVirtual)
	blocks := Load(Param("blocks"), GP64())
	SHLQ(Imm(2), dstStride)
	SHLQ(Imm(2), srcStride)
	Label("transposeLoop")
	var a, b [8]reg.VecVirtual
	for i := range a {
		a[i] = YMM()
		VMOVUPS(Mem{Base: src}, a[i])
		ADDQ(srcStride, src)
	}
	for i := 0; i < 8; i += 2 {
		b[i], b[i+1] = YMM(), YMM()
		VUNPCKLPS(a[i+1], a[i], b[i])
		VUNPCKHPS(a[i+1], a[i], b[i+1])
	}
	for i := 0; i < 8; i += 4 {
		for j := range 2 {
			a[i+2*j], a[i+2*j+1] = YMM(), YMM()
			VSHUFPS(Imm(0x44), b[i+2+j], b[i+j], a[i+2*j])
			VSHUFPS(Imm(0xee), b[i+2+j], b[i+j], a[i+2*j+1])
		}
	}
	at := GP64()
	MOVQ(dst, at)
	for half := range 2 {
		for i := range 4 {
			v := YMM()
			VPERM2F128(Imm(uint64(0x20+0x11*half)), a[i+4], a[i], v)
			VMOVUPS(v, Mem{Base: at})
			ADDQ(dstStride, at)
		}
	}
	ADDQ(Imm(32), dst)
	DECQ(blocks)
	JNE(LabelRef("transposeLoop"))
	VZEROUPPER()
	RET()
}
