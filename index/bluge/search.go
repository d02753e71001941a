package bluge

import (
	"context"
	"fmt"
	"math"
	"runtime"
	"sync"
	"sync/atomic"

	segapi "github.com/blugelabs/bluge_segment_api"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/index/internal/topk"
)

// k1 is the usual value; so is the 0.75 of the body. Titles and headings are
// short whatever the document, so their length says less.
const k1 = 1.2

var (
	fieldB      = [fields]float64{title: 0.4, headings: 0.4, body: 0.75}
	fieldWeight = [fields]float64{title: 2, headings: 1.5, body: 1}
)

// maxTerms bounds the terms of a question, in the order of its text: a page
// has about 1,000.
const maxTerms = 2048

// checkEvery is the number of postings between two looks at the context.
const checkEvery = 1 << 13

type snapshot struct {
	state *segset.State[*segment]
}

func (s *snapshot) Seq() index.Seq { return s.state.Seq }

func (s *snapshot) Close() error { return nil }

// Search returns the chunks that share a word with the query.
func (s *snapshot) Search(ctx context.Context, query index.KeywordQuery) (hits []index.Hit, err error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	terms := analysis.Query(query.Text, query.Phonetic)
	if len(terms) == 0 || query.Limit <= 0 {
		return nil, nil
	}
	r := &ranking{terms: terms[:min(len(terms), maxTerms)]}
	if err := r.prepare(ctx, s.state.Parts, query.Overlay); err != nil {
		return nil, fmt.Errorf("search keywords: %w", err)
	}
	heaps := make([]topk.Heap, len(r.parts)+1)
	errs := make([]error, len(heaps))
	var wg sync.WaitGroup
	var next atomic.Int64
	work := func() {
		for {
			i := int(next.Add(1)) - 1
			if i >= len(r.parts) {
				return
			}
			heaps[i].Limit = query.Limit
			errs[i] = r.scorePart(ctx, i, query.Filter, &heaps[i])
		}
	}
	for range min(len(r.parts), runtime.GOMAXPROCS(0)) - 1 {
		wg.Go(work)
	}
	work()
	wg.Wait()
	last := &heaps[len(r.parts)]
	last.Limit = query.Limit
	r.scoreOverlay(query.Filter, last)
	for _, err := range errs {
		if err != nil {
			return nil, fmt.Errorf("search keywords: %w", err)
		}
	}
	return topk.Merge(query.Limit, heaps...), nil
}

// A ranking is the state of one search.
type ranking struct {
	terms   []analysis.Term
	parts   []*segset.Part[*segment]
	overlay []*document // those that no part has
	// lists are the postings of a term in a field of a part, nil if there
	// are none: [part][term][field].
	lists   [][][fields]segapi.PostingsList
	idf     []float64 // of each term, times its weight, as shares of their sum
	average [fields]float64
}

// guard turns a panic of bluge's segment reader into an error: checksums make
// it unlikely, not impossible.
func guard(err *error) {
	if r := recover(); r != nil {
		*err = fmt.Errorf("%w: %v", index.ErrDamaged, r)
	}
}

func damaged(err error) error { return fmt.Errorf("%w: %v", index.ErrDamaged, err) }

