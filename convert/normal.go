package convert

import (
	"strings"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// Normalize returns s in the form that all converted text has: valid UTF-8 in
// NFC, "\n" line ends (also for CR, NEL and the Unicode line and paragraph
// separators), no byte order marks, no control characters but tab, line feed
// and form feed, no control sequences of terminals, no Unicode noncharacters. Invalid bytes become U+FFFD.
//
// What only typesetting put into a word is undone, because it hides the word from a
// search: soft hyphens are dropped and the Latin ligatures U+FB00 to U+FB06
// become letters. Normalize is idempotent.
func Normalize(s string) string {
	if !isClean(s) {
		s = clean(s)
	}
	return norm.NFC.String(s)
}

// OneLine returns s trimmed and with each run of white space as one space.
func OneLine(s string) string {
	return strings.Join(strings.Fields(s), " ")
}

func isClean(s string) bool {
	for i := 0; i < len(s); {
		if c := s[i]; c < utf8.RuneSelf {
			if c < ' ' && c != '\t' && c != '\n' && c != '\f' || c == 0x7f {
				return false
			}
			i++
			continue
		}
		r, n := utf8.DecodeRuneInString(s[i:])
		if r == utf8.RuneError && n == 1 || special(r) {
			return false
		}
		i += n
	}
	return true
}

func special(r rune) bool {
	switch {
	case r < 0xa0, r == '\u00ad', r == '\u2028', r == '\u2029', r == '\ufeff':
		return true
	case r >= 0xfb00 && r <= 0xfb06, r >= 0xfdd0 && r <= 0xfdef, r&0xfffe == 0xfffe:
		return true
	}
	return false
}

var ligatures = [...]string{"ff", "fi", "fl", "ffi", "ffl", "st", "st"}

func clean(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	behind := 0 // the end of a control sequence
	for i, r := range s {
		switch {
		case i < behind:
		case r == '\x1b':
			behind = i + controlSequence(s[i:])
		case r == '\r':
			if i+1 >= len(s) || s[i+1] != '\n' {
				b.WriteByte('\n')
			}
		case r == '\t', r == '\n', r == '\f', r == utf8.RuneError:
			b.WriteRune(r)
		case r == '\u0085', r == '\u2028', r == '\u2029', r == '\v':
			b.WriteByte('\n')
		case r < ' ', r == 0x7f:
		case r < 0x7f:
			b.WriteByte(byte(r))
		case r >= 0xfb00 && r <= 0xfb06:
			b.WriteString(ligatures[r-0xfb00])
		case special(r):
		default:
			b.WriteRune(r)
		}
	}
	return b.String()
}

// controlSequence returns the length of the control sequence of a terminal
// (ECMA-48, 5.4) at the begin of s, such as "\x1b[31m" for a colour, or 1 when ESC begins none.
func controlSequence(s string) int {
	if len(s) < 2 || s[1] != '[' {
		return 1
	}
	for i := 2; i < len(s); i++ {
		switch c := s[i]; {
		case c >= 0x40 && c <= 0x7e:
			return i + 1
		case c < 0x20 || c > 0x3f:
			return 1
		}
	}
	return 1
}
