package minirag

import (
	"context"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"

	"golang.org/x/sync/errgroup"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/search"
)

const (
	defaultTopK = 8
	mostTopK    = 100
	// fetchLeast and fetchTimes say how many candidates each side gives to
	// the fusion, for topK results.
	fetchLeast = 160
	fetchTimes = 4
	// rankedLeast takes the place of fetchLeast where ranks or distances are
	// compared as the reference does: both depend on how many there are.
	rankedLeast = 50
)

// Query searches. It finds everything that was stored when it began, also by
// another process, and sees exactly one version of each document.
func (c *Corpus) Query(ctx context.Context, q Query) (*Result, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	q.Text = strings.ToValidUTF8(strings.TrimSpace(q.Text), "�")
	if q.Text == "" {
		return nil, fmt.Errorf("query: %w; ask with some words", ErrEmptyQuery)
	}
	switch {
	case q.TopK < 0:
		return nil, fmt.Errorf("query: %w: topK is %d, it must be at least 1", ErrInvalid, q.TopK)
	case q.TopK == 0:
		q.TopK = defaultTopK
	}
	q.TopK = min(q.TopK, mostTopK)
	if q.Ranking == nil {
		q.Ranking = &c.o.Ranking
	} else if err := q.Ranking.check(); err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	res, err := c.query(ctx, q)
	if errors.Is(err, index.ErrDamaged) && ctx.Err() == nil {
		if err := c.rebuild(ctx, err); err != nil {
			return nil, fmt.Errorf("query: %w", err)
		}
		res, err = c.query(ctx, q)
	}
	if err != nil {
		return nil, fmt.Errorf("query: %w", err)
	}
	return res, nil
}

func (c *Corpus) query(ctx context.Context, q Query) (*Result, error) {
	syntax := search.Parse(q.Text)
	d := newDemands(&syntax)
	q.Text = syntax.Text
	for {
		s, err := c.snapshot(ctx)
		if err != nil {
			return nil, err
		}
		var res *Result
		vector, err := c.queryVector(ctx, &q)
		if err == nil {
			err = c.o.Catalog.View(ctx, func(v index.View) error {
				res, err = c.search(ctx, v, s, q, d, vector)
				return err
			})
		}
		s.close()
		if errors.Is(err, index.ErrPurged) {
			continue // versions went while the snapshots were taken; newer ones have what is needed
		}
		return res, err
	}
}

// snapshots are states of the two indexes, taken before the catalog is read.
type snapshots struct {
	keywords index.KeywordSnapshot
	vectors  index.VectorSnapshot
	// stuck says that the indexes cannot be brought nearer to the catalog:
	// the overlay has to hold whatever they lack.
	stuck bool
}

func (s *snapshots) close() {
	s.keywords.Close()
	s.vectors.Close()
}

// reached is the sequence that both have at least seen.
func (s *snapshots) reached() index.Seq { return max(s.keywords.Seq(), s.vectors.Seq()) }

// snapshot takes snapshots that are close enough to the catalog to be
// overlaid, or brings the indexes nearer if nobody else does.
func (c *Corpus) snapshot(ctx context.Context) (*snapshots, error) {
	stuck := false
	for tried := false; ; tried = true {
		keywords, err := c.o.Keywords.Snapshot(ctx)
		if err != nil {
			return nil, err
		}
		vectors, err := c.o.Vectors.Snapshot(ctx)
		if err != nil {
			keywords.Close()
			return nil, err
		}
		s := &snapshots{keywords: keywords, vectors: vectors, stuck: stuck}
		if tried {
			return s, nil
		}
		near := false
		err = c.o.Catalog.View(ctx, func(v index.View) error {
			n, err := v.CountAdded(min(keywords.Seq(), vectors.Seq()), v.Seq(), "")
			near = n <= overlayMost/10
			if errors.Is(err, index.ErrPurged) {
				return nil
			}
			return err
		})
		if err == nil && !near {
			s.close()
			if _, err = c.catchUp(ctx); err != nil {
				if ctx.Err() != nil {
					return nil, err
				}
				c.log.WarnContext(ctx, "derived indexes are behind", "error", err)
				stuck = true
			}
			continue
		}
		if err != nil {
			s.close()
			return nil, err
		}
		return s, nil
	}
}

