package segment

import (
	"context"
	"math"
	"math/bits"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/index/internal/topk"
	"github.com/minirag/minirag/internal/vec"
)

// scanSize is the number of vectors that a worker takes at a time.
const scanSize = 4096

// scanRows is the number of vectors that are compared at a time.
const scanRows = 64

// A question is a vector that others are compared with.
type question struct {
	values []int16
	scale  float64
}

func (q *question) cosine(v []int8, scale float32) float64 {
	return q.scaled(vec.DotInt8(q.values, v), scale)
}

// scaled is the cosine that a product stands for; not a number if there is no
// vector.
func (q *question) scaled(product int64, scale float32) float64 {
	return min(max(float64(product)*q.scale*float64(scale), -1), 1)
}

// scan compares the question with all vectors and returns the best.
func scan(ctx context.Context, parts []*segset.Part[*segment], query *index.VectorQuery, workers int) ([]index.Hit, error) {
	if query.Limit <= 0 {
		return nil, nil
	}
	q := new(question)
	q.values, q.scale = widen(query.Vector)
	overlay := make(map[index.ChunkID]int, len(query.Overlay)) // the last of each
	for i := range query.Overlay {
		overlay[query.Overlay[i].Chunk] = i
	}
	sets := make([]set, len(parts))
	var open []*segset.Part[*segment] // with something to compare
	for _, p := range parts {
		in, n := allowed(p, query.Filter)
		if n > 0 {
			sets[len(open)] = in
			open = append(open, p)
		}
	}
	heaps := make([]topk.Heap, workers+1)
	for i := range heaps {
		heaps[i].Limit = query.Limit
	}
	err := each(ctx, tasks(open, scanSize), workers, func(worker int, t task) error {
		scanTask(&heaps[worker], open[t.part], sets[t.part], t, overlay, q)
		return nil
	})
	if err != nil {
		return nil, err
	}
	last := &heaps[workers]
	values := make([]int8, len(query.Vector))
	for chunk, i := range overlay {
		if e := &query.Overlay[i]; query.Filter.Allows(e.Doc) {
			scale := quantise(values, e.Vector)
			last.Add(index.Hit{Chunk: chunk, Doc: e.Doc, Score: q.cosine(values, scale)})
		}
	}
	return topk.Merge(query.Limit, heaps...), nil
}

// scanner is what one task needs of its segment.
type scanner struct {
	*segset.Part[*segment]
	top     *topk.Heap
	overlay map[index.ChunkID]int // hidden in the segment
	q       *question
}

func scanTask(top *topk.Heap, p *segset.Part[*segment], in set, t task, overlay map[index.ChunkID]int, q *question) {
	s := &scanner{p, top, overlay, q}
	if in == nil {
		var products [scanRows]int64
		for start := t.start; start < t.end; start += scanRows {
			end := min(start+scanRows, t.end)
			vec.RowsInt8(products[:end-start], q.values, p.Data.rows(start, end))
			for i, scale := range p.Data.scales[start:end] {
				if score := q.scaled(products[i], scale); top.Admits(score) && !p.Deleted.Has(start+i) {
					s.add(start+i, score)
				}
			}
		}
		return
	}
	// A task begins at a multiple of 64.
	for w := t.start >> 6; w<<6 < t.end; w++ {
		for word := in[w]; word != 0; word &= word - 1 {
			i := w<<6 + bits.TrailingZeros64(word)
			if score := q.cosine(p.Data.vector(i), p.Data.scales[i]); top.Admits(score) {
				s.add(i, score)
			}
		}
	}
}

// add puts an entry among the best, unless it is hidden or has no vector: then
// its score is not a number.
func (s *scanner) add(i int, score float64) {
	chunk := s.Data.chunks[i]
	if _, hidden := s.overlay[chunk]; !hidden && !math.IsNaN(score) {
		s.top.Add(index.Hit{Chunk: chunk, Doc: s.Data.doc(i), Score: score})
	}
}
