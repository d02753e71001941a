// Command avx512 writes the kernels of package vec for AVX-512 with VNNI. They
// take rows of any length: what is left of one is loaded under a mask.
package main

import (
	"fmt"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

const (
	// tile is the number of rows that are multiplied at once: their products
	// use each part of the question that is loaded.
	tile = 8

	// distance is how many bytes after the next tile of integers are asked for:
	// their tiles are small, and so is the time that one takes.
	distance = 6144

	// mostRow is the largest number of integers of a row in a tile.
	mostRow = 4096
)

func main() {
	ConstraintExpr("amd64")
	dotInt8()
	rowsInt8()
	for _, f := range formats {
		f.dot()
		f.rows()
	}
	Generate()
}

func zero(regs ...reg.VecVirtual) {
	for _, v := range regs {
		VPXORD(v, v, v)
	}
}

// masked returns a mask of the first n lanes, n being at most 64.
func masked(n reg.Register) reg.Register {
	ones, k := GP64(), K()
	MOVQ(I32(-1), ones)
	BZHIQ(n, ones, ones)
	KMOVQ(ones, k)
	return k
}

// dotInt8 multiplies words: to take a question of one row apart, as rowsInt8
// does, costs more than to widen the row.
func dotInt8() {
	const step = 32
	TEXT("dotInt8Wide", NOSPLIT, "func(q *int16, v *int8, n int) int64")
	Pragma("noescape")
	Doc("dotInt8Wide is dotInt8 for n values, at most 8192.")
	q, v, n := Load(Param("q"), GP64()), Load(Param("v"), GP64()), Load(Param("n"), GP64())
	sums := [2]reg.VecVirtual{ZMM(), ZMM()}
	zero(sums[:]...)
	rest := GP64()
	MOVQ(n, rest)
	ANDQ(U8(2*step-1), rest)
	SHRQ(U8(6), n)
	JE(LabelRef("rest"))
	Label("loop")
	for i, s := range sums {
		wide := ZMM()
		VPMOVSXBW(Mem{Base: v, Disp: step * i}, wide)
		VPDPWSSD(Mem{Base: q, Disp: 2 * step * i}, wide, s)
	}
	ADDQ(U8(4*step), q)
	ADDQ(U8(2*step), v)
	DECQ(n)
	JNE(LabelRef("loop"))
	Label("rest")
	TESTQ(rest, rest)
	JE(LabelRef("done"))
	{
		k := masked(rest)
		for i, s := range sums {
			if i > 0 {
				KSHIFTRQ(U8(step), k, k)
			}
			wide, question := ZMM(), ZMM()
			VMOVDQU16_Z(Mem{Base: q, Disp: 2 * step * i}, k, question)
			VPMOVSXBW_Z(Mem{Base: v, Disp: step * i}, k, wide)
			VPDPWSSD(question, wide, s)
		}
	}
	Label("done")
	// 8192 products are as many as 32 sums of 32 bits hold.
	widened(sums[0], sums[0])
	widened(sums[1], sums[1])
	VPADDQ(sums[1], sums[0], sums[0])
	half, quarter, high := YMM(), XMM(), XMM()
	VEXTRACTI64X4(U8(1), sums[0], half)
	VPADDQ(half, sums[0].AsY(), half)
	VEXTRACTI64X2(U8(1), half, quarter)
	VPADDQ(quarter, half.AsX(), quarter)
	VPSRLDQ(U8(8), quarter, high)
	VPADDQ(high, quarter, quarter)
	out := GP64()
	VMOVQ(quarter, out)
	VZEROUPPER()
	Store(out, ReturnIndex(0))
	RET()
}

// widened leaves in dst the eight sums of 64 bits of the pairs of 32 in src.
func widened(src, dst reg.VecVirtual) {
	even := ZMM()
	VPSLLQ(U8(32), src, even)
	VPSRAQ(U8(32), even, even)
	VPSRAQ(U8(32), src, dst)
	VPADDQ(even, dst, dst)
}

// tiles writes the loop over tiles of rows that follow each other, of n values
// of size bytes: start comes before the values of a tile, step takes a vector of
// them from each row, under a mask if it is not whole, next moves the question
// on, and end stores the products.
func tiles(size int, n reg.Register, start func(), step func(row func(i int) Mem, mask reg.Register), next func(), end func(dst Mem), dstSize int) {
	width, shift := 16, uint8(4)
	if size == 1 {
		width, shift = 64, 6
	}
	dst, at, count := Load(Param("dst"), GP64()), Load(Param("rows"), GP64()).(reg.GPVirtual), Load(Param("tiles"), GP64())
	stride, stride3 := GP64(), GP64()
	MOVQ(n, stride)
	if size > 1 {
		SHLQ(U8(size/2), stride)
	}
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, stride3)
	steps, rest := GP64(), GP64()
	MOVQ(n, steps)
	SHRQ(U8(shift), steps)
	MOVQ(n, rest)
	ANDQ(U8(width-1), rest)
	tail := masked(rest)
	low, high := GP64(), GP64() // of the first and of the last four rows
	row := func(i int) Mem {
		base := low
		if i >= 4 {
			base = high
		}
		switch i % 4 {
		case 0:
			return Mem{Base: base}
		case 3:
			return Mem{Base: base, Index: stride3, Scale: 1}
		}
		return Mem{Base: base, Index: stride, Scale: uint8(i % 4)}
	}
	Label("tile")
	MOVQ(at, low)
	LEAQ(Mem{Base: at, Index: stride, Scale: 4}, high)
	// So many rows at once are more streams than a CPU foresees: the next ones
	// are asked for in the order of the memory.
	ahead, after := GP64(), 0
	if size == 1 {
		after = distance
	}
	LEAQ(Mem{Base: at, Index: stride, Scale: 8, Disp: after}, ahead)
	left := GP64()
	MOVQ(steps, left)
	start()
	TESTQ(left, left)
	JE(LabelRef("rest"))
	Label("loop")
	step(row, nil)
	lines := tile * width * size / 64
	for line := range lines {
		PREFETCHT0(Mem{Base: ahead, Disp: 64 * line})
	}
	ADDQ(U32(64*lines), ahead)
	next()
	ADDQ(U8(width*size), low)
	ADDQ(U8(width*size), high)
	DECQ(left)
	JNE(LabelRef("loop"))
	Label("rest")
	KTESTQ(tail, tail)
	JE(LabelRef("whole"))
	step(row, tail)
	Label("whole")
	end(Mem{Base: dst})
	ADDQ(U8(tile*dstSize), dst)
	LEAQ(Mem{Base: at, Index: stride, Scale: 8}, at)
	DECQ(count)
	JNE(LabelRef("tile"))
	VZEROUPPER()
	RET()
}

