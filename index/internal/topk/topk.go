// Package topk keeps the best hits of a search.
//
// It imports index and the standard library.
package topk

import (
	"cmp"
	"container/heap"
	"slices"

	"github.com/minirag/minirag/index"
)

// Compare orders hits: best first, equal ones by chunk.
func Compare(a, b index.Hit) int {
	return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
}

// A Heap keeps the best Limit hits of those that are added. It is used by one
// goroutine.
type Heap struct {
	Limit int
	hits  worstFirst
}

// Admits reports whether a hit of this score can be among the best, so that
// its details are worth looking up.
func (h *Heap) Admits(score float64) bool {
	return len(h.hits) < h.Limit || h.Limit > 0 && score >= h.hits[0].Score
}

// Worst returns the score that a hit must have at least to be among the best;
// false while any will do.
func (h *Heap) Worst() (float64, bool) {
	if h.Limit <= 0 || len(h.hits) < h.Limit {
		return 0, false
	}
	return h.hits[0].Score, true
}

// Add adds a hit.
func (h *Heap) Add(hit index.Hit) {
	switch {
	case len(h.hits) < h.Limit:
		heap.Push(&h.hits, hit)
	case h.Limit > 0 && Compare(hit, h.hits[0]) < 0:
		h.hits[0] = hit
		heap.Fix(&h.hits, 0)
	}
}

// Merge returns the best limit hits of several heaps in order.
func Merge(limit int, heaps ...Heap) []index.Hit {
	var hits []index.Hit
	for _, h := range heaps {
		hits = append(hits, h.hits...)
	}
	slices.SortFunc(hits, Compare)
	return hits[:min(len(hits), max(limit, 0))]
}

type worstFirst []index.Hit

func (w worstFirst) Len() int           { return len(w) }
func (w worstFirst) Less(i, j int) bool { return Compare(w[i], w[j]) > 0 }
func (w worstFirst) Swap(i, j int)      { w[i], w[j] = w[j], w[i] }
func (w *worstFirst) Push(x any)        { *w = append(*w, x.(index.Hit)) }

// Pop completes heap.Interface.
func (w *worstFirst) Pop() any {
	last := (*w)[len(*w)-1]
	*w = (*w)[:len(*w)-1]
	return last
}
