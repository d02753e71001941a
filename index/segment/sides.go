package segment

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"sync"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/internal/mmap"
)

var (
	_ index.JointIndex      = keywordSide{}
	_ index.VectorStore     = vectorSide{}
	_ index.KeywordSnapshot = keywordSnapshot{}
	_ index.VectorSnapshot  = vectorSnapshot{}
)

// errJoint refuses changes of one side only.
var errJoint = errors.New("keywords and vectors of this index change together: use Engine.Apply")

// Keywords returns the engine as a keyword index, an [index.JointIndex]. If
// the engine has vectors too, changes go through ApplyJoint or [Engine.Apply].
func (e *Engine) Keywords() index.KeywordIndex { return keywordSide{e} }

// Vectors returns the engine as a vector store. If the engine has keywords
// too, changes go through [Engine.Apply].
func (e *Engine) Vectors() index.VectorStore { return vectorSide{e} }

type keywordSide struct{ *Engine }

// Joins implements [index.JointIndex].
func (k keywordSide) Joins(v index.VectorStore) bool {
	side, ok := v.(vectorSide)
	return ok && side.Engine == k.Engine
}

// ApplyJoint implements [index.JointIndex].
func (k keywordSide) ApplyJoint(ctx context.Context, changes index.Changes[index.Entry]) error {
	return k.Engine.Apply(ctx, changes)
}

// Apply implements [index.KeywordIndex].
func (k keywordSide) Apply(ctx context.Context, changes index.Changes[index.KeywordEntry]) error {
	if k.origin.Dims > 0 {
		return errJoint
	}
	return k.Engine.Apply(ctx, converted(changes, func(e index.KeywordEntry) (index.Entry, error) {
		return index.Entry{Chunk: e.Chunk, Doc: e.Doc, Title: e.Title, Headings: e.Headings, Text: e.Body}, nil
	}))
}

// Snapshot implements [index.KeywordIndex].
func (k keywordSide) Snapshot(ctx context.Context) (index.KeywordSnapshot, error) {
	s, err := k.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return keywordSnapshot{s}, nil
}

type vectorSide struct{ *Engine }

// Apply implements [index.VectorStore].
func (v vectorSide) Apply(ctx context.Context, changes index.Changes[index.VectorEntry]) error {
	if v.keywords {
		return errJoint
	}
	return v.Engine.Apply(ctx, converted(changes, func(e index.VectorEntry) (index.Entry, error) {
		if err := checkVector(e.Vector, v.origin.Dims); err != nil {
			return index.Entry{}, fmt.Errorf("chunk %d: %w", e.Chunk, err)
		}
		return index.Entry{Chunk: e.Chunk, Doc: e.Doc, Vector: e.Vector}, nil
	}))
}

// Snapshot implements [index.VectorStore].
func (v vectorSide) Snapshot(ctx context.Context) (index.VectorSnapshot, error) {
	s, err := v.snapshot(ctx)
	if err != nil {
		return nil, err
	}
	return vectorSnapshot{s}, nil
}

func converted[E any](c index.Changes[E], entry func(E) (index.Entry, error)) index.Changes[index.Entry] {
	out := index.Changes[index.Entry]{From: c.From, To: c.To, Remove: c.Remove}
	if c.Add != nil {
		out.Add = mapped(c.Add, entry)
	}
	return out
}

func mapped[A, B any](in iter.Seq2[A, error], f func(A) (B, error)) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range in {
			var b B
			if err == nil {
				b, err = f(a)
			}
			if !yield(b, err) {
				return
			}
		}
	}
}

// A snapshot is one state of the engine, for either side.
type snapshot struct {
	engine *Engine
	seq    index.Seq

	// mu guards state, nil once the snapshot is closed.
	mu    sync.Mutex
	state *segset.State[*segment]
}

func (e *Engine) snapshot(ctx context.Context) (*snapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	state, err := e.set.Acquire()
	if err != nil {
		return nil, fmt.Errorf("open index: %w", err)
	}
	return &snapshot{engine: e, seq: state.Seq, state: state}, nil
}

// Seq implements both kinds of snapshots.
func (s *snapshot) Seq() index.Seq { return s.seq }

// Close implements both kinds of snapshots.
func (s *snapshot) Close() error {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.state.Release()
	s.state = nil
	return nil
}

var errClosed = errors.New("the snapshot is closed")

// with calls fn with the state, which stays mapped until fn has returned, and
// finds out whether what fn has read can be trusted.
func (s *snapshot) with(fn func(*segset.State[*segment]) ([]index.Hit, error)) (hits []index.Hit, err error) {
	s.mu.Lock()
	state := s.state
	if state == nil {
		s.mu.Unlock()
		return nil, errClosed
	}
	state.Retain()
	s.mu.Unlock()
	defer state.Release()
	err = mmap.Guard(func() error {
		hits, err = fn(state)
		return err
	})
	if errors.Is(err, mmap.ErrFault) {
		state.Doubt()
		return nil, fmt.Errorf("%w: %w", index.ErrDamaged, err)
	}
	if err != nil {
		return nil, err
	}
	if err := state.Verify(); err != nil {
		return nil, err
	}
	return hits, nil
}

type keywordSnapshot struct{ *snapshot }

// Search implements [index.KeywordSnapshot].
func (s keywordSnapshot) Search(ctx context.Context, query index.KeywordQuery) ([]index.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	hits, err := s.with(func(state *segset.State[*segment]) ([]index.Hit, error) {
		return searchWords(ctx, state.Parts, &query, s.engine.workers)
	})
	if err != nil {
		return nil, fmt.Errorf("search keywords: %w", err)
	}
	return hits, nil
}

type vectorSnapshot struct{ *snapshot }

// Search implements [index.VectorSnapshot].
func (s vectorSnapshot) Search(ctx context.Context, query index.VectorQuery) ([]index.Hit, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	dims := s.engine.origin.Dims
	if err := checkVector(query.Vector, dims); err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	for i := range query.Overlay {
		if err := checkVector(query.Overlay[i].Vector, dims); err != nil {
			return nil, fmt.Errorf("search vectors: chunk %d: %w", query.Overlay[i].Chunk, err)
		}
	}
	hits, err := s.with(func(state *segset.State[*segment]) ([]index.Hit, error) {
		return scan(ctx, state.Parts, &query, s.engine.workers)
	})
	if err != nil {
		return nil, fmt.Errorf("search vectors: %w", err)
	}
	return hits, nil
}
