package flat

import (
	"cmp"
	"container/heap"
	"context"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// blockSize is the number of vectors that a worker takes at a time: about a
// third of a millisecond of work.
const blockSize = 2048

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
	tops := make([]top, workers)
	var next atomic.Int64
	work := func(t *top) {
		t.limit = query.Limit
		for ctx.Err() == nil {
			i := int(next.Add(1)) - 1
			if i >= len(blocks) {
				return
			}
			b := blocks[i]
			t.scan(b.part, b.start, min(b.start+blockSize, b.part.Data.Len()), b.hide, question, scale, query.Filter)
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
	var hits []index.Hit
	for _, t := range tops {
		hits = append(hits, t.hits...)
	}
	slices.SortFunc(hits, better)
	return hits[:min(len(hits), query.Limit)], nil
}

// better orders hits: best first, equal ones by chunk.
func better(a, b index.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
}

// A top is a heap of the best hits so far, the worst of them on top.
type top struct {
	limit int
	hits  []index.Hit
}

func (t *top) Len() int           { return len(t.hits) }
func (t *top) Less(i, j int) bool { return better(t.hits[i], t.hits[j]) > 0 }
func (t *top) Swap(i, j int)      { t.hits[i], t.hits[j] = t.hits[j], t.hits[i] }
func (t *top) Push(x any)         { t.hits = append(t.hits, x.(index.Hit)) }
func (t *top) Pop() any           { panic("not used") }

func (t *top) scan(p *segset.Part[*segment], start, end int, hide map[index.ChunkID]bool, question []int16, scale float64, filter *index.Filter) {
	s := p.Data
	restricted := filter != nil && filter.Docs != nil
	for i := start; i < end; i++ {
		if restricted && !filter.Docs.Has(s.docs[i]) || p.Deleted.Has(i) {
			continue
		}
		product := dot(question, s.vectors[i*s.dims:(i+1)*s.dims])
		score := min(max(float64(product)*scale*float64(s.scales[i]), -1), 1)
		full := len(t.hits) >= t.limit
		if full && score < t.hits[0].Score {
			continue
		}
		hit := index.Hit{Chunk: s.ids[i], Doc: s.docs[i], Score: score}
		if full && better(hit, t.hits[0]) >= 0 || hide[hit.Chunk] {
			continue
		}
		if full {
			t.hits[0] = hit
			heap.Fix(t, 0)
		} else {
			heap.Push(t, hit)
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

// dot is unrolled by hand, with sums that do not wait for each other: the
// compiler does neither.
func dot(q []int16, v []int8) int64 {
	var a, b, c, d int64
	for len(q) >= 8 && len(v) >= 8 {
		x, y := (*[8]int16)(q), (*[8]int8)(v)
		a += int64(x[0])*int64(y[0]) + int64(x[4])*int64(y[4])
		b += int64(x[1])*int64(y[1]) + int64(x[5])*int64(y[5])
		c += int64(x[2])*int64(y[2]) + int64(x[6])*int64(y[6])
		d += int64(x[3])*int64(y[3]) + int64(x[7])*int64(y[7])
		q, v = q[8:], v[8:]
	}
	for i := range q {
		a += int64(q[i]) * int64(v[i])
	}
	return a + b + c + d
}
