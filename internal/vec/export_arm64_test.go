package vec

import "golang.org/x/sys/cpu"

// RowsInt8Tiles are the kernels of RowsInt8 that this CPU can run, for rows of a
// multiple of 16 values and a multiple of four rows.
func RowsInt8Tiles() map[string]func(dst []int64, q []int16, rows []int8) {
	type kernel = func(dst *int64, q *int16, rows *int8, n, stride, tiles int)
	whole := func(k kernel) func(dst []int64, q []int16, rows []int8) {
		return func(dst []int64, q []int16, rows []int8) {
			k(&dst[0], &q[0], &rows[0], len(q), len(q), len(dst)/tile)
		}
	}
	all := map[string]func(dst []int64, q []int16, rows []int8){"long": whole(rowsInt8LongTiles)}
	if cpu.ARM64.HasASIMDDP {
		all["dot"] = whole(rowsInt8DotTiles)
	}
	return all
}
