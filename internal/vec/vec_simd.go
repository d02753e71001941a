//go:build amd64 || arm64

package vec

// The kernels for vectors of 128 and 256 bits are called with whole vectors; the
// portable twins take what is left of a row. tile is the number of rows that they take at once, mostTile the
// largest number of integers of a row there: they have half as many sums.
const (
	tile     = 4
	mostTile = most / 2
)

func dotInt8Narrow(q []int16, v []int8) int64 {
	n := len(q) &^ (stepInt8 - 1)
	if n == 0 || !hasInt8() {
		return dotInt8Portable(q, v)
	}
	sum := dotInt8Vectors(&q[0], &v[0], n)
	if n < len(q) {
		sum += dotInt8Portable(q[n:], v[n:])
	}
	return sum
}

func dotF32Narrow(q, v []float32) float32 {
	n := len(q) &^ (stepF32 - 1)
	if n == 0 || !hasF32() {
		return dotF32Portable(q, v)
	}
	sum := dotF32Vectors(&q[0], &v[0], n)
	if n < len(q) {
		sum += dotF32Portable(q[n:], v[n:])
	}
	return sum
}

func dotF16Narrow(q []float32, v []uint16) float32 {
	n := len(q) &^ (stepF16 - 1)
	if n == 0 || !hasF16() {
		return dotF16Portable(q, v)
	}
	sum := dotF16Vectors(&q[0], &v[0], n)
	if n < len(q) {
		sum += dotF16Portable(q[n:], v[n:])
	}
	return sum
}

// rowsInt8Narrow does as many rows as there are in whole tiles, and returns their
// number.
func rowsInt8Narrow(dst []int64, q []int16, rows []int8) int {
	n, done := len(q)&^(stepRowsInt8-1), len(dst)&^(tile-1)
	if n == 0 || done == 0 || n > mostTile || !hasInt8() {
		return 0
	}
	rowsInt8Tiles(&dst[0], &q[0], &rows[0], n, len(q), done/tile)
	if n < len(q) {
		for i := range dst[:done] {
			dst[i] += dotInt8Portable(q[n:], rows[i*len(q)+n:])
		}
	}
	return done
}

func rowsF32Narrow(dst, q, rows []float32) int {
	n, done := len(q)&^(stepRowsF32-1), len(dst)&^(tile-1)
	if n == 0 || done == 0 || !hasF32() {
		return 0
	}
	rowsF32Tiles(&dst[0], &q[0], &rows[0], n, len(q), done/tile)
	if n < len(q) {
		for i := range dst[:done] {
			dst[i] += dotF32Portable(q[n:], rows[i*len(q)+n:])
		}
	}
	return done
}

func rowsF16Narrow(dst, q []float32, rows []uint16) int {
	n, done := len(q)&^(stepRowsF16-1), len(dst)&^(tile-1)
	if n == 0 || done == 0 || !hasF16() {
		return 0
	}
	rowsF16Tiles(&dst[0], &q[0], &rows[0], n, len(q), done/tile)
	if n < len(q) {
		for i := range dst[:done] {
			dst[i] += dotF16Portable(q[n:], rows[i*len(q)+n:])
		}
	}
	return done
}
