package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A scanner cuts a normalised text into tokens.
type scanner struct {
	out  []Token
	pos  int
	memo *Memo // nil: none
}

func (s *scanner) emit(term string, kind Kind) {
	s.out = append(s.out, Token{Term: term, Kind: kind, Position: s.pos})
}

type class uint8

const (
	space   class = iota // anything that only separates
	letter               // letters, marks and digits
	joining              // may join words
	dense                // of a script that does not mark words
)

func classOf(r rune) class {
	if r < utf8.RuneSelf {
		switch {
		case 'a' <= r && r <= 'z', 'A' <= r && r <= 'Z', '0' <= r && r <= '9':
			return letter
		}
		switch r {
		case '_', '-', '.', '/', '\\', '@', ':', '+', '#', '&', '\'', ',':
			return joining
		}
		return space
	}
	switch {
	case isDense(r):
		return dense
	case unicode.IsLetter(r), unicode.IsMark(r), unicode.IsNumber(r):
		return letter
	}
	return space
}

func isDense(r rune) bool {
	if r < 0xE00 {
		return false
	}
	switch {
	case r >= 0xE00 && r < 0x1000: // Thai, Lao, Tibetan
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r >= 0x1000 && r < 0x10A0, r >= 0x1780 && r < 0x1800: // Burmese, Khmer
		return unicode.IsLetter(r) || unicode.IsMark(r)
	case r == 'ー', r == '々':
		return true
	case r < 0x1100:
		return false
	}
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Bopomofo)
}

func (s *scanner) scan(text string) {
	for i := 0; i < len(text); {
		r, n := utf8.DecodeRuneInString(text[i:])
		switch classOf(r) {
		case letter:
			end := wordEnd(text, i)
			start := i
			for start > 0 && text[start-1] == '_' {
				start--
			}
			if s.memo != nil {
				s.memo.word(s, text[start:end])
			} else {
				s.word(text[start:end])
			}
			i = end
		case dense:
			end := i + n
			for end < len(text) {
				r, n := utf8.DecodeRuneInString(text[end:])
				if c := classOf(r); c != dense && !(c == letter && unicode.IsMark(r)) {
					break
				}
				end += n
			}
			s.dense(text[i:end])
			i = end
		default:
			i += n
		}
	}
}

// wordEnd returns where the word or compound that begins at i ends.
func wordEnd(text string, i int) int {
	end := i // after the last letter
	for i < len(text) {
		r, n := utf8.DecodeRuneInString(text[i:])
		if classOf(r) == letter {
			i += n
			end = i
			continue
		}
		if classOf(r) != joining {
			break
		}
		j := i + n
		for j < len(text) && text[j] < utf8.RuneSelf && classOf(rune(text[j])) == joining {
			j++
		}
		next, _ := utf8.DecodeRuneInString(text[j:])
		if j == len(text) || classOf(next) != letter || !joins(text[i:j], text[i-1], next) {
			break
		}
		i = j
	}
	rest := text[end:]
	switch {
	case strings.HasPrefix(rest, "++"):
		return end + 2
	case strings.HasPrefix(rest, "#"):
		return end + 1
	}
	for end < len(text) && text[end] == '_' {
		end++
	}
	return end
}

// joins reports whether a run of joining characters between last and next
// makes one compound of what it separates.
func joins(run string, last byte, next rune) bool {
	switch {
	case run == ",":
		return '0' <= last && last <= '9' && '0' <= next && next <= '9'
	case len(run) == 1, run == "::", run == "++":
		return true
	}
	return strings.Trim(run, "_") == ""
}

// dense emits the characters of a run and their pairs. A character goes with
// the marks that follow it.
func (s *scanner) dense(run string) {
	var ends []int
	for i, r := range run {
		if i > 0 && !unicode.IsMark(r) {
			ends = append(ends, i)
		}
	}
	ends = append(ends, len(run))
	start := 0
	for i, end := range ends {
		s.emit(limit(run[start:end]), Single)
		if i+1 < len(ends) {
			s.emit(limit(run[start:ends[i+1]]), Bigram)
		}
		// The last character shares the position of the last pair.
		if i+2 < len(ends) || len(ends) == 1 || i+1 == len(ends) {
			s.pos++
		}
		start = end
	}
}
