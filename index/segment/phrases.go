package segment

import (
	"encoding/binary"
	"slices"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
)

// phrasesOf returns the terms of the phrases that have any.
func phrasesOf(query *index.KeywordQuery) (phrases [][]string) {
	for _, text := range query.Phrases {
		if terms := analysis.Phrase(text); len(terms) > 0 {
			phrases = append(phrases, terms)
		}
	}
	return phrases
}

// has reports whether one of the fields has the phrase.
func (a *analysed) has(phrase []string) bool {
	for f := range fields {
		if analysis.Contains(a[f], phrase) {
			return true
		}
	}
	return false
}

// withPhrase returns those entries of a set that have the words of a phrase at
// positions that follow each other in one field, and how many they are.
func (s *segment) withPhrase(phrase []string, in set) (set, int) {
	out := make(set, (s.Len()+63)/64)
	known := make(map[string]*places)
	words := make([]*places, len(phrase))
	rarest := 0
	for i, term := range phrase {
		if known[term] == nil {
			d, ok := s.lookup(term)
			if !ok {
				return out, 0
			}
			known[term] = &places{found: -1}
			known[term].open(d)
		}
		words[i] = known[term]
		if words[i].count < words[rarest].count {
			rarest = i
		}
	}
	n := 0
	// A cursor of its own: the words move theirs.
	lead := new(cursor)
	d, _ := s.lookup(phrase[rarest])
	lead.open(d)
	for b := range lead.blocks {
		lead.decode(b)
		for _, e := range lead.entries[:lead.n] {
			if in.has(int(e)) && follow(words, e) {
				out[e>>6] |= 1 << (e & 63)
				n++
			}
		}
	}
	return out, n
}

// follow reports whether an entry has words one after another.
func follow(words []*places, entry uint32) bool {
	for _, w := range words {
		if !w.find(entry) {
			return false
		}
	}
	for f := range fields {
	starts:
		for _, start := range words[0].fields[f] {
			for i, w := range words[1:] {
				if _, ok := slices.BinarySearch(w.fields[f], start+uint32(i)+1); !ok {
					continue starts
				}
			}
			return true
		}
	}
	return false
}

// places reads the positions of a term, for entries in ascending order.
type places struct {
	cursor
	at     int           // block
	starts [blockLen]int // of the decoded block's entries, in pos
	read   int           // the block that starts is of, plus 1
	found  int           // entry that fields are of, or -1
	fields [fields][]uint32
}

// find reads the positions in an entry; false: the entry has not the term.
func (p *places) find(entry uint32) bool {
	if p.found == int(entry) {
		return true
	}
	for p.at < p.blocks && p.last(p.at) < entry {
		p.at++
	}
	if p.at == p.blocks {
		return false
	}
	p.decode(p.at)
	i, ok := slices.BinarySearch(p.entries[:p.n], entry)
	if !ok {
		return false
	}
	if p.read != p.at+1 {
		p.read = p.at + 1
		at := 0
		if p.at > 0 {
			at = int(binary.LittleEndian.Uint32(p.skip(p.at - 1)[8:]))
		}
		p.readPositions(func(i int, bytes []byte) {
			p.starts[i] = at
			at += len(bytes)
		})
	}
	left := p.pos[p.starts[i]:]
	for f := range fields {
		p.fields[f] = p.fields[f][:0]
		position := uint32(0)
		for range p.counts[f][i] {
			gap, size := binary.Uvarint(left)
			if size <= 0 {
				panic("a position is cut off")
			}
			left = left[size:]
			position += uint32(gap)
			p.fields[f] = append(p.fields[f], position)
		}
	}
	p.found = int(entry)
	return true
}
