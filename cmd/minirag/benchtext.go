package main

import (
	"math/rand/v2"
	"strings"
)

// benchWords are common words of English and Russian. The first is one token
// in every vocabulary that is likely to come.
var benchWords = strings.Fields(`a the of and with from their which there about people water house number
	market history government language machine winter mountain question answer document search because
	without between important different following international development
	и не на что она как это все был для время года человек город работа слово вопрос страна государство`)

// words makes texts of a given number of tokens, always the same ones.
type words struct {
	count func(text string) int
	rng   *rand.Rand
}

func newWords(count func(string) int) *words {
	return &words{count: count, rng: rand.New(rand.NewPCG(1, 2))}
}

// text returns a text of n tokens, or of the next number that words can make.
func (w *words) text(n int) string {
	text := ""
	for have := w.count(text); have < n; {
		// A word has at most a handful of tokens: near the end the shortest is taken.
		word := benchWords[0]
		if n-have > 8 {
			word = benchWords[w.rng.IntN(len(benchWords))]
		} else if next := benchWords[w.rng.IntN(len(benchWords))]; w.count(text+" "+next) <= n {
			word = next
		}
		if text != "" {
			word = " " + word
		}
		text += word
		have = w.count(text)
	}
	return text
}
