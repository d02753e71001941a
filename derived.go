package minirag

import (
	"context"
	"errors"
	"fmt"
	"iter"
	"log/slog"

	"github.com/minirag/minirag/index"
)

// overlayMost is the number of chunks that a query compares one by one when
// the indexes do not hold them yet: about as much work as the search itself.
const overlayMost = 2000

// applyAfter is the number of new chunks after which a sync brings the
// indexes up to date, so that queries see its progress.
const applyAfter = 2000

// purgeAfter is how many sequences old versions are kept beyond what the
// indexes need, so that a query that has just begun finds them.
const purgeAfter = 64

// catchUp brings the derived indexes to the catalog's sequence. It returns
// false without waiting if another process is doing it.
func (c *Corpus) catchUp(ctx context.Context) (bool, error) {
	if !c.apply.TryLock() {
		return false, nil
	}
	defer c.apply.Unlock()
	if l := c.o.ApplyLock; l != nil {
		ok, err := l.TryLock()
		if err != nil && c.current(ctx) {
			return true, nil // as where nothing can be written
		}
		if err != nil {
			return false, fmt.Errorf("lock the derived indexes: %w", err)
		}
		if !ok {
			return false, nil
		}
		defer l.Unlock()
	}
	return true, c.applyAll(ctx)
}

// current reports whether there is nothing to apply.
func (c *Corpus) current(ctx context.Context) bool {
	oldest := index.Live
	for _, d := range c.derived() {
		seq, err := d.seq(ctx)
		if err != nil {
			return false
		}
		oldest = min(oldest, seq)
	}
	behind := true
	err := c.o.Catalog.View(ctx, func(v index.View) error { behind = oldest != v.Seq(); return nil })
	return err == nil && !behind
}

