package bluge

import (
	"bytes"
	"runtime"
	"sync"
	"sync/atomic"

	"github.com/blugelabs/bluge"
	blugeanalysis "github.com/blugelabs/bluge/analysis"
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

// A document is an analysed chunk: its fields are bluge's, its terms ours.
type document struct {
	chunk  index.ChunkID
	doc    index.DocID
	fields [fields]field
}

type field struct {
	*bluge.TermField
	words int
}

func analyse(e index.KeywordEntry) *document {
	d := &document{chunk: e.Chunk, doc: e.Doc}
	for f, text := range [fields]string{title: e.Title, headings: e.Headings, body: e.Body} {
		var words analyzer
		d.fields[f].TermField = bluge.NewTextField(fieldNames[f], text).WithAnalyzer(&words)
		d.fields[f].Analyze(0)
		d.fields[f].words = int(words)
	}
	return d
}

// Analyze does nothing: it is done.
func (d *document) Analyze() {}

// EachField visits the fields that have terms.
func (d *document) EachField(visit segapi.VisitField) {
	for f := range d.fields {
		if d.fields[f].Length() > 0 {
			visit(d.fields[f])
		}
	}
}

// count returns how often a term occurs.
func (f *field) count(term string) int {
	if t, ok := f.AnalyzedTokenFrequencies()[term]; ok {
		return t.Frequency()
	}
	return 0
}

// An analyzer gives bluge the terms of package analysis for one field, and
// keeps how many words the field has: several terms may stand for one.
type analyzer int

// Analyze implements bluge's Analyzer.
func (a *analyzer) Analyze(text []byte) blugeanalysis.TokenStream {
	tokens := analysis.Tokens(string(text))
	*a = analyzer(analysis.Length(tokens))
	all := make([]blugeanalysis.Token, len(tokens))
	stream := make(blugeanalysis.TokenStream, len(tokens))
	for i, t := range tokens {
		all[i] = blugeanalysis.Token{Term: []byte(t.Term), PositionIncr: 1}
		stream[i] = &all[i]
	}
	return stream
}
