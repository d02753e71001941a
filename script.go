package minirag

import (
	"regexp"
	"strings"
	"unicode"
)

// scriptRunes is how much of a text tells its script.
const scriptRunes = 400

// prose returns a text without its code, which is written in Latin letters in
// any language.
func prose(text string) string {
	var out strings.Builder
	fenced := false
	for line := range strings.Lines(text) {
		start := strings.TrimLeft(line, " \t>")
		if strings.HasPrefix(start, "```") || strings.HasPrefix(start, "~~~") {
			fenced = !fenced
			continue
		}
		if fenced {
			continue
		}
		for i, piece := range strings.Split(line, "`") {
			if i%2 == 0 {
				out.WriteString(notProse.ReplaceAllLiteralString(piece, " "))
			}
		}
	}
	return out.String()
}

// notProse are tags and addresses.
var notProse = regexp.MustCompile(`</?[A-Za-z][^<>]*>|\]\([^()\s]*\)?|https?://\S+`)

// proseLeast is the number of letters from which on a text has a script.
const proseLeast = 20

// textScript returns the main script of a text's prose, nil if it is mostly code.
func textScript(text string) *unicode.RangeTable {
	text = prose(text)
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			if letters++; letters == proseLeast {
				return mainScript(text)
			}
		}
	}
	return nil
}

// mainScript returns the script of most letters, nil if there are none or it
// is a rare one.
func mainScript(text string) *unicode.RangeTable {
	scripts := []*unicode.RangeTable{unicode.Latin, unicode.Cyrillic, unicode.Han, unicode.Arabic, unicode.Greek, unicode.Hebrew,
		unicode.Devanagari, unicode.Thai, unicode.Hangul, unicode.Hiragana}
	counts := make([]int, len(scripts))
	seen := 0
	for _, r := range text {
		if !unicode.IsLetter(r) {
			continue
		}
		if seen++; seen > scriptRunes {
			break
		}
		for i, s := range scripts {
			if unicode.Is(s, r) {
				counts[i]++
				break
			}
		}
	}
	best := -1
	for i, n := range counts {
		if n > 0 && (best < 0 || n > counts[best]) {
			best = i
		}
	}
	if best < 0 {
		return nil
	}
	if scripts[best] == unicode.Hiragana {
		return unicode.Han // Japanese has both
	}
	return scripts[best]
}