// rowsInt8 multiplies bytes, of which an instruction takes twice as many as of
// words and one operand without a sign. A value of the question is 256 times a
// signed byte and an unsigned one. The rows are signed for the low bytes, and
// for the high ones have 128 added to each value: the sums of the high bytes
// begin with 128 times as much less.
func rowsInt8() {
	TEXT("rowsInt8Wide", 0, "func(dst *int64, q *int16, rows *int8, n, tiles int)")
	Pragma("noescape")
	Doc("rowsInt8Wide is rowsInt8 for tiles of eight rows of n values, at most 4096.")
	split := AllocLocal(2 * mostRow) // low and high bytes of 64 values in turn
	n := Load(Param("n"), GP64())
	offset, less := ZMM(), ZMM()
	{
		v := GP32()
		MOVL(U32(0x80808080), v)
		VPBROADCASTD(v, offset)
	}
	zero(less)
	parts := GP64()
	LEAQ(split, parts)
	{
		q, left, to := Load(Param("q"), GP64()), GP64(), GP64()
		MOVQ(n, left)
		MOVQ(parts, to)
		none := ZMM()
		zero(none)
		Label("split")
		width := GP64()
		MOVQ(U32(64), width)
		CMPQ(left, width)
		CMOVQLT(left, width)
		k := masked(width)
		var parts [2][2]reg.VecVirtual // low and high bytes of the first and last values
		for i := range 2 {
			if i > 0 {
				KSHIFTRQ(U8(32), k, k)
			}
			question := ZMM()
			VMOVDQU16_Z(Mem{Base: q, Disp: 64 * i}, k, question)
			for j := range parts {
				if j > 0 {
					VPSRLW(U8(8), question, question)
				}
				parts[j][i] = ZMM()
				VPMOVWB(question, parts[j][i].AsY())
			}
		}
		for j, p := range parts {
			VINSERTI64X4(U8(1), p[1].AsY(), p[0], p[0])
			VMOVDQU64(p[0], Mem{Base: to, Disp: 64 * j})
		}
		VPDPBUSD(parts[1][0], offset, less)
		ADDQ(I32(128), q)
		ADDQ(I32(128), to)
		SUBQ(U8(64), left)
		JG(LabelRef("split"))
		VPSUBD(less, none, less)
	}
	var low, high [tile]reg.VecVirtual
	for i := range tile {
		low[i], high[i] = ZMM(), ZMM()
	}
	q := GP64()
	tiles(1, n, func() {
		zero(low[:]...)
		for _, s := range high {
			VMOVDQA64(less, s)
		}
		MOVQ(parts, q)
	}, func(row func(i int) Mem, mask reg.Register) {
		lows, highs := ZMM(), ZMM()
		VMOVDQU64(Mem{Base: q}, lows)
		VMOVDQU64(Mem{Base: q, Disp: 64}, highs)
		for i := range tile {
			v, more := ZMM(), ZMM()
			if mask == nil {
				VMOVDQU64(row(i), v)
			} else {
				VMOVDQU8_Z(row(i), mask, v)
			}
			VPXORD(offset, v, more)
			VPDPBUSD(v, lows, low[i])
			VPDPBUSD(highs, more, high[i])
		}
	}, func() { ADDQ(I32(128), q) }, func(dst Mem) {
		s := low
		for i := range tile {
			VPSLLD(U8(8), high[i], high[i])
			VPADDD(high[i], s[i], s[i])
		}
		// Pairs of the sixteen sums of a row are as much as 32 bits hold of 4096
		// products. The eight of each of two rows, which become four of 64 bits,
		// share a register, and then of four rows and of eight.
		for _, i := range []int{0, 1, 4, 5} {
			fold(s[i], s[i+2], 0x44, 0xee, VPADDD)
			widened(s[i], s[i])
		}
		for _, i := range []int{0, 4} {
			a, b := ZMM(), ZMM()
			VPUNPCKLQDQ(s[i+1], s[i], a)
			VPUNPCKHQDQ(s[i+1], s[i], b)
			VPADDQ(b, a, s[i])
		}
		fold(s[0], s[4], 0x88, 0xdd, VPADDQ)
		VMOVDQU64(s[0], dst)
	}, 8)
}