// queryVector embeds a question, in pieces if it is longer than the model takes.
func (c *Corpus) queryVector(ctx context.Context, q *Query) ([]float32, error) {
	text := q.Text
	one := func(text string) ([]float32, error) {
		if e, ok := c.o.Embedder.(embed.QueryEmbedder); ok {
			return e.EmbedQuery(ctx, text)
		}
		v, err := c.o.Embedder.Embed(ctx, []string{text})
		if err != nil {
			return nil, err
		}
		return v[0], nil
	}
	v, err := one(text)
	if !errors.Is(err, embed.ErrTooLong) {
		return v, err
	}
	sum := make([]float32, c.model.Dims)
	for _, piece := range pieces(text, c.counter, c.model.MaxTokens) {
		v, err := one(piece)
		if err != nil {
			return nil, err
		}
		for i := range sum {
			sum[i] += v[i]
		}
	}
	return unit(sum), nil
}

// pieces halves a text at white space, or between characters where there is
// none, until each piece has at most most tokens.
func pieces(text string, counter embed.TokenCounter, most int) []string {
	runes := []rune(text)
	if len(runes) < 2 || counter.CountTokens(text) <= most {
		return []string{text}
	}
	at := len(runes) / 2
	for d := range len(runes) / 2 {
		if runes[at-d] == ' ' || runes[at-d] == '\n' {
			at -= d
			break
		}
	}
	if at == 0 {
		at = len(runes) / 2
	}
	return append(pieces(string(runes[:at]), counter, most), pieces(string(runes[at:]), counter, most)...)
}

func unit(v []float32) []float32 {
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		return v
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}

// search runs both sides over one state of the catalog.
func (c *Corpus) search(ctx context.Context, v index.View, s *snapshots, q Query, d *demands, vector []float32) (*Result, error) {
	at, err := pin(v, s, c.model.ID)
	if err != nil {
		return nil, err
	}
	filter, err := c.filter(v, at, q.Scope)
	if err != nil {
		return nil, err
	}
	stats, err := c.stats.of(v)
	if err != nil {
		return nil, err
	}
	mismatch := 0
	for f, n := range stats.ByFingerprint {
		if f.Model != c.model.ID {
			mismatch += n
		}
	}
	if mismatch > 0 && mismatch == stats.Chunks && !q.Ranking.keywordsOnly() {
		return nil, fmt.Errorf("%w than %s; run a sync to embed the documents again, or choose another folder for the index", ErrModelMismatch, c.model.ID)
	}
	limit := max(fetchTimes*q.TopK, q.Ranking.least())
	fetch := limit
	if d.any() {
		fetch = max(limit, demandedFetch)
	}
	near, words, err := c.sides(ctx, v, s, at, q, vector, filter, fetch)
	if err != nil {
		return nil, err
	}
	notice := ""
	if d.any() {
		if near, words, notice, err = c.demand(ctx, v, s, at, d, filter, near, words); err != nil {
			return nil, err
		}
		near, words = near[:min(len(near), limit)], words[:min(len(words), limit)]
	}
	judge, err := c.judge(ctx, v, s, at, stats.Documents, q.Text, vector, near, words)
	if err != nil {
		return nil, err
	}
	hits := rank(q.Ranking, near, words)
	res, err := c.result(v, at, hits, judge, &q)
	if err != nil {
		return nil, err
	}
	res.Notice = notice
	switch {
	case len(res.Hits) == 0 && (stats.Chunks == 0 || len(q.Scope) == 0 && filter != nil && filter.Docs.Len() == 0):
		res.Notice = "the index is empty: run a sync first"
	case len(res.Hits) == 0 && filter != nil && filter.Docs.Len() == 0:
		res.Notice = fmt.Sprintf("no indexed source lies in the scope %s: a scope is a source, a folder above it, or a path relative to a root", strings.Join(q.Scope, ", "))
	case len(res.Hits) == 0 && d.any():
		res.Notice = "every passage found has something that the question excludes"
	case mismatch > 0:
		res.Notice = fmt.Sprintf("%d of %d chunks were embedded by another model and are found by their words only: run a sync", mismatch, stats.Chunks)
	}
	return res, nil
}

