// Command neon writes the arm64 kernels of package vec, into the folder that
// it is run in.
package main

import (
	"fmt"
	"os"

	"github.com/minirag/minirag/internal/neon"
)

const (
	asmFile  = "dot_arm64.s"
	stubFile = "dot_arm64.go"
	// tile is the number of rows that are multiplied at once: their products use
	// each part of the question that is loaded.
	tile = 4
)

func main() {
	if err := source().Write(asmFile, stubFile); err != nil {
		fmt.Fprintln(os.Stderr, "neon:", err)
		os.Exit(1)
	}
}

func source() *neon.File {
	f := writer{neon.New("vec", "go run ./internal/neon")}
	f.dotInt8()
	f.rowsInt8Long()
	f.rowsInt8Dot()
	f.dotF32()
	f.rowsF32()
	f.dotF16()
	f.rowsF16()
	return f.File
}

type writer struct{ *neon.File }

// args loads the question into R0, the vector into R1 and the number of values
// into R2.
func (f writer) args(at map[string]string) {
	f.Go("MOVD %s, R0", at["q"])
	f.Go("MOVD %s, R1", at["v"])
	f.Go("MOVD %s, R2", at["n"])
}

// The sums are v0 to v3, of one product in each lane for 16 values.
func (f writer) dotInt8() {
	at := f.Func("dotInt8Vectors", "is dotInt8 for n values, a multiple of 16 and at most 8192.", "(q *int16, v *int8, n int) int64")
	f.args(at)
	f.Zero(0, 4)
	f.Label("loop")
	f.Go("VLD1.P 32(R0), [V16.H8, V17.H8]")
	f.Go("VLD1.P 16(R1), [V18.B16]")
	f.Op("sxtl v20.8h, v18.8b")
	f.Op("sxtl2 v21.8h, v18.16b")
	f.Op("smlal v0.4s, v16.4h, v20.4h")
	f.Op("smlal2 v1.4s, v16.8h, v20.8h")
	f.Op("smlal v2.4s, v17.4h, v21.4h")
	f.Op("smlal2 v3.4s, v17.8h, v21.8h")
	f.Go("SUBS $16, R2")
	f.Go("BNE loop")
	f.Op("saddlp v0.2d, v0.4s")
	f.Each(1, 3, "sadalp v0.2d, v%d.4s")
	f.Op("addp v0.2d, v0.2d, v0.2d")
	f.Go("FMOVD F0, R0")
	f.Go("MOVD R0, %s", at["ret"])
	f.Go("RET")
}

// tiles writes the loop over tiles of rows of elements of the given size. body
// has the question at R0, the rows at R4 to R7 and the number of values in R2;
// end stores four results at R3.
func (f writer) tiles(at map[string]string, size int, body, end func()) {
	f.Go("MOVD %s, R3", at["dst"])
	f.Go("MOVD %s, R8", at["q"])
	f.Go("MOVD %s, R4", at["rows"])
	f.Go("MOVD %s, R9", at["n"])
	f.Go("MOVD %s, R10", at["stride"])
	f.Go("MOVD %s, R11", at["tiles"])
	if size > 1 {
		f.Go("LSL $%d, R10", size/2)
	}
	// From the end of a row to the fourth after it.
	f.Go("LSL $2, R10, R12")
	switch size {
	case 1:
		f.Go("SUB R9, R12")
	default:
		f.Go("SUB R9<<%d, R12", size/2)
	}
	f.Go("ADD R10, R4, R5")
	f.Go("ADD R10, R5, R6")
	f.Go("ADD R10, R6, R7")
	f.Label("tile")
	f.Go("MOVD R8, R0")
	f.Go("MOVD R9, R2")
	body()
	end()
	for r := 4; r < 8; r++ {
		f.Go("ADD R12, R%d", r)
	}
	f.Go("SUBS $1, R11")
	f.Go("BNE tile")
	f.Go("RET")
}

const rowsDoc = "for tiles of four rows, stride values apart, of n values, a multiple of"

// Row i has the sums v(2i) and v(2i+1), of two products in each lane for 16 values.
func (f writer) rowsInt8Long() {
	at := f.Func("rowsInt8LongTiles", "is rowsInt8 "+rowsDoc+" 16 and at most 4096.",
		"(dst *int64, q *int16, rows *int8, n int, stride int, tiles int)")
	f.tiles(at, 1, func() {
		f.Zero(0, 2*tile)
		f.Label("loop")
		f.Go("VLD1.P 32(R0), [V16.H8, V17.H8]")
		for i := range tile {
			f.Go("VLD1.P 16(R%d), [V%d.B16]", 4+i, 20+i)
		}
		for i := range tile {
			f.Op("sxtl v%d.8h, v%d.8b", 24+i, 20+i)
			f.Op("sxtl2 v%d.8h, v%d.16b", 20+i, 20+i)
		}
		for i := range tile {
			f.Op("smlal v%d.4s, v16.4h, v%d.4h", 2*i, 24+i)
			f.Op("smlal2 v%d.4s, v16.8h, v%d.8h", 2*i+1, 24+i)
		}
		for i := range tile {
			f.Op("smlal v%d.4s, v17.4h, v%d.4h", 2*i, 20+i)
			f.Op("smlal2 v%d.4s, v17.8h, v%d.8h", 2*i+1, 20+i)
		}
		f.Go("SUBS $16, R2")
		f.Go("BNE loop")
	}, func() {
		for i := range tile {
			f.Op("saddlp v%d.2d, v%d.4s", 2*i, 2*i)
			f.Op("sadalp v%d.2d, v%d.4s", 2*i, 2*i+1)
		}
		f.Op("addp v0.2d, v0.2d, v2.2d")
		f.Op("addp v1.2d, v4.2d, v6.2d")
		f.Go("VST1.P [V0.D2, V1.D2], 32(R3)")
	})
}

