package segment

import (
	"cmp"
	"math"
	"slices"
	"sort"

	"github.com/minirag/minirag/index"
)

// The parameters of the score of a whole document, BM25 over its title and all
// its bodies. Of the values tried (docs/EVALUATION.md) a k1 above that of
// chunks ranks best: what is said again and again is what a long document is
// about.
const (
	documentK1    = 2.0
	documentTitle = 1.0 // weight of the title
)

// A document is a run of entries of one document, or what the overlay has of
// one.
type document struct {
	doc        index.DocID
	part       int // -1: the overlay
	start, end int // entries of the part
	title      int // words
	body       int
	counts     []documentCount // of each term
	score      float64
}

type documentCount struct{ title, body uint32 }

// addDocuments gives each hit a share of the score of its whole document and
// puts the hits in their new order. A document that lies in two segments
// counts as two.
func (r *ranking) addDocuments(hits []index.Hit, share float64) {
	found, at := r.documents(hits)
	s := r.documentStatistics()
	counts := make([]documentCount, len(found)*len(r.terms))
	for i := range found {
		found[i].counts, counts = counts[:len(r.terms)], counts[len(r.terms):]
	}
	r.count(found)
	for i := range found {
		found[i].score = s.score(r, &found[i])
	}
	for i := range hits {
		hits[i].Score = (1-share)*hits[i].Score + share*found[at[i]].score
	}
	slices.SortFunc(hits, func(a, b index.Hit) int {
		return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
	})
}

// documents lists those of hits, in the order of their entries; at has the
// place of each hit's.
func (r *ranking) documents(hits []index.Hit) (found []document, at []int) {
	type key struct{ part, run int }
	of := make([]key, len(hits))
	known := make(map[key]int, len(hits))
	for i, h := range hits {
		k := key{-1, int(h.Doc)}
		for p, part := range r.parts {
			if e, ok := part.Find(h.Chunk); ok && !part.Deleted.Has(e) {
				k = key{p, part.Data.run(e)}
				break
			}
		}
		of[i] = k
		if _, ok := known[k]; !ok {
			known[k] = 0
			d := document{doc: h.Doc, part: k.part}
			if k.part >= 0 {
				s := r.parts[k.part].Data
				d.start, d.end = int(s.runs[k.run]), s.runEnd(k.run)
			}
			found = append(found, d)
		}
	}
	slices.SortFunc(found, func(a, b document) int {
		return cmp.Or(cmp.Compare(a.part, b.part), cmp.Compare(a.start, b.start), cmp.Compare(a.doc, b.doc))
	})
	for i, d := range found {
		k := key{-1, int(d.doc)}
		if d.part >= 0 {
			k = key{d.part, r.parts[d.part].Data.run(d.start)}
		}
		known[k] = i
	}
	at = make([]int, len(hits))
	for i, k := range of {
		at[i] = known[k]
	}
	return found, at
}

// count fills in the lengths of documents and how often they have the terms.
func (r *ranking) count(found []document) {
	c := new(cursor)
	for from := 0; from < len(found); {
		to := from
		for to < len(found) && found[to].part == found[from].part {
			to++
		}
		of := found[from:to]
		from = to
		if of[0].part < 0 {
			for _, o := range r.overlay {
				if i, ok := slices.BinarySearchFunc(of, o.doc, func(d document, id index.DocID) int { return cmp.Compare(d.doc, id) }); ok {
					of[i].add(o)
				}
			}
			continue
		}
		s := r.parts[of[0].part].Data
		for i := range of {
			of[i].title = s.lengths[of[i].start].of(title)
			for _, l := range s.lengths[of[i].start:of[i].end] {
				of[i].body += l.of(body)
			}
		}
		for t, d := range r.found[of[0].part] {
			if d != nil {
				c.open(d)
				c.countIn(of, t)
			}
		}
	}
}

// countIn adds up the counts of term t in documents, which are in order.
func (c *cursor) countIn(of []document, t int) {
	b := 0
	for i := range of {
		d := &of[i]
		b += sort.Search(c.blocks-b, func(n int) bool { return int(c.last(b+n)) >= d.start })
		for ; b < c.blocks; b++ {
			c.decode(b)
			from, _ := slices.BinarySearch(c.entries[:c.n], uint32(d.start))
			to, _ := slices.BinarySearch(c.entries[:c.n], uint32(d.end))
			if from < to {
				c.decodeCounts()
				d.counts[t].title = max(d.counts[t].title, slices.Max(c.counts[title][from:to]))
				for _, n := range c.counts[body][from:to] {
					d.counts[t].body += n
				}
			}
			if to < c.n {
				break // the next document may be in this block too
			}
		}
	}
}

// add counts an entry of the overlay.
func (d *document) add(o *overlaid) {
	d.title = o.length.of(title)
	d.body += o.length.of(body)
	for t, counts := range o.counts {
		d.counts[t].title = max(d.counts[t].title, counts[title])
		d.counts[t].body += counts[body]
	}
}

// documentStatistics are those of all documents of a ranking.
type documentStatistics struct {
	title, body float64   // mean lengths, at least 1
	idf         []float64 // of each term, times its weight, as shares of their sum
}

func (r *ranking) documentStatistics() *documentStatistics {
	count, words := 0.0, 0.0
	frequency := make([]float64, len(r.terms))
	for p, part := range r.parts {
		count += float64(len(part.Data.runs))
		words += float64(part.Data.total[body])
		for t, d := range r.found[p] {
			if d != nil {
				frequency[t] += float64(d.info.runs)
			}
		}
	}
	overlaid := make(map[index.DocID][]bool)
	for _, o := range r.overlay {
		has := overlaid[o.doc]
		if has == nil {
			has = make([]bool, len(r.terms))
			overlaid[o.doc] = has
			count++
		}
		words += float64(o.length.of(body))
		for t := range o.counts {
			if !has[t] {
				has[t] = true
				frequency[t]++
			}
		}
	}
	s := &documentStatistics{title: r.norms.average[title], body: max(words/max(count, 1), 1), idf: make([]float64, len(r.terms))}
	var sum float64
	for t := range r.terms {
		if frequency[t] == 0 && r.terms[t].Optional {
			continue
		}
		s.idf[t] = r.terms[t].Weight * inverseFrequency(count, frequency[t])
		sum += s.idf[t]
	}
	for t := range s.idf {
		s.idf[t] /= sum
	}
	return s
}

func (s *documentStatistics) score(r *ranking, d *document) (sum float64) {
	norm := func(f, words int, average float64) float64 {
		return 1 - fieldB[f] + fieldB[f]*float64(words)/average
	}
	inTitle, inBody := documentTitle/norm(title, d.title, s.title), 1/norm(body, d.body, s.body)
	for t, n := range d.counts {
		tf := float64(n.title)*inTitle + float64(n.body)*inBody
		sum += s.idf[t] * tf / (tf + documentK1)
	}
	return sum
}

// inverseFrequency is the weight of a term that df of count texts have.
func inverseFrequency(count, df float64) float64 {
	return math.Log1p((max(count-df, 0) + 0.5) / (df + 0.5))
}
