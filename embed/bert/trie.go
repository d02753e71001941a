package bert

import (
	"encoding/binary"
	"errors"
	"slices"
	"strings"
	"unicode/utf8"
)

// A trie holds the pieces of a vocabulary as a double array over their bytes
// (Aoe 1989, doi:10.1109/32.31365), in the form of Darts: the children of a
// node lie at its base XOR their byte, so that a step reads four bytes. No two
// nodes share a base, hence a unit need only name the byte that leads to it.
//
// A unit is a little-endian uint32: the byte in the low 8 bits, the kind of
// the node in two, and 22 bits that hold the base or the id of a piece. The
// units may be part of a file that is mapped.
type trie struct{ units string }

// The kinds of units.
const (
	inner    = 0 // no piece ends here; the number is the base
	both     = 1 // a piece ends here and others go on; its id is the number of the unit at the base
	terminal = 2 // a piece ends here, no other goes on; the number is its id
)

const (
	kindShift   = 8
	numberShift = 10
	maxNumber   = 1<<22 - 1

	unitBytes  = 4
	blockUnits = 256 // the children of a node share a block
	// nulByte stands for a zero in a piece: 0 marks the unit of an id, and
	// 0xff is no byte of UTF-8.
	nulByte = 0xff
)

// A node is the unit that leads to it; 0 is no node.
type node uint32

// root is the node of the empty string.
func (t trie) root() node { return t.at(0) }

func (t trie) at(i uint32) node {
	if at := uint64(i) * unitBytes; at+unitBytes <= uint64(len(t.units)) {
		return node(le32(t.units[at:]))
	}
	return 0
}

// step goes from n over c, to 0 when no piece continues so.
func (t trie) step(n node, c byte) node {
	if c == 0 {
		c = nulByte
	}
	next := t.at(uint32(n>>numberShift) ^ uint32(c))
	if byte(next) != c || n>>kindShift&3 == terminal {
		return 0
	}
	return next
}

// stepRune goes over the UTF-8 of r.
func (t trie) stepRune(n node, r rune) node {
	if uint32(r) < utf8.RuneSelf {
		return t.step(n, byte(r))
	}
	var buf [utf8.UTFMax]byte
	for _, c := range buf[:utf8.EncodeRune(buf[:], r)] {
		if n = t.step(n, c); n == 0 {
			break
		}
	}
	return n
}

// id is the piece that ends at n, -1 for none.
func (t trie) id(n node) int32 {
	switch n >> kindShift & 3 {
	case terminal:
		return int32(n >> numberShift)
	case both:
		return int32(t.at(uint32(n>>numberShift)) >> numberShift)
	}
	return -1
}

// A piece is an entry of a vocabulary.
type piece struct {
	text string
	id   int32
}

var errVocabularySize = errors.New("the vocabulary is too large")

// buildTrie makes the trie of pieces, which it sorts. The first of equal
// pieces wins; one that is empty, no UTF-8, or longer than any word is left
// out, as no text has it.
func buildTrie(pieces []piece) (trie, error) {
	pieces = slices.DeleteFunc(pieces, func(p piece) bool {
		return p.text == "" || len(p.text) > maxWord || !utf8.ValidString(p.text)
	})
	slices.SortFunc(pieces, func(a, b piece) int {
		if c := strings.Compare(a.text, b.text); c != 0 {
			return c
		}
		return int(a.id) - int(b.id)
	})
	pieces = slices.CompactFunc(pieces, func(a, b piece) bool { return a.text == b.text })
	b := &trieBuilder{}
	b.grow()
	b.state[0].taken = true
	b.open[0].free--
	if err := b.node(0, 0, 0, pieces); err != nil {
		return trie{}, err
	}
	units := make([]byte, 0, len(b.units)*unitBytes)
	for _, u := range b.units {
		units = binary.LittleEndian.AppendUint32(units, u)
	}
	return trie{units: string(units)}, nil
}

// A trieBuilder places nodes in the first free units that suit them.
type trieBuilder struct {
	units []uint32
	state []unitState
	// The blocks with room, oldest first; those that refused too often are
	// given up.
	open []openBlock
}

type unitState struct {
	taken  bool // the unit belongs to a node
	isBase bool // some node has it as its base
}

type openBlock struct {
	start, free, refused int
	first                int // no unit before it is free
}

// maxRefused bounds the search for room in one block: nearly full blocks cost
// time and save little.
const maxRefused = 64

func (b *trieBuilder) grow() {
	b.open = append(b.open, openBlock{start: len(b.units), free: blockUnits})
	b.units = append(b.units, make([]uint32, blockUnits)...)
	b.state = append(b.state, make([]unitState, blockUnits)...)
}

// node writes the node of the prefix of depth bytes that the pieces share, at
// the unit at, to which the byte label leads.
func (b *trieBuilder) node(at int, label byte, depth int, pieces []piece) error {
	ends := len(pieces) > 0 && len(pieces[0].text) == depth
	if ends && len(pieces) == 1 {
		if pieces[0].id > maxNumber {
			return errVocabularySize
		}
		b.units[at] = uint32(pieces[0].id)<<numberShift | terminal<<kindShift | uint32(label)
		return nil
	}
	var labels [256]byte
	n := 0
	kind, rest := uint32(inner), pieces
	if ends {
		kind, rest = both, pieces[1:]
		labels[0], n = 0, 1
	}
	for i := range rest {
		if i == 0 || rest[i].text[depth] != rest[i-1].text[depth] {
			labels[n] = rest[i].text[depth]
			if labels[n] == 0 {
				labels[n] = nulByte
			}
			n++
		}
	}
	base := b.place(labels[:n])
	if base > maxNumber {
		return errVocabularySize
	}
	b.units[at] = uint32(base)<<numberShift | kind<<kindShift | uint32(label)
	if ends {
		if pieces[0].id > maxNumber {
			return errVocabularySize
		}
		b.units[base] = uint32(pieces[0].id) << numberShift
	}
	for len(rest) > 0 {
		c, n := rest[0].text[depth], 1
		for n < len(rest) && rest[n].text[depth] == c {
			n++
		}
		l := c
		if l == 0 {
			l = nulByte
		}
		if err := b.node(base^int(l), l, depth+1, rest[:n]); err != nil {
			return err
		}
		rest = rest[n:]
	}
	return nil
}

// place takes the units of the children and gives their base.
func (b *trieBuilder) place(labels []byte) int {
	for i := 0; ; i++ {
		if i == len(b.open) {
			b.grow()
		}
		o := &b.open[i]
		if base, ok := b.fits(o, labels); ok {
			b.state[base].isBase = true
			for _, l := range labels {
				b.state[base^int(l)].taken = true
			}
			if o.free -= len(labels); o.free == 0 {
				b.open = slices.Delete(b.open, i, i+1)
			}
			return base
		}
		if o.refused++; o.refused > maxRefused {
			b.open = slices.Delete(b.open, i, i+1)
			i--
		}
	}
}

// fits looks for a base in the block o.
func (b *trieBuilder) fits(o *openBlock, labels []byte) (int, bool) {
	if o.free < len(labels) {
		return 0, false
	}
	block := b.state[o.start:][:blockUnits]
	for o.first < blockUnits && block[o.first].taken {
		o.first++
	}
	if len(labels) == 0 {
		labels = []byte{0}
	}
search:
	for i := o.first; i < blockUnits; i++ {
		base := i ^ int(labels[0])
		if block[i].taken || block[base].isBase {
			continue
		}
		for _, l := range labels[1:] {
			if block[base^int(l)].taken {
				continue search
			}
		}
		return o.start + base, true
	}
	return 0, false
}
