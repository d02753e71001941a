package segment_test

import (
	"context"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/indextest"
	"github.com/minirag/minirag/index/segment"
)

func open(t testing.TB, dir string, origin index.Origin, o *segment.Options) *segment.Engine {
	t.Helper()
	e, err := segment.Open(dir, origin, o)
	if err != nil {
		t.Fatal(err)
	}
	return e
}

func TestKeywordContract(t *testing.T) {
	indextest.RunKeywords(t, func(t testing.TB, dir, catalog string) index.KeywordIndex {
		return open(t, dir, index.Origin{Catalog: catalog}, nil).Keywords()
	}, nil)
}

func TestVectorContract(t *testing.T) {
	indextest.RunVectors(t, func(t testing.TB, dir string, origin index.Origin) index.VectorStore {
		return open(t, dir, origin, &segment.Options{NoKeywords: true}).Vectors()
	}, nil)
}

// jointKeywords and jointVectors are an engine with both sides, of which the
// contract sees one.
type jointKeywords struct {
	index.KeywordIndex
	e *segment.Engine
}

func (k jointKeywords) Apply(ctx context.Context, changes index.Changes[index.KeywordEntry]) error {
	return k.e.Apply(ctx, widened(changes, func(e index.KeywordEntry) index.Entry {
		return index.Entry{Chunk: e.Chunk, Doc: e.Doc, Title: e.Title, Headings: e.Headings, Text: e.Body, Vector: []float32{0, 1, 0}}
	}))
}

type jointVectors struct {
	index.VectorStore
	e *segment.Engine
}

func (v jointVectors) Apply(ctx context.Context, changes index.Changes[index.VectorEntry]) error {
	return v.e.Apply(ctx, widened(changes, func(e index.VectorEntry) index.Entry {
		return index.Entry{Chunk: e.Chunk, Doc: e.Doc, Title: "A title", Text: "and some text", Vector: e.Vector}
	}))
}

func widened[E any](c index.Changes[E], entry func(E) index.Entry) index.Changes[index.Entry] {
	out := index.Changes[index.Entry]{From: c.From, To: c.To, Remove: c.Remove}
	if c.Add != nil {
		out.Add = func(yield func(index.Entry, error) bool) {
			for e, err := range c.Add {
				if !yield(entry(e), err) {
					return
				}
			}
		}
	}
	return out
}

func TestJointContract(t *testing.T) {
	t.Run("Keywords", func(t *testing.T) {
		indextest.RunKeywords(t, func(t testing.TB, dir, catalog string) index.KeywordIndex {
			e := open(t, dir, index.Origin{Catalog: catalog, Model: "m", Dims: 3}, nil)
			return jointKeywords{e.Keywords(), e}
		}, nil)
	})
	t.Run("Vectors", func(t *testing.T) {
		indextest.RunVectors(t, func(t testing.TB, dir string, origin index.Origin) index.VectorStore {
			e := open(t, dir, origin, nil)
			return jointVectors{e.Vectors(), e}
		}, nil)
	})
	t.Run("Memory", func(t *testing.T) {
		memory := &indextest.DerivedOptions{Memory: true}
		indextest.RunKeywords(t, func(t testing.TB, dir, catalog string) index.KeywordIndex {
			e := open(t, "", index.Origin{Catalog: catalog, Model: "m", Dims: 3}, nil)
			return jointKeywords{e.Keywords(), e}
		}, memory)
	})
}
