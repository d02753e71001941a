package minirag

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"path/filepath"
	"slices"
	"strings"
	"sync"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/search"
)

// scopeCache keeps the documents of the last scope: a client asks for the
// same folder again and again.
type scopeCache struct {
	mu     sync.Mutex // guards the rest
	at     index.Seq
	key    string
	filter *index.Filter
}

// statsCache keeps the counts of the last sequence, which cost a look at
// every document.
type statsCache struct {
	mu    sync.Mutex // guards the rest
	at    index.Seq
	stats index.Stats
}

func (c *statsCache) of(v index.View) (index.Stats, error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.at == v.Seq() && c.at != 0 {
		return c.stats, nil
	}
	stats, err := v.Stats()
	if err == nil {
		c.at, c.stats = v.Seq(), stats
	}
	return stats, err
}

// filter turns a scope into the set of its documents at a sequence that this
// process may see.
func (c *Corpus) filter(v index.View, at index.Seq, scope []string) (*index.Filter, error) {
	key := strings.Join(scope, "\x00")
	c.scope.mu.Lock()
	defer c.scope.mu.Unlock()
	if c.scope.at == at && at != 0 && c.scope.key == key {
		return c.scope.filter, nil
	}
	filter, err := c.visible(v, at, c.scopes(scope))
	if err == nil {
		c.scope.at, c.scope.key, c.scope.filter = at, key, filter
	}
	return filter, err
}

// scopes adds to each scope what it means below the roots, so that a display
// path serves as well as a source.
func (c *Corpus) scopes(scope []string) []string {
	if len(scope) == 0 {
		return nil
	}
	all := slices.Clone(scope)
	for _, s := range scope {
		if s == "" || filepath.IsAbs(s) || strings.Contains(s, "://") {
			continue
		}
		for _, root := range c.roots.Paths() {
			all = append(all, filepath.Join(root, filepath.FromSlash(s)))
		}
	}
	return all
}

// result fetches the text of the best hits, folds those that say the same, and
// takes no more of one document than q wants.
func (c *Corpus) result(v index.View, at index.Seq, hits []search.Hit, judge *judge, q *Query) (*Result, error) {
	perDocument, folds, ours := q.PerDocument, !q.Duplicates, q.Ranking.HybridWeight == nil
	switch {
	case perDocument < 0 || perDocument == 0 && !ours:
		perDocument = 0
	case perDocument == 0:
		perDocument = max(leastPerDocument, (q.TopK+1)/2)
	}
	if !ours && q.PerDocument == 0 {
		folds = false
	}
	want := q.TopK
	if ours {
		want = max(want, apartAmong)
	}
	hits = search.Spread(hits, perDocument)
	docs := make(map[index.DocID]*index.Document)
	r := &resolver{c: c, v: v, docs: docs, texts: make(map[index.DocID]*text), sections: make(map[string]*Section)}
	chosen := make([]Hit, 0, min(want, len(hits)))
	var found []search.Hit
	var folder search.Folder
	var chunks map[index.ChunkID]index.Chunk
	for i := range hits {
		if i%(2*want) == 0 {
			if len(chosen) == want {
				break
			}
			// Most hits are never shown: what they are of is not read.
			next := hits[i:min(i+2*want, len(hits))]
			var err error
			if chunks, err = v.Chunks(chunkIDs(next)); err != nil {
				return nil, err
			}
			contents := make(map[index.DocID]bool)
			for _, h := range next {
				contents[h.Doc] = docs[h.Doc] == nil
			}
			maps.DeleteFunc(contents, func(_ index.DocID, missing bool) bool { return !missing })
			more, err := versions(v, contents, at)
			if err != nil {
				return nil, err
			}
			maps.Copy(docs, more)
		}
		stored, ok := chunks[hits[i].Chunk]
		doc, live := docs[hits[i].Doc]
		if !ok || !live {
			// What was closed since the indexes were made is not among the hits.
			return nil, fmt.Errorf("chunk %d is found and not in the catalog: %w: run minirag doctor --repair", hits[i].Chunk, index.ErrDamaged)
		}
		if folds {
			if first, ok := folder.Fold(stored.Text, doc.ID); ok {
				chosen[first].alsoIn(c.source(doc))
				continue
			}
		}
		if len(chosen) == want {
			if !folds {
				break
			}
			folder.Drop()
			continue // one that says the same as a chosen one may follow
		}
		hit, err := r.hit(&stored)
		if err != nil {
			return nil, err
		}
		hit.Score = hits[i].Score
		if hits[i].Near {
			d := hits[i].Distance()
			hit.Distance = &d
		}
		chosen, found = append(chosen, hit), append(found, hits[i])
	}
	judge.judge(chosen, found, q.Explain)
	byScore(chosen, ours)
	if ours {
		apart(chosen)
	}
	chosen = chosen[:min(len(chosen), q.TopK)]
	res := &Result{Hits: make([]Hit, 0, len(chosen))}
	for _, h := range chosen {
		res.add(h)
	}
	return res, nil
}

// leastPerDocument is the smallest bound of the hits of one document that is
// set without being asked for.
const leastPerDocument = 5

func chunkIDs(hits []search.Hit) []index.ChunkID {
	ids := make([]index.ChunkID, len(hits))
	for i, h := range hits {
		ids[i] = h.Chunk
	}
	return ids
}

// alsoIn adds a source that has the same text.
func (h *Hit) alsoIn(s *Source) {
	if s.ID != h.Source.ID && !slices.ContainsFunc(h.AlsoIn, func(o *Source) bool { return o.ID == s.ID }) {
		h.AlsoIn = append(h.AlsoIn, s)
	}
}

