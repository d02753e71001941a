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
