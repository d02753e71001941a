package analysis

// Matched returns the share, from 0 to 1, of the weight of terms that a text
// has.
func Matched(terms []Term, text string) float64 {
	if len(terms) == 0 {
		return 0
	}
	has := make(map[string]bool, 128)
	for _, t := range Tokens(text) {
		has[t.Term] = true
	}
	var all, found float64
	for _, t := range terms {
		all += t.Weight
		if has[t.Term] {
			found += t.Weight
		}
	}
	return found / all
}

// Phrase returns the terms by which the words of a phrase are found one after
// another: for each word its basic form, for a compound the whole of it as
// spelled, and for scripts without word borders the pairs of characters.
func Phrase(text string) []string {
	rank := [...]int{Stem: 0, Exact: 1, Bigram: 2, Single: 3, Part: 4}
	var terms []string
	var kinds []Kind
	for _, t := range Tokens(text) {
		if t.Kind == Phonetic {
			continue
		}
		if t.Position == len(terms) {
			terms, kinds = append(terms, t.Term), append(kinds, t.Kind)
			continue
		}
		if last := len(terms) - 1; rank[t.Kind] < rank[kinds[last]] {
			terms[last], kinds[last] = t.Term, t.Kind
		}
	}
	return terms
}

// Contains reports whether the tokens of a text have the terms of a [Phrase]
// at positions that follow each other. Every text has the phrase of no terms.
func Contains(tokens []Token, phrase []string) bool {
	if len(phrase) == 0 {
		return true
	}
	// matched says which beginnings of the phrase end at the position before.
	matched, next := make([]bool, len(phrase)), make([]bool, len(phrase))
	for i := 0; i < len(tokens); {
		j := i
		clear(next)
		for ; j < len(tokens) && tokens[j].Position == tokens[i].Position; j++ {
			for k, term := range phrase {
				if term == tokens[j].Term && (k == 0 || matched[k-1]) {
					next[k] = true
				}
			}
		}
		if next[len(phrase)-1] {
			return true
		}
		matched, next = next, matched
		if j < len(tokens) && tokens[j].Position != tokens[i].Position+1 {
			clear(matched)
		}
		i = j
	}
	return false
}
