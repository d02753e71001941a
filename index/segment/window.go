package segment

import (
	"cmp"
	"context"
	"math/bits"
	"slices"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/topk"
)

// windowLen is the number of entries that are scored at a time, a multiple of
// 64: their sums stay in the nearest cache.
const windowLen = 2048

// sparse is the share of a window, one in so many, below which the allowed
// entries are looked up one by one.
const sparse = 32

// boundSlack covers what rounding may do to the bounds of weights.
const boundSlack = 1 + 1e-9

// A scorer scores windows of entries. It is used by one goroutine.
type scorer struct {
	r     *ranking
	top   *topk.Heap
	sums  [windowLen]int64
	terms []*scored // with postings in the current task
	pool  []*scored
	cands []int32 // places in sums
	// least is the newest r.least; it may be behind.
	least int64
}

// scored is a term in a segment.
type scored struct {
	cursor
	weight float64
	// inflate are factors from the averages of the segment to the newest.
	inflateBody, inflateOthers float64

	at    int   // the first block that may reach into the window
	bound int64 // the most that it gives in the window
	known int   // the block whose bound is kept, or -1
	kept  int64
}

func newScorer(r *ranking, top *topk.Heap) *scorer { return &scorer{r: r, top: top} }

// run scores the entries of a task.
func (s *scorer) run(ctx context.Context, t task) error {
	s.open(t)
	if len(s.terms) == 0 {
		return nil
	}
	for lo := t.start; lo < t.end; lo += windowLen {
		if err := ctx.Err(); err != nil {
			return err
		}
		s.window(t.part, lo, min(lo+windowLen, t.end))
	}
	return nil
}

// open sets the terms of a task's segment to its start.
func (s *scorer) open(t task) {
	seg := s.r.parts[t.part].Data
	inflate := func(f int) float64 { return max(s.r.norms.average[f]/seg.average(f), 1) * boundSlack }
	s.terms = s.terms[:0]
	for i, d := range s.r.found[t.part] {
		if d == nil {
			continue
		}
		if len(s.pool) == len(s.terms) {
			s.pool = append(s.pool, new(scored))
		}
		c := s.pool[len(s.terms)]
		c.open(d)
		c.weight = s.r.weights[i]
		c.inflateBody, c.inflateOthers = inflate(body), max(inflate(title), inflate(headings))
		c.known = -1
		low, high := 0, c.blocks
		for low < high {
			if mid := (low + high) / 2; int(c.last(mid)) < t.start {
				low = mid + 1
			} else {
				high = mid
			}
		}
		c.at = low
		s.terms = append(s.terms, c)
	}
}

// boundOf is the most that a term gives in a block.
func (c *scored) boundOf(b int) int64 {
	if b != c.known {
		inBody, inOthers := c.most(b)
		c.known, c.kept = b, score(c.weight, inBody*c.inflateBody+inOthers*c.inflateOthers)
	}
	return c.kept
}

// enter moves to a window and computes the term's bound there.
func (c *scored) enter(lo, hi int) {
	for c.at < c.blocks && int(c.last(c.at)) < lo {
		c.at++
	}
	c.bound = 0
	for b := c.at; b < c.blocks; b++ {
		c.bound = max(c.bound, c.boundOf(b))
		if int(c.last(b)) >= hi-1 {
			break
		}
	}
}

// window scores the entries from lo to before hi.
func (s *scorer) window(part, lo, hi int) {
	in := s.r.sets[part]
	few := false
	if in != nil {
		n := 0
		for _, w := range in[lo>>6 : (hi+63)>>6] {
			n += bits.OnesCount64(w)
		}
		if n == 0 {
			return
		}
		few = n < windowLen/sparse
	}
	var total int64
	for _, c := range s.terms {
		c.enter(lo, hi)
		total += c.bound
	}
	s.least = s.r.least.Load()
	if total == 0 || total < s.least {
		return
	}
	slices.SortFunc(s.terms, func(a, b *scored) int { return cmp.Compare(a.bound, b.bound) })
	s.cands = s.cands[:0]
	rest := len(s.terms) // terms before it are looked up
	left := total        // the most that they give
	if few {
		for w := lo >> 6; w<<6 < hi; w++ {
			for word := in[w]; word != 0; word &= word - 1 {
				i := w<<6 + bits.TrailingZeros64(word) - lo
				s.cands = append(s.cands, int32(i))
			}
		}
	} else {
		rest, left = 0, 0
		for rest < len(s.terms) && left+s.terms[rest].bound < s.least {
			left += s.terms[rest].bound
			rest++
		}
		for _, c := range s.terms[rest:] {
			s.addAll(c, part, lo, hi, total-c.bound)
		}
		for i, sum := range s.sums[:hi-lo] {
			if sum == 0 {
				continue
			}
			if sum+left >= s.least && in.has(lo+i) {
				s.cands = append(s.cands, int32(i))
			} else {
				s.sums[i] = 0
			}
		}
	}
	for i := rest - 1; i >= 0 && len(s.cands) > 0; i-- {
		c := s.terms[i]
		if c.bound == 0 {
			continue
		}
		left -= c.bound
		s.addSome(c, part, lo, left)
	}
	s.take(part, lo)
}

