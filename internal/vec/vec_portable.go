//go:build !amd64 && !arm64

package vec

func dotInt8(q []int16, v []int8) int64 { return dotInt8Portable(q, v) }

func dotF32(q, v []float32) float32 { return dotF32Portable(q, v) }

func dotF16(q []float32, v []uint16) float32 { return dotF16Portable(q, v) }

// The portable products of many rows are no faster than those of one.

func rowsInt8([]int64, []int16, []int8) int { return 0 }

func rowsF32(_, _, _ []float32) int { return 0 }

func rowsF16(_, _ []float32, _ []uint16) int { return 0 }
