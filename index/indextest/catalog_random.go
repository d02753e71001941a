package indextest

import (
	"cmp"
	"fmt"
	"maps"
	"math/rand/v2"
	"slices"
	"testing"
	"time"

	"github.com/minirag/minirag/index"
)

// A model is a catalog that keeps every version in memory.
type model struct {
	seq, purged index.Seq
	versions    []index.Document // of all times; To is when it was closed
	contents    map[index.DocID]*content
	lastDoc     index.DocID
	lastChunk   index.ChunkID
}

type content struct {
	doc    *index.NewDocument
	chunks []index.ChunkID
}

func (m *model) at(s index.Seq) []index.Document {
	var out []index.Document
	for _, d := range m.versions {
		if d.At(s) {
			out = append(out, d)
		}
	}
	slices.SortFunc(out, func(a, b index.Document) int { return cmp.Compare(a.Source, b.Source) })
	return out
}

func (m *model) close(source string, seq index.Seq) {
	for i := range m.versions {
		if d := &m.versions[i]; d.Source == source && d.To == index.Live {
			d.To = seq
		}
	}
}

// chunks returns the live ones at s, of one model if it is not empty.
func (m *model) chunks(s index.Seq, embedder string) []index.ChunkID {
	var ids []index.ChunkID
	for _, d := range m.at(s) {
		if embedder == "" || d.Model == embedder {
			ids = append(ids, m.contents[d.ID].chunks...)
		}
	}
	slices.Sort(ids)
	return ids
}

// minus returns what is in a and not in b, both sorted.
func minus(a, b []index.ChunkID) []index.ChunkID {
	var out []index.ChunkID
	for _, id := range a {
		if _, found := slices.BinarySearch(b, id); !found {
			out = append(out, id)
		}
	}
	return out
}

// purge forgets what was closed at or before upTo.
func (m *model) purge(upTo index.Seq) {
	m.purged = max(m.purged, min(upTo, m.seq))
	m.versions = slices.DeleteFunc(m.versions, func(d index.Document) bool { return d.To <= m.purged })
	maps.DeleteFunc(m.contents, func(id index.DocID, _ *content) bool {
		return !slices.ContainsFunc(m.versions, func(d index.Document) bool { return d.ID == id })
	})
}

var models = []string{"model-a", "model-b"}

// testRandom applies changes at random to a catalog and a model, and compares.
func testRandom(t *testing.T, c index.Catalog, opts *CatalogOptions, seed uint64) {
	steps := 60
	if testing.Short() {
		steps = 20
	}
	rnd := rand.New(rand.NewPCG(seed, 1))
	m := &model{contents: make(map[index.DocID]*content)}
	for step := range steps {
		switch n := rnd.IntN(20); {
		case n == 0:
			upTo := index.Seq(rnd.Int64N(int64(m.seq) + 3))
			if rnd.IntN(2) == 0 {
				upTo = m.purged + index.Seq(rnd.IntN(3))
			}
			if err := c.Purge(t.Context(), upTo); err != nil {
				t.Fatalf("Purge(%d): %v", upTo, err)
			}
			m.purge(upTo)
		case n == 1 && opts.Reopen != nil:
			c = opts.Reopen(t, c)
		default:
			m.update(t, c, rnd)
		}
		if step%4 == 3 || step == steps-1 {
			view(t, c, func(v index.View) { m.check(t, v, rnd) })
		}
	}
}

// update makes some changes in one transaction.
func (m *model) update(t *testing.T, c index.Catalog, rnd *rand.Rand) {
	t.Helper()
	source := func() string { return fmt.Sprintf("/%c/%d", 'a'+rnd.IntN(2), rnd.IntN(5)) }
	changed := false
	next := m.seq + 1
	got := update(t, c, func(tx index.Tx) error {
		for range 1 + rnd.IntN(3) {
			name := source()
			i := slices.IndexFunc(m.versions, func(d index.Document) bool { return d.Source == name && d.To == index.Live })
			when := time.Unix(rnd.Int64N(1e10), rnd.Int64N(1e9)).UTC()
			switch n := rnd.IntN(10); {
			case i < 0 || n < 5:
				doc := newDocument(name, fmt.Sprintf("text %x", rnd.Uint64()), rnd.IntN(4))
				doc.Model = models[rnd.IntN(2)]
				stored, err := tx.Put(doc)
				if err != nil {
					return err
				}
				m.close(name, next)
				m.add(t, tx, doc, stored)
				changed = true
			case n < 7:
				if _, err := tx.Delete(name); err != nil {
					return err
				}
				m.close(name, next)
				changed = true
			case n < 9:
				moved, err := tx.Move(name, source(), when)
				if err != nil {
					return err
				}
				m.close(name, next)
				m.close(moved.Source, next)
				m.versions = append(m.versions, moved)
				changed = true
			default:
				if err := tx.Touch(name, 1234, when); err != nil {
					return err
				}
				m.versions[i].Size, m.versions[i].ModTime = 1234, when
			}
		}
		return nil
	})
	if changed {
		m.seq = next
	}
	if got != m.seq {
		t.Fatalf("Update returns the sequence %d, want %d", got, m.seq)
	}
}

