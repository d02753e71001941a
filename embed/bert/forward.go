package bert

import (
	"context"
	"fmt"
	"math"
	"slices"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// headBytes bounds the queries, keys and values that are held at once, so
// that they stay in the second cache until attention has used them.
const headBytes = 192 << 10

// arena is the working memory of one batch. It grows to the largest batch
// and is kept.
type arena struct {
	x, ctx  []float32 // a row for each token
	act     []byte    // the quantised rows of x, if some matrix takes them
	workers []worker
	query   bool // it is the one for queries
}

// A worker is the memory of one thread.
type worker struct {
	in           input
	act          []byte
	innerAct     []byte
	tmp, mid     []float32
	panel, row   []float32
	ctx          []float32
	q, k, v      []float32 // a row for each token
	keys, values []float32
	scores       []float32
	mixed        []float32
	ones         []float32
	heads        kernel.HeadMemory
}

// input is a block of rows that several matrices are multiplied with; act is
// their quantised form, if not nil.
type input struct {
	x                    []float32
	act                  []byte
	stride, cols, tokens int
}

// EmbedIDs returns the vector of each sequence of token ids, of length 1. The
// ids are those of [Tokenizer.Encode], special tokens included, 1 to
// Info().MaxTokens of them: a longer sequence gives a [*embed.TooLongError].
// Sequences share batches without padding and without influence on each
// other. It stops between two layers when ctx is done.
func (m *Model) EmbedIDs(ctx context.Context, seqs [][]int32) ([][]float32, error) {
	if err := m.check(seqs); err != nil {
		return nil, err
	}
	// Long sequences first: what is left for the last tasks is small, so that
	// no thread waits long for another.
	order := make([]int, len(seqs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(seqs[j]) - len(seqs[i]) })
	out := make([][]float32, len(seqs))
	for len(order) > 0 {
		n, tokens := 1, len(seqs[order[0]])
		for n < len(order) && tokens+len(seqs[order[n]]) <= m.batchTokens {
			tokens += len(seqs[order[n]])
			n++
		}
		part := make([][]int32, n)
		for i, at := range order[:n] {
			part[i] = seqs[at]
		}
		vecs, err := m.inTurn(ctx, m.turn, part, tokens)
		if err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		for i, at := range order[:n] {
			out[at] = vecs[i]
		}
		order = order[n:]
	}
	return out, nil
}

// EmbedQueryIDs is [Model.EmbedIDs] for one sequence that somebody waits for:
// it overtakes the batches of EmbedIDs, which stop for it within a few
// milliseconds, in the middle of a layer. Its vector is the same.
func (m *Model) EmbedQueryIDs(ctx context.Context, ids []int32) ([]float32, error) {
	seqs := [][]int32{ids}
	if err := m.check(seqs); err != nil {
		return nil, err
	}
	m.waiting.Add(1)
	defer m.waiting.Add(-1)
	vecs, err := m.inTurn(ctx, m.queryTurn, seqs, len(ids))
	if err != nil {
		return nil, fmt.Errorf("embed: %w", err)
	}
	return vecs[0], nil
}

// check tells whether the model can take seqs.
func (m *Model) check(seqs [][]int32) error {
	for i, ids := range seqs {
		switch {
		case len(ids) == 0:
			return fmt.Errorf("embed: sequence %d is empty", i)
		case len(ids) > m.info.MaxTokens:
			return fmt.Errorf("embed: %w", &embed.TooLongError{Index: i, Tokens: len(ids), Max: m.info.MaxTokens})
		}
		for _, id := range ids {
			if id < 0 || int(id) >= m.net.words.rows {
				return fmt.Errorf("embed: sequence %d has the id %d, the model has %d", i, id, m.net.words.rows)
			}
		}
	}
	return nil
}

// width is the distance of two rows of activations: whole panels.
func (n *network) width() int { return paddedTo(n.dims, kernel.Lanes) }

// actBytes is the size of a quantised row of activations.
func (n *network) actBytes() int { return kernel.ActBytes(n.dims / kernel.Group) }

// embeddings writes the first activations of a sequence, from token lo.
func (m *Model) embeddings(a *arena, lo int, ids []int32) {
	n := m.net
	position := make([]float32, n.dims)
	for i, id := range ids {
		row := a.x[(lo+i)*n.width():][:n.dims]
		n.words.row(row, int(id))
		n.positions.row(position, i)
		add(row, position)
		m.kernels.AddNorm(row, n.segment, n.norm.weight, n.norm.bias, n.eps)
	}
	m.quantizeRows(a, lo, lo+len(ids))
}

// quantizeRows brings tokens lo to hi of act up to those of x.
func (m *Model) quantizeRows(a *arena, lo, hi int) {
	if !m.net.packed {
		return
	}
	rowBytes, width := m.net.actBytes(), m.net.width()
	m.kernels.Quantize(a.act[lo*rowBytes:], a.x[lo*width:], width, m.net.dims/kernel.Group, hi-lo)
}

// finish does the rest of a layer after attention for tokens lo to hi, in place
// in x.
func (m *Model) finish(w *worker, a *arena, l *layer, attended []float32, lo, hi int) {
	n := m.net
	tokens, width, inner := hi-lo, n.width(), paddedTo(n.inner, kernel.Lanes)
	x := a.x[lo*width:]
	w.tmp = grow(w.tmp, tokens*width)
	w.take(attended, width, n.dims, tokens)
	m.mul(w, &l.attn, w.tmp, width, kernel.Lanes)
	m.residual(x, w.tmp, &l.attnNorm, tokens)
	w.take(x, width, n.dims, tokens)
	if l.up.panels != nil && l.down.panels != nil {
		m.inner(w, l, tokens)
	} else {
		w.mid = grow(w.mid, tokens*inner)
		m.mul(w, &l.up, w.mid, inner, kernel.Lanes)
		w.take(w.mid, inner, n.inner, tokens)
		m.kernels.Gelu(w.mid[:tokens*inner])
	}
	m.mul(w, &l.down, w.tmp, width, kernel.Lanes)
	m.residual(x, w.tmp, &l.outNorm, tokens)
	m.quantizeRows(a, lo, hi)
}

// inner takes the quantised form of the inner layer, of which only few parts are
// ever there in float32.
func (m *Model) inner(w *worker, l *layer, tokens int) {
	const (
		parts  = 2
		panels = parts * kernel.PartGroups * kernel.Group / kernel.Lanes
	)
	groups := m.net.inner / kernel.Group
	rowBytes := kernel.ActBytes(groups)
	w.mid = grow(w.mid, tokens*panels*kernel.Lanes)
	w.innerAct = grow(w.innerAct, tokens*rowBytes)
	m.quantize(w)
	for lo := 0; lo < l.up.panelCount(); lo += panels {
		hi := min(lo+panels, l.up.panelCount())
		cols := (hi - lo) * kernel.Lanes
		m.mulPanels(w, &l.up, w.mid, cols, kernel.Lanes, lo, hi)
		m.kernels.Gelu(w.mid[:tokens*cols])
		m.kernels.QuantizeFrom(w.innerAct, w.mid, cols, cols, tokens, lo/panels*parts, groups)
	}
	w.in = input{act: w.innerAct, cols: m.net.inner, tokens: tokens}
}

// residual sets each row of x to the norm of its sum with that of y.
func (m *Model) residual(x, y []float32, ln *layerNorm, tokens int) {
	width, dims := m.net.width(), m.net.dims
	for t := range tokens {
		m.kernels.AddNorm(x[t*width:][:dims], y[t*width:], ln.weight, ln.bias, m.net.eps)
	}
}

func (w *worker) take(x []float32, stride, cols, tokens int) {
	w.in = input{x: x, stride: stride, cols: cols, tokens: tokens}
}

// quantize makes the 8-bit form of the rows that w has taken.
func (m *Model) quantize(w *worker) {
	in := &w.in
	if in.act != nil {
		return
	}
	groups := in.cols / kernel.Group
	w.act = grow(w.act, in.tokens*kernel.ActBytes(groups))
	m.kernels.Quantize(w.act, in.x, in.stride, groups, in.tokens)
	in.act = w.act
}

// mul multiplies the rows that w has taken with l, and adds its bias. Panel p
// of the result is at out[p*panelStride:], its rows are outStride apart.
func (m *Model) mul(w *worker, l *linear, out []float32, outStride, panelStride int) {
	m.mulPanels(w, l, out, outStride, panelStride, 0, l.panelCount())
}

// mulPanels is mul for panels lo to hi of l.
func (m *Model) mulPanels(w *worker, l *linear, out []float32, outStride, panelStride, lo, hi int) {
	in := &w.in
	if l.panels != nil {
		m.quantize(w)
		groups := in.cols / kernel.Group
		size := kernel.PanelBytes(groups)
		m.kernels.MulQ4(out, outStride, panelStride, in.act, l.panels[lo*size:hi*size], l.bias[lo*kernel.Lanes:], groups, in.tokens)
		return
	}
	w.panel = grow(w.panel, in.cols*kernel.Lanes)
	w.row = grow(w.row, in.cols)
	for len(w.ones) < in.tokens {
		w.ones = append(w.ones, 1)
	}
	for p := lo; p < hi; p++ {
		l.panel(w.panel, w.row, p)
		dst, bias := out[(p-lo)*panelStride:], l.bias[p*kernel.Lanes:][:kernel.Lanes]
		m.kernels.MulF32(dst, outStride, in.x, in.stride, w.panel, kernel.Lanes, w.ones, in.cols, in.tokens)
		for t := range in.tokens {
			add(dst[t*outStride:][:kernel.Lanes], bias)
		}
	}
}

// pooled gives the vector of a sequence, nil if it is not finite.
func (n *network) pooled(x []float32, tokens int) []float32 {
	v := make([]float32, n.dims)
	copy(v, x)
	if n.pool == poolMean {
		for t := 1; t < tokens; t++ {
			add(v, x[t*n.width():])
		}
	}
	var norm float64
	for _, c := range v {
		norm += float64(c) * float64(c)
	}
	if !(norm > 0) || math.IsInf(norm, 0) {
		return nil
	}
	inv := 1 / math.Sqrt(norm)
	for i, c := range v {
		v[i] = float32(float64(c) * inv)
	}
	return v
}

// grow returns s with n elements, whose values are arbitrary.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}
