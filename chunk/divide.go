package chunk

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A level says where an atom that does not fit may be cut.
type level int8

const (
	byLine level = iota
	byWord
	byRune
)

// segmentsAtOnce is how much of an atom is divided at a time, in units of what
// a chunk can hold at most, so that a sentence of megabytes costs little memory.
const segmentsAtOnce = 4

// divide cuts one atom into units, at the highest level that makes them fit.
func (p *packer) divide(f frame, a atom, at level) ([]unit, error) {
	base := a.base(p.md)
	if at == byRune {
		return p.divideRunes(f, a, base)
	}
	var out []unit
	var segments, measured []atom
	for pos := 0; pos < len(a.text); {
		var end int
		segments, end = a.segments(segments[:0], base, at, pos, segmentsAtOnce*bytesPerToken*p.budget)
		if pos == 0 && len(segments) <= 1 && end == len(a.text) {
			return p.divide(f, a, at+1)
		}
		var err error
		if measured, err = p.measure(f, measured[:0], segments, at+1); err != nil {
			return nil, err
		}
		units, err := p.greedy(f, measured)
		if err != nil {
			return nil, err
		}
		if end == len(a.text) || len(units) < 2 {
			out = append(out, units...)
			pos = end
			continue
		}
		// The last unit may not be full yet.
		for _, u := range units[:len(units)-1] {
			out = append(out, u)
			pos += len(u.sep) + len(u.body)
		}
	}
	return out, nil
}

// base gives the place in md where the atom's text begins, or -1 if the text
// is not that of the source: a cleaned heading or a title.
func (a *atom) base(md string) int {
	if base := a.end - len(a.text); base >= a.start && md[base:a.end] == a.text {
		return base
	}
	return -1
}

// piece gives the part of a from byte i to j of its text.
func (a *atom) piece(base, i, j int) atom {
	s := atom{text: a.text[i:j], sep: a.sep, start: a.start, end: a.end, kind: a.kind, header: a.header, block: a.block, tokens: -1}
	if base >= 0 {
		s.end = base + j
		if i > 0 {
			s.start = base + i
		}
	}
	return s
}

// segments appends the lines that have text, or the words, of the atom's text
// from byte from on, about size bytes of them, and gives the place behind the
// last. Each carries the white space before it as its separator, so that
// joining them gives the text back.
func (a *atom) segments(out []atom, base int, at level, from, size int) ([]atom, int) {
	last := from // end of the segment before
	add := func(i, j int) {
		s := a.piece(base, i, j)
		s.sep = a.text[last:i]
		out = append(out, s)
		last = j
	}
	if at == byLine {
		for pos := from; pos < len(a.text); {
			end := len(a.text)
			if n := strings.IndexByte(a.text[pos:], '\n'); n >= 0 {
				end = pos + n
			}
			if strings.TrimSpace(a.text[pos:end]) != "" {
				add(pos, end)
				if last-from >= size {
					return out, last
				}
			}
			pos = end + 1
		}
		return out, len(a.text)
	}
	start := -1
	for i, r := range a.text[from:] {
		i += from
		switch space := unicode.IsSpace(r); {
		case space && start >= 0:
			add(start, i)
			start = -1
			if last-from >= size {
				return out, last
			}
		case !space && start < 0:
			start = i
		}
	}
	if start >= 0 {
		add(start, len(a.text))
	}
	return out, len(a.text)
}

// divideRunes cuts an atom between characters. A character that alone is above
// the budget is a unit all the same: there is nothing smaller.
func (p *packer) divideRunes(f frame, a atom, base int) ([]unit, error) {
	var units []unit
	guess := 2 * p.budget
	for pos := 0; pos < len(a.text); {
		if err := p.ctx.Err(); err != nil {
			return nil, err
		}
		n, tokens := p.longest(f, a.text[pos:], guess)
		s := a.piece(base, pos, pos+n)
		u := unit{body: s.text, tokens: tokens, start: s.start, end: s.end}
		if pos == 0 {
			u.sep = a.sep
		}
		units = append(units, u)
		pos += n
		guess = n
	}
	return units, nil
}

// maxAims is how often longest aims before it only halves.
const maxAims = 6

// longest gives the length of a start of text that fits the frame, and the
// tokens of both. It stops at the first one found that fills the budget, which
// takes few counts when guess is about right; at the least it gives one character.
func (p *packer) longest(f frame, text string, guess int) (int, int) {
	count := func(n int) int { return p.exact(f.lead + text[:n]) }
	limit := min(len(text), bytesPerToken*p.budget)
	low, lowTokens := 0, 0
	high := limit + 1 // does not fit, or is too long to be tried
	empty := p.special + f.tokens
	for n, tries := min(max(guess, 1), limit), 0; ; tries++ {
		n = cut(text, n)
		if n <= low || n >= high {
			// Nothing between the two that is not within a character.
			break
		}
		tokens := count(n)
		if tokens <= p.budget {
			low, lowTokens = n, tokens
			if tokens == p.budget {
				break
			}
		} else {
			high = n
		}
		// Aim by the tokens seen; halve where that leads nowhere.
		aim := n + n*(p.budget-tokens)/max(tokens-empty, 1)
		if high <= limit && (aim <= low || aim >= high || tries >= maxAims) {
			aim = (low + high) / 2
		}
		n = min(max(aim, low+1), high-1, limit)
	}
	if low == 0 {
		_, n := utf8.DecodeRuneInString(text)
		return n, count(n)
	}
	return low, lowTokens
}

// maxCluster is how many code points are looked at to keep what is combined together.
const maxCluster = 16

// cut moves n down to a place of text between two characters, if there is one
// nearby, and else between two code points. It gives at least the first code point.
func cut(text string, n int) int {
	if n >= len(text) {
		return len(text)
	}
	for n > 0 && !utf8.RuneStart(text[n]) {
		n--
	}
	at := n
	for range maxCluster {
		if at == 0 {
			break
		}
		before, size := utf8.DecodeLastRuneInString(text[:at])
		after, _ := utf8.DecodeRuneInString(text[at:])
		if !joined(before, after) {
			return at
		}
		at -= size
	}
	if n == 0 {
		_, n = utf8.DecodeRuneInString(text)
	}
	return n
}

// joined reports whether two code points belong to one character as a reader
// sees it. It knows marks, joiners, emoji modifiers, flags and Hangul jamo, and
// is no full implementation of Unicode's text segmentation.
func joined(before, after rune) bool {
	const zwj = '\u200d'
	switch {
	case after < 0x300:
		return false
	case after == zwj || before == zwj || unicode.Is(unicode.M, after):
		return true
	case after >= 0x1F3FB && after <= 0x1F3FF: // skin tones
		return true
	case after >= 0xE0020 && after <= 0xE007F: // tags of flags
		return true
	case after >= 0x1F1E6 && after <= 0x1F1FF: // halves of flags
		return before >= 0x1F1E6 && before <= 0x1F1FF
	case after >= 0x1160 && after <= 0x11FF: // vowels and final consonants
		return before >= 0x1100 && before <= 0x11FF || before >= 0xAC00 && before <= 0xD7A3
	}
	return false
}
