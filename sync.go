package minirag

import (
	"context"
	"errors"
	"fmt"
	"sync"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/scan"
)

// deleteBatch is how many sources are deleted in one transaction, so that
// other writers get their turn.
const deleteBatch = 500

// Sync makes the index agree with the files below the roots, or below
// SyncOptions.Path. A file that cannot be read or converted is reported and
// keeps the version that is indexed; a folder that cannot be listed hides its
// files, it does not delete them. Only files are deleted, never documents
// that were ingested from memory or from an address, and only files below the
// roots. The error is about the run as a whole; what was stored before it
// stays, and the next sync goes on from there.
func (c *Corpus) Sync(ctx context.Context, o *SyncOptions) (*SyncReport, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	if o == nil {
		o = &SyncOptions{}
	}
	scope := ""
	if o.Path != "" {
		if scope, err = c.Resolve(o.Path); err != nil {
			return nil, err
		}
	}
	unlock, err := c.lockSync()
	if err != nil {
		return nil, err
	}
	defer unlock()
	run := &syncRun{c: c, scope: scope, progress: o.Progress}
	err = run.all(ctx)
	report := &SyncReport{Counts: run.counts, Errors: run.errs}
	if err != nil {
		return report, fmt.Errorf("sync: %w", err)
	}
	return report, nil
}

func (c *Corpus) lockSync() (unlock func(), err error) {
	if !c.sync.TryLock() {
		return nil, fmt.Errorf("sync: %w in this process", ErrSyncRunning)
	}
	l := c.o.SyncLock
	if l == nil {
		return c.sync.Unlock, nil
	}
	ok, err := l.TryLock()
	switch {
	case err != nil:
		// Only contention refuses: a folder that cannot be locked can be synced.
		c.log.Warn("sync runs without a lock", "error", err)
		return c.sync.Unlock, nil
	case !ok:
		c.sync.Unlock()
		return nil, fmt.Errorf("sync: %w (%s); wait for it to end", ErrSyncRunning, l.Holder())
	}
	return func() {
		if err := l.Unlock(); err != nil {
			c.log.Warn("release the sync lock", "error", err)
		}
		c.sync.Unlock()
	}, nil
}

// syncRun is one sync.
type syncRun struct {
	c        *Corpus
	scope    string
	progress func(Progress)
	plan     *plan

	mu     sync.Mutex // guards the rest and calls of progress
	counts Counts
	errs   []*SourceError
	done   int
	total  int
}

func (r *syncRun) all(ctx context.Context) error {
	c := r.c
	found, err := scan.Walk(ctx, scan.Options{Roots: c.roots, Match: c.o.Converter.Synced, Scope: r.scope})
	if err != nil {
		return err
	}
	r.plan, err = c.diff(ctx, found, r.scope)
	if err != nil {
		return err
	}
	p := r.plan
	r.counts.Scanned = len(p.ingest) + len(p.moves) + len(p.unchanged) + len(p.failed)
	r.total = r.counts.Scanned
	r.tell(Progress{Event: EventScanned})
	for _, e := range p.held {
		r.fail(e, false)
	}
	r.errs = append(r.errs, p.closed...)
	for _, e := range p.failed {
		r.fail(e, true)
	}
	for _, source := range p.unchanged {
		r.step(Progress{Event: EventSkipped, Source: source}, func(n *Counts) { n.Skipped++ })
	}
	if err := r.touch(ctx); err != nil {
		return err
	}
	if err := r.move(ctx); err != nil {
		return err
	}
	if err := r.ingest(ctx, p.ingest); err != nil {
		return err
	}
	if err := r.delete(ctx); err != nil {
		return err
	}
	if err := c.mustCatchUp(ctx); err != nil {
		return err
	}
	r.tell(Progress{Event: EventIndexed})
	return nil
}

// touch records the times of files that were written again with the same bytes.
func (r *syncRun) touch(ctx context.Context) error {
	if len(r.plan.touched) == 0 {
		return nil
	}
	_, err := r.c.o.Catalog.Update(ctx, func(tx index.Tx) error {
		for _, f := range r.plan.touched {
			if err := tx.Touch(f.Path, f.Size, f.ModTime); err != nil && !errors.Is(err, index.ErrNotFound) {
				return err
			}
		}
		return nil
	})
	return err
}

func (r *syncRun) move(ctx context.Context) error {
	for _, m := range r.plan.moves {
		_, err := r.c.o.Catalog.Update(ctx, func(tx index.Tx) error {
			_, err := tx.Move(m.from, m.to.Path, m.to.ModTime)
			return err
		})
		if errors.Is(err, index.ErrNotFound) {
			// Somebody else removed it meanwhile: read the file instead.
			r.plan.ingest = append(r.plan.ingest, m.to)
			continue
		}
		if err != nil {
			return &SourceError{Op: "move", Source: m.from, Err: err}
		}
		r.step(Progress{Event: EventMoved, Source: m.from, To: m.to.Path}, func(n *Counts) { n.Moved++ })
	}
	return nil
}

func (r *syncRun) delete(ctx context.Context) error {
	gone := r.plan.gone
	for len(gone) > 0 {
		batch := gone[:min(deleteBatch, len(gone))]
		gone = gone[len(batch):]
		var deleted []string
		_, err := r.c.o.Catalog.Update(ctx, func(tx index.Tx) error {
			deleted = deleted[:0]
			for _, source := range batch {
				switch _, err := tx.Delete(source); {
				case err == nil:
					deleted = append(deleted, source)
				case !errors.Is(err, index.ErrNotFound):
					return &SourceError{Op: "delete", Source: source, Err: err}
				}
			}
			return nil
		})
		if err != nil {
			return err
		}
		for _, source := range deleted {
			r.mu.Lock()
			r.counts.Deleted++
			r.report(Progress{Event: EventDeleted, Source: source})
			r.mu.Unlock()
		}
	}
	return nil
}

// step counts a file as finished and tells of it.
func (r *syncRun) step(p Progress, count func(*Counts)) {
	r.mu.Lock()
	defer r.mu.Unlock()
	count(&r.counts)
	r.done++
	r.report(p)
}

// fail records an error; file says that it is about one of the files counted as scanned.
func (r *syncRun) fail(e *SourceError, file bool) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.errs = append(r.errs, e)
	r.counts.Failed++
	if file {
		r.done++
	}
	r.report(Progress{Event: EventFailed, Source: e.Source, Err: e})
}

func (r *syncRun) tell(p Progress) {
	r.mu.Lock()
	defer r.mu.Unlock()
	r.report(p)
}

// report is called with mu held.
func (r *syncRun) report(p Progress) {
	if r.progress == nil {
		return
	}
	p.Done, p.Total, p.Counts = r.done, r.total, r.counts
	r.progress(p)
}
