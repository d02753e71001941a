package bert

import (
	"math"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// queryTile is the number of queries whose scores are held at once.
const queryTile = 12

// attend computes one head of softmax(Q·Kᵀ/√d)·V for the sequence at tokens lo
// to hi of a batch of total, in float32. Both products are panel products: the
// keys are transposed into columns of 16, the values already lie that way.
func (m *Model) attend(w *worker, a *arena, head, lo, hi, total int) {
	n := m.net
	width, tokens := n.width(), hi-lo
	d := n.dims / n.heads
	dp, tp := paddedTo(d, kernel.Lanes), paddedTo(tokens, kernel.Lanes)
	w.keys = grow(w.keys, d*tp)
	w.scores = grow(w.scores, queryTile*tp)

	// column gives the values of a column of k or v, kernel.Lanes apart.
	column := func(x []float32, c int) []float32 {
		c += head * d
		return x[(c/kernel.Lanes*total+lo)*kernel.Lanes+c%kernel.Lanes:]
	}
	// What stands in the columns beyond the last token does not count.
	for c := 0; c < d; {
		src := column(a.k, c)
		if (head*d+c)%8 == 0 && c+8 <= d {
			m.kernels.Transpose(w.keys[c*tp:], tp, src, kernel.Lanes, (tokens+7)/8)
			c += 8
			continue
		}
		dst := w.keys[c*tp:][:tokens]
		for t := range dst {
			dst[t] = src[t*kernel.Lanes]
		}
		c++
	}
	direct := d%kernel.Lanes == 0
	if !direct {
		w.values = grow(w.values, tokens*dp)
		w.mixed = grow(w.mixed, queryTile*dp)
		for c := range d {
			src := column(a.v, c)
			for t := range tokens {
				w.values[t*dp+c] = src[t*kernel.Lanes]
			}
		}
	}

	var scale [queryTile]float32
	for i := lo; i < hi; i += queryTile {
		count := min(queryTile, hi-i)
		for t := range count {
			scale[t] = float32(1 / math.Sqrt(float64(d)))
		}
		q := a.q[i*width+head*d:]
		for p := 0; p < tp; p += kernel.Lanes {
			m.kernels.MulF32(w.scores[p:], tp, q, width, w.keys[p:], tp, scale[:], d, count)
		}
		for t := range count {
			scores := w.scores[t*tp:][:tp]
			for i := tokens; i < tp; i++ {
				scores[i] = float32(math.Inf(-1))
			}
			scale[t] = 1 / m.kernels.Softmax(scores)
		}
		out := a.ctx[i*width+head*d:]
		if direct {
			for p := 0; p < d; p += kernel.Lanes {
				m.kernels.MulF32(out[p:], width, w.scores, tp, column(a.v, p), kernel.Lanes, scale[:], tokens, count)
			}
			continue
		}
		for p := 0; p < dp; p += kernel.Lanes {
			m.kernels.MulF32(w.mixed[p:], dp, w.scores, tp, w.values[p:], dp, scale[:], tokens, count)
		}
		for t := range count {
			copy(out[t*width:][:d], w.mixed[t*dp:])
		}
	}
}