// The question is 256·high + low + 128, of signed bytes, so that row i has the
// sums v(3i) of its products with high, v(3i+1) with low and v(3i+2) with one. Of
// 4096 values, they have less than 2^25 in each lane.
func (f writer) rowsInt8Dot() {
	at := f.Func("rowsInt8DotTiles", "is rowsInt8 "+rowsDoc+" 16 and at most 4096. It needs the dot product instructions.",
		"(dst *int64, q *int16, rows *int8, n int, stride int, tiles int)")
	f.Go("MOVD $1, R13")
	f.Op("dup v30.16b, w13")
	f.Go("MOVD $128, R13")
	f.Op("dup v31.16b, w13")
	f.tiles(at, 1, func() {
		f.Zero(0, 3*tile)
		f.Label("loop")
		f.Go("VLD1.P 32(R0), [V16.B16, V17.B16]")
		for i := range tile {
			f.Go("VLD1.P 16(R%d), [V%d.B16]", 4+i, 20+i)
		}
		f.Op("uzp2 v18.16b, v16.16b, v17.16b")
		f.Op("uzp1 v19.16b, v16.16b, v17.16b")
		f.Op("eor v19.16b, v19.16b, v31.16b")
		for i := range tile {
			f.Op("sdot v%d.4s, v18.16b, v%d.16b", 3*i, 20+i)
			f.Op("sdot v%d.4s, v19.16b, v%d.16b", 3*i+1, 20+i)
			f.Op("sdot v%d.4s, v30.16b, v%d.16b", 3*i+2, 20+i)
		}
		f.Go("SUBS $16, R2")
		f.Go("BNE loop")
	}, func() {
		for i := range tile {
			high, low, ones := 3*i, 3*i+1, 3*i+2
			f.Op("shl v%d.4s, v%d.4s, #7", ones, ones)
			f.Op("add v%d.4s, v%d.4s, v%d.4s", low, low, ones)
			f.Op("saddlp v%d.2d, v%d.4s", high, high)
			f.Op("shl v%d.2d, v%d.2d, #8", high, high)
			f.Op("sadalp v%d.2d, v%d.4s", high, low)
		}
		f.Op("addp v0.2d, v0.2d, v3.2d")
		f.Op("addp v1.2d, v6.2d, v9.2d")
		f.Go("VST1.P [V0.D2, V1.D2], 32(R3)")
	})
}

// sum leaves the sum of the lanes of v0 to v(n-1) in F0 and stores it.
func (f writer) sum(n int, to string) {
	for half := n / 2; half > 0; half /= 2 {
		for i := range half {
			f.Op("fadd v%d.4s, v%d.4s, v%d.4s", i, i, i+half)
		}
	}
	f.Op("faddp v0.4s, v0.4s, v0.4s")
	f.Op("faddp s0, v0.2s")
	f.Go("FMOVS F0, %s", to)
	f.Go("RET")
}

// The sums are v0 to v7, as each product waits four cycles for the one before.
func (f writer) dotF32() {
	at := f.Func("dotF32Vectors", "is dotF32 for n values, a multiple of 4.", "(q *float32, v *float32, n int) float32")
	f.args(at)
	f.Zero(0, 8)
	f.Go("SUBS $32, R2")
	f.Go("BLT few")
	f.Label("loop")
	for half := range 2 {
		f.Go("VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]")
		f.Go("VLD1.P 64(R1), [V20.S4, V21.S4, V22.S4, V23.S4]")
		for i := range 4 {
			f.Op("fmla v%d.4s, v%d.4s, v%d.4s", 4*half+i, 16+i, 20+i)
		}
	}
	f.Go("SUBS $32, R2")
	f.Go("BGE loop")
	f.Label("few")
	f.Go("ADDS $32, R2")
	f.Go("BEQ done")
	f.Label("four")
	f.Go("VLD1.P 16(R0), [V16.S4]")
	f.Go("VLD1.P 16(R1), [V20.S4]")
	f.Op("fmla v0.4s, v16.4s, v20.4s")
	f.Go("SUBS $4, R2")
	f.Go("BNE four")
	f.Label("done")
	f.sum(8, at["ret"])
}

