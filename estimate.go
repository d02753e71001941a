package minirag

import (
	"strings"
	"unicode"
)

// estimate counts tokens for an embedder that cannot: digits and signs as one
// token each, other text as one for 2.5 characters, and two special tokens.
type estimate struct{}

func (estimate) CountTokens(text string) int {
	dense, rest := 0, 0
	for _, r := range text {
		if unicode.IsDigit(r) || !unicode.IsLetter(r) && !unicode.IsSpace(r) {
			dense++
		} else {
			rest++
		}
	}
	return (rest*2+4)/5 + dense + 2
}

// list joins paths for a message.
func list(items []string) string {
	if len(items) == 0 {
		return "none"
	}
	return strings.Join(items, ", ")
}