// add appends a hit and counts its source.
func (r *Result) add(h Hit) {
	r.Hits = append(r.Hits, h)
	i := slices.IndexFunc(r.Sources, func(s SourceHits) bool { return s.Source == h.Source })
	if i < 0 {
		i = len(r.Sources)
		r.Sources = append(r.Sources, SourceHits{Source: h.Source})
	}
	r.Sources[i].Hits++
}

// versions returns the document that shows each content at a sequence.
func versions(v index.View, contents map[index.DocID]bool, at index.Seq) (map[index.DocID]*index.Document, error) {
	ids := make([]index.DocID, 0, len(contents))
	for id := range contents {
		ids = append(ids, id)
	}
	all, err := v.ByContent(ids)
	if err != nil {
		return nil, err
	}
	docs := make(map[index.DocID]*index.Document, len(all))
	for i := range all {
		if all[i].At(at) {
			docs[all[i].ID] = &all[i]
		}
	}
	return docs, nil
}

// resolver turns stored chunks into hits, reading each document once.
type resolver struct {
	c        *Corpus
	v        index.View
	docs     map[index.DocID]*index.Document
	texts    map[index.DocID]*text
	sections map[string]*Section
}

type text struct {
	source   *Source
	markdown string
	sections []chunk.Section
}

func (r *resolver) hit(stored *index.Chunk) (Hit, error) {
	t, err := r.text(stored.Doc)
	if err != nil {
		return Hit{}, err
	}
	section, err := r.section(t, stored.Section)
	if err != nil {
		return Hit{}, err
	}
	return Hit{Source: t.source, Index: stored.Index, Text: stored.Text, Section: section}, nil
}

func (r *resolver) text(id index.DocID) (*text, error) {
	if t, ok := r.texts[id]; ok {
		return t, nil
	}
	doc := r.docs[id]
	markdown, err := r.v.Markdown(id)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", doc.Source, err)
	}
	sections, err := r.v.Sections(id)
	if err != nil {
		return nil, fmt.Errorf("read %s: %w", doc.Source, err)
	}
	t := &text{source: r.c.source(doc), markdown: markdown, sections: sections}
	r.texts[id] = t
	return t, nil
}

func (r *resolver) section(t *text, i int) (*Section, error) {
	id := fmt.Sprintf("%s#p%d", t.source.ID, i)
	if s, ok := r.sections[id]; ok {
		return s, nil
	}
	if i >= len(t.sections) || t.sections[i].End > len(t.markdown) || t.sections[i].Start > t.sections[i].End {
		return nil, fmt.Errorf("read %s: section %d does not fit its text: %w", t.source.ID, i, index.ErrDamaged)
	}
	raw := &t.sections[i]
	s := &Section{ID: id, Headings: raw.Headings, Text: strings.TrimSpace(t.markdown[raw.Start:raw.End]), Start: raw.Start, End: raw.End}
	r.sections[id] = s
	return s, nil
}

// Read returns a whole document as it was converted, or [ErrNotFound].
func (c *Corpus) Read(ctx context.Context, source string) (*Text, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	var out *Text
	err = c.o.Catalog.View(ctx, func(v index.View) error {
		d, err := c.document(v, source)
		if err != nil {
			return err
		}
		markdown, err := v.Markdown(d.ID)
		if err != nil {
			return err
		}
		sections, err := v.Sections(d.ID)
		if err != nil {
			return err
		}
		out = &Text{Source: *c.source(&d), Markdown: markdown, Category: d.Category, Sections: sections}
		return nil
	})
	if err != nil {
		return nil, missing("read", source, err)
	}
	return out, nil
}

// Neighbors returns the chunks of a document from chunk-before to
// chunk+after, in order. Beyond its ends there are none; a document that is
// not indexed is [ErrNotFound].
func (c *Corpus) Neighbors(ctx context.Context, source string, chunk, before, after int) ([]Hit, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	hits := []Hit{}
	err = c.o.Catalog.View(ctx, func(v index.View) error {
		d, err := c.document(v, source)
		if err != nil {
			return err
		}
		chunks, err := v.ChunkRange(d.ID, max(0, chunk-before), chunk+after)
		if err != nil {
			return err
		}
		r := &resolver{c: c, v: v, docs: map[index.DocID]*index.Document{d.ID: &d}, texts: make(map[index.DocID]*text), sections: make(map[string]*Section)}
		for i := range chunks {
			hit, err := r.hit(&chunks[i])
			if err != nil {
				return err
			}
			hits = append(hits, hit)
		}
		return nil
	})
	if err != nil {
		return nil, missing("read neighbors of", source, err)
	}
	return hits, nil
}

// Delete removes a source from the index, not from the disk, and returns what
// it was, or [ErrNotFound]. A file that still exists comes back with the next sync.
func (c *Corpus) Delete(ctx context.Context, source string) (*Source, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	var gone index.Document
	_, err = c.o.Catalog.Update(ctx, func(tx index.Tx) error {
		// One that is damaged may go all the same.
		d, err := c.document(tx, source)
		switch {
		case err == nil:
			source = d.Source
		case !errors.Is(err, index.ErrDamaged):
			return err
		}
		gone, err = tx.Delete(source)
		return err
	})
	if err != nil {
		return nil, missing("delete", source, err)
	}
	if _, err := c.catchUp(ctx); err != nil {
		c.log.WarnContext(ctx, "derived indexes are behind", "source", source, "error", err)
	}
	return c.source(&gone), nil
}

// missing names the source in an error.
func missing(op, source string, err error) error {
	e := &SourceError{Op: op, Source: source, Err: err}
	if errors.Is(err, index.ErrNotFound) {
		e.Err, e.Hint = ErrNotFound, "ingest it, or run a sync"
	}
	return e
}
