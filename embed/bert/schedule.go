package bert

import (
	"context"
	"fmt"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"
	"time"
)

const (
	// The tokens that a thread takes through a layer at once: enough to use
	// each weight often, few enough that their activations stay in a cache of
	// the second level. Weights that are decoded each time must be used more
	// often than that.
	blockTokens        = 144
	blockTokensDecoded = 252
	// groupTokens is the longest sequence that one thread takes through a whole
	// layer: others, and queries, wait that long.
	groupTokens = 144
)

// inTurn runs a batch once the arena of its lane and the threads are free.
func (m *Model) inTurn(ctx context.Context, lane chan *arena, seqs [][]int32, tokens int) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	var a *arena
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case a = <-lane:
	}
	defer func() { lane <- a }()
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.threads:
	}
	defer func() { m.threads <- struct{}{} }()
	return m.batch(ctx, a, seqs, tokens)
}

// A group is a range of sequences that follow each other, and of their tokens.
type group struct{ first, last, lo, hi int }

// groups divides a batch, whose sequences begin at starts, so that each group
// is one long sequence or several short ones. It tells whether the groups
// alone keep all threads busy.
func (m *Model) groups(starts []int, threads int) (groups []group, even bool) {
	seqs, tokens := len(starts)-1, starts[len(starts)-1]
	block := blockTokens
	if m.net.decodes {
		block = blockTokensDecoded
	}
	count := paddedTo((tokens+block-1)/block, threads)
	load := make([]int, threads)
	largest := 0
	for first := 0; first < seqs; {
		lo, last := starts[first], first+1
		size := (tokens - lo) / max(count-len(groups), 1)
		for last < seqs && 2*(starts[last]-lo)+starts[last+1]-starts[last] <= 2*size {
			last++
		}
		groups = append(groups, group{first, last, lo, starts[last]})
		n := starts[last] - lo
		largest = max(largest, n)
		least := 0
		for i := range load {
			if load[i] < load[least] {
				least = i
			}
		}
		load[least] += n
		first = last
	}
	return groups, largest <= max(groupTokens, block) && slices.Max(load)*threads <= tokens+tokens/8
}

// batch runs the encoder over sequences with the given sum of tokens.
func (m *Model) batch(ctx context.Context, a *arena, seqs [][]int32, tokens int) ([][]float32, error) {
	n := m.net
	width := n.width()
	a.x = grow(a.x, tokens*width)
	if n.packed {
		a.act = grow(a.act, tokens*n.actBytes())
	}
	starts := make([]int, len(seqs)+1)
	for i, ids := range seqs {
		starts[i+1] = starts[i] + len(ids)
	}
	threads := len(a.workers)
	groups, even := m.groups(starts, threads)

	m.parallel(a, len(seqs), func(_ *worker, i int) { m.embeddings(a, starts[i], seqs[i]) })
	if even {
		m.apart(ctx, a, starts, groups)
	} else {
		m.together(ctx, a, tokens, starts, groups)
	}
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	out := make([][]float32, len(seqs))
	for i := range seqs {
		if out[i] = n.pooled(a.x[starts[i]*width:], len(seqs[i])); out[i] == nil {
			return nil, fmt.Errorf("the model gives no finite vector for sequence %d", i)
		}
	}
	return out, nil
}

// blocks divides tokens into an equal share for each thread.
func (m *Model) blocks(tokens, threads int, f func(lo, hi int)) {
	block := blockTokens
	if m.net.decodes {
		block = blockTokensDecoded
	}
	count := min(paddedTo((tokens+block-1)/block, threads), tokens)
	for i := range count {
		f(tokens*i/count, tokens*(i+1)/count)
	}
}

// apart takes groups through all layers. All are in about the same layer, as its
// weights stay near, but none waits for another. Nothing is done any more once ctx
// is done.
func (m *Model) apart(ctx context.Context, a *arena, starts []int, groups []group) {
	n := m.net
	done := make([]atomic.Int64, len(groups)) // layers
	var ended atomic.Bool
	m.parallel(a, len(groups)*len(n.layers), func(w *worker, task int) {
		i, at := task/len(groups), task%len(groups)
		if at == 0 && ctx.Err() != nil {
			ended.Store(true)
		}
		wait(&done[at], i)
		if !ended.Load() {
			g, l, width := groups[at], &n.layers[i], n.width()
			w.ctx = grow(w.ctx, (g.hi-g.lo)*width)
			sets := n.headSets(g.hi-g.lo, false)
			for set := range sets {
				m.attention(w, a, l, g, starts, w.ctx, set, sets)
			}
			m.blocks(g.hi-g.lo, 1, func(lo, hi int) {
				m.finish(w, a, l, w.ctx[lo*width:], g.lo+lo, g.lo+hi)
			})
		}
		done[at].Add(1)
	})
}

// together takes groups through one layer after the other: first the heads are
// tasks, then equal shares of the tokens. Nothing is done any more once ctx is
// done.
func (m *Model) together(ctx context.Context, a *arena, tokens int, starts []int, groups []group) {
	n := m.net
	width := n.width()
	a.ctx = grow(a.ctx, tokens*width)
	sets := 0
	for _, g := range groups {
		sets = max(sets, n.headSets(g.hi-g.lo, true))
	}
	var spans [][2]int
	m.blocks(tokens, len(a.workers), func(lo, hi int) { spans = append(spans, [2]int{lo, hi}) })

	heads := len(groups) * sets
	all := heads + len(spans)
	var done atomic.Int64 // tasks
	var ended atomic.Bool
	m.parallel(a, all*len(n.layers), func(w *worker, task int) {
		l, at := &n.layers[task/all], task%all
		if at == 0 && ctx.Err() != nil {
			ended.Store(true)
		}
		if at < heads {
			wait(&done, task-at)
		} else {
			wait(&done, task-at+heads)
		}
		switch {
		case ended.Load():
		case at < heads:
			g := groups[at/sets]
			m.attention(w, a, l, g, starts, a.ctx[g.lo*width:], at%sets, sets)
		default:
			lo, hi := spans[at-heads][0], spans[at-heads][1]
			m.finish(w, a, l, a.ctx[lo*width:], lo, hi)
		}
		done.Add(1)
	})
}

// wait returns once n is at least value. Other threads, which are at work on that,
// take less than a millisecond, unless the machine has too much to do.
func wait(n *atomic.Int64, value int) {
	const patience = 2000
	for i := 0; n.Load() < int64(value); i++ {
		if i < patience {
			runtime.Gosched()
		} else {
			time.Sleep(100 * time.Microsecond)
		}
	}
}

// parallel calls f for each of n tasks, on as many goroutines as there are
// workers, and waits for all. Between tasks a batch lets queries pass: they
// wait for the threads in a queue that the batch joins behind them.
func (m *Model) parallel(a *arena, n int, f func(w *worker, task int)) {
	var next atomic.Int64
	stop := func() bool { return !a.query && m.waiting.Load() > 0 }
	run := func(w *worker) {
		// The first task is done in any case, so that the batch comes on.
		for first := true; first || !stop(); first = false {
			i := int(next.Add(1)) - 1
			if i >= n {
				return
			}
			f(w, i)
		}
	}
	for {
		left := n - int(next.Load())
		if left <= 0 {
			return
		}
		var wg sync.WaitGroup
		for i := 1; i < min(len(a.workers), left); i++ {
			wg.Go(func() { run(&a.workers[i]) })
		}
		run(&a.workers[0])
		wg.Wait()
		if stop() {
			m.threads <- struct{}{}
			<-m.threads
		}
	}
}
