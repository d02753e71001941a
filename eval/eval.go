// Package eval measures how well a corpus answers the questions of a set:
// nDCG, recall, reciprocal rank and latency, of the vector side, the keyword
// side and both together.
//
// [Load] reads a set, [Set.WriteFiles] makes documents of it, a sync of the
// caller's corpus over them takes the whole path of a user's documents, and
// [Run] asks. The package imports the root and the standard library, and
// works with any parts that the corpus was opened with.
package eval

import (
	"context"
	"fmt"
	"path/filepath"
	"slices"
	"time"

	"github.com/minirag/minirag"
)

// A Corpus answers questions. [minirag.Corpus] is one.
type Corpus interface {
	Query(ctx context.Context, q minirag.Query) (*minirag.Result, error)
}

// Options tune [Run]. Nil and the zero value mean the defaults.
type Options struct {
	// TopK is the number of hits asked for, of which the first 10 distinct
	// documents count. Zero: 40.
	TopK int
	// Ranking is that of the fused side. Nil: that of the corpus.
	Ranking *minirag.Ranking
	// Foreign are questions that nothing in the corpus answers. With them
	// [Report.Relevance] is measured.
	Foreign []Question
	// Progress is called after each question. Nil: not.
	Progress func(done, total int)
}

// The names of the sides.
const (
	Vector  = "vector"
	Keyword = "keyword"
	Fused   = "fused"
)

// A Side is how one way of ranking did.
type Side struct {
	Name string `json:"name"`
	Score
	// P50 and P95 are quantiles of the time of a query in milliseconds.
	P50 float64 `json:"p50Ms"`
	P95 float64 `json:"p95Ms"`
	// Passages is nil for a set without spans.
	Passages *Passages `json:"passages,omitempty"`
}

// A Ranked is the rank, from 1, of the first relevant document for a
// question. 0: it was not found.
type Ranked struct {
	Question string `json:"question"`
	Vector   int    `json:"vector"`
	Keyword  int    `json:"keyword"`
	Fused    int    `json:"fused"`
}

// Relevance says how well the relevance of the best hit tells questions that
// the corpus answers from others.
type Relevance struct {
	// AUC is the area under the ROC curve, see [AUC].
	AUC float64 `json:"auc"`
	// Answerable and Foreign are means of the relevance of the best hit.
	Answerable float64 `json:"answerable"`
	Foreign    float64 `json:"foreign"`
	// Kept is the share of the answerable questions, and Stopped of the
	// foreign ones, that a threshold of 0.5 judges rightly.
	Kept    float64 `json:"kept"`
	Stopped float64 `json:"stopped"`
}

// A Report is the outcome of [Run].
type Report struct {
	Set       string `json:"set"`
	Documents int    `json:"documents"`
	Questions int    `json:"questions"`
	// Sides are Vector, Keyword and Fused.
	Sides []Side `json:"sides"`
	// Ranks are in the order of the questions.
	Ranks []Ranked `json:"ranks"`
	// Relevance is nil if there are no foreign questions.
	Relevance *Relevance `json:"relevance,omitempty"`
}

// Run asks every question three times: by vectors, by keywords, and as the
// corpus ranks by itself. The documents of the set must be indexed under the
// file names that [Set.WriteFiles] gives them.
func Run(ctx context.Context, c Corpus, s *Set, o *Options) (*Report, error) {
	var v Options
	if o != nil {
		v = *o
	}
	if v.TopK == 0 {
		v.TopK = 40
	}
	r := &runner{ctx: ctx, corpus: c, set: s, o: &v, ids: make(map[string]string), texts: make(map[string]string)}
	for _, d := range s.Documents {
		r.ids[fileName(d.ID)] = d.ID
		r.texts[d.ID] = d.Text
	}
	return r.run()
}

type runner struct {
	ctx    context.Context
	corpus Corpus
	set    *Set
	o      *Options
	ids    map[string]string // of documents, by the name of the file
	texts  map[string]string
}

