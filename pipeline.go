package minirag

import (
	"context"
	"errors"

	"golang.org/x/sync/errgroup"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/scan"
)

// batchTokens is how much text waits at most to be embedded together: a few
// seconds of work, so that progress shows and cancelling is quick.
const batchTokens = 16 << 10

// ingest runs files through converting, embedding and storing, which overlap.
// At most about two documents a worker and three batches are in memory.
func (r *syncRun) ingest(ctx context.Context, files []scan.File) error {
	if len(files) == 0 {
		return nil
	}
	c := r.c
	g, ctx := errgroup.WithContext(ctx)
	jobs := make(chan scan.File)
	ready := make(chan *prepared, c.o.Workers)
	embedded := make(chan []*prepared, 1)
	g.Go(func() error {
		defer close(jobs)
		for _, f := range files {
			select {
			case jobs <- f:
			case <-ctx.Done():
				return ctx.Err()
			}
		}
		return nil
	})
	workers, wctx := errgroup.WithContext(ctx)
	for range min(c.o.Workers, len(files)) {
		workers.Go(func() error { return r.convert(wctx, jobs, ready) })
	}
	g.Go(func() error {
		defer close(ready)
		return workers.Wait()
	})
	g.Go(func() error {
		defer close(embedded)
		return r.embed(ctx, ready, embedded)
	})
	g.Go(func() error { return r.store(ctx, embedded) })
	return g.Wait()
}

func (r *syncRun) convert(ctx context.Context, jobs <-chan scan.File, ready chan<- *prepared) error {
	for f := range jobs {
		r.tell(Progress{Event: EventStarted, Source: f.Path})
		p, err := r.c.prepare(ctx, Path(f.Path))
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err == nil && p.doc.Source != f.Path {
			err = &SourceError{Op: "read", Source: f.Path, Err: errors.New("became a link while it was read"), Hint: "sync again"}
		}
		if err != nil {
			r.fail(sourceError("ingest", f.Path, r.c.kept(ctx, err)), true)
			continue
		}
		select {
		case ready <- p:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// embed gathers what is ready into batches.
func (r *syncRun) embed(ctx context.Context, ready <-chan *prepared, embedded chan<- []*prepared) error {
	for p := range ready {
		batch := gather(p, ready)
		err := r.c.embed(ctx, batch)
		if ctx.Err() != nil {
			return ctx.Err()
		}
		if err != nil {
			// One text must not fail the others that share its batch.
			batch = r.embedEach(ctx, batch)
		}
		select {
		case embedded <- batch:
		case <-ctx.Done():
			return ctx.Err()
		}
	}
	return nil
}

// gather takes more documents without waiting for them.
func gather(first *prepared, ready <-chan *prepared) []*prepared {
	batch, tokens := []*prepared{first}, first.tokens()
	for tokens < batchTokens {
		select {
		case p, ok := <-ready:
			if !ok {
				return batch
			}
			batch = append(batch, p)
			tokens += p.tokens()
		default:
			return batch
		}
	}
	return batch
}

func (r *syncRun) embedEach(ctx context.Context, batch []*prepared) []*prepared {
	var good []*prepared
	for _, p := range batch {
		if err := r.c.embed(ctx, []*prepared{p}); err != nil {
			if ctx.Err() == nil {
				r.fail(sourceError("embed", p.doc.Source, r.c.kept(ctx, &SourceError{Op: "embed", Source: p.doc.Source, Err: err})), true)
			}
			continue
		}
		good = append(good, p)
	}
	return good
}

// store commits batches and lets the derived indexes follow now and then.
func (r *syncRun) store(ctx context.Context, embedded <-chan []*prepared) error {
	behind := 0
	for batch := range embedded {
		if len(batch) == 0 {
			continue
		}
		docs, err := r.c.store(ctx, batch)
		if err != nil {
			return &SourceError{Op: "store", Source: batch[0].doc.Source, Err: err, Hint: storeHint(err)}
		}
		for i := range docs {
			behind += docs[i].Chunks
			r.step(Progress{Event: EventIngested, Source: docs[i].Source}, func(n *Counts) { n.Ingested++ })
		}
		if behind >= applyAfter {
			if _, err := r.c.catchUp(ctx); err != nil {
				return err
			}
			behind = 0
		}
	}
	return nil
}

func storeHint(err error) string {
	if errors.Is(err, index.ErrReadOnly) {
		return "choose a folder for the index that can be written"
	}
	return ""
}

// sourceError makes err one about a source.
func sourceError(op, source string, err error) *SourceError {
	var e *SourceError
	if errors.As(err, &e) {
		return e
	}
	return &SourceError{Op: op, Source: source, Err: err}
}
