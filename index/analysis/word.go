package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// maxBorders is the number of borders to digits from which on a word is
	// taken for a hash or key, of which no part means anything.
	maxBorders = 3
	minHex     = 8
)

// word emits the tokens of a word or compound of normalised text.
func (s *scanner) word(text string) {
	text = strings.ReplaceAll(text, `\`, "/")
	text = cutEnding(text)
	pieces := strings.FieldsFunc(text, func(r rune) bool { return r < utf8.RuneSelf && classOf(r) == joining })
	if len(pieces) == 0 {
		return
	}
	whole := fold(text)
	if len(pieces) == 1 && len(pieces[0]) == len(text) && len(cutBorders(text)) == 1 {
		if scriptOf(whole) != digits {
			s.emit(exactMark+limit(whole), Exact)
		}
		stem := basic(whole)
		s.emit(stem, Stem)
		if !functionWords[whole] {
			for _, t := range phoneticTerms(stem, plain(whole)) {
				s.emit(t, Phonetic)
			}
		}
		s.pos++
		return
	}
	s.emit(exactMark+limit(whole), Exact)
	switch {
	case len(pieces) == 1 && len(pieces[0]) == len(text):
		s.emit(basic(whole), Stem)
	case !numeric(pieces) || thousands(text, pieces):
		s.emit(basic(fold(strings.Join(pieces, ""))), Part)
	}
	for _, piece := range pieces {
		if len(pieces) > 1 {
			s.emit(basic(fold(piece)), Part)
		}
		if cuts := cutBorders(piece); len(cuts) > 1 {
			for _, c := range cuts {
				s.emit(basic(fold(c)), Part)
			}
		}
	}
	s.pos++
}

// cutEnding removes the 's of an English word and the plural s of capitals,
// which the stemmer leaves: PDFs has no vowel.
func cutEnding(text string) string {
	n := len(text) - 1
	if n < 2 || text[n] != 's' && text[n] != 'S' {
		return text
	}
	if text[n-1] == '\'' {
		if last, _ := utf8.DecodeLastRuneInString(text[:n-1]); scriptOfRune(last) == latin {
			return text[:n-1]
		}
		return text
	}
	upper := func(c byte) bool { return 'A' <= c && c <= 'Z' }
	if text[n] == 's' && upper(text[n-1]) && upper(text[n-2]) {
		return text[:n]
	}
	return text
}

func numeric(pieces []string) bool {
	for _, p := range pieces {
		if scriptOf(p) != digits {
			return false
		}
	}
	return true
}

// thousands reports whether a number's joining characters are separators of
// thousands: 1,234,567 or 1.234.567 or 1'234.
func thousands(text string, pieces []string) bool {
	if len(pieces) < 2 || len(pieces[0]) > 3 {
		return false
	}
	for _, p := range pieces[1:] {
		if len(p) != 3 {
			return false
		}
	}
	sep := text[len(pieces[0])]
	return (sep == ',' || sep == '.' || sep == '\'') && strings.Count(text, string(sep)) == len(pieces)-1
}

// cutBorders cuts a piece where case, script or letters and digits change.
func cutBorders(piece string) []string {
	var borders []int
	toDigits := 0
	var prev script
	var prevUpper bool
	at := 0 // of the rune before
	for i, r := range piece {
		if unicode.IsMark(r) {
			continue
		}
		sc, upper := scriptOfRune(r), unicode.IsUpper(r)
		switch {
		case i == 0:
		case (sc == digits) != (prev == digits):
			borders = append(borders, i)
			toDigits++
		case sc != prev && (sc == latin || prev == latin):
			borders = append(borders, i)
		case upper && !prevUpper:
			borders = append(borders, i)
		case !upper && prevUpper && at > 0 && unicode.IsLower(r):
			// The last of several capitals begins the word: HTTP|Server.
			// One or two letters at the end are an ending: PDFs.
			known := len(borders) > 0 && borders[len(borders)-1] == at
			if !known && utf8.RuneCountInString(piece[i:]) > 2 {
				borders = append(borders, at)
			}
		}
		prev, prevUpper, at = sc, upper, i
	}
	if len(borders) == 0 {
		return []string{piece}
	}
	if toDigits > maxBorders || toDigits > 0 && len(piece) >= minHex && isHex(piece) {
		return []string{piece}
	}
	cuts := make([]string, 0, len(borders)+1)
	start := 0
	for _, b := range borders {
		cuts = append(cuts, piece[start:b])
		start = b
	}
	return append(cuts, piece[start:])
}

func isHex(s string) bool {
	return strings.Trim(s, "0123456789abcdefABCDEF") == ""
}
