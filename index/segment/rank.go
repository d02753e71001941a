package segment

import (
	"context"
	"sync/atomic"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/index/internal/topk"
)

// maxTerms bounds the terms of a question, in the order of its text: a page
// has about 1,000.
const maxTerms = 2048

// one is the score 1 in fixed point. Sums of such numbers do not depend on the
// order of adding, so that a chunk scores the same however it is found.
const one = 1 << 32

// rankSize is the number of entries that a worker takes at a time.
const rankSize = 32 * windowLen

// A ranking is the state of one search for words.
type ranking struct {
	terms  []analysis.Term
	parts  []*segset.Part[*segment]
	sets   []set
	counts []int // of entries in sets
	// found are the terms of each part: [part][term], nil if it has not.
	found   [][]*dictReader
	overlay []*overlaid
	weights []float64 // of each term, see score
	norms   *norms
	limit   int

	least atomic.Int64 // a hit with a lower score is not among the best
}

// An overlaid entry is scored beside the segments.
type overlaid struct {
	chunk  index.ChunkID
	doc    index.DocID
	length length
	counts map[int]*[fields]uint32 // by term of the question
	// without says that it lacks a phrase, and so is no hit.
	without bool
}

// searchWords returns the best chunks for a text.
func searchWords(ctx context.Context, parts []*segset.Part[*segment], query *index.KeywordQuery, workers int) ([]index.Hit, error) {
	terms := analysis.Query(query.Text, query.Phonetic)
	if len(terms) == 0 || query.Limit <= 0 {
		return nil, nil
	}
	r := &ranking{terms: terms[:min(len(terms), maxTerms)], parts: parts, limit: query.Limit}
	if err := r.prepare(ctx, query); err != nil {
		return nil, err
	}
	workers = max(workers, 1)
	heaps := make([]topk.Heap, workers+1)
	scorers := make([]*scorer, workers)
	for i := range heaps {
		heaps[i].Limit = query.Limit
	}
	err := each(ctx, tasks(parts, rankSize), workers, func(worker int, t task) error {
		if r.counts[t.part] == 0 {
			return nil
		}
		if scorers[worker] == nil {
			scorers[worker] = newScorer(r, &heaps[worker])
		}
		return scorers[worker].run(ctx, t)
	})
	if err != nil {
		return nil, err
	}
	r.scoreOverlay(query.Filter, &heaps[workers])
	hits := topk.Merge(query.Limit, heaps...)
	if query.Documents > 0 {
		r.addDocuments(hits, min(query.Documents, 1))
	}
	return hits, nil
}

// prepare looks the terms up and computes the statistics of the collection.
func (r *ranking) prepare(ctx context.Context, query *index.KeywordQuery) error {
	at := make(map[string]int, len(r.terms))
	for t := range r.terms {
		at[r.terms[t].Term] = t
	}
	phrases := phrasesOf(query)
	frequency := make([][fields]float64, len(r.terms))
	count := 0.0
	var total [fields]float64
	for _, p := range r.parts {
		count += float64(p.Data.Len())
		for f := range fields {
			total[f] += float64(p.Data.total[f])
		}
		found := make([]*dictReader, len(r.terms))
		for t := range r.terms {
			if err := ctx.Err(); err != nil {
				return err
			}
			if d, ok := p.Data.lookup(r.terms[t].Term); ok {
				found[t] = d
				for f := range fields {
					frequency[t][f] += float64(d.info.frequency[f])
				}
			}
		}
		r.found = append(r.found, found)
		in, n := allowed(p, query.Filter)
		for _, phrase := range phrases {
			if n > 0 {
				in, n = p.Data.withPhrase(phrase, in)
			}
		}
		r.sets, r.counts = append(r.sets, in), append(r.counts, n)
	}
	r.addOverlay(query.Overlay, at, phrases)
	for _, o := range r.overlay {
		count++
		for f := range fields {
			total[f] += float64(o.length.of(f))
			for t, counts := range o.counts {
				if counts[f] > 0 {
					frequency[t][f]++
				}
			}
		}
	}
	var average [fields]float64
	for f := range fields {
		average[f] = max(total[f]/max(count, 1), 1)
	}
	r.norms = newNorms(average)
	r.weights = make([]float64, len(r.terms))
	var sum float64
	for t := range r.terms {
		df := max(frequency[t][title], frequency[t][headings], frequency[t][body])
		if df == 0 && r.terms[t].Optional {
			continue
		}
		r.weights[t] = r.terms[t].Weight * inverseFrequency(count, df)
		sum += r.weights[t]
	}
	for t := range r.weights {
		r.weights[t] *= one / sum
	}
	return nil
}

// score is what a term of a weight gives to a chunk that has the weighted
// count tf of it. It grows with tf and is positive.
func score(weight, tf float64) int64 { return int64(weight*(tf/(tf+k1))) + 1 }

// weigh returns the weighted count of all fields.
func (r *ranking) weigh(counts *[fields]uint32, l length) (tf float64) {
	for f, n := range counts {
		if n > 0 {
			tf += r.norms.weigh(f, n, l)
		}
	}
	return tf
}

// raise makes a score known that the best hits have at least.
func (r *ranking) raise(score int64) {
	for old := r.least.Load(); old < score; old = r.least.Load() {
		if r.least.CompareAndSwap(old, score) {
			return
		}
	}
}

// addOverlay keeps the entries that no part has.
func (r *ranking) addOverlay(entries []index.KeywordEntry, at map[string]int, phrases [][]string) {
	seen := make(map[index.ChunkID]bool, len(entries))
	memo := new(analysis.Memo)
next:
	for i := range entries {
		e := &entries[i]
		if seen[e.Chunk] {
			continue
		}
		seen[e.Chunk] = true
		for _, p := range r.parts {
			if i, ok := p.Find(e.Chunk); ok && !p.Deleted.Has(i) {
				continue next
			}
		}
		a := analyse(&[fields]string{title: e.Title, headings: e.Headings, body: e.Body}, memo)
		o := &overlaid{chunk: e.Chunk, doc: e.Doc, length: newLength(a.words()), counts: make(map[int]*[fields]uint32)}
		for _, phrase := range phrases {
			o.without = o.without || !a.has(phrase)
		}
		for f := range fields {
			for _, token := range a[f] {
				if t, ok := at[token.Term]; ok {
					if o.counts[t] == nil {
						o.counts[t] = new([fields]uint32)
					}
					o.counts[t][f]++
				}
			}
		}
		r.overlay = append(r.overlay, o)
	}
}

func (r *ranking) scoreOverlay(filter *index.Filter, top *topk.Heap) {
	for _, o := range r.overlay {
		if len(o.counts) == 0 || o.without || !filter.Allows(o.doc) {
			continue
		}
		var sum int64
		for t, counts := range o.counts {
			sum += score(r.weights[t], r.weigh(counts, o.length))
		}
		top.Add(index.Hit{Chunk: o.chunk, Doc: o.doc, Score: float64(sum) / one})
	}
}
