package bert

import (
	"math"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// queryTile is the number of queries whose scores are held at once.
const queryTile = 12

// headUnit is the smallest number of heads that fill whole panels; the last
// ones may be fewer.
func (n *network) headUnit() int {
	d, unit := n.dims/n.heads, 1
	for unit < n.heads && unit*d%kernel.Lanes != 0 {
		unit++
	}
	return unit
}

// headSets is the number of parts of the heads of which the queries, keys and
// values of so many tokens are held one after the other, or the most that
// there can be.
func (n *network) headSets(tokens int, most bool) int {
	unit := n.headUnit()
	units := (n.heads + unit - 1) / unit
	if most {
		return units
	}
	each := 3 * 4 * tokens * unit * (n.dims / n.heads)
	return (units*each + headBytes - 1) / headBytes
}

// attention computes one of so many sets of heads for the sequences of g, whose
// activations are those of a. Their sums of values go to rows of ctx from the
// first token of g on.
func (m *Model) attention(w *worker, a *arena, l *layer, g group, starts []int, ctx []float32, set, sets int) {
	n := m.net
	unit, d, width, tokens := n.headUnit(), n.dims/n.heads, n.width(), g.hi-g.lo
	units := (n.heads + unit - 1) / unit
	first, last := set*units/sets*unit, min((set+1)*units/sets*unit, n.heads)
	if first >= last {
		return
	}
	from, to := first*d/kernel.Lanes, (last*d+kernel.Lanes-1)/kernel.Lanes
	cols := (to - from) * kernel.Lanes
	w.q = grow(w.q, tokens*cols)
	// The keys are read in whole blocks of rows.
	w.k = grow(w.k, (tokens+kernel.Lanes)*cols)
	w.v = grow(w.v, tokens*cols)
	w.take(a.x[g.lo*width:], width, n.dims, tokens)
	if n.packed {
		w.in.act = a.act[g.lo*n.actBytes():]
	}
	m.mulPanels(w, &l.q, w.q, cols, kernel.Lanes, from, to)
	m.mulPanels(w, &l.k, w.k, cols, kernel.Lanes, from, to)
	m.mulPanels(w, &l.v, w.v, cols, kernel.Lanes, from, to)
	for s := g.first; s < g.last; s++ {
		lo, length := starts[s]-g.lo, starts[s+1]-starts[s]
		for h := first; h < last; h++ {
			at, out := lo*cols+(h-first)*d, ctx[lo*width+h*d:]
			if n.packed && d%kernel.HeadUnit == 0 && d <= kernel.MaxHead && length <= kernel.MaxAttend {
				m.kernels.Attend(&w.heads, out, width, w.q[at:], w.k[at:], w.v[at:], cols, d, length)
			} else {
				m.attend(w, at, cols, length, out)
			}
		}
	}
}

// attend computes softmax(Q·Kᵀ/√d)·V in float32 of a head for a sequence of
// tokens, whose queries, keys and values begin at the given index of those in w,
// in rows of cols. Both products are panel products: the keys are transposed.
func (m *Model) attend(w *worker, at, cols, tokens int, ctx []float32) {
	n := m.net
	width := n.width()
	d := n.dims / n.heads
	dp, tp := paddedTo(d, kernel.Lanes), paddedTo(tokens, kernel.Lanes)
	w.keys = grow(w.keys, d*tp)
	w.scores = grow(w.scores, queryTile*tp)

	// Each panel of keys has 16 tokens. What stands beyond the last token does
	// not count.
	k, v := w.k[at:], w.v[at:]
	for c := 0; c < d; {
		if c+8 <= d {
			for t := 0; t < tokens; t += kernel.Lanes {
				m.kernels.Transpose(w.keys[t*d+c*kernel.Lanes:], kernel.Lanes, k[t*cols+c:], cols, 2)
			}
			c += 8
			continue
		}
		for t := range tokens {
			w.keys[t/kernel.Lanes*kernel.Lanes*d+c*kernel.Lanes+t%kernel.Lanes] = k[t*cols+c]
		}
		c++
	}
	direct := d%kernel.Lanes == 0
	if !direct {
		w.values = grow(w.values, tokens*dp)
		w.mixed = grow(w.mixed, queryTile*dp)
		for t := range tokens {
			copy(w.values[t*dp:][:d], v[t*cols:])
		}
	}

	var scale, sums [queryTile]float32
	for i := range scale {
		scale[i] = float32(1 / math.Sqrt(float64(d)))
	}
	for i := 0; i < tokens; i += queryTile {
		count := min(queryTile, tokens-i)
		q := w.q[at+i*cols:]
		for p := 0; p < tp; p += kernel.Lanes {
			m.kernels.MulF32(w.scores[p:], tp, q, cols, w.keys[p*d:], kernel.Lanes, scale[:], d, count)
		}
		for t := range count {
			scores := w.scores[t*tp:][:tp]
			for i := tokens; i < tp; i++ {
				scores[i] = float32(math.Inf(-1))
			}
			sums[t] = 1 / m.kernels.Softmax(scores)
		}
		out := ctx[i*width:]
		if direct {
			for p := 0; p < d; p += kernel.Lanes {
				m.kernels.MulF32(out[p:], width, w.scores, tp, v[p:], cols, sums[:], tokens, count)
			}
			continue
		}
		for p := 0; p < dp; p += kernel.Lanes {
			m.kernels.MulF32(w.mixed[p:], dp, w.scores, tp, w.values[p:], dp, sums[:], tokens, count)
		}
		for t := range count {
			copy(out[t*width:][:d], w.mixed[t*dp:])
		}
	}
}
