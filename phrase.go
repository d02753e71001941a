package minirag

import (
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/search"
)

// demandedFetch is the number of candidates of each side that are looked at
// for a question with phrases or exclusions.
const demandedFetch = 500

// demands are what a question wants in a hit and what it does not.
type demands struct {
	text    []string // the phrases as written
	phrases [][]string
	without [][]string
}

func newDemands(s *search.Syntax) *demands {
	d := &demands{}
	for _, p := range s.Phrases {
		if terms := analysis.Phrase(p); len(terms) > 0 {
			d.text, d.phrases = append(d.text, p), append(d.phrases, terms)
		}
	}
	for _, p := range s.Without {
		if terms := analysis.Phrase(p); len(terms) > 0 {
			d.without = append(d.without, terms)
		}
	}
	return d
}

func (d *demands) any() bool { return len(d.phrases)+len(d.without) > 0 }

// has reports whether a chunk has every phrase, and whether it has something
// that is excluded. Phrases do not go from the title into the text.
func (d *demands) has(title, text string) (phrases, excluded bool) {
	fields := [][]analysis.Token{analysis.Tokens(title), analysis.Tokens(text)}
	in := func(phrase []string) bool {
		return slices.ContainsFunc(fields, func(tokens []analysis.Token) bool { return analysis.Contains(tokens, phrase) })
	}
	phrases = !slices.ContainsFunc(d.phrases, func(p []string) bool { return !in(p) })
	return phrases, slices.ContainsFunc(d.without, in)
}

// demand drops the candidates that lack a phrase or have what is excluded.
// Chunks that the sides did not find are looked for by the words of the
// phrases. If no chunk has the phrases they are words like others, and the
// notice says so.
func (c *Corpus) demand(ctx context.Context, v index.View, s *snapshots, at index.Seq, d *demands, filter *index.Filter, near, words []index.Hit) (_, _ []index.Hit, notice string, err error) {
	if len(d.phrases) > 0 {
		more, err := c.keywordSide(ctx, v, s, at, index.KeywordQuery{
			Text: strings.Join(d.text, "\n"), Limit: demandedFetch, Filter: filter, Phrases: d.text,
		})
		if err != nil {
			return nil, nil, "", err
		}
		words = appended(words, more)
	}
	full, allowed, err := c.judged(v, at, d, near, words)
	if err != nil {
		return nil, nil, "", err
	}
	keep := allowed
	switch {
	case len(d.phrases) == 0:
	case len(full) > 0:
		keep = full
	case len(near)+len(words) > 0:
		notice = fmt.Sprintf("no passage has %s word for word: searched for the words", strings.Join(quotedAll(d.text), " and "))
	}
	drop := func(hits []index.Hit) []index.Hit {
		return slices.DeleteFunc(slices.Clone(hits), func(h index.Hit) bool { return !keep[h.Chunk] })
	}
	return drop(near), drop(words), notice, nil
}

// appended puts hits that words lacks behind it, below its last score.
func appended(words, more []index.Hit) []index.Hit {
	seen := make(map[index.ChunkID]bool, len(words))
	last := 1.0
	for _, h := range words {
		seen[h.Chunk] = true
		last = h.Score
	}
	for i, h := range more {
		if !seen[h.Chunk] {
			h.Score = last / float64(i+2)
			words = append(words, h)
		}
	}
	return words
}

// judged returns the candidates that have all phrases and nothing excluded,
// and those that have nothing excluded.
func (c *Corpus) judged(v index.View, at index.Seq, d *demands, sides ...[]index.Hit) (full, allowed map[index.ChunkID]bool, err error) {
	full, allowed = make(map[index.ChunkID]bool), make(map[index.ChunkID]bool)
	contents := make(map[index.DocID]bool)
	var ids []index.ChunkID
	seen := make(map[index.ChunkID]bool)
	for _, hits := range sides {
		for _, h := range hits {
			if !seen[h.Chunk] {
				seen[h.Chunk] = true
				ids = append(ids, h.Chunk)
				contents[h.Doc] = true
			}
		}
	}
	chunks, err := v.Chunks(ids)
	if err != nil {
		return nil, nil, err
	}
	docs, err := versions(v, contents, at)
	if err != nil {
		return nil, nil, err
	}
	for id, chunk := range chunks {
		doc, ok := docs[chunk.Doc]
		if !ok {
			continue
		}
		phrases, excluded := d.has(doc.Title, chunk.Text)
		allowed[id] = !excluded
		full[id] = phrases && !excluded
	}
	for _, set := range []map[index.ChunkID]bool{full, allowed} {
		for id, ok := range set {
			if !ok {
				delete(set, id)
			}
		}
	}
	return full, allowed, nil
}

// keywordSide asks the keyword index alone.
func (c *Corpus) keywordSide(ctx context.Context, v index.View, s *snapshots, at index.Seq, q index.KeywordQuery) ([]index.Hit, error) {
	for e, err := range v.Added(s.keywords.Seq(), at, "") {
		if err != nil {
			return nil, err
		}
		q.Overlay = append(q.Overlay, keywordEntry(e))
	}
	return s.keywords.Search(ctx, q)
}

func quotedAll(texts []string) []string {
	out := make([]string, len(texts))
	for i, t := range texts {
		out[i] = `"` + t + `"`
	}
	return out
}
