package vec

import "golang.org/x/sys/cpu"

// The numbers of values that the kernels take at once.
const (
	stepInt8     = 16
	stepF32      = 4
	stepF16      = 8
	stepRowsInt8 = 16
	stepRowsF32  = 4
	stepRowsF16  = 8
)

// NEON is a part of arm64.

func hasInt8() bool { return true }

func hasF32() bool { return true }

func hasF16() bool { return true }

func rowsInt8Tiles(dst *int64, q *int16, rows *int8, n, stride, tiles int) {
	if cpu.ARM64.HasASIMDDP {
		rowsInt8DotTiles(dst, q, rows, n, stride, tiles)
		return
	}
	rowsInt8LongTiles(dst, q, rows, n, stride, tiles)
}

func dotInt8(q []int16, v []int8) int64 { return dotInt8Narrow(q, v) }

func dotF32(q, v []float32) float32 { return dotF32Narrow(q, v) }

func dotF16(q []float32, v []uint16) float32 { return dotF16Narrow(q, v) }

func rowsInt8(dst []int64, q []int16, rows []int8) int { return rowsInt8Narrow(dst, q, rows) }

func rowsF32(dst, q, rows []float32) int { return rowsF32Narrow(dst, q, rows) }

func rowsF16(dst, q []float32, rows []uint16) int { return rowsF16Narrow(dst, q, rows) }
