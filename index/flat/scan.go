package flat

import (
	"context"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/index/internal/topk"
	"github.com/minirag/minirag/internal/vec"
)

// blockSize is the number of vectors that a worker takes at a time: about a
// third of a millisecond of work.
const blockSize = 2048

// blockRows is the number of vectors that are compared at a time.
const blockRows = 64

// scan compares the question with all vectors and returns the best. overlaid
// are the chunks of the last part, which hide those of the others.
func scan(ctx context.Context, parts []*segset.Part[*segment], overlaid map[index.ChunkID]bool, query index.VectorQuery, workers int) ([]index.Hit, error) {
	type block struct {
		part  *segset.Part[*segment]
		start int
		hide  map[index.ChunkID]bool
	}
	var blocks []block
	for i, p := range parts {
		hide := overlaid
		if i == len(parts)-1 {
			hide = nil
		}
		for start := 0; start < p.Data.Len(); start += blockSize {
			blocks = append(blocks, block{p, start, hide})
		}
	}
	question, scale := widen(query.Vector)
	if workers <= 0 {
		workers = runtime.GOMAXPROCS(0)
	}
	workers = min(workers, len(blocks))
	tops := make([]topk.Heap, workers)
	var next atomic.Int64
	work := func(t *topk.Heap) {
		t.Limit = query.Limit
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(blocks) {
				return
			}
			b := blocks[i]
			scanBlock(t, b.part, b.start, min(b.start+blockSize, b.part.Data.Len()), b.hide, question, scale, query.Filter)
		}
	}
	var wg sync.WaitGroup
	for i := 1; i < workers; i++ {
		wg.Go(func() { work(&tops[i]) })
	}
	if workers > 0 {
		work(&tops[0])
	}
	wg.Wait()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return topk.Merge(query.Limit, tops...), nil
}

func scanBlock(t *topk.Heap, p *segset.Part[*segment], start, end int, hide map[index.ChunkID]bool, question []int16, scale float64, filter *index.Filter) {
	s := p.Data
	add := func(i int, product int64) {
		score := min(max(float64(product)*scale*float64(s.scales[i]), -1), 1)
		if t.Admits(score) && !p.Deleted.Has(i) && !hide[s.ids[i]] {
			t.Add(index.Hit{Chunk: s.ids[i], Doc: s.docs[i], Score: score})
		}
	}
	if filter == nil || filter.Docs == nil {
		var products [blockRows]int64
		for ; start < end; start += blockRows {
			n := min(blockRows, end-start)
			vec.RowsInt8(products[:n], question, s.vectors[start*s.dims:(start+n)*s.dims])
			for i, product := range products[:n] {
				add(start+i, product)
			}
		}
		return
	}
	for i := start; i < end; i++ {
		if filter.Docs.Has(s.docs[i]) {
			add(i, vec.DotInt8(question, s.vectors[i*s.dims:(i+1)*s.dims]))
		}
	}
}

// widen rounds a question to 16 bits.
func widen(v []float32) ([]int16, float64) {
	var peak float32
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	q := make([]int16, len(v))
	if peak == 0 {
		return q, 0
	}
	scale := float64(peak) / math.MaxInt16
	for i, x := range v {
		q[i] = int16(math.RoundToEven(float64(x) / scale))
	}
	return q, scale
}
