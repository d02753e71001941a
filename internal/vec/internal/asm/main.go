// Command asm writes the AVX2 kernels of package vec. It is a module of its
// own, so that avo is needed only by those who change a kernel.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// tile is the number of rows that are multiplied at once: their products use
// each part of the question that is loaded.
const tile = 4

// distance is how many bytes after the next tile of integers are asked for:
// their tiles are small, and so is the time that one takes.
const distance = 6144

func main() {
	ConstraintExpr("amd64")
	dotInt8()
	rowsInt8()
	for _, f := range []format{
		{"F32", "float32", 4, func(m Mem, v reg.VecVirtual) { VMOVUPS(m, v) }},
		{"F16", "uint16", 2, func(m Mem, v reg.VecVirtual) { VCVTPH2PS(m, v) }},
	} {
		f.dot()
		f.rows()
	}
	Generate()
}

func zero(regs ...reg.VecVirtual) {
	for _, v := range regs {
		VPXOR(v, v, v)
	}
}

func dotInt8() {
	const step = 32
	TEXT("dotInt8Vectors", NOSPLIT, "func(q *int16, v *int8, n int) int64")
	Pragma("noescape")
	Doc("dotInt8Vectors is dotInt8 for n values, a multiple of 32 and at most 8192.")
	q, v, n := Load(Param("q"), GP64()), Load(Param("v"), GP64()), Load(Param("n"), GP64())
	sums := [2]reg.VecVirtual{YMM(), YMM()}
	zero(sums[:]...)
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
	total := YMM()
	widened(sums[0], total)
	widened(sums[1], sums[0])
	VPADDQ(sums[0], total, total)
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
}

// widened leaves in dst four sums of 64 bits of the eight of 32 in src.
func widened(src, dst reg.VecVirtual) {
	high := YMM()
	half := XMM()
	VEXTRACTI128(U8(1), src, half)
	VPMOVSXDQ(half, high)
	VPMOVSXDQ(src.AsX(), dst)
	VPADDQ(high, dst, dst)
}