// mustCatchUp waits for its turn.
func (c *Corpus) mustCatchUp(ctx context.Context) error {
	unlock, err := c.lockDerived(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	return c.applyAll(ctx)
}

// lockDerived waits until nobody else changes the derived indexes.
func (c *Corpus) lockDerived(ctx context.Context) (unlock func(), err error) {
	c.apply.Lock()
	l := c.o.ApplyLock
	if l == nil {
		return c.apply.Unlock, nil
	}
	if err := l.Lock(ctx); err != nil {
		c.apply.Unlock()
		return nil, fmt.Errorf("lock the derived indexes: %w", err)
	}
	return func() {
		l.Unlock()
		c.apply.Unlock()
	}, nil
}

// applyAll is called with the locks held.
func (c *Corpus) applyAll(ctx context.Context) error {
	var oldest index.Seq
	for _, d := range c.derived() {
		reached, err := d.follow(ctx, c.o.Catalog, c.log)
		if err != nil {
			return fmt.Errorf("apply to the %s: %w", d.name, err)
		}
		if oldest == 0 || reached < oldest {
			oldest = reached
		}
	}
	var purged index.Seq
	err := c.o.Catalog.View(ctx, func(v index.View) error { purged = v.Purged(); return nil })
	if err != nil || oldest-purged < 2*purgeAfter {
		return err
	}
	return c.o.Catalog.Purge(ctx, oldest-purgeAfter)
}

// derivedIndex is either index or a joint one, without its types.
type derivedIndex struct {
	name  string
	part  any
	model string // the only one whose chunks it has; empty: all chunks
	// words and vectors say which sides it has.
	words, vectors bool

	seq   func(ctx context.Context) (index.Seq, error)
	apply func(ctx context.Context, v index.View, from, to index.Seq, gone []index.ChunkID) error
}

func (c *Corpus) derived() []derivedIndex {
	keywordSeq := func(ctx context.Context) (index.Seq, error) {
		s, err := c.o.Keywords.Snapshot(ctx)
		if err != nil {
			return 0, err
		}
		defer s.Close()
		return s.Seq(), nil
	}
	if joint, ok := c.o.Keywords.(index.JointIndex); ok && joint.Joins(c.o.Vectors) {
		return []derivedIndex{{
			name: "index", part: joint, words: true, vectors: true, seq: keywordSeq,
			apply: func(ctx context.Context, v index.View, from, to index.Seq, gone []index.ChunkID) error {
				return joint.ApplyJoint(ctx, index.Changes[index.Entry]{
					From: from, To: to, Remove: gone, Add: withVectors(v, from, to, c.model.ID)})
			},
		}}
	}
	return []derivedIndex{{
		name: "keyword index", part: c.o.Keywords, words: true, seq: keywordSeq,
		apply: func(ctx context.Context, v index.View, from, to index.Seq, gone []index.ChunkID) error {
			return c.o.Keywords.Apply(ctx, index.Changes[index.KeywordEntry]{
				From: from, To: to, Remove: gone, Add: mapped(v.Added(from, to, ""), keywordEntry)})
		},
	}, {
		name: "vector store", part: c.o.Vectors, vectors: true, model: c.model.ID,
		seq: func(ctx context.Context) (index.Seq, error) {
			s, err := c.o.Vectors.Snapshot(ctx)
			if err != nil {
				return 0, err
			}
			defer s.Close()
			return s.Seq(), nil
		},
		apply: func(ctx context.Context, v index.View, from, to index.Seq, gone []index.ChunkID) error {
			return c.o.Vectors.Apply(ctx, index.Changes[index.VectorEntry]{
				From: from, To: to, Remove: gone, Add: mapped(v.Added(from, to, c.model.ID), vectorEntry)})
		},
	}}
}

// withVectors yields all chunks that became live, with the vectors of those
// that a model embedded.
func withVectors(v index.View, from, to index.Seq, model string) iter.Seq2[index.Entry, error] {
	return func(yield func(index.Entry, error) bool) {
		all, err := v.CountAdded(from, to, "")
		embedded := 0
		if err == nil {
			embedded, err = v.CountAdded(from, to, model)
		}
		switch {
		case err != nil:
			yield(index.Entry{}, err)
			return
		case all == embedded:
			v.Added(from, to, model)(yield)
			return
		}
		// Both sequences are ordered by chunk.
		next, stop := iter.Pull2(v.Added(from, to, model))
		defer stop()
		vector, err, more := next()
		for e, failed := range v.Added(from, to, "") {
			for more && failed == nil && err == nil && vector.Chunk < e.Chunk {
				vector, err, more = next()
			}
			if failed == nil && more {
				failed = err
			}
			if failed == nil && more && vector.Chunk == e.Chunk {
				e.Vector = vector.Vector
			}
			if !yield(e, failed) || failed != nil {
				return
			}
		}
	}
}

// follow carries one index to the newest sequence, from nothing if what it
// holds cannot be carried on.
func (d derivedIndex) follow(ctx context.Context, catalog index.Catalog, log *slog.Logger) (reached index.Seq, err error) {
	from, err := d.seq(ctx)
	if errors.Is(err, index.ErrDamaged) {
		from, err = 0, nil
	}
	if err != nil {
		return 0, err
	}
	err = catalog.View(ctx, func(v index.View) error {
		to := v.Seq()
		if from > to {
			// The index has seen what the catalog does not have.
			log.WarnContext(ctx, "changes were lost, or an older catalog was put in place: run a sync", "index", d.name, "had", from, "catalog", to)
			from = 0
		}
		reached = to
		if from == to {
			return nil
		}
		err := d.step(ctx, v, from, to)
		if from != 0 && (errors.Is(err, index.ErrPurged) || errors.Is(err, index.ErrSequence) || errors.Is(err, index.ErrDamaged)) {
			err = d.step(ctx, v, 0, to)
		}
		return err
	})
	return reached, err
}

func (d derivedIndex) step(ctx context.Context, v index.View, from, to index.Seq) error {
	gone, err := v.Removed(from, to)
	if err != nil {
		return err
	}
	return d.apply(ctx, v, from, to, gone)
}

func keywordEntry(e index.Entry) index.KeywordEntry {
	return index.KeywordEntry{Chunk: e.Chunk, Doc: e.Doc, Title: e.Title, Headings: e.Headings, Body: e.Text}
}

func vectorEntry(e index.Entry) index.VectorEntry {
	return index.VectorEntry{Chunk: e.Chunk, Doc: e.Doc, Vector: e.Vector}
}

func mapped[A, B any](in iter.Seq2[A, error], f func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range in {
			if !yield(f(a), err) {
				return
			}
		}
	}
}

// rebuild begins the derived indexes anew after one was found damaged.
func (c *Corpus) rebuild(ctx context.Context, damage error) error {
	c.log.WarnContext(ctx, "index is damaged, rebuilding it from the catalog", "error", damage)
	return c.mustCatchUp(ctx)
}
