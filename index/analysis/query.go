package analysis

import "math"

// A Term is something to look up for a question.
type Term struct {
	Term   string
	Weight float64 // what a match counts, above 0
	// Optional terms weigh nothing in a collection that does not have them.
	Optional bool
}

// Weights of terms of a question. They are judgements, not fits: the basic
// form carries a word and the exact one breaks ties between its forms; of a
// compound the exact spelling counts as a word of its own, and its pieces
// together about as much again.
const (
	stemWeight     = 1.0
	exactWeight    = 0.3
	compoundWeight = 1.0
	partWeight     = 0.5
	functionWeight = 0.1
	// phoneticWeight is for all phonetic terms of a word. What sounds alike may
	// be another word.
	phoneticWeight = 0.6
)

// Query returns the terms of a question with their weights, each term once, in
// the order of the text. A character of a script without word borders is
// looked up only where it stands alone. Function words count little beside
// other words and fully in a question of nothing else. What is said n times
// counts the root of n times as much. With phonetic, words are also looked for as
// they sound in the other script; these terms are optional.
func Query(text string, phonetic bool) []Term {
	tokens := Tokens(text)
	var terms []Term
	var common []bool
	var times []float64
	at := make(map[string]int)
	onlyCommon := true
	for start := 0; start < len(tokens); {
		end := start
		var has [Phonetic + 1]int
		for end < len(tokens) && tokens[end].Position == tokens[start].Position {
			has[tokens[end].Kind]++
			end++
		}
		for _, t := range tokens[start:end] {
			w := stemWeight
			switch {
			case t.Kind == Phonetic && !phonetic:
				continue
			case t.Kind == Phonetic:
				t.Term = otherScript(t.Term)
				w = phoneticWeight / float64(has[Phonetic])
			case t.Kind == Single && has[Bigram] > 0:
				continue
			case t.Kind == Part:
				w = partWeight
			case t.Kind == Exact && has[Stem] == 0:
				w = compoundWeight
			case t.Kind == Exact:
				w = exactWeight
			}
			function := has[Stem] > 0 && isFunction(tokens[start:end]) || t.Kind == Part && functionStems[t.Term]
			onlyCommon = onlyCommon && (function || t.Kind == Part)
			i, ok := at[t.Term]
			if !ok {
				i = len(terms)
				at[t.Term] = i
				terms = append(terms, Term{Term: t.Term, Optional: t.Kind == Phonetic})
				common = append(common, true)
				times = append(times, 0)
			}
			terms[i].Weight = max(terms[i].Weight, w)
			common[i] = common[i] && function
			times[i]++
		}
		start = end
	}
	for i := range terms {
		terms[i].Weight *= math.Sqrt(times[i])
		if common[i] && !onlyCommon {
			terms[i].Weight *= functionWeight
		}
	}
	return terms
}

// isFunction reports whether the tokens of a word are those of a function
// word.
func isFunction(word []Token) bool {
	for _, t := range word {
		if t.Kind == Exact && functionWords[t.Term[len(exactMark):]] {
			return true
		}
	}
	return false
}
