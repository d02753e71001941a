// Package chromem finds vectors with chromem-go, in memory.
//
// [Store] is an exact [index.VectorStore] over collections of chromem-go. It
// is for tests, for programs that use chromem-go already, and for small
// corpora that live as long as the process: nothing is on the disk unless
// [Store.Export] writes it into one file, which [Store.Import] and chromem-go
// read. A corpus over an empty Store fills it from the catalog at its first
// query or sync, without embedding anything.
//
// # Limits
//
// A vector takes 4 bytes per dimension and some 700 bytes beside it, 225 MB
// for 100,000 vectors of 384. A search of those takes 80 to 100 ms of
// processor time (package segment: 8), and it locks for every vector. A
// filter is applied to the hits that chromem-go returns, of which more are
// asked for until there are enough, so that a narrow one costs more than none.
// Only one process can use a Store; each has its own. chromem-go's own folders
// are not used: they lose documents, as file names are hashes of 32 bits.
//
// The package imports index, index/internal/topk, chromem-go and the standard
// library.
package chromem

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"sync/atomic"

	"github.com/minirag/minirag/index"
)

// batch is the number of vectors that Apply holds before it makes a part.
const batch = 10_000

// maxParts bounds the collections that one search goes through: each costs a
// search of its own.
const maxParts = 8

// A Store is an exact vector store in memory. See [index.VectorStore] for its
// rules.
type Store struct {
	origin index.Origin

	mu    sync.Mutex // held by changes
	state atomic.Pointer[state]
}

var (
	_ index.VectorStore    = (*Store)(nil)
	_ index.VectorSnapshot = (*state)(nil)
	_ index.Verifier       = (*Store)(nil)
	_ index.Compacter      = (*Store)(nil)
)

// New returns an empty store for vectors of an origin.
func New(origin index.Origin) (*Store, error) {
	if origin.Dims <= 0 {
		return nil, fmt.Errorf("open vector store: %d dimensions", origin.Dims)
	}
	s := &Store{origin: origin}
	s.state.Store(&state{dims: origin.Dims})
	return s, nil
}

// Snapshot returns the newest state.
func (s *Store) Snapshot(ctx context.Context) (index.VectorSnapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return s.state.Load(), nil
}

// Apply implements [index.VectorStore].
func (s *Store) Apply(ctx context.Context, changes index.Changes[index.VectorEntry]) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.state.Load()
	if changes.From != 0 && changes.From != old.seq {
		return fmt.Errorf("apply vectors: %w: from %d to an index at %d", index.ErrSequence, changes.From, old.seq)
	}
	next := &state{seq: changes.To, dims: old.dims}
	if changes.From != 0 {
		next.parts = old.without(changes.Remove)
	}
	if err := next.fill(ctx, changes); err != nil {
		return fmt.Errorf("apply vectors: %w", err)
	}
	if err := next.merge(ctx, maxParts); err != nil {
		return fmt.Errorf("apply vectors: %w", err)
	}
	s.state.Store(next)
	return nil
}

// fill adds what became live, in parts.
func (s *state) fill(ctx context.Context, changes index.Changes[index.VectorEntry]) error {
	if changes.Add == nil {
		return ctx.Err()
	}
	entries := make(map[index.ChunkID]index.VectorEntry)
	flush := func() error {
		ids := make([]index.ChunkID, 0, len(entries))
		for id := range entries {
			ids = append(ids, id)
		}
		s.parts = s.without(ids) // a chunk that is there already is replaced
		return s.add(ctx, entries)
	}
	for e, err := range changes.Add {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if err := checkVector(e.Vector, s.dims); err != nil {
			return fmt.Errorf("chunk %d: %w", e.Chunk, err)
		}
		entries[e.Chunk] = unit(e)
		if len(entries) >= batch {
			if err := flush(); err != nil {
				return err
			}
			entries = make(map[index.ChunkID]index.VectorEntry)
		}
	}
	return flush()
}

// Verify implements [index.Verifier]. There is nothing that could have been
// damaged on a disk.
func (s *Store) Verify(ctx context.Context) (index.Seq, []index.ChunkID, error) {
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	st := s.state.Load()
	return st.seq, st.chunks(), nil
}

// Compact implements [index.Compacter].
func (s *Store) Compact(ctx context.Context) error {
	s.mu.Lock()
	defer s.mu.Unlock()
	old := s.state.Load()
	next := &state{seq: old.seq, dims: old.dims, parts: old.without(nil)}
	if err := next.merge(ctx, 1); err != nil {
		return fmt.Errorf("compact vectors: %w", err)
	}
	s.state.Store(next)
	return nil
}

// Close frees what the store holds once its snapshots are closed.
func (s *Store) Close() error {
	s.state.Store(&state{dims: s.origin.Dims})
	return nil
}

func checkVector(v []float32, dims int) error {
	if len(v) != dims {
		return fmt.Errorf("vector has %d dimensions, want %d", len(v), dims)
	}
	for _, x := range v {
		if math.IsNaN(float64(x)) || math.IsInf(float64(x), 0) {
			return errors.New("vector has a component that is no number")
		}
	}
	return nil
}

// unit returns e with a vector of its own and of length 1, which chromem-go
// keeps as it is, or of length 0.
func unit(e index.VectorEntry) index.VectorEntry {
	var sum float64
	for _, x := range e.Vector {
		sum += float64(x) * float64(x)
	}
	v := make([]float32, len(e.Vector))
	if sum > 0 {
		length := math.Sqrt(sum)
		for i, x := range e.Vector {
			v[i] = float32(float64(x) / length)
		}
	}
	e.Vector = v
	return e
}

// directed reports whether a vector has a direction: what has none is like
// nothing, and chromem-go would divide by its length.
func directed(v []float32) bool {
	for _, x := range v {
		if x != 0 {
			return true
		}
	}
	return false
}