// addAll adds what a term gives to all entries of the window, except those of
// blocks that cannot reach the result with the most that others give.
func (s *scorer) addAll(c *scored, part, lo, hi int, others int64) {
	lengths := s.r.parts[part].Data.lengths
	for b := c.at; b < c.blocks; b++ {
		last := int(c.last(b))
		if c.boundOf(b)+others >= s.least {
			c.decode(b)
			c.decodeCounts()
			from, to := 0, c.n
			if int(c.entries[0]) < lo {
				from, _ = slices.BinarySearch(c.entries[:c.n], uint32(lo))
			}
			if last >= hi {
				to, _ = slices.BinarySearch(c.entries[:c.n], uint32(hi))
			}
			if c.widths[1+title] == 0 && c.widths[1+headings] == 0 {
				s.addBody(c, lengths, lo, from, to)
			} else {
				for i := from; i < to; i++ {
					e := c.entries[i]
					counts := [fields]uint32{c.counts[title][i], c.counts[headings][i], c.counts[body][i]}
					s.sums[int(e)-lo] += score(c.weight, s.r.weigh(&counts, lengths[e]))
				}
			}
		}
		if last >= hi-1 {
			break
		}
	}
}

// addBody is the common case of addAll: the term is in no title and heading.
func (s *scorer) addBody(c *scored, lengths []length, lo, from, to int) {
	known := &s.r.norms.known[body]
	entries, counts := c.entries[from:to], c.counts[body][from:to]
	for i, e := range entries {
		n, words := float64(counts[i]), lengths[e].body
		var tf float64
		if words < normsKept {
			tf = n * known[words]
		} else {
			tf = n * s.r.norms.compute(body, int(words))
		}
		s.sums[int(e)-lo] += score(c.weight, tf)
	}
}

// addSome adds what a term gives to the candidates, and drops those that
// cannot reach the result with the most that is left.
func (s *scorer) addSome(c *scored, part, lo int, left int64) {
	lengths := s.r.parts[part].Data.lengths
	b, at := c.at, -1 // at: place in the decoded block, -1: not decoded
	kept := s.cands[:0]
	for _, cand := range s.cands {
		e := uint32(lo) + uint32(cand)
		for b < c.blocks && c.last(b) < e {
			b, at = b+1, -1
		}
		sum := s.sums[cand]
		if b < c.blocks && sum+c.boundOf(b)+left >= s.least {
			if at < 0 {
				c.decode(b)
				at = 0
			}
			for c.entries[at] < e {
				at++ // the last entry of the block is not before e
			}
			if c.entries[at] == e {
				counts := c.countsAt(at)
				sum += score(c.weight, s.r.weigh(&counts, lengths[e]))
				s.sums[cand] = sum
			}
		}
		if sum+left >= s.least {
			kept = append(kept, cand)
		} else {
			s.sums[cand] = 0
		}
	}
	s.cands = kept
}

// take moves the candidates into the result.
func (s *scorer) take(part, lo int) {
	p := s.r.parts[part]
	for _, cand := range s.cands {
		sum := s.sums[cand]
		s.sums[cand] = 0
		i := lo + int(cand)
		points := float64(sum) / one
		if sum == 0 || sum < s.least || !s.top.Admits(points) || p.Deleted.Has(i) {
			continue
		}
		s.top.Add(index.Hit{Chunk: p.Data.chunks[i], Doc: p.Data.doc(i), Score: points})
		if worst, ok := s.top.Worst(); ok {
			if least := int64(worst * one); least > s.least {
				s.least = least
				s.r.raise(least)
			}
		}
	}
}
