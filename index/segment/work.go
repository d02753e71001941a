package segment

import (
	"context"
	"math/bits"
	"sync"
	"sync/atomic"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/internal/mmap"
)

// A task is a range of entries of a segment.
type task struct {
	part       int
	start, end int
}

// tasks cuts segments into ranges of at most size entries.
func tasks(parts []*segset.Part[*segment], size int) []task {
	var all []task
	for i, p := range parts {
		for start := 0; start < p.Data.Len(); start += size {
			all = append(all, task{i, start, min(start+size, p.Data.Len())})
		}
	}
	return all
}

// each calls run for all tasks on several goroutines, each of which has a
// worker number below workers. It stops at the first error.
func each(ctx context.Context, all []task, workers int, run func(worker int, t task) error) error {
	workers = min(workers, len(all))
	errs := make([]error, workers)
	var next atomic.Int64
	work := func(worker int) {
		errs[worker] = mmap.Guard(func() error {
			for {
				i := int(next.Add(1)) - 1
				if i >= len(all) {
					return nil
				}
				if err := ctx.Err(); err != nil {
					return err
				}
				if err := run(worker, all[i]); err != nil {
					next.Store(int64(len(all)))
					return err
				}
			}
		})
	}
	var wg sync.WaitGroup
	for w := 1; w < workers; w++ {
		wg.Go(func() { work(w) })
	}
	if workers > 0 {
		work(0)
	}
	wg.Wait()
	for _, err := range errs {
		if err != nil {
			return err
		}
	}
	return ctx.Err()
}

// A set holds entries of a segment. Nil holds all.
type set []uint64

// allowed returns the entries of a segment that a filter lets through and that
// are not deleted, and how many they are.
func allowed(p *segset.Part[*segment], f *index.Filter) (set, int) {
	if f == nil || f.Docs == nil {
		return nil, p.Live()
	}
	s := p.Data
	var in set
	n := 0
	for r, doc := range s.docs {
		if !f.Docs.Has(doc) {
			continue
		}
		if in == nil {
			in = make(set, (s.Len()+63)/64)
		}
		for i := int(s.runs[r]); i < s.runEnd(r); i++ {
			in[i>>6] |= 1 << (i & 63)
		}
	}
	for w := range in {
		if w < len(p.Deleted) {
			in[w] &^= p.Deleted[w]
		}
		n += bits.OnesCount64(in[w])
	}
	if in == nil {
		in = set{}
	}
	return in, n
}

func (s set) has(i int) bool { return s == nil || s[i>>6]&(1<<(i&63)) != 0 }
