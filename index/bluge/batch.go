package bluge

import (
	"bytes"
	"runtime"
	"slices"
	"strings"
	"sync"
	"sync/atomic"

	segapi "github.com/blugelabs/bluge_segment_api"
	"github.com/blugelabs/ice"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
)

// A batch collects chunks for a segment; of several of one chunk it keeps the
// last.
type batch struct {
	entries []index.KeywordEntry
	at      map[index.ChunkID]int
	bytes   int // of text
}

func newBatch() *batch { return &batch{at: make(map[index.ChunkID]int)} }

func (b *batch) add(e index.KeywordEntry) {
	b.bytes += len(e.Title) + len(e.Headings) + len(e.Body)
	if i, ok := b.at[e.Chunk]; ok {
		b.entries[i] = e
		return
	}
	b.at[e.Chunk] = len(b.entries)
	b.entries = append(b.entries, e)
}

func (b *batch) encode() ([]byte, error) {
	analysed := b.analyse()
	ids := make([]index.ChunkID, len(analysed))
	docs := make([]index.DocID, len(analysed))
	lengths := make([][fields]uint32, len(analysed))
	results := make([]segapi.Document, len(analysed))
	for i, d := range analysed {
		ids[i], docs[i], results[i] = d.chunk, d.doc, d
		for f := range fields {
			lengths[i][f] = uint32(d.fields[f].words)
		}
	}
	terms, _, err := ice.New(results, norm)
	if err != nil {
		return nil, err
	}
	out := bytes.NewBuffer(encodeHeader(ids, docs, lengths))
	if _, err := terms.WriteTo(out, nil); err != nil {
		return nil, err
	}
	return out.Bytes(), nil
}

// analyse analyses the entries on all cores.
func (b *batch) analyse() []*document {
	docs := make([]*document, len(b.entries))
	var next atomic.Int64
	var wg sync.WaitGroup
	for range min(runtime.GOMAXPROCS(0), len(docs)) {
		wg.Go(func() {
			for i := next.Add(1) - 1; int(i) < len(docs); i = next.Add(1) - 1 {
				docs[i] = analyse(b.entries[i])
			}
		})
	}
	wg.Wait()
	return docs
}

// A document is an analysed chunk in the form that bluge's segments take.
type document struct {
	chunk  index.ChunkID
	doc    index.DocID
	fields [fields]field
}

type field struct {
	name  string
	words int
	terms []termCount // ascending
}

func analyse(e index.KeywordEntry) *document {
	d := &document{chunk: e.Chunk, doc: e.Doc}
	for f, text := range [fields]string{title: e.Title, headings: e.Headings, body: e.Body} {
		tokens := analysis.Tokens(text)
		words := analysis.Length(tokens)
		slices.SortFunc(tokens, func(a, b analysis.Token) int { return strings.Compare(a.Term, b.Term) })
		terms := make([]termCount, 0, len(tokens))
		for i, t := range tokens {
			if i == 0 || t.Term != tokens[i-1].Term {
				terms = append(terms, termCount{term: []byte(t.Term)})
			}
			terms[len(terms)-1].n++
		}
		d.fields[f] = field{fieldNames[f], words, terms}
	}
	return d
}

// Analyze does nothing: it is done.
func (d *document) Analyze() {}

// EachField visits the fields that have terms.
func (d *document) EachField(visit segapi.VisitField) {
	for f := range d.fields {
		if len(d.fields[f].terms) > 0 {
			visit(&d.fields[f])
		}
	}
}

func (f *field) Name() string         { return f.name }
func (f *field) Length() int          { return f.words }
func (f *field) Value() []byte        { return nil }
func (f *field) Index() bool          { return true }
func (f *field) Store() bool          { return false }
func (f *field) IndexDocValues() bool { return false }

func (f *field) EachTerm(visit segapi.VisitTerm) {
	for i := range f.terms {
		visit(&f.terms[i])
	}
}

// count returns how often a term occurs.
func (f *field) count(term string) int {
	i, ok := slices.BinarySearchFunc(f.terms, term, func(t termCount, term string) int {
		return strings.Compare(string(t.term), term)
	})
	if !ok {
		return 0
	}
	return f.terms[i].n
}

type termCount struct {
	term []byte
	n    int
}

func (t *termCount) Term() []byte                      { return t.term }
func (t *termCount) Frequency() int                    { return t.n }
func (t *termCount) EachLocation(segapi.VisitLocation) {}
