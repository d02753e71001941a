package vec

import "golang.org/x/sys/cpu"

// tile is the number of rows that the kernels take at once, mostTile the
// largest number of integers of a row there: each has one register of sums.
const (
	tile     = 4
	mostTile = most / 2
)

func dotInt8(q []int16, v []int8) int64 {
	n := len(q) &^ 31
	if n == 0 || !cpu.X86.HasAVX2 {
		return dotInt8Portable(q, v)
	}
	sum := dotInt8AVX2(&q[0], &v[0], n)
	if n < len(q) {
		sum += dotInt8Portable(q[n:], v[n:])
	}
	return sum
}

func dotF32(q, v []float32) float32 {
	n := len(q) &^ 7
	if n == 0 || !hasF32() {
		return dotF32Portable(q, v)
	}
	sum := dotF32AVX2(&q[0], &v[0], n)
	if n < len(q) {
		sum += dotF32Portable(q[n:], v[n:])
	}
	return sum
}

func dotF16(q []float32, v []uint16) float32 {
	n := len(q) &^ 7
	if n == 0 || !hasF16() {
		return dotF16Portable(q, v)
	}
	sum := dotF16AVX2(&q[0], &v[0], n)
	if n < len(q) {
		sum += dotF16Portable(q[n:], v[n:])
	}
	return sum
}

// rowsInt8 does as many rows as there are in whole tiles, and returns their
// number.
func rowsInt8(dst []int64, q []int16, rows []int8) int {
	n, done := len(q)&^15, len(dst)&^(tile-1)
	if n == 0 || done == 0 || n > mostTile || !cpu.X86.HasAVX2 {
		return 0
	}
	rowsInt8AVX2(&dst[0], &q[0], &rows[0], n, len(q), done/tile)
	if n < len(q) {
		for i := range dst[:done] {
			dst[i] += dotInt8Portable(q[n:], rows[i*len(q)+n:])
		}
	}
	return done
}

func rowsF32(dst, q, rows []float32) int {
	n, done := len(q)&^15, len(dst)&^(tile-1)
	if n == 0 || done == 0 || !hasF32() {
		return 0
	}
	rowsF32AVX2(&dst[0], &q[0], &rows[0], n, len(q), done/tile)
	if n < len(q) {
		for i := range dst[:done] {
			dst[i] += dotF32Portable(q[n:], rows[i*len(q)+n:])
		}
	}
	return done
}

func rowsF16(dst, q []float32, rows []uint16) int {
	n, done := len(q)&^15, len(dst)&^(tile-1)
	if n == 0 || done == 0 || !hasF16() {
		return 0
	}
	rowsF16AVX2(&dst[0], &q[0], &rows[0], n, len(q), done/tile)
	if n < len(q) {
		for i := range dst[:done] {
			dst[i] += dotF16Portable(q[n:], rows[i*len(q)+n:])
		}
	}
	return done
}

func hasF32() bool { return cpu.X86.HasAVX2 && cpu.X86.HasFMA }

func hasF16() bool { return hasF32() && cpu.X86.HasF16C }