// pin chooses the sequence that the query sees: the newest, unless more is
// missing in the indexes than can be overlaid.
func pin(v index.View, s *snapshots, model string) (index.Seq, error) {
	low, at := s.reached(), v.Seq()
	behind := min(s.keywords.Seq(), s.vectors.Seq())
	for {
		n, err := v.CountAdded(behind, at, "")
		if err != nil {
			return 0, err
		}
		if n <= overlayMost || at <= low || s.stuck {
			return max(at, low), nil
		}
		at = low + (at-low)/2
		if at < v.Purged() {
			return 0, index.ErrPurged
		}
	}
}

// sides runs the vector and the keyword search side by side. Hits of closed
// versions are dropped, so more are asked for than are needed.
func (c *Corpus) sides(ctx context.Context, v index.View, s *snapshots, at index.Seq, q Query, vector []float32, filter *index.Filter, limit int) (near, words []index.Hit, err error) {
	// The catalog view belongs to one goroutine: overlays are read first.
	var vectorOverlay []index.VectorEntry
	var keywordOverlay []index.KeywordEntry
	closed := make(map[index.ChunkID]bool)
	for _, from := range []index.Seq{s.keywords.Seq(), s.vectors.Seq()} {
		gone, err := v.Removed(from, at)
		if err != nil {
			return nil, nil, err
		}
		for _, id := range gone {
			closed[id] = true
		}
	}
	for e, err := range v.Added(s.keywords.Seq(), at, "") {
		if err != nil {
			return nil, nil, err
		}
		keywordOverlay = append(keywordOverlay, keywordEntry(e))
	}
	if vector != nil {
		for e, err := range v.Added(s.vectors.Seq(), at, c.model.ID) {
			if err != nil {
				return nil, nil, err
			}
			vectorOverlay = append(vectorOverlay, vectorEntry(e))
		}
	}
	text, phonetic, documents := q.Text, !q.Ranking.asReference(), search.DocumentShare
	if q.Ranking.asReference() {
		// Neither ranks nor a leap of distances tell a chunk that has the
		// question's articles only from one that has its words.
		text = analysis.Content(text)
		if !q.Ranking.keywordsOnly() {
			documents = 0
		}
	}
	extra := min(len(closed), overlayMost)
	g, ctx := errgroup.WithContext(ctx)
	if vector != nil {
		g.Go(func() (err error) {
			near, err = s.vectors.Search(ctx, index.VectorQuery{Vector: vector, Limit: limit + extra, Filter: filter, Overlay: vectorOverlay})
			return err
		})
	}
	g.Go(func() (err error) {
		words, err = s.keywords.Search(ctx, index.KeywordQuery{Text: text, Limit: limit + extra, Filter: filter, Overlay: keywordOverlay, Documents: documents, Phonetic: phonetic})
		return err
	})
	if err := g.Wait(); err != nil {
		return nil, nil, err
	}
	drop := func(hits []index.Hit) []index.Hit {
		hits = slices.DeleteFunc(hits, func(h index.Hit) bool { return closed[h.Chunk] })
		return hits[:min(len(hits), limit)]
	}
	return drop(near), drop(words), nil
}

// least is the number of candidates of each side for few results.
func (r *Ranking) least() int {
	if r.asReference() {
		return rankedLeast
	}
	return fetchLeast
}

// asReference reports whether ranks or distances of all candidates are compared.
func (r *Ranking) asReference() bool { return r.HybridWeight != nil || r.Grouping != NoGrouping }

// keywordsOnly reports whether vectors give distances and no order.
func (r *Ranking) keywordsOnly() bool { return r.HybridWeight != nil && *r.HybridWeight == 1 }

// rank fuses and cuts.
func rank(r *Ranking, near, words []index.Hit) []search.Hit {
	var hits []search.Hit
	if r.HybridWeight != nil {
		hits = search.ReciprocalRanks(near, words, *r.HybridWeight)
	} else {
		hits = search.Scores(near, words)
	}
	if r.MaxDistance != nil {
		hits = search.Within(hits, *r.MaxDistance, false)
	}
	switch r.Grouping {
	case Similar:
		hits = search.Leap(hits, 1)
	case Related:
		hits = search.Leap(hits, 2)
	}
	return search.FirstDocuments(hits, r.MaxFiles)
}
