package segment

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"

	"github.com/minirag/minirag/internal/mmap"
)

// verify reads all of a segment and says what in it contradicts itself: what
// a checksum cannot tell, as it is of what was written. Bytes that make no
// sense at all end in an [mmap.ErrFault].
func (s *segment) verify() error {
	return mmap.Guard(func() error {
		if err := s.verifyColumns(); err != nil {
			return err
		}
		if len(s.lengths) == 0 {
			return nil
		}
		return s.verifyTerms()
	})
}

func (s *segment) verifyColumns() error {
	for i := 1; i < len(s.chunks); i++ {
		if s.chunks[i] <= s.chunks[i-1] {
			return fmt.Errorf("entry %d: chunk %d stands after chunk %d", i, s.chunks[i], s.chunks[i-1])
		}
	}
	for r, doc := range s.docs {
		if doc < 0 {
			return fmt.Errorf("run %d: document %d", r, doc)
		}
	}
	for i, scale := range s.scales {
		if scale < 0 || math.IsInf(float64(scale), 0) {
			return fmt.Errorf("entry %d: the scale of its vector is %v", i, scale)
		}
	}
	var total [fields]uint64
	for _, l := range s.lengths {
		for f := range fields {
			total[f] += uint64(l.of(f))
		}
	}
	if len(s.lengths) > 0 && total != s.total {
		return fmt.Errorf("the lengths add up to %v and not to %v", total, s.total)
	}
	return nil
}

// verifyTerms walks the dictionary and the postings of every term.
func (s *segment) verifyTerms() error {
	var average [fields]float64
	for f := range fields {
		average[f] = s.average(f)
	}
	v := verifier{s: s, norms: newNorms(average)}
	d := &dictReader{s: s}
	var last []byte
	var offset uint64
	for n := 0; d.read(); n++ {
		switch {
		case n > 0 && bytes.Compare(last, d.term) >= 0:
			return fmt.Errorf("term %q stands after %q", d.term, last)
		case d.offset != offset:
			return fmt.Errorf("term %q: its bytes begin at %d and not at %d", d.term, d.offset, offset)
		case n%termsPerBlock == 0 && d.next != n/termsPerBlock+1:
			return fmt.Errorf("term %q: it is in block %d of terms", d.term, d.next-1)
		}
		if err := v.postings(d); err != nil {
			return fmt.Errorf("term %q: %w", d.term, err)
		}
		last = append(last[:0], d.term...)
		offset += uint64(d.info.postings + d.info.positions)
	}
	if offset+packTail != uint64(len(s.postings)) {
		return fmt.Errorf("the terms have %d bytes of %d", offset, len(s.postings))
	}
	return nil
}

type verifier struct {
	s     *segment
	norms *norms
	cursor
}

// postings compares those of a term with what the dictionary, the blocks'
// records and the lengths say.
func (v *verifier) postings(d *dictReader) error {
	info := d.info
	if info.count <= 0 || info.count > len(v.s.chunks) {
		return fmt.Errorf("it is in %d of %d entries", info.count, len(v.s.chunks))
	}
	c := &v.cursor
	c.open(d)
	var frequency [fields]int
	runs, run := 0, -1
	end, positions, next := 0, 0, 0
	for b := range c.blocks {
		c.decode(b)
		c.decodeCounts()
		for _, w := range c.widths {
			if w > 32 {
				return fmt.Errorf("block %d: numbers of %d bits", b, w)
			}
		}
		if err := v.block(b, &next, &frequency); err != nil {
			return fmt.Errorf("block %d: %w", b, err)
		}
		for _, e := range c.entries[:c.n] {
			if r := v.s.run(int(e)); r != run {
				run, runs = r, runs+1
			}
		}
		end += len(c.widths)
		for _, w := range c.widths {
			end += packedSize(c.n, w)
		}
		skip := c.skip(b)
		if got := int(binary.LittleEndian.Uint32(skip[4:])); got != end {
			return fmt.Errorf("block %d ends at %d and not at %d", b, end, got)
		}
		if err := v.positions(&positions); err != nil {
			return fmt.Errorf("block %d: %w", b, err)
		}
		if got := int(binary.LittleEndian.Uint32(skip[8:])); got != positions {
			return fmt.Errorf("block %d: its positions end at %d and not at %d", b, positions, got)
		}
	}
	switch {
	case runs != info.runs:
		return fmt.Errorf("it is counted in %d documents and not in %d", info.runs, runs)
	case frequency != info.frequency:
		return fmt.Errorf("its fields are counted as %v and not as %v", info.frequency, frequency)
	case info.postings != c.blocks*skipSize+end:
		return fmt.Errorf("it has %d bytes of postings and not %d", c.blocks*skipSize+end, info.postings)
	case info.positions != positions:
		return fmt.Errorf("it has %d bytes of positions and not %d", positions, info.positions)
	}
	return nil
}

// block checks the entries of a decoded block and the most that they can give:
// a search passes over what cannot give enough.
func (v *verifier) block(b int, next *int, frequency *[fields]int) error {
	c := &v.cursor
	mostBody, mostOthers := c.most(b)
	for i := range c.n {
		e := int(c.entries[i])
		if e < *next || e >= len(v.s.lengths) {
			return fmt.Errorf("entry %d stands before %d of %d", e, *next, len(v.s.lengths))
		}
		*next = e + 1
		var others float64
		none := true
		for f := range fields {
			n := c.counts[f][i]
			if n == 0 {
				continue
			}
			none = false
			frequency[f]++
			w := v.norms.weigh(f, n, v.s.lengths[e])
			if f != body {
				others += w
			} else if !(w <= mostBody) {
				return fmt.Errorf("entry %d gives more than its block: %v of %v", e, w, mostBody)
			}
		}
		switch {
		case none:
			return fmt.Errorf("entry %d does not have it", e)
		case !(others <= mostOthers):
			return fmt.Errorf("entry %d gives more than its block: %v of %v", e, others, mostOthers)
		}
	}
	if last := int(c.last(b)); last != *next-1 {
		return fmt.Errorf("its last entry is %d and not %d", *next-1, last)
	}
	return nil
}

// positions reads those of a decoded block, which begin at *at.
func (v *verifier) positions(at *int) (err error) {
	c := &v.cursor
	c.readPositions(func(i int, bytes []byte) {
		*at += len(bytes)
		for f := range fields {
			position := uint64(0)
			for range c.counts[f][i] {
				gap, size := binary.Uvarint(bytes)
				if size <= 0 || gap > math.MaxUint32 {
					err = fmt.Errorf("entry %d: a position is no number", c.entries[i])
					return
				}
				bytes = bytes[size:]
				position += gap
			}
			// A field of more words than its length can say has no bound.
			words := v.s.lengths[c.entries[i]].of(f)
			if n := c.counts[f][i]; n > 0 && position >= uint64(words) && (f == body || words < math.MaxUint16) {
				err = fmt.Errorf("entry %d: it stands at word %d of %d", c.entries[i], position, words)
				return
			}
		}
	})
	return err
}
