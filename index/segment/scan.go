package segment

import (
	"context"
	"math/bits"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/index/internal/topk"
	"github.com/minirag/minirag/internal/vec"
)

// scanSize is the number of vectors that a worker takes at a time.
const scanSize = 4096

// A question is a vector that others are compared with.
type question struct {
	values []int16
	scale  float64
}

func (q *question) cosine(v []int8, scale float32) float64 {
	return min(max(float64(vec.DotInt8(q.values, v))*q.scale*float64(scale), -1), 1)
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

func scanTask(top *topk.Heap, p *segset.Part[*segment], in set, t task, overlay map[index.ChunkID]int, q *question) {
	s := p.Data
	dims := int(s.dims)
	compare := func(i int) {
		scale := s.scales[i]
		if scale != scale {
			return // it has no vector
		}
		score := q.cosine(s.vectors[i*dims:(i+1)*dims], scale)
		if !top.Admits(score) {
			return
		}
		if _, hidden := overlay[s.chunks[i]]; !hidden {
			top.Add(index.Hit{Chunk: s.chunks[i], Doc: s.doc(i), Score: score})
		}
	}
	if in == nil {
		for i := t.start; i < t.end; i++ {
			if !p.Deleted.Has(i) {
				compare(i)
			}
		}
		return
	}
	// A task begins at a multiple of 64.
	for w := t.start >> 6; w<<6 < t.end; w++ {
		for word := in[w]; word != 0; word &= word - 1 {
			compare(w<<6 + bits.TrailingZeros64(word))
		}
	}
}
