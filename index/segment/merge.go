package segment

import (
	"bytes"
	"encoding/binary"
	"io"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

func appendVarint(dst []byte, n uint32) []byte { return binary.AppendUvarint(dst, uint64(n)) }

// merge writes the live entries of segments as one, by chunk.
func merge(parts []*segset.Part[*segment], out io.Writer, dims int, keywords bool) error {
	m := newMerger(parts)
	w := newWriter(out, dims)
	w.begin(secVectors)
	if dims > 0 {
		for _, p := range m.places {
			w.write(raw(m.parts[p.part].Data.vector(int(p.entry))))
		}
	}
	w.begin(secScales)
	if dims > 0 {
		var scales []byte
		for _, p := range m.places {
			scales = appendScale(scales, m.parts[p.part].Data.scales[p.entry])
		}
		w.write(scales)
	}
	c := new(columns)
	for _, p := range m.places {
		s := m.parts[p.part].Data
		c.chunks = append(c.chunks, s.chunks[p.entry])
		if keywords {
			c.lengths = append(c.lengths, s.lengths[p.entry])
		}
	}
	c.docs = m.docs()
	w.columns(c, keywords)
	if keywords {
		m.terms(w)
	}
	return w.finish()
}

// A merger knows where the entries of a merged segment come from.
type merger struct {
	parts   []*segset.Part[*segment]
	places  []place
	numbers [][]uint32 // of the entries of each part
}

type place struct{ part, entry uint32 }

func newMerger(parts []*segset.Part[*segment]) *merger {
	m := &merger{parts: parts}
	next := make([]int, len(parts))
	live := 0
	for i, p := range parts {
		m.numbers = append(m.numbers, make([]uint32, p.Data.Len()))
		next[i] = m.skip(i, 0)
		live += p.Live()
	}
	m.places = make([]place, 0, live)
	for {
		best := -1
		for i, p := range parts {
			if next[i] < p.Data.Len() && (best < 0 || p.Data.chunks[next[i]] < parts[best].Data.chunks[next[best]]) {
				best = i
			}
		}
		if best < 0 {
			return m
		}
		m.numbers[best][next[best]] = uint32(len(m.places))
		m.places = append(m.places, place{uint32(best), uint32(next[best])})
		next[best] = m.skip(best, next[best]+1)
	}
}

// skip drops the deleted entries of a part from i on and returns the next one
// that is live.
func (m *merger) skip(part, i int) int {
	p := m.parts[part]
	for ; i < p.Data.Len() && p.Deleted.Has(i); i++ {
		m.numbers[part][i] = dropped
	}
	return i
}

// docs returns the documents of the entries in their new order.
func (m *merger) docs() []index.DocID {
	docs := make([]index.DocID, len(m.places))
	run := make([]int, len(m.parts))
	for i, p := range m.places {
		s := m.parts[p.part].Data
		for s.runEnd(run[p.part]) <= int(p.entry) {
			run[p.part]++
		}
		docs[i] = s.docs[run[p.part]]
	}
	return docs
}

// terms merges the dictionaries.
func (m *merger) terms(w *writer) {
	var readers []*dictReader
	var from []int
	for i, p := range m.parts {
		if d := (&dictReader{s: p.Data}); d.read() {
			readers, from = append(readers, d), append(from, i)
		}
	}
	c := new(cursor)
	l := new(list)
	var term []byte
	for len(readers) > 0 && w.err == nil {
		term = append(term[:0], readers[0].term...)
		for _, d := range readers[1:] {
			if bytes.Compare(d.term, term) < 0 {
				term = append(term[:0], d.term...)
			}
		}
		l.reset()
		kept := 0
		for i, d := range readers {
			more := true
			if bytes.Equal(d.term, term) {
				c.open(d)
				c.appendTo(l, m.numbers[from[i]])
				more = d.read()
			}
			if more {
				readers[kept], from[kept] = d, from[i]
				kept++
			}
		}
		readers, from = readers[:kept], from[:kept]
		l.sort()
		w.term(term, l)
	}
}
