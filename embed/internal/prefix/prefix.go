// Package prefix knows the model families whose files do not say what must
// stand before questions and documents. It imports the standard library only.
package prefix

import (
	"slices"
	"strings"
	"unicode"
)

// For returns what models of this name were trained with. The E5 family is
// known by the word "e5" (Wang et al. 2022, arXiv:2212.03533; 2024,
// arXiv:2402.05672); its instructed members take an instruction with the
// question, for which the one of their model card stands.
func For(name string) (query, passage string) {
	words := strings.FieldsFunc(strings.ToLower(name), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	switch {
	case !slices.Contains(words, "e5"):
		return "", ""
	case slices.Contains(words, "instruct"):
		return "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""
	}
	return "query: ", "passage: "
}
