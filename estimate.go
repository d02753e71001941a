package minirag

import "unicode"

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