// add takes over what Put stored, and checks that its ids are new.
func (m *model) add(t *testing.T, tx index.Tx, doc *index.NewDocument, stored index.Document) {
	t.Helper()
	if stored.ID <= m.lastDoc {
		t.Fatalf("document id %d after %d", stored.ID, m.lastDoc)
	}
	m.lastDoc = stored.ID
	chunks, err := tx.ChunkRange(stored.ID, 0, len(doc.Chunks))
	if err != nil || len(chunks) != len(doc.Chunks) {
		t.Fatalf("ChunkRange: %d chunks, %v, want %d", len(chunks), err, len(doc.Chunks))
	}
	ct := &content{doc: doc}
	for _, ch := range chunks {
		if ch.ID <= m.lastChunk {
			t.Fatalf("chunk id %d after %d", ch.ID, m.lastChunk)
		}
		m.lastChunk = ch.ID
		ct.chunks = append(ct.chunks, ch.ID)
	}
	m.contents[stored.ID] = ct
	m.versions = append(m.versions, stored)
}

func (m *model) check(t *testing.T, v index.View, rnd *rand.Rand) {
	t.Helper()
	if v.Seq() != m.seq || v.Purged() != m.purged {
		t.Fatalf("Seq %d, Purged %d, want %d and %d", v.Seq(), v.Purged(), m.seq, m.purged)
	}
	for s := max(m.purged, 1); s <= m.seq; s++ {
		m.checkDocuments(t, v, index.DocumentQuery{At: s}, m.at(s))
		m.checkChanges(t, v, 0, s, models[rnd.IntN(2)])
		m.checkChanges(t, v, m.purged+index.Seq(rnd.Int64N(int64(s-m.purged)+1)), s, models[rnd.IntN(2)])
	}
	live := m.at(m.seq)
	m.checkDocuments(t, v, index.DocumentQuery{}, live)
	stats := index.Stats{Documents: len(live), ByFingerprint: make(map[index.Fingerprint]int)}
	for _, d := range live {
		got, err := v.Document(d.Source)
		if err != nil {
			t.Fatal(err)
		}
		diff(t, "Document", got, d)
		stats.Chunks += d.Chunks
		stats.Bytes += int64(d.Bytes)
		stats.ByFingerprint[d.Fingerprint] += d.Chunks
	}
	got, err := v.Stats()
	wantErr(t, "Stats", err, nil)
	diff(t, "Stats", got, stats)
	for id, ct := range m.contents {
		m.checkContent(t, v, id, ct)
	}
}

func (m *model) checkDocuments(t *testing.T, v index.View, q index.DocumentQuery, want []index.Document) {
	t.Helper()
	var got []index.Document
	for d, err := range v.Documents(q) {
		if err != nil {
			t.Fatalf("Documents(%+v): %v", q, err)
		}
		got = append(got, d)
	}
	diff(t, fmt.Sprintf("Documents(%+v)", q), got, want)
}

func (m *model) checkChanges(t *testing.T, v index.View, from, to index.Seq, embedder string) {
	t.Helper()
	before, after := m.chunks(from, ""), m.chunks(to, "")
	if from == 0 {
		before = nil
	}
	removed, err := v.Removed(from, to)
	wantErr(t, "Removed", err, nil)
	diff(t, fmt.Sprintf("Removed(%d, %d)", from, to), removed, minus(before, after))
	for _, e := range []string{"", embedder} {
		want := minus(m.chunks(to, e), before)
		what := fmt.Sprintf("Added(%d, %d, %q)", from, to, e)
		n, err := v.CountAdded(from, to, e)
		if n != len(want) || err != nil {
			t.Fatalf("Count%s: %d, %v, want %d", what, n, err, len(want))
		}
		var ids []index.ChunkID
		for got, err := range v.Added(from, to, e) {
			if err != nil {
				t.Fatalf("%s: %v", what, err)
			}
			ids = append(ids, got.Chunk)
			m.checkEntry(t, got, e != "")
		}
		diff(t, what, ids, want)
	}
}

func (m *model) checkEntry(t *testing.T, e index.Entry, vectors bool) {
	t.Helper()
	ct := m.contents[e.Doc]
	if ct == nil {
		t.Fatalf("entry of content %d, which is gone", e.Doc)
	}
	i := slices.Index(ct.chunks, e.Chunk)
	if i < 0 {
		t.Fatalf("chunk %d is not of content %d", e.Chunk, e.Doc)
	}
	if vectors {
		if err := sameVector(e.Vector, ct.doc.Vectors[i]); err != nil {
			t.Fatalf("vector of chunk %d: %v", e.Chunk, err)
		}
	} else if e.Vector != nil {
		t.Fatalf("chunk %d has a vector that was not asked for", e.Chunk)
	}
	headings := ct.doc.Sections[i].Headings
	e.Vector = nil
	diff(t, "entry", e, index.Entry{Chunk: e.Chunk, Doc: e.Doc, Title: ct.doc.Title,
		Headings: headings[0] + " > " + headings[1], Text: ct.doc.Chunks[i].Text})
}

func (m *model) checkContent(t *testing.T, v index.View, id index.DocID, ct *content) {
	t.Helper()
	text, err := v.Markdown(id)
	if err != nil || text != ct.doc.Markdown {
		t.Fatalf("Markdown(%d): %q, %v", id, text, err)
	}
	sections, err := v.Sections(id)
	if err != nil || len(sections) != len(ct.doc.Sections) {
		t.Fatalf("Sections(%d): %v, %v", id, sections, err)
	}
	chunks, err := v.Chunks(ct.chunks)
	if err != nil || len(chunks) != len(ct.chunks) {
		t.Fatalf("Chunks of content %d: %d, %v, want %d", id, len(chunks), err, len(ct.chunks))
	}
	var want []index.Document
	for _, d := range m.versions {
		if d.ID == id {
			want = append(want, d)
		}
	}
	got, err := v.ByContent([]index.DocID{id})
	wantErr(t, "ByContent", err, nil)
	diff(t, "ByContent", got, want)
}
