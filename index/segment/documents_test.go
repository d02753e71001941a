package segment_test

import (
	"cmp"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
)

// wholes scores documents one by one, as documents.go says.
func wholes(entries []index.KeywordEntry, titleAverage float64, text string) map[index.DocID]float64 {
	type whole struct {
		title map[string]int
		body  map[string]int
		words [2]int
	}
	docs := make(map[index.DocID]*whole)
	bodyWords := 0
	for _, e := range entries {
		d := docs[e.Doc]
		if d == nil {
			d = &whole{title: make(map[string]int), body: make(map[string]int)}
			docs[e.Doc] = d
			tokens := analysis.Tokens(e.Title)
			d.words[0] = analysis.Length(tokens)
			for _, t := range tokens {
				d.title[t.Term]++
			}
		}
		tokens := analysis.Tokens(e.Body)
		d.words[1] += analysis.Length(tokens)
		bodyWords += analysis.Length(tokens)
		for _, t := range tokens {
			d.body[t.Term]++
		}
	}
	bodyAverage := float64(bodyWords) / float64(len(docs))
	terms := analysis.Query(text, false)
	weights := make([]float64, len(terms))
	var sum float64
	for i, t := range terms {
		df := 0.0
		for _, e := range docs {
			if e.title[t.Term]+e.body[t.Term] > 0 {
				df++
			}
		}
		weights[i] = t.Weight * math.Log1p((float64(len(docs))-df+0.5)/(df+0.5))
		sum += weights[i]
	}
	scores := make(map[index.DocID]float64)
	for id, d := range docs {
		for i, t := range terms {
			tf := float64(d.title[t.Term])/(0.6+0.4*float64(d.words[0])/titleAverage) +
				float64(d.body[t.Term])/(0.25+0.75*float64(d.words[1])/bodyAverage)
			scores[id] += weights[i] / sum * tf / (tf + 2)
		}
	}
	return scores
}

// TestDocuments compares the share of whole documents with what is computed
// without an index, over segments and an overlay.
func TestDocuments(t *testing.T) {
	rng := rand.New(rand.NewPCG(9, 9))
	z := rand.NewZipf(rng, 1.1, 3, 800)
	var entries []index.KeywordEntry
	titles := 0
	for i := range 1500 {
		e := text(rng, z, i+1)
		e.Headings = "" // which do not count for a document
		if i > 0 && entries[i-1].Doc == e.Doc {
			e.Title = entries[i-1].Title
		}
		titles += analysis.Length(analysis.Tokens(e.Title))
		entries = append(entries, e)
	}
	titleAverage := float64(titles) / float64(len(entries))
	k := open(t, t.TempDir(), index.Origin{}, nil).Keywords()
	defer k.Close()
	// Documents have five chunks, 1 to 4 belong to the first.
	for i, end := range []int{704, 1004, 1404} {
		start := []int{0, 704, 1004}[i]
		c := index.Changes[index.KeywordEntry]{From: index.Seq(i), To: index.Seq(i + 1), Add: sequence(entries[start:end])}
		if err := k.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	for i := range 40 {
		q := index.KeywordQuery{Text: zipf(z, 1+rng.IntN(6)), Limit: []int{3, 50, 3000}[i%3], Overlay: entries[1404:]}
		plain := search(t, k, q)
		q.Documents = 0.25
		got := search(t, k, q)
		whole := wholes(entries, titleAverage, q.Text)
		want := slices.Clone(plain)
		for i := range want {
			want[i].Score = 0.75*want[i].Score + 0.25*whole[want[i].Doc]
		}
		slices.SortFunc(want, func(a, b index.Hit) int {
			return cmp.Or(cmp.Compare(b.Score, a.Score), cmp.Compare(a.Chunk, b.Chunk))
		})
		if diff := compareHits(want, got); diff != "" {
			t.Fatalf("%q, limit %d: %s", q.Text, q.Limit, diff)
		}
	}
}