// tiles writes the loop over tiles of rows: body gets the registers of the
// question's and the rows' next values, and the number left.
func tiles(size int, body func(q reg.Register, row func(i, disp int) Mem, n reg.Register), end func(dst Mem), dstSize int, next func(q, row, n reg.Register)) {
	dst := Load(Param("dst"), GP64())
	rows := Load(Param("rows"), GP64())
	stride := Load(Param("stride"), GP64()).(reg.GPVirtual)
	count := Load(Param("tiles"), GP64())
	if size > 1 {
		SHLQ(U8(size/2), stride)
	}
	stride3 := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	// Four rows at once are more streams than a CPU foresees: the next ones are
	// asked for in the order of the memory.
	ahead, after := GP64(), 0
	if size == 1 {
		after = distance
	}
	LEAQ(Mem{Base: rows, Index: stride, Scale: tile, Disp: after}, ahead)
	Label("tile")
	q, n, at := GP64(), GP64(), GP64()
	Load(Param("q"), q)
	Load(Param("n"), n)
	MOVQ(rows, at)
	row := func(i, disp int) Mem {
		switch i {
		case 0:
			return Mem{Base: at, Disp: disp}
		case 3:
			return Mem{Base: at, Index: stride3, Scale: 1, Disp: disp}
		}
		return Mem{Base: at, Index: stride, Scale: uint8(i), Disp: disp}
	}
	body(q, row, n)
	for line := range size {
		PREFETCHT0(Mem{Base: ahead, Disp: 64 * line})
	}
	ADDQ(U32(64*size), ahead)
	next(q, at, n)
	end(Mem{Base: dst})
	ADDQ(U8(tile*dstSize), dst)
	LEAQ(Mem{Base: rows, Index: stride, Scale: tile}, rows)
	DECQ(count)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

func rowsInt8() {
	const step = 16
	TEXT("rowsInt8Tiles", NOSPLIT, "func(dst *int64, q *int16, rows *int8, n, stride, tiles int)")
	Pragma("noescape")
	Doc("rowsInt8Tiles is rowsInt8 for tiles of four rows, stride values apart, of n values, a multiple of 16 and at most 4096.")
	sums := make([]reg.VecVirtual, tile)
	for i := range sums {
		sums[i] = YMM()
	}
	tiles(1, func(q reg.Register, row func(i, disp int) Mem, n reg.Register) {
		zero(sums...)
		Label("loop")
		question := YMM()
		VMOVDQU(Mem{Base: q}, question)
		for i, s := range sums {
			wide := YMM()
			VPMOVSXBW(row(i, 0), wide)
			VPMADDWD(question, wide, wide)
			VPADDD(wide, s, s)
		}
	}, func(dst Mem) {
		for _, s := range sums {
			widened(s, s)
		}
		// The four sums of each of four rows become one of each.
		for i := 0; i < tile; i += 2 {
			low, high := YMM(), YMM()
			VPUNPCKLQDQ(sums[i+1], sums[i], low)
			VPUNPCKHQDQ(sums[i+1], sums[i], high)
			VPADDQ(high, low, sums[i])
		}
		low, high := YMM(), YMM()
		VPERM2I128(U8(0x20), sums[2], sums[0], low)
		VPERM2I128(U8(0x31), sums[2], sums[0], high)
		VPADDQ(high, low, low)
		VMOVDQU(low, dst)
	}, 8, func(q, row, n reg.Register) {
		ADDQ(U8(2*step), q)
		ADDQ(U8(step), row)
		SUBQ(U8(step), n)
		JNE(LabelRef("loop"))
	})
}

// A format is how vectors of floating-point numbers are kept.
type format struct {
	name, typ string
	size      int
	load      func(m Mem, v reg.VecVirtual) // of eight as float32
}

// sumOf leaves in the first lane of v the sum of its lanes.
func sumOf(v reg.VecVirtual) {
	half := XMM()
	VEXTRACTF128(U8(1), v, half)
	VADDPS(half, v.AsX(), v.AsX())
	VHADDPS(v.AsX(), v.AsX(), v.AsX())
	VHADDPS(v.AsX(), v.AsX(), v.AsX())
}

func (f format) dot() {
	TEXT(fmt.Sprintf("dot%sVectors", f.name), NOSPLIT, fmt.Sprintf("func(q *float32, v *%s, n int) float32", f.typ))
	Pragma("noescape")
	Doc(fmt.Sprintf("dot%sVectors is dot%s for n values, a multiple of 8.", f.name, f.name))
	q, v, n := Load(Param("q"), GP64()), Load(Param("v"), GP64()), Load(Param("n"), GP64())
	// Four sums, as each product waits four cycles for the one before.
	sums := [4]reg.VecVirtual{YMM(), YMM(), YMM(), YMM()}
	zero(sums[:]...)
	round := func(i int) {
		wide := YMM()
		f.load(Mem{Base: v, Disp: 8 * f.size * i}, wide)
		VFMADD231PS(Mem{Base: q, Disp: 32 * i}, wide, sums[i])
	}
	advance := func(rounds int) {
		ADDQ(U32(32*rounds), q)
		ADDQ(U32(8*f.size*rounds), v)
		SUBQ(U8(8*rounds), n)
	}
	CMPQ(n, U8(8*len(sums)))
	JLT(LabelRef("few"))
	Label("loop")
	for i := range sums {
		round(i)
	}
	advance(len(sums))
	CMPQ(n, U8(8*len(sums)))
	JGE(LabelRef("loop"))
	Label("few")
	TESTQ(n, n)
	JZ(LabelRef("done"))
	round(0)
	advance(1)
	JMP(LabelRef("few"))
	Label("done")
	VADDPS(sums[1], sums[0], sums[0])
	VADDPS(sums[3], sums[2], sums[2])
	VADDPS(sums[2], sums[0], sums[0])
	sumOf(sums[0])
	out := XMM()
	VMOVAPS(sums[0].AsX(), out)
	VZEROUPPER()
	Store(out, ReturnIndex(0))
	RET()
}

func (f format) rows() {
	TEXT(fmt.Sprintf("rows%sTiles", f.name), NOSPLIT, fmt.Sprintf("func(dst, q *float32, rows *%s, n, stride, tiles int)", f.typ))
	Pragma("noescape")
	Doc(fmt.Sprintf("rows%sTiles is rows%s for tiles of four rows, stride values apart, of n values, a multiple of 16.", f.name, f.name))
	var sums [2][tile]reg.VecVirtual
	for i := range sums {
		for j := range sums[i] {
			sums[i][j] = YMM()
		}
	}
	tiles(f.size, func(q reg.Register, row func(i, disp int) Mem, n reg.Register) {
		zero(sums[0][:]...)
		zero(sums[1][:]...)
		Label("loop")
		for part := range sums {
			question := YMM()
			VMOVUPS(Mem{Base: q, Disp: 32 * part}, question)
			for i, s := range sums[part] {
				if f.size == 4 {
					VFMADD231PS(row(i, 32*part), question, s)
					continue
				}
				wide := YMM()
				f.load(row(i, 8*f.size*part), wide)
				VFMADD231PS(question, wide, s)
			}
		}
	}, func(dst Mem) {
		s := sums[0]
		for i := range s {
			VADDPS(sums[1][i], s[i], s[i])
		}
		// The eight sums of each of four rows become one of each.
		VHADDPS(s[1], s[0], s[0])
		VHADDPS(s[3], s[2], s[2])
		VHADDPS(s[2], s[0], s[0])
		half := XMM()
		VEXTRACTF128(U8(1), s[0], half)
		VADDPS(half, s[0].AsX(), half)
		VMOVUPS(half, dst)
	}, 4, func(q, row, n reg.Register) {
		ADDQ(U8(64), q)
		ADDQ(U8(16*f.size), row)
		SUBQ(U8(16), n)
		JNE(LabelRef("loop"))
	})
}
