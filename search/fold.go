package search

import (
	"hash/maphash"
	"slices"
	"strings"
	"unicode"

	"github.com/minirag/minirag/index"
)

const (
	// foldWords is the number of words from which on texts may differ.
	foldWords = 12
	// foldShare is the least Jaccard index of the triples of words of texts
	// that are nearly the same (Broder, SEQUENCES 1997). A changed word costs
	// three triples: of 100 words about five may differ.
	foldShare = 0.85
)

// A Folder finds texts that say nearly the same as an earlier one of another
// document. The zero value is ready. It is not safe for concurrent use.
type Folder struct {
	seed  maphash.Seed
	texts []folded
}

// folded is a text as a [Folder] compares it.
type folded struct {
	doc     index.DocID
	whole   uint64
	numbers uint64   // of the words with digits, in their order
	triples []uint64 // sorted, distinct
	words   int
}

// Fold returns which of the texts kept before, counted from 0, is nearly the
// same and of another document; else it keeps the text. Texts are the same if
// their words are. They are nearly the same if they share most triples of
// words and all numbers in their order: a price or a date makes a difference.
func (f *Folder) Fold(text string, doc index.DocID) (first int, ok bool) {
	if f.texts == nil {
		f.seed = maphash.MakeSeed()
	}
	t := f.measure(text, doc)
	for i := range f.texts {
		if f.texts[i].doc != doc && t.same(&f.texts[i]) {
			return i, true
		}
	}
	f.texts = append(f.texts, t)
	return 0, false
}

// Drop forgets the text that was kept last.
func (f *Folder) Drop() { f.texts = f.texts[:len(f.texts)-1] }

func (f *Folder) measure(text string, doc index.DocID) folded {
	words := strings.FieldsFunc(strings.ToLower(text), func(r rune) bool {
		return !unicode.IsLetter(r) && !unicode.IsDigit(r) && !unicode.IsMark(r)
	})
	t := folded{doc: doc, words: len(words)}
	hash := func(words []string) uint64 { return maphash.String(f.seed, strings.Join(words, " ")) }
	t.whole = hash(words)
	var numbers []string
	for i, w := range words {
		if strings.ContainsFunc(w, unicode.IsDigit) {
			numbers = append(numbers, w)
		}
		if i+3 <= len(words) {
			t.triples = append(t.triples, hash(words[i:i+3]))
		}
	}
	t.numbers = hash(numbers)
	slices.Sort(t.triples)
	t.triples = slices.Compact(t.triples)
	return t
}

func (t *folded) same(o *folded) bool {
	switch {
	case t.whole == o.whole:
		return t.words > 0
	case min(t.words, o.words) < foldWords || t.numbers != o.numbers:
		return false
	}
	both := 0
	for i, j := 0, 0; i < len(t.triples) && j < len(o.triples); {
		switch a, b := t.triples[i], o.triples[j]; {
		case a == b:
			both++
			i++
			j++
		case a < b:
			i++
		default:
			j++
		}
	}
	return float64(both) >= foldShare*float64(len(t.triples)+len(o.triples)-both)
}