func (r *runner) run() (*Report, error) {
	zero, one := 0.0, 1.0
	rankings := []*minirag.Ranking{{HybridWeight: &zero}, {HybridWeight: &one}, r.o.Ranking}
	report := &Report{
		Set: r.set.Name, Documents: len(r.set.Documents), Questions: len(r.set.Questions),
		Sides: []Side{{Name: Vector}, {Name: Keyword}, {Name: Fused}},
		Ranks: make([]Ranked, len(r.set.Questions)),
	}
	// The first query also loads the model.
	if _, _, err := r.ask(r.set.Questions[0].Text, nil); err != nil {
		return nil, err
	}
	var answerable []float64
	times := make([][]time.Duration, len(rankings))
	total := len(r.set.Questions) + len(r.o.Foreign)
	for n, q := range r.set.Questions {
		ranks := make([]int, len(rankings))
		for i, ranking := range rankings {
			res, took, err := r.ask(q.Text, ranking)
			if err != nil {
				return nil, err
			}
			times[i] = append(times[i], took)
			side := &report.Sides[i]
			if side.Name == Keyword {
				// Behind them stands what only the vectors found.
				if i := slices.IndexFunc(res.Hits, func(h minirag.Hit) bool { return h.Score == 0 && h.Distance != nil }); i >= 0 {
					res.Hits = res.Hits[:i]
				}
			}
			docs := r.documents(res)
			grades := r.set.Relevant[q.ID]
			side.add(score(docs, grades), 1/float64(len(r.set.Questions)))
			ranks[i] = 1 + slices.IndexFunc(docs, func(d string) bool { return grades[d] > 0 })
			if span, ok := r.set.Spans[q.ID]; ok {
				if side.Passages == nil {
					side.Passages = &Passages{}
				}
				side.Passages.add(passages(res.Hits, &span, r.texts[span.Document], r.document))
			}
			if side.Name == Fused {
				answerable = append(answerable, best(res))
			}
		}
		report.Ranks[n] = Ranked{Question: q.ID, Vector: ranks[0], Keyword: ranks[1], Fused: ranks[2]}
		r.progress(n+1, total)
	}
	for i := range report.Sides {
		slices.Sort(times[i])
		report.Sides[i].P50, report.Sides[i].P95 = quantile(times[i], 0.5), quantile(times[i], 0.95)
		if p := report.Sides[i].Passages; p != nil {
			p.mean()
		}
	}
	var err error
	if len(r.o.Foreign) > 0 {
		report.Relevance, err = r.relevance(answerable)
	}
	return report, err
}

func (r *runner) progress(done, total int) {
	if r.o.Progress != nil {
		r.o.Progress(done, total)
	}
}

func (r *runner) ask(text string, ranking *minirag.Ranking) (*minirag.Result, time.Duration, error) {
	start := time.Now()
	res, err := r.corpus.Query(r.ctx, minirag.Query{Text: text, TopK: r.o.TopK, Ranking: ranking})
	if err != nil {
		return nil, 0, fmt.Errorf("evaluate %s: %w", r.set.Name, err)
	}
	return res, time.Since(start), nil
}

// documents lists the distinct documents of a result in their order.
func (r *runner) documents(res *minirag.Result) []string {
	docs := []string{}
	add := func(s *minirag.Source) {
		if id := r.document(s); !slices.Contains(docs, id) {
			docs = append(docs, id)
		}
	}
	for _, h := range res.Hits {
		add(h.Source)
		for _, s := range h.AlsoIn {
			add(s)
		}
	}
	return docs
}

func (r *runner) document(s *minirag.Source) string {
	name := filepath.Base(s.ID)
	if id, ok := r.ids[name]; ok {
		return id
	}
	return name
}

// best is the relevance of the most relevant hit.
func best(res *minirag.Result) float64 {
	var most float64
	for _, h := range res.Hits {
		most = max(most, h.Relevance)
	}
	return most
}

func (r *runner) relevance(answerable []float64) (*Relevance, error) {
	var foreign []float64
	for n, q := range r.o.Foreign {
		res, _, err := r.ask(q.Text, r.o.Ranking)
		if err != nil {
			return nil, err
		}
		foreign = append(foreign, best(res))
		r.progress(len(answerable)+n+1, len(answerable)+len(r.o.Foreign))
	}
	out := &Relevance{AUC: AUC(answerable, foreign)}
	for _, v := range answerable {
		out.Answerable += v / float64(len(answerable))
		if v >= 0.5 {
			out.Kept += 1 / float64(len(answerable))
		}
	}
	for _, v := range foreign {
		out.Foreign += v / float64(len(foreign))
		if v < 0.5 {
			out.Stopped += 1 / float64(len(foreign))
		}
	}
	return out, nil
}
