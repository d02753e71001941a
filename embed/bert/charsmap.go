package bert

import (
	"fmt"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/rivo/uniseg"
)

// maxClusterBytes: grapheme clusters of this size or more are mapped
// character by character, smaller ones by the shortest prefix that has a
// replacement, which stands for the whole cluster. That is the rule of
// Hugging Face's tokenizers, whose ids are the reference; sentencepiece itself
// replaces the longest prefix.
const maxClusterBytes = 6

// A charsmap is sentencepiece's precompiled normaliser: a double array
// (Darts-clone) over byte strings, whose values are offsets into a list of
// replacements that end with a zero byte. The zero value maps nothing.
type charsmap struct {
	units  string // little-endian uint32 each
	target string
	// single has a bit for each rune of the basic plane that is replaced on
	// its own, joins for each that may share a grapheme cluster with a
	// neighbour. Text is mostly free of both.
	single, joins *[1 << 16 / 64]uint64
}

// parseCharsmap reads the blob of tokenizer.ggml.precompiled_charsmap.
func parseCharsmap(blob string) (*charsmap, error) {
	m := &charsmap{single: new([1 << 16 / 64]uint64), joins: new([1 << 16 / 64]uint64)}
	if blob != "" {
		if len(blob) < 4 {
			return nil, fmt.Errorf("%w: charsmap of %d bytes", errFormat, len(blob))
		}
		n := uint64(le32(blob))
		if n%4 != 0 || n > uint64(len(blob)-4) {
			return nil, fmt.Errorf("%w: charsmap of %d bytes claims a table of %d", errFormat, len(blob), n)
		}
		m.units, m.target = blob[4:4+n], blob[4+n:]
	}
	var buf [utf8.UTFMax]byte
	for r := rune(0); r < 1<<16; r++ {
		n := utf8.EncodeRune(buf[:], r)
		if _, ok := m.find(string(buf[:n])); ok {
			m.single[r/64] |= 1 << (r % 64)
		}
	}
	for _, set := range []*unicode.RangeTable{unicode.M, unicode.Cf, unicode.Other_Grapheme_Extend, clusterLetters} {
		for _, rg := range set.R16 {
			for r := uint32(rg.Lo); r <= uint32(rg.Hi); r += uint32(rg.Stride) {
				m.joins[r/64] |= 1 << (r % 64)
			}
		}
	}
	return m, nil
}

// clusterLetters are the letters that UAX #29 joins with a neighbour though
// they are no marks: carriage return (before line feed), prepended consonants,
// the vowels Thai AM and Lao AM, and the jamo.
var clusterLetters = &unicode.RangeTable{R16: []unicode.Range16{
	{Lo: '\r', Hi: '\r', Stride: 1},
	{Lo: 0x0d4e, Hi: 0x0d4e, Stride: 1},
	{Lo: 0x0e33, Hi: 0x0e33, Stride: 1},
	{Lo: 0x0eb3, Hi: 0x0eb3, Stride: 1},
	{Lo: 0x1100, Hi: 0x11ff, Stride: 1},
	{Lo: 0xa960, Hi: 0xa97f, Stride: 1},
	{Lo: 0xd7b0, Hi: 0xd7ff, Stride: 1},
	{Lo: 0xff9e, Hi: 0xff9f, Stride: 1},
}}

func has(set *[1 << 16 / 64]uint64, r rune) bool {
	return uint32(r) < 1<<16 && set[r/64]&(1<<(r%64)) != 0
}

// find looks for the shortest prefix of s that has a replacement.
func (m *charsmap) find(s string) (string, bool) {
	pos := uint32(0)
	unit, ok := m.unit(pos)
	if !ok {
		return "", false
	}
	pos ^= unitOffset(unit)
	for i := range len(s) {
		c := uint32(s[i])
		if c == 0 {
			break
		}
		pos ^= c
		if unit, ok = m.unit(pos); !ok || unit&(1<<31|0xff) != c {
			break
		}
		pos ^= unitOffset(unit)
		if unit>>8&1 == 0 {
			continue
		}
		leaf, ok := m.unit(pos)
		at := uint64(leaf &^ (1 << 31))
		if !ok || at > uint64(len(m.target)) {
			break
		}
		rest := m.target[at:]
		if end := strings.IndexByte(rest, 0); end >= 0 {
			rest = rest[:end]
		}
		return rest, true
	}
	return "", false
}

func (m *charsmap) unit(i uint32) (uint32, bool) {
	if uint64(i)*4+4 > uint64(len(m.units)) {
		return 0, false
	}
	return le32(m.units[4*i:]), true
}

// unitOffset decodes the relative position of a unit's children.
func unitOffset(unit uint32) uint32 { return unit >> 10 << (unit & (1 << 9) >> 6) }

// next takes the first characters off s. It returns either one rune that
// stands for itself, or with mapped the string that replaces what was taken.
// Bytes that are not UTF-8 count as U+FFFD each.
func (m *charsmap) next(s string) (r rune, repl string, mapped bool, size int) {
	r, size = utf8.DecodeRuneInString(s)
	if !m.alone(r, s[size:]) {
		if cluster, _, _, _ := uniseg.FirstGraphemeClusterInString(s, -1); len(cluster) > size {
			return 0, m.cluster(cluster), true, len(cluster)
		}
	}
	if r < 1<<16 && !has(m.single, r) {
		return r, "", false, size
	}
	key := s[:size]
	if r == utf8.RuneError && size == 1 {
		key = "\ufffd"
	}
	if repl, ok := m.find(key); ok {
		return 0, repl, true, size
	}
	return r, "", false, size
}

// alone tells whether r, with rest after it, is a cluster for certain.
func (m *charsmap) alone(r rune, rest string) bool {
	if rest == "" {
		return true
	}
	if has(m.joins, r) || r >= 1<<16 {
		return false
	}
	if rest[0] < utf8.RuneSelf {
		return true
	}
	next, _ := utf8.DecodeRuneInString(rest)
	return next < 1<<16 && !has(m.joins, next)
}

// cluster maps a grapheme cluster of several characters.
func (m *charsmap) cluster(s string) string {
	s = strings.ToValidUTF8(s, "\ufffd")
	if len(s) < maxClusterBytes {
		if repl, ok := m.find(s); ok {
			return repl
		}
	}
	changed := false
	for _, r := range s {
		changed = changed || has(m.single, r) || r >= 1<<16
	}
	if !changed {
		return s
	}
	var b strings.Builder
	for i, r := range s {
		part := s[i : i+utf8.RuneLen(r)]
		if repl, ok := m.find(part); ok {
			part = repl
		}
		b.WriteString(part)
	}
	return b.String()
}
