package segment

import (
	"fmt"
	"math"
)

// checkVector refuses what has no cosine.
func checkVector(v []float32, dims int) error {
	if len(v) != dims {
		return fmt.Errorf("vector has %d dimensions, want %d", len(v), dims)
	}
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return fmt.Errorf("vector has a component that is no number")
		}
	}
	return nil
}

// quantise rounds v to dst times the scale that it returns.
func quantise(dst []int8, v []float32) float32 {
	peak := peakOf(v)
	if peak == 0 {
		clear(dst)
		return 0
	}
	scale := float64(peak) / math.MaxInt8
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x) / scale))
	}
	return float32(scale)
}

// widen rounds a question to 16 bits, so that its own error does not count.
func widen(v []float32) ([]int16, float64) {
	q := make([]int16, len(v))
	peak := peakOf(v)
	if peak == 0 {
		return q, 0
	}
	scale := float64(peak) / math.MaxInt16
	for i, x := range v {
		q[i] = int16(math.RoundToEven(float64(x) / scale))
	}
	return q, scale
}

func peakOf(v []float32) (peak float32) {
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	return peak
}
