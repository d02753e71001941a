package vec

import "golang.org/x/sys/cpu"

// wide tells whether the CPU has the instructions of the kernels for vectors of
// 512 bits, which take whole rows. wideTile is the number of rows that they take
// at once. Only tests change wide.
var wide = hasWide()

const wideTile = 8

func hasWide() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512VNNI && x.HasBMI2
}

func dotInt8(q []int16, v []int8) int64 {
	if !wide || len(q) == 0 {
		return dotInt8Narrow(q, v)
	}
	return dotInt8Wide(&q[0], &v[0], len(q))
}

func dotF32(q, v []float32) float32 {
	if !wide || len(q) == 0 {
		return dotF32Narrow(q, v)
	}
	return dotF32Wide(&q[0], &v[0], len(q))
}

func dotF16(q []float32, v []uint16) float32 {
	if !wide || len(q) == 0 {
		return dotF16Narrow(q, v)
	}
	return dotF16Wide(&q[0], &v[0], len(q))
}

// The products of many rows do as many as there are in whole tiles, and return
// their number.

func rowsInt8(dst []int64, q []int16, rows []int8) int {
	if !wide {
		return rowsInt8Narrow(dst, q, rows)
	}
	tiles := len(dst) / wideTile
	if tiles == 0 || len(q) > mostTile {
		return 0
	}
	rowsInt8Wide(&dst[0], &q[0], &rows[0], len(q), tiles)
	return tiles * wideTile
}

func rowsF32(dst, q, rows []float32) int {
	if !wide {
		return rowsF32Narrow(dst, q, rows)
	}
	tiles := len(dst) / wideTile
	if tiles > 0 {
		rowsF32Wide(&dst[0], &q[0], &rows[0], len(q), tiles)
	}
	return tiles * wideTile
}

func rowsF16(dst, q []float32, rows []uint16) int {
	if !wide {
		return rowsF16Narrow(dst, q, rows)
	}
	tiles := len(dst) / wideTile
	if tiles > 0 {
		rowsF16Wide(&dst[0], &q[0], &rows[0], len(q), tiles)
	}
	return tiles * wideTile
}
