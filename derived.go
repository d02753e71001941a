package minirag

import (
	"context"
	"errors"
	"fmt"
	"iter"

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

// mustCatchUp waits for its turn.
func (c *Corpus) mustCatchUp(ctx context.Context) error {
	c.apply.Lock()
	defer c.apply.Unlock()
	if l := c.o.ApplyLock; l != nil {
		if err := l.Lock(ctx); err != nil {
			return fmt.Errorf("lock the derived indexes: %w", err)
		}
		defer l.Unlock()
	}
	return c.applyAll(ctx)
}

// applyAll is called with the locks held.
func (c *Corpus) applyAll(ctx context.Context) error {
	var oldest index.Seq
	for _, d := range c.derived() {
		reached, err := d.follow(ctx, c.o.Catalog)
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

// derivedIndex is either index, without its types.
type derivedIndex struct {
	name  string
	part  any
	model string // whose vectors it wants
	seq   func(ctx context.Context) (index.Seq, error)
	apply func(ctx context.Context, v index.View, from, to index.Seq, gone []index.ChunkID) error
}

func (c *Corpus) derived() []derivedIndex {
	return []derivedIndex{{
		name: "keyword index",
		part: c.o.Keywords,
		seq: func(ctx context.Context) (index.Seq, error) {
			s, err := c.o.Keywords.Snapshot(ctx)
			if err != nil {
				return 0, err
			}
			defer s.Close()
			return s.Seq(), nil
		},
		apply: func(ctx context.Context, v index.View, from, to index.Seq, gone []index.ChunkID) error {
			return c.o.Keywords.Apply(ctx, index.Changes[index.KeywordEntry]{
				From: from, To: to, Remove: gone, Add: mapped(v.Added(from, to, ""), keywordEntry)})
		},
	}, {
		name:  "vector store",
		part:  c.o.Vectors,
		model: c.model.ID,
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

// follow carries one index to the newest sequence, from nothing if what it
// holds cannot be carried on.
func (d derivedIndex) follow(ctx context.Context, catalog index.Catalog) (reached index.Seq, err error) {
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
			from = 0 // the index has seen another history
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