// prepare looks the terms up and computes the statistics of the collection.
func (r *ranking) prepare(ctx context.Context, parts []*segset.Part[*segment], overlay []index.KeywordEntry) (err error) {
	defer guard(&err)
	r.parts = parts
	r.addOverlay(overlay)
	count := float64(len(r.overlay))
	var length [fields]float64
	for _, p := range parts {
		count += float64(p.Data.Len())
		for f := range fields {
			length[f] += p.Data.total[f]
		}
	}
	frequency := make([][fields]float64, len(r.terms))
	for _, d := range r.overlay {
		for f := range fields {
			length[f] += float64(d.fields[f].words)
			for t := range r.terms {
				if d.fields[f].count(r.terms[t].Term) > 0 {
					frequency[t][f]++
				}
			}
		}
	}
	for f := range fields {
		r.average[f] = max(length[f]/max(count, 1), 1)
	}
	for _, p := range parts {
		lists := make([][fields]segapi.PostingsList, len(r.terms))
		var dicts [fields]segapi.Dictionary // not for concurrent use
		for f, name := range fieldNames {
			if dicts[f], err = p.Data.terms.Dictionary(name); err != nil {
				return damaged(err)
			}
		}
		for t := range r.terms {
			if err := ctx.Err(); err != nil {
				return err
			}
			for f, dict := range dicts {
				list, err := dict.PostingsList([]byte(r.terms[t].Term), nil, nil)
				if err != nil {
					return damaged(err)
				}
				if n := list.Count(); n > 0 {
					lists[t][f] = list
					frequency[t][f] += float64(n)
				}
			}
		}
		r.lists = append(r.lists, lists)
	}
	var sum float64
	r.idf = make([]float64, len(r.terms))
	for t := range r.terms {
		df := max(frequency[t][title], frequency[t][headings], frequency[t][body])
		if df == 0 && r.terms[t].Optional {
			continue
		}
		r.idf[t] = r.terms[t].Weight * math.Log1p((max(count-df, 0)+0.5)/(df+0.5))
		sum += r.idf[t]
	}
	for t := range r.idf {
		r.idf[t] /= sum
	}
	return nil
}

func (r *ranking) addOverlay(overlay []index.KeywordEntry) {
	seen := make(map[index.ChunkID]bool, len(overlay))
next:
	for _, e := range overlay {
		if seen[e.Chunk] {
			continue
		}
		seen[e.Chunk] = true
		for _, p := range r.parts {
			if i, ok := p.Find(e.Chunk); ok && !p.Deleted.Has(i) {
				continue next
			}
		}
		r.overlay = append(r.overlay, analyse(e))
	}
}

// weigh returns what n occurrences count in a field of some length.
func (r *ranking) weigh(f, n int, length uint32) float64 {
	b := fieldB[f]
	return fieldWeight[f] * float64(n) / (1 - b + b*float64(length)/r.average[f])
}

func saturate(tf float64) float64 { return tf / (tf + k1) }

func (r *ranking) scorePart(ctx context.Context, part int, filter *index.Filter, top *topk.Heap) (err error) {
	defer guard(&err)
	p := r.parts[part]
	scores := make([]float64, p.Data.Len())
	counts := make([]float64, p.Data.Len())
	var touched []int
	steps := 0
	for t, lists := range r.lists[part] {
		touched = touched[:0]
		for f, list := range lists {
			if list == nil {
				continue
			}
			postings, err := list.Iterator(true, false, false, nil)
			if err != nil {
				return damaged(err)
			}
			for {
				if steps++; steps%checkEvery == 0 && ctx.Err() != nil {
					return ctx.Err()
				}
				posting, err := postings.Next()
				if err != nil {
					return damaged(err)
				}
				if posting == nil {
					break
				}
				i := int(posting.Number())
				if counts[i] == 0 {
					touched = append(touched, i)
				}
				counts[i] += r.weigh(f, posting.Frequency(), p.Data.lengths[i][f])
			}
		}
		for _, i := range touched {
			scores[i] += r.idf[t] * saturate(counts[i])
			counts[i] = 0
		}
	}
	for i, score := range scores {
		if score > 0 && top.Admits(score) && !p.Deleted.Has(i) && filter.Allows(p.Data.docs[i]) {
			top.Add(index.Hit{Chunk: p.Data.ids[i], Doc: p.Data.docs[i], Score: score})
		}
	}
	return nil
}

func (r *ranking) scoreOverlay(filter *index.Filter, top *topk.Heap) {
	for _, d := range r.overlay {
		if !filter.Allows(d.doc) {
			continue
		}
		var score float64
		for t := range r.terms {
			var tf float64
			for f := range fields {
				if n := d.fields[f].count(r.terms[t].Term); n > 0 {
					tf += r.weigh(f, n, uint32(d.fields[f].words))
				}
			}
			if tf > 0 {
				score += r.idf[t] * saturate(tf)
			}
		}
		if score > 0 {
			top.Add(index.Hit{Chunk: d.chunk, Doc: d.doc, Score: score})
		}
	}
}