// store adds up the parts of row i, v(parts·i) and after it, and stores the sum
// of each of four rows.
func (f writer) store(parts int) {
	for half := parts / 2; half > 0; half /= 2 {
		for i := range tile {
			for j := range half {
				f.Op("fadd v%d.4s, v%d.4s, v%d.4s", parts*i+j, parts*i+j, parts*i+j+half)
			}
		}
	}
	f.Op("faddp v0.4s, v0.4s, v%d.4s", parts)
	f.Op("faddp v1.4s, v%d.4s, v%d.4s", 2*parts, 3*parts)
	f.Op("faddp v0.4s, v0.4s, v1.4s")
	f.Go("VST1.P [V0.S4], 16(R3)")
}

// Row i has the sums v(4i) to v(4i+3).
func (f writer) rowsF32() {
	at := f.Func("rowsF32Tiles", "is rowsF32 "+rowsDoc+" 4.", "(dst *float32, q *float32, rows *float32, n int, stride int, tiles int)")
	f.tiles(at, 4, func() {
		f.Zero(0, 4*tile)
		f.Go("SUBS $16, R2")
		f.Go("BLT few")
		f.Label("loop")
		f.Go("VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]")
		for i := range tile {
			from := 20 + i%2*4
			f.Go("VLD1.P 64(R%d), [V%d.S4, V%d.S4, V%d.S4, V%d.S4]", 4+i, from, from+1, from+2, from+3)
			for j := range 4 {
				f.Op("fmla v%d.4s, v%d.4s, v%d.4s", 4*i+j, 16+j, from+j)
			}
		}
		f.Go("SUBS $16, R2")
		f.Go("BGE loop")
		f.Label("few")
		f.Go("ADDS $16, R2")
		f.Go("BEQ done")
		f.Label("four")
		f.Go("VLD1.P 16(R0), [V16.S4]")
		for i := range tile {
			f.Go("VLD1.P 16(R%d), [V%d.S4]", 4+i, 20+i)
			f.Op("fmla v%d.4s, v16.4s, v%d.4s", 4*i, 20+i)
		}
		f.Go("SUBS $4, R2")
		f.Go("BNE four")
		f.Label("done")
	}, func() { f.store(4) })
}

func (f writer) dotF16() {
	at := f.Func("dotF16Vectors", "is dotF16 for n values, a multiple of 8.", "(q *float32, v *uint16, n int) float32")
	f.args(at)
	f.Zero(0, 4)
	f.Go("SUBS $16, R2")
	f.Go("BLT few")
	f.Label("loop")
	f.Go("VLD1.P 64(R0), [V16.S4, V17.S4, V18.S4, V19.S4]")
	f.Go("VLD1.P 32(R1), [V24.H8, V25.H8]")
	for i := range 2 {
		f.Op("fcvtl v%d.4s, v%d.4h", 20+2*i, 24+i)
		f.Op("fcvtl2 v%d.4s, v%d.8h", 21+2*i, 24+i)
	}
	for i := range 4 {
		f.Op("fmla v%d.4s, v%d.4s, v%d.4s", i, 16+i, 20+i)
	}
	f.Go("SUBS $16, R2")
	f.Go("BGE loop")
	f.Label("few")
	f.Go("ADDS $16, R2")
	f.Go("BEQ done")
	f.Go("VLD1 (R0), [V16.S4, V17.S4]")
	f.Go("VLD1 (R1), [V24.H8]")
	f.Op("fcvtl v20.4s, v24.4h")
	f.Op("fcvtl2 v21.4s, v24.8h")
	f.Op("fmla v0.4s, v16.4s, v20.4s")
	f.Op("fmla v1.4s, v17.4s, v21.4s")
	f.Label("done")
	f.sum(4, at["ret"])
}

// Row i has the sums v(2i) and v(2i+1).
func (f writer) rowsF16() {
	at := f.Func("rowsF16Tiles", "is rowsF16 "+rowsDoc+" 8.", "(dst *float32, q *float32, rows *uint16, n int, stride int, tiles int)")
	f.tiles(at, 2, func() {
		f.Zero(0, 2*tile)
		f.Label("loop")
		f.Go("VLD1.P 32(R0), [V16.S4, V17.S4]")
		for i := range tile {
			f.Go("VLD1.P 16(R%d), [V%d.H8]", 4+i, 20+i)
		}
		for i := range tile {
			f.Op("fcvtl v%d.4s, v%d.4h", 24+i, 20+i)
			f.Op("fcvtl2 v%d.4s, v%d.8h", 20+i, 20+i)
		}
		for i := range tile {
			f.Op("fmla v%d.4s, v16.4s, v%d.4s", 2*i, 24+i)
			f.Op("fmla v%d.4s, v17.4s, v%d.4s", 2*i+1, 20+i)
		}
		f.Go("SUBS $8, R2")
		f.Go("BNE loop")
	}, func() { f.store(2) })
}
