package segment

import (
	"bytes"
	"encoding/binary"
	"errors"
	"sort"
)

// termsPerBlock is the number of terms that share a block of the dictionary.
const termsPerBlock = 16

// The dictionary holds terms in ascending order of their bytes, in blocks:
//
//	offset of the first term's bytes in the section of postings, 8 bytes
//	the terms
//
// and for each term, as varints: the length that it has in common with the one
// before (0 for the first of a block), the length of the rest, the rest, and
// the numbers of a termInfo in order. The bytes of the other terms follow those
// of the first without gaps.
type dictWriter struct {
	terms  []byte
	blocks []uint32
	last   []byte
	n      int

	offset uint64 // of the next term's bytes
}

// termInfo is what the dictionary says of a term.
type termInfo struct {
	count     int         // entries that have the term in any field
	runs      int         // runs of entries of one document that have it
	frequency [fields]int // entries that have it in a field
	postings  int         // bytes of postings
	positions int         // bytes of positions, which follow
}

var errOrder = errors.New("terms are out of order")

func (d *dictWriter) add(term []byte, info termInfo) error {
	if d.n > 0 && bytes.Compare(d.last, term) >= 0 {
		return errOrder
	}
	common := 0
	if d.n%termsPerBlock == 0 {
		d.blocks = append(d.blocks, uint32(len(d.terms)))
		d.terms = binary.LittleEndian.AppendUint64(d.terms, d.offset)
	} else {
		for common < len(term) && common < len(d.last) && term[common] == d.last[common] {
			common++
		}
	}
	d.terms = binary.AppendUvarint(d.terms, uint64(common))
	d.terms = binary.AppendUvarint(d.terms, uint64(len(term)-common))
	d.terms = append(d.terms, term[common:]...)
	for _, n := range []int{info.count, info.runs, info.frequency[title], info.frequency[headings], info.frequency[body], info.postings, info.positions} {
		d.terms = binary.AppendUvarint(d.terms, uint64(n))
	}
	d.last = append(d.last[:0], term...)
	d.n++
	d.offset += uint64(info.postings + info.positions)
	return nil
}

// A dictReader walks the terms of a segment from the start of a block. Like
// all readers of mapped bytes it panics at bytes that make no sense.
type dictReader struct {
	s    *segment
	next int // block
	left []byte

	term   []byte
	info   termInfo
	offset uint64 // of the term's bytes
}

// read goes to the next term; false: there is none.
func (d *dictReader) read() bool {
	if len(d.left) == 0 {
		if d.next >= len(d.s.blocks) {
			return false
		}
		d.open(d.next)
	} else {
		d.offset += uint64(d.info.postings + d.info.positions)
	}
	common, rest := d.number(), d.number()
	d.term = append(d.term[:common], d.left[:rest]...)
	d.left = d.left[rest:]
	d.info.count, d.info.runs = d.number(), d.number()
	for f := range fields {
		d.info.frequency[f] = d.number()
	}
	d.info.postings, d.info.positions = d.number(), d.number()
	return true
}

func (d *dictReader) open(block int) {
	d.next = block + 1
	start, end := int(d.s.blocks[block]), len(d.s.terms)
	if d.next < len(d.s.blocks) {
		end = int(d.s.blocks[d.next])
	}
	d.left = d.s.terms[start:end]
	d.offset = binary.LittleEndian.Uint64(d.left)
	d.left = d.left[8:]
	d.term = d.term[:0]
}

func (d *dictReader) number() int {
	n, size := binary.Uvarint(d.left)
	if size <= 0 {
		panic("a varint of the dictionary is cut off")
	}
	d.left = d.left[size:]
	return int(n)
}

// bytes returns what is stored of the current term: postings, positions and
// packTail more bytes.
func (d *dictReader) bytes() []byte {
	end := d.offset + uint64(d.info.postings+d.info.positions) + packTail
	first := d.s.sections[secPostings].start
	d.s.checked.check(first+d.offset, first+end)
	return d.s.postings[d.offset:end]
}

// first returns the first term of a block.
func (s *segment) first(block int) []byte {
	left := s.terms[int(s.blocks[block])+8+1:] // nothing in common: one byte
	n, size := binary.Uvarint(left)
	return left[size : size+int(n)]
}

// lookup finds a term.
func (s *segment) lookup(term string) (*dictReader, bool) {
	block := sort.Search(len(s.blocks), func(b int) bool { return string(s.first(b)) > term }) - 1
	if block < 0 {
		return nil, false
	}
	d := &dictReader{s: s, next: block}
	for d.read() && d.next == block+1 {
		switch {
		case string(d.term) == term:
			return d, true
		case string(d.term) > term:
			return nil, false
		}
	}
	return nil, false
}
