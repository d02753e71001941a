package minirag

import (
	"context"
	"math/rand/v2"
	"slices"
	"sync"
	"unicode"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/search"
)

const (
	// sampleChunks is about how many chunks a question is compared with to
	// learn how near it is to anything.
	sampleChunks = 256
	// sampleMost is the largest number of chunks of one document in a sample.
	sampleMost = 4096
	// sampleAll is the number of documents up to which all are looked at.
	sampleAll = 512
	// scriptChunks is the least number of chunks of a script in a sample that
	// have a background of their own.
	scriptChunks = 8
)

// sampleCache keeps the sample of the last sequence.
type sampleCache struct {
	mu     sync.Mutex // guards the rest
	at     index.Seq
	bits   int
	filter *index.Filter
	chunks int
	// scripts are those of the chunks met so far.
	scripts map[index.ChunkID]*unicode.RangeTable
}

// sample returns documents of about sampleChunks chunks. highest is a document
// that is known: in a large corpus identifiers are drawn up to the next power
// of two, as a look at every document would take longer than the query.
func (c *Corpus) sample(v index.View, at index.Seq, documents int, highest index.DocID) (*index.Filter, int, error) {
	bits := 0
	if documents > sampleAll {
		for bits = 1; index.DocID(1)<<bits <= highest; bits++ {
		}
	}
	s := &c.samples
	s.mu.Lock()
	defer s.mu.Unlock()
	if s.filter != nil && s.at == at && s.bits == bits {
		return s.filter, s.chunks, nil
	}
	random := rand.New(rand.NewPCG(uint64(bits), 0)) // the same question gets the same answer
	var docs []index.Document
	if bits > 0 {
		ids := make([]index.DocID, sampleAll)
		for i := range ids {
			ids[i] = 1 + index.DocID(random.Int64N(1<<bits))
		}
		found, err := v.ByContent(ids)
		if err != nil {
			return nil, 0, err
		}
		for _, d := range found {
			if d.At(at) {
				docs = append(docs, d)
			}
		}
	}
	if len(docs) < sampleAll/8 {
		docs = docs[:0]
		for d, err := range v.Documents(index.DocumentQuery{At: at}) {
			if err != nil {
				return nil, 0, err
			}
			docs = append(docs, d)
		}
	}
	random.Shuffle(len(docs), func(i, j int) { docs[i], docs[j] = docs[j], docs[i] })
	chosen, chunks := index.NewDocSet(), 0
	for _, most := range []int{sampleChunks, sampleMost} {
		for i := range docs {
			if chunks < sampleChunks && docs[i].Chunks <= most && !chosen.Has(docs[i].ID) {
				chosen.Add(docs[i].ID)
				chunks += docs[i].Chunks
			}
		}
	}
	s.at, s.bits, s.filter, s.chunks = at, bits, &index.Filter{Docs: chosen}, chunks
	s.scripts = make(map[index.ChunkID]*unicode.RangeTable, chunks)
	return s.filter, s.chunks, nil
}

// byScript sorts the hits of a sample by the script of their chunks.
func (c *Corpus) byScript(v index.View, sample []index.Hit) (map[*unicode.RangeTable][]index.Hit, error) {
	s := &c.samples
	s.mu.Lock()
	defer s.mu.Unlock()
	var unknown []index.ChunkID
	for _, h := range sample {
		if _, ok := s.scripts[h.Chunk]; !ok {
			unknown = append(unknown, h.Chunk)
		}
	}
	if len(unknown) > 0 {
		chunks, err := v.Chunks(unknown)
		if err != nil {
			return nil, err
		}
		for _, id := range unknown {
			s.scripts[id] = textScript(chunks[id].Text)
		}
	}
	sorted := make(map[*unicode.RangeTable][]index.Hit)
	for _, h := range sample {
		sorted[s.scripts[h.Chunk]] = append(sorted[s.scripts[h.Chunk]], h)
	}
	return sorted, nil
}

// judge tells how relevant chunks are to one question.
type judge struct {
	terms      []analysis.Term
	script     *unicode.RangeTable
	background search.Background
	known      bool
	// scripts are the backgrounds of scripts that the sample has enough of:
	// texts in the question's language are nearer to it, whatever they say.
	scripts map[*unicode.RangeTable]search.Background
	found   map[index.ChunkID]float64 // keyword scores
	// far is the cosine of hits that the vectors did not find: at most that of
	// the last they did.
	far    float64
	nearby bool
}

// judge compares the question with a sample of all chunks.
func (c *Corpus) judge(ctx context.Context, v index.View, s *snapshots, at index.Seq, documents int, text string, vector []float32, near, words []index.Hit) (*judge, error) {
	j := &judge{terms: analysis.Query(text, false), script: mainScript(text), found: make(map[index.ChunkID]float64, len(words))}
	for _, h := range words {
		j.found[h.Chunk] = h.Score
	}
	if vector == nil || len(near) == 0 {
		return j, nil
	}
	j.far, j.nearby = near[len(near)-1].Score, true
	var highest index.DocID
	for _, hits := range [][]index.Hit{near, words} {
		for _, h := range hits {
			highest = max(highest, h.Doc)
		}
	}
	filter, chunks, err := c.sample(v, at, documents, highest)
	if err != nil {
		return nil, err
	}
	var sample []index.Hit
	if chunks > 0 {
		if sample, err = s.vectors.Search(ctx, index.VectorQuery{Vector: vector, Limit: chunks, Filter: filter}); err != nil {
			return nil, err
		}
	}
	prior := search.Prior{Mean: c.model.Unrelated, Deviation: c.model.Spread}
	j.background, j.known = search.NewBackground(sample, prior)
	sorted, err := c.byScript(v, sample)
	if err != nil {
		return nil, err
	}
	j.scripts = make(map[*unicode.RangeTable]search.Background, len(sorted))
	for script, hits := range sorted {
		if len(hits) >= scriptChunks && len(hits) < len(sample) {
			j.scripts[script], _ = search.NewBackground(hits, prior)
		}
	}
	return j, nil
}

// judge sets the relevance of hits, found as h says of each, and their signals
// if they are wanted.
func (j *judge) judge(hits []Hit, h []search.Hit, explain bool) {
	scripts := make([]*unicode.RangeTable, len(hits))
	for i := range hits {
		scripts[i] = textScript(hits[i].Text)
	}
	mixed := slices.Contains(scripts, j.script)
	for i := range hits {
		j.one(&hits[i], &h[i], scripts[i], mixed, explain)
	}
}

func (j *judge) one(hit *Hit, h *search.Hit, script *unicode.RangeTable, mixed, explain bool) {
	e := search.Evidence{Cosine: h.Cosine, Near: h.Near || j.nearby, Found: j.found[h.Chunk], Mixed: mixed, OtherScript: script != nil && j.script != nil && script != j.script}
	if !h.Near {
		e.Cosine = j.far
	}
	background, ok := j.scripts[script]
	if !ok {
		background = j.background
	}
	hit.Relevance = search.Relevance(e, background, j.known)
	if explain {
		hit.Signals = &Signals{
			VectorRank: h.VectorRank, KeywordRank: h.KeywordRank, Cosine: h.Cosine, KeywordScore: h.Keyword,
			Background: background.Mean, Deviation: background.Deviation,
			Matched: analysis.Matched(j.terms, hit.Source.Title+"\n"+hit.Text),
		}
	}
}