// fold leaves in a the sum of two choices of the quarters of a and b.
func fold(a, b reg.VecVirtual, first, second uint8, add func(...Op)) {
	x, y := ZMM(), ZMM()
	VSHUFI64X2(U8(first), b, a, x)
	VSHUFI64X2(U8(second), b, a, y)
	add(y, x, a)
}

// A format is how vectors of floating-point numbers are kept.
type format struct {
	name, typ string
	size      int
}

var formats = []format{{"F32", "float32", 4}, {"F16", "uint16", 2}}

// load widens the next sixteen values to v.
func (f format) load(m Mem, mask reg.Register, v reg.VecVirtual) {
	switch {
	case f.size == 4 && mask == nil:
		VMOVUPS(m, v)
	case f.size == 4:
		VMOVUPS_Z(m, mask, v)
	case mask == nil:
		VCVTPH2PS(m, v)
	default:
		VCVTPH2PS_Z(m, mask, v)
	}
}

func (f format) dot() {
	TEXT(fmt.Sprintf("dot%sWide", f.name), NOSPLIT, fmt.Sprintf("func(q *float32, v *%s, n int) float32", f.typ))
	Pragma("noescape")
	Doc(fmt.Sprintf("dot%sWide is dot%s for n values.", f.name, f.name))
	q, v, n := Load(Param("q"), GP64()), Load(Param("v"), GP64()), Load(Param("n"), GP64())
	// Four sums, as each product waits for the one before.
	sums := [4]reg.VecVirtual{ZMM(), ZMM(), ZMM(), ZMM()}
	zero(sums[:]...)
	round := func(i int) {
		wide := ZMM()
		f.load(Mem{Base: v, Disp: 16 * f.size * i}, nil, wide)
		VFMADD231PS(Mem{Base: q, Disp: 64 * i}, wide, sums[i])
	}
	advance := func(rounds int) {
		ADDQ(I32(64*rounds), q)
		ADDQ(I32(16*f.size*rounds), v)
		SUBQ(U8(16*rounds), n)
	}
	for _, at := range []struct {
		name   string
		rounds int
	}{{"many", len(sums)}, {"few", 1}} {
		CMPQ(n, U8(16*at.rounds))
		JLT(LabelRef(at.name + "Done"))
		Label(at.name)
		for i := range at.rounds {
			round(i)
		}
		advance(at.rounds)
		CMPQ(n, U8(16*at.rounds))
		JGE(LabelRef(at.name))
		Label(at.name + "Done")
	}
	TESTQ(n, n)
	JE(LabelRef("done"))
	{
		k := masked(n)
		question, wide := ZMM(), ZMM()
		VMOVUPS_Z(Mem{Base: q}, k, question)
		f.load(Mem{Base: v}, k, wide)
		VFMADD231PS(question, wide, sums[1])
	}
	Label("done")
	VADDPS(sums[1], sums[0], sums[0])
	VADDPS(sums[3], sums[2], sums[2])
	VADDPS(sums[2], sums[0], sums[0])
	half, quarter, high := YMM(), XMM(), XMM()
	VEXTRACTF64X4(U8(1), sums[0], half)
	VADDPS(half, sums[0].AsY(), half)
	VEXTRACTF64X2(U8(1), half, quarter)
	VADDPS(quarter, half.AsX(), quarter)
	VPSRLDQ(U8(8), quarter, high)
	VADDPS(high, quarter, quarter)
	VPSRLDQ(U8(4), quarter, high)
	VADDPS(high, quarter, quarter)
	out := XMM()
	VMOVAPS(quarter, out)
	VZEROUPPER()
	Store(out, ReturnIndex(0))
	RET()
}

