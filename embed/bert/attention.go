package bert

import (
	"math"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// queryTile is the number of queries whose scores are held at once.
const queryTile = 16

// attend computes one head of softmax(Q·Kᵀ/√d)·V for a sequence, in float32.
// Both products are panel products: the keys are transposed into columns of
// 16, the values already lie that way.
func (m *Model) attend(w *worker, out, qkv []float32, head, tokens int) {
	n := m.net
	width := n.width()
	stride := 3 * width
	d := n.dims / n.heads
	dp, tp := paddedTo(d, kernel.Lanes), paddedTo(tokens, kernel.Lanes)
	w.keys = grow(w.keys, d*tp)
	w.values = grow(w.values, tokens*dp)
	w.scores = grow(w.scores, queryTile*tp)
	w.mixed = grow(w.mixed, queryTile*dp)

	clear(w.keys)
	scale := float32(1 / math.Sqrt(float64(d)))
	for t := range tokens {
		row := qkv[t*stride+head*d:]
		for c, v := range row[width:][:d] {
			w.keys[c*tp+t] = v * scale
		}
		value := w.values[t*dp:][:dp]
		clear(value[copy(value, row[2*width:][:d]):])
	}
	for lo := 0; lo < tokens; lo += queryTile {
		count := min(queryTile, tokens-lo)
		q := qkv[lo*stride+head*d:]
		for p := 0; p < tp; p += kernel.Lanes {
			m.kernels.MulF32(w.scores[p:], tp, q, stride, w.keys[p:], tp, d, count)
		}
		var inv [queryTile]float32
		for t := range count {
			scores := w.scores[t*tp:][:tp]
			for i := tokens; i < tp; i++ {
				scores[i] = float32(math.Inf(-1))
			}
			inv[t] = 1 / m.kernels.Softmax(scores)
		}
		for p := 0; p < dp; p += kernel.Lanes {
			m.kernels.MulF32(w.mixed[p:], dp, w.scores, tp, w.values[p:], dp, tokens, count)
		}
		for t := range count {
			dst := out[(lo+t)*width+head*d:][:d]
			for c, v := range w.mixed[t*dp:][:d] {
				dst[c] = v * inv[t]
			}
		}
	}
}
