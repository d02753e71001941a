package main

import (
	"strconv"
	"strings"
	"unicode"
)

// printable writes what would move the cursor, colour the terminal or turn
// the direction of a line as an escape: a file's name comes from anywhere, and
// must stay on its line.
func printable(s string) string {
	harmless := func(r rune) bool { return !unicode.IsControl(r) && !unicode.Is(unicode.Bidi_Control, r) }
	if !strings.ContainsFunc(s, func(r rune) bool { return !harmless(r) }) {
		return s
	}
	var b strings.Builder
	for _, r := range s {
		if harmless(r) {
			b.WriteRune(r)
			continue
		}
		quoted := strconv.QuoteRuneToASCII(r)
		b.WriteString(quoted[1 : len(quoted)-1])
	}
	return b.String()
}
