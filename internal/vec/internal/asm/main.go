// Command asm writes the AVX2 kernels of package vec. It is a module of its
// own, so that avo is needed only by those who change a kernel.
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// step is the number of values of one round: two registers of products.
const step = 32

func main() {
	ConstraintExpr("amd64")
	TEXT("dotInt8AVX2", NOSPLIT, "func(q *int16, v *int8, n int) int64")
	Pragma("noescape")
	Doc("dotInt8AVX2 is dotInt8 for n values, a multiple of 32 and at most 8192.")
	q, v, n := Load(Param("q"), GP64()), Load(Param("v"), GP64()), Load(Param("n"), GP64())
	sums := [2]reg.VecVirtual{YMM(), YMM()}
	for _, s := range sums {
		VPXOR(s, s, s)
	}
	Label("loop")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	for i, s := range sums {
		wide := YMM()
		VPMOVSXBW(Mem{Base: v, Disp: i * step / 2}, wide)
		VPMADDWD(Mem{Base: q, Disp: i * step}, wide, wide)
		VPADDD(wide, s, s)
	}
	ADDQ(U8(2*step), q)
	ADDQ(U8(step), v)
	SUBQ(U8(step), n)
	JMP(LabelRef("loop"))
	Label("done")
	// Sums are widened to 64 bits before they are added up.
	total := YMM()
	VPXOR(total, total, total)
	for _, s := range sums {
		half, wide := XMM(), YMM()
		VPMOVSXDQ(s.AsX(), wide)
		VPADDQ(wide, total, total)
		VEXTRACTI128(U8(1), s, half)
		VPMOVSXDQ(half, wide)
		VPADDQ(wide, total, total)
	}
	half := XMM()
	VEXTRACTI128(U8(1), total, half)
	VPADDQ(half, total.AsX(), half)
	high := XMM()
	VPSRLDQ(U8(8), half, high)
	VPADDQ(high, half, half)
	out := GP64()
	VMOVQ(half, out)
	VZEROUPPER()
	Store(out, ReturnIndex(0))
	RET()
	Generate()
}
