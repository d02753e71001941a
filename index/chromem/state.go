package chromem

import (
	"context"
	"fmt"
	"maps"
	"runtime"
	"slices"
	"strconv"

	chromemgo "github.com/philippgille/chromem-go"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/topk"
)

// A state never changes once others can see it: collections get no document
// after they are made, and what is removed is noted beside them.
type state struct {
	seq   index.Seq
	dims  int
	parts []part
}

type part struct {
	col     *chromemgo.Collection
	entries map[index.ChunkID]index.VectorEntry // also those without a direction
	gone    map[index.ChunkID]bool
}

func (p *part) live() int { return len(p.entries) - len(p.gone) }

// without returns the parts less some chunks.
func (s *state) without(ids []index.ChunkID) []part {
	parts := slices.Clone(s.parts)
	for i := range parts {
		p := &parts[i]
		cloned := false
		for _, id := range ids {
			if _, ok := p.entries[id]; !ok || p.gone[id] {
				continue
			}
			if !cloned {
				p.gone = maps.Clone(p.gone)
				if p.gone == nil {
					p.gone = make(map[index.ChunkID]bool)
				}
				cloned = true
			}
			p.gone[id] = true
		}
	}
	return parts
}

// add makes a part of entries.
func (s *state) add(ctx context.Context, entries map[index.ChunkID]index.VectorEntry) error {
	if len(entries) == 0 {
		return nil
	}
	col, err := collect(ctx, entries)
	if err != nil {
		return err
	}
	s.parts = append(s.parts, part{col: col, entries: entries})
	return nil
}

// collect makes a collection of entries.
func collect(ctx context.Context, entries map[index.ChunkID]index.VectorEntry) (*chromemgo.Collection, error) {
	col, err := chromemgo.NewDB().CreateCollection(chunksName, nil, refuse)
	if err != nil {
		return nil, err
	}
	docs := make([]chromemgo.Document, 0, len(entries))
	for _, e := range entries {
		if directed(e.Vector) {
			docs = append(docs, document(e))
		}
	}
	if len(docs) > 0 {
		err = col.AddDocuments(ctx, docs, runtime.GOMAXPROCS(0))
	}
	return col, err
}

func document(e index.VectorEntry) chromemgo.Document {
	return chromemgo.Document{
		ID:        strconv.FormatInt(int64(e.Chunk), 10),
		Metadata:  map[string]string{docKey: strconv.FormatInt(int64(e.Doc), 10)},
		Embedding: e.Vector,
	}
}

// refuse stands where chromem-go wants to make vectors itself, with a service
// on the network if nobody says otherwise.
func refuse(context.Context, string) ([]float32, error) {
	return nil, fmt.Errorf("this collection holds vectors only")
}

// merge joins the smallest parts until at most most are left, and those of
// which half is gone.
func (s *state) merge(ctx context.Context, most int) error {
	slices.SortStableFunc(s.parts, func(a, b part) int { return b.live() - a.live() })
	for i := len(s.parts) - 1; i >= 0; i-- {
		if s.parts[i].live() == 0 {
			s.parts = slices.Delete(s.parts, i, i+1)
		}
	}
	keep := len(s.parts)
	if keep > most {
		keep = max(most/2, 0)
	}
	entries := make(map[index.ChunkID]index.VectorEntry)
	var kept []part
	for i, p := range s.parts {
		if i < keep && 2*len(p.gone) <= len(p.entries) && (most > 1 || len(p.gone) == 0) {
			kept = append(kept, p)
			continue
		}
		for id, e := range p.entries {
			if !p.gone[id] {
				entries[id] = e
			}
		}
	}
	s.parts = kept
	return s.add(ctx, entries)
}

// chunks returns what is live, ascending.
func (s *state) chunks() []index.ChunkID {
	var ids []index.ChunkID
	for _, p := range s.parts {
		for id := range p.entries {
			if !p.gone[id] {
				ids = append(ids, id)
			}
		}
	}
	slices.Sort(ids)
	return ids
}

func (s *state) Seq() index.Seq { return s.seq }

func (s *state) Close() error { return nil }

// Search returns the nearest chunks.
func (s *state) Search(ctx context.Context, query index.VectorQuery) ([]index.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if err := checkVector(query.Vector, s.dims); err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	if query.Limit <= 0 || !directed(query.Vector) {
		return nil, nil
	}
	over := &state{dims: s.dims}
	parts := s.parts
	if len(query.Overlay) > 0 {
		entries := make(map[index.ChunkID]index.VectorEntry, len(query.Overlay))
		for _, e := range query.Overlay {
			if err := checkVector(e.Vector, s.dims); err != nil {
				return nil, fmt.Errorf("search vectors: chunk %d: %w", e.Chunk, err)
			}
			entries[e.Chunk] = unit(e)
		}
		if err := over.add(ctx, entries); err != nil {
			return nil, fmt.Errorf("search vectors: %w", err)
		}
		parts = append(s.without(slices.Collect(maps.Keys(entries))), over.parts...)
	}
	var heaps []topk.Heap
	for _, p := range parts {
		heap, err := p.search(ctx, query)
		if err != nil {
			return nil, fmt.Errorf("search vectors: %w", err)
		}
		heaps = append(heaps, heap)
	}
	return topk.Merge(query.Limit, heaps...), nil
}

// search asks for more and more until enough hits are allowed and those that
// are as good as the last are among them: chromem-go keeps any of equals.
func (p *part) search(ctx context.Context, query index.VectorQuery) (topk.Heap, error) {
	count := p.col.Count()
	for n := min(query.Limit+len(p.gone)+1, count); n > 0; n = min(4*n, count) {
		found, err := p.col.QueryEmbedding(ctx, query.Vector, n, nil, nil)
		if err == nil {
			err = ctx.Err() // chromem-go then returns what it has
		}
		if err != nil {
			return topk.Heap{}, err
		}
		heap := topk.Heap{Limit: query.Limit}
		for _, r := range found {
			id, err := strconv.ParseInt(r.ID, 10, 64)
			if err != nil {
				return topk.Heap{}, err
			}
			e := p.entries[index.ChunkID(id)]
			if !p.gone[e.Chunk] && query.Filter.Allows(e.Doc) {
				heap.Add(index.Hit{Chunk: e.Chunk, Doc: e.Doc, Score: float64(r.Similarity)})
			}
		}
		worst, full := heap.Worst()
		if n == count || full && float64(found[n-1].Similarity) < worst {
			return heap, nil
		}
	}
	return topk.Heap{}, nil
}
