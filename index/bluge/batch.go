package bluge

import (
	"bytes"

	segapi "github.com/blugelabs/bluge_segment_api"
	"github.com/blugelabs/ice"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
)

// A batch collects chunks for a segment; of several of one chunk it keeps the
// last.
type batch struct {
	docs  []*document
	at    map[index.ChunkID]int
	bytes int // of text
}

func newBatch() *batch { return &batch{at: make(map[index.ChunkID]int)} }

func (b *batch) add(e index.KeywordEntry) {
	doc := analyse(e)
	b.bytes += len(e.Title) + len(e.Headings) + len(e.Body)
	if i, ok := b.at[e.Chunk]; ok {
		b.docs[i] = doc
		return
	}
	b.at[e.Chunk] = len(b.docs)
	b.docs = append(b.docs, doc)
}

func (b *batch) encode() ([]byte, error) {
	ids := make([]index.ChunkID, len(b.docs))
	docs := make([]index.DocID, len(b.docs))
	lengths := make([][fields]uint32, len(b.docs))
	results := make([]segapi.Document, len(b.docs))
	for i, d := range b.docs {
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

// A document is an analysed chunk in the form that bluge's segments take.
type document struct {
	chunk  index.ChunkID
	doc    index.DocID
	fields [fields]field
}

type field struct {
	name  string
	words int
	terms map[string]int // how often each occurs
}

func analyse(e index.KeywordEntry) *document {
	d := &document{chunk: e.Chunk, doc: e.Doc}
	for f, text := range [fields]string{title: e.Title, headings: e.Headings, body: e.Body} {
		tokens := analysis.Tokens(text)
		terms := make(map[string]int, len(tokens))
		for _, t := range tokens {
			terms[t.Term]++
		}
		d.fields[f] = field{fieldNames[f], analysis.Length(tokens), terms}
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
	for t, n := range f.terms {
		visit(termCount{t, n})
	}
}

type termCount struct {
	term string
	n    int
}

func (t termCount) Term() []byte                      { return []byte(t.term) }
func (t termCount) Frequency() int                    { return t.n }
func (t termCount) EachLocation(segapi.VisitLocation) {}