func (f format) rows() {
	TEXT(fmt.Sprintf("rows%sWide", f.name), NOSPLIT, fmt.Sprintf("func(dst, q *float32, rows *%s, n, tiles int)", f.typ))
	Pragma("noescape")
	Doc(fmt.Sprintf("rows%sWide is rows%s for tiles of eight rows of n values.", f.name, f.name))
	n := Load(Param("n"), GP64())
	var s [tile]reg.VecVirtual
	for i := range s {
		s[i] = ZMM()
	}
	q := GP64()
	tiles(f.size, n, func() {
		zero(s[:]...)
		Load(Param("q"), q)
	}, func(row func(i int) Mem, mask reg.Register) {
		question := ZMM()
		format{size: 4}.load(Mem{Base: q}, mask, question)
		for i := range s {
			if f.size == 4 && mask == nil {
				VFMADD231PS(row(i), question, s[i])
				continue
			}
			wide := ZMM()
			f.load(row(i), mask, wide)
			VFMADD231PS(question, wide, s[i])
		}
	}, func() { ADDQ(U8(64), q) }, func(dst Mem) {
		// The sixteen sums of each of eight rows become one of each.
		for i := range 4 {
			fold(s[i], s[i+4], 0x44, 0xee, VADDPS)
		}
		for _, i := range []int{0, 2} {
			a, b := ZMM(), ZMM()
			VUNPCKLPS(s[i+1], s[i], a)
			VUNPCKHPS(s[i+1], s[i], b)
			VADDPS(b, a, s[i])
		}
		a, b := ZMM(), ZMM()
		VUNPCKLPD(s[2], s[0], a)
		VUNPCKHPD(s[2], s[0], b)
		VADDPS(b, a, s[0])
		fold(s[0], s[0], 0x88, 0xdd, VADDPS)
		VMOVUPS(s[0].AsY(), dst)
	}, 4)
}
