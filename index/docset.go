package index

import (
	"iter"
	"math/bits"
)

// A DocSet is a set of documents, kept as a bitmap: document ids are small
// and dense. The zero value is an empty set. Reading it concurrently is safe.
type DocSet struct {
	words []uint64
	n     int
}

// NewDocSet returns the set of ids.
func NewDocSet(ids ...DocID) *DocSet {
	s := new(DocSet)
	for _, id := range ids {
		s.Add(id)
	}
	return s
}

// Add adds id, which must not be negative.
func (s *DocSet) Add(id DocID) {
	w, bit := int(id>>6), uint64(1)<<(id&63)
	if w >= len(s.words) {
		grown := make([]uint64, max(w+1, 2*len(s.words)))
		copy(grown, s.words)
		s.words = grown
	}
	if s.words[w]&bit == 0 {
		s.words[w] |= bit
		s.n++
	}
}

// Has reports whether id is in the set.
func (s *DocSet) Has(id DocID) bool {
	w := int(id >> 6)
	return id >= 0 && w < len(s.words) && s.words[w]&(1<<(id&63)) != 0
}

// Len returns the number of documents in the set.
func (s *DocSet) Len() int { return s.n }

// All yields the documents in ascending order.
func (s *DocSet) All() iter.Seq[DocID] {
	return func(yield func(DocID) bool) {
		for w, word := range s.words {
			for ; word != 0; word &= word - 1 {
				if !yield(DocID(w<<6 + bits.TrailingZeros64(word))) {
					return
				}
			}
		}
	}
}
