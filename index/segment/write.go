package segment

import (
	"encoding/binary"
	"io"
	"math"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// A writer writes the content of a segment file in the order of its sections.
type writer struct {
	out     io.Writer
	written uint64
	section int
	err     error

	foot    footer
	sums    summer
	lengths []length
	runOf   []uint32 // of each entry
	norms   *norms
	dict    dictWriter
	buf     []byte
}

func newWriter(out io.Writer, dims int) *writer {
	w := &writer{out: out, section: -1}
	w.foot.dims = uint64(dims)
	return w
}

func (w *writer) write(data []byte) {
	if w.err == nil && len(data) > 0 {
		_, w.err = w.out.Write(data)
		w.written += uint64(len(data))
		w.sums.add(data)
	}
}

// begin starts the next section.
func (w *writer) begin(section int) {
	w.end()
	pad := -(w.written + uint64(segset.HeaderSize)) % sectionAlign
	w.write(make([]byte, pad))
	w.section = section
	w.foot.sections[section].start = w.written
}

func (w *writer) end() {
	if w.section >= 0 {
		s := &w.foot.sections[w.section]
		s.size = w.written - s.start
	}
}

// columns are what a segment knows of its entries beside vectors and terms.
type columns struct {
	chunks  []index.ChunkID
	docs    []index.DocID // of each entry
	lengths []length
}

func (w *writer) columns(c *columns, keywords bool) {
	w.foot.count = uint64(len(c.chunks))
	w.begin(secChunks)
	w.write(raw(c.chunks))
	w.begin(secLengths)
	if keywords {
		w.lengths = c.lengths
		w.write(raw(c.lengths))
		for _, l := range c.lengths {
			for f := range fields {
				w.foot.total[f] += uint64(l.of(f))
			}
		}
		var average [fields]float64
		for f := range fields {
			average[f] = w.foot.average(f)
		}
		w.norms = newNorms(average)
	}
	var runs []uint32
	var docs []index.DocID
	for i, d := range c.docs {
		if i == 0 || d != docs[len(docs)-1] {
			runs, docs = append(runs, uint32(i)), append(docs, d)
		}
		w.runOf = append(w.runOf, uint32(len(runs)-1))
	}
	w.begin(secRuns)
	w.write(raw(runs))
	w.begin(secDocs)
	w.write(raw(docs))
	w.begin(secPostings)
}

// term writes the postings of a term. Terms come in order.
func (w *writer) term(term []byte, l *list) {
	if w.err != nil || len(l.entries) == 0 {
		return
	}
	var info termInfo
	w.buf, info = l.encode(w.buf[:0], w.norms, w.lengths, w.runOf)
	w.write(w.buf)
	if err := w.dict.add(term, info); err != nil && w.err == nil {
		w.err = err
	}
}

// finish writes the dictionary and the footer.
func (w *writer) finish() error {
	w.write(make([]byte, packTail))
	w.begin(secTerms)
	if len(w.dict.terms) > math.MaxUint32 {
		return errShape
	}
	w.write(w.dict.terms)
	w.begin(secBlocks)
	w.write(raw(w.dict.blocks))
	w.begin(secSums)
	table := raw(w.sums.all())
	w.write(table)
	w.end()
	numbers := w.foot.encode()
	w.foot.sum = footerSum(table, numbers[:footerSize-8])
	w.write(w.foot.encode())
	return w.err
}

func appendScale(dst []byte, scale float32) []byte {
	return binary.LittleEndian.AppendUint32(dst, math.Float32bits(scale))
}
