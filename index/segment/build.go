package segment

import (
	"io"
	"math"
	"runtime"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
)

// A batch collects entries for a segment; of several of one chunk it keeps the
// last.
type batch struct {
	dims     int
	keywords bool
	entries  []item
	at       map[index.ChunkID]int
	bytes    int             // of text and vectors
	lengths  []length        // of the entries, once they are prepared
	inverter inverter        // of the prepared entries
	memos    []analysis.Memo // of the first goroutines that analyse
}

// An item is an entry on its way into a segment. Its vector is stored already
// as it will be.
type item struct {
	chunk  index.ChunkID
	doc    index.DocID
	texts  [fields]string
	vector []int8
	scale  float32
}

// memosMost is how many goroutines remember words, so that all of them
// together remember no more than about 60 MB. Others analyse every word anew.
const memosMost = 4

func newBatch(dims int, keywords bool) *batch {
	b := &batch{dims: dims, keywords: keywords, at: make(map[index.ChunkID]int)}
	if keywords {
		b.memos = make([]analysis.Memo, min(runtime.GOMAXPROCS(0), memosMost))
	}
	return b
}

// next returns an empty batch of the same kind, which takes the memos over.
func (b *batch) next() *batch {
	return &batch{dims: b.dims, keywords: b.keywords, at: make(map[index.ChunkID]int), memos: b.memos}
}

func (b *batch) add(e *index.Entry) {
	it := item{chunk: e.Chunk, doc: e.Doc, scale: float32(math.NaN())}
	if b.keywords {
		it.texts = [fields]string{title: e.Title, headings: e.Headings, body: e.Text}
		b.bytes += len(e.Title) + len(e.Headings) + len(e.Text)
	}
	if b.dims > 0 && e.Vector != nil {
		it.vector = make([]int8, b.dims)
		it.scale = quantise(it.vector, e.Vector)
	}
	b.bytes += b.dims
	if i, ok := b.at[e.Chunk]; ok {
		b.entries[i] = it
		return
	}
	b.at[e.Chunk] = len(b.entries)
	b.entries = append(b.entries, it)
}

// full is 1 if the batch should become a segment, and above 1 if it must.
func (b *batch) full() int { return max(b.bytes/batchBytes, len(b.entries)/batchEntries) }

// prepare puts the entries in order and their words into terms.
func (b *batch) prepare() {
	slices.SortFunc(b.entries, func(x, y item) int { return compareChunks(x.chunk, y.chunk) })
	if !b.keywords {
		return
	}
	in, analysed := &b.inverter, b.analyse()
	in.terms = make(map[string]uint32)
	tokens := 0
	for _, a := range analysed {
		tokens += len(a[title]) + len(a[headings]) + len(a[body])
	}
	in.seen = make([]occurrence, 0, tokens)
	for i, a := range analysed {
		in.add(uint32(i), a)
		b.lengths = append(b.lengths, newLength(a.words()))
		analysed[i] = nil
	}
	in.terms = nil
}

// writeTo writes the entries of a batch that is prepared as a segment.
func (b *batch) writeTo(out io.Writer) error {
	w := newWriter(out, b.dims)
	w.begin(secVectors)
	none := make([]int8, b.dims)
	var scales []byte
	for i := range b.entries {
		e := &b.entries[i]
		if b.dims == 0 {
			break
		}
		if e.vector == nil {
			e.vector = none
		}
		w.write(raw(e.vector))
		scales = appendScale(scales, e.scale)
	}
	w.begin(secScales)
	w.write(scales)
	c := &columns{lengths: b.lengths}
	for i := range b.entries {
		c.chunks = append(c.chunks, b.entries[i].chunk)
		c.docs = append(c.docs, b.entries[i].doc)
	}
	w.columns(c, b.keywords)
	b.inverter.write(w)
	return w.finish()
}

func compareChunks(a, b index.ChunkID) int { return int(min(max(a-b, -1), 1)) }

// analysed holds the tokens of the fields of a chunk.
type analysed [fields][]analysis.Token

func (a *analysed) words() (n [fields]int) {
	for f := range fields {
		n[f] = analysis.Length(a[f])
	}
	return n
}

// analyse analyses texts, with a memo or nil.
func analyse(texts *[fields]string, memo *analysis.Memo) *analysed {
	a := new(analysed)
	for f, text := range texts {
		if text != "" {
			// About two terms for each word.
			tokens := make([]analysis.Token, 0, len(text)/3+1)
			if memo == nil {
				a[f] = analysis.Append(tokens, text)
			} else {
				a[f] = memo.Append(tokens, text)
			}
		}
	}
	return a
}

// analyse analyses the entries on all cores.
func (b *batch) analyse() []*analysed {
	all := make([]*analysed, len(b.entries))
	var next atomic.Int64
	var wg sync.WaitGroup
	for w := range min(runtime.GOMAXPROCS(0), len(all)) {
		wg.Go(func() {
			var memo *analysis.Memo
			if w < len(b.memos) {
				memo = &b.memos[w]
			}
			for i := next.Add(1) - 1; int(i) < len(all); i = next.Add(1) - 1 {
				all[i] = analyse(&b.entries[i].texts, memo)
			}
		})
	}
	wg.Wait()
	return all
}

// An inverter turns entries of terms into terms of entries.
type inverter struct {
	terms map[string]uint32
	names []string
	seen  []occurrence
}

type occurrence struct {
	term, entry uint32
	place       uint32 // field << 29 | position
}

const (
	fieldShift  = 29
	maxPosition = 1<<fieldShift - 1
)

func (in *inverter) add(entry uint32, a *analysed) {
	for f := range fields {
		for _, t := range a[f] {
			n, ok := in.terms[t.Term]
			if !ok {
				n = uint32(len(in.names))
				in.terms[t.Term] = n
				in.names = append(in.names, t.Term)
			}
			in.seen = append(in.seen, occurrence{n, entry, uint32(f)<<fieldShift | uint32(min(t.Position, maxPosition))})
		}
	}
}

// write writes the terms in order.
func (in *inverter) write(w *writer) {
	// Sorted by term; within a term, the order of entries, fields and
	// positions stays.
	starts := make([]int, len(in.names)+1)
	for _, o := range in.seen {
		starts[o.term+1]++
	}
	for i := range in.names {
		starts[i+1] += starts[i]
	}
	sorted := make([]occurrence, len(in.seen))
	at := slices.Clone(starts)
	for _, o := range in.seen {
		sorted[at[o.term]] = o
		at[o.term]++
	}
	order := make([]uint32, len(in.names))
	for i := range order {
		order[i] = uint32(i)
	}
	slices.SortFunc(order, func(a, b uint32) int {
		switch x, y := in.names[a], in.names[b]; {
		case x < y:
			return -1
		case x > y:
			return 1
		}
		return 0
	})
	l := new(list)
	for _, t := range order {
		l.reset()
		l.fill(sorted[starts[t]:starts[t+1]])
		w.term([]byte(in.names[t]), l)
	}
}

// fill sets l to the occurrences of one term.
func (l *list) fill(seen []occurrence) {
	for i := 0; i < len(seen); {
		entry := seen[i].entry
		var counts [fields]uint32
		last := uint32(0)
		field := uint32(0)
		for ; i < len(seen) && seen[i].entry == entry; i++ {
			f, pos := seen[i].place>>fieldShift, seen[i].place&maxPosition
			if f != field {
				field, last = f, 0
			}
			counts[f]++
			l.positions = appendVarint(l.positions, pos-last)
			last = pos
		}
		l.add(entry, counts)
		l.ends = append(l.ends, len(l.positions))
	}
}
