package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/blevesearch/snowballstem"
	arabicstem "github.com/blevesearch/snowballstem/arabic"
	"github.com/blevesearch/snowballstem/english"
	"github.com/blevesearch/snowballstem/russian"
)

// basic returns the basic form of a folded word.
func basic(word string) string {
	word = plain(word)
	switch scriptOf(word) {
	case latin:
		if len(word) > 2 && len(word) <= MaxTerm {
			return stemmed(word, english.Stem)
		}
	case cyrillic:
		if len(word) > 4 && len(word) <= MaxTerm {
			return stemmed(word, russian.Stem)
		}
	case arabicLetters:
		if len(word) <= MaxTerm {
			return arabicStem(word)
		}
	}
	return limit(word)
}

// arabicStem cuts what may be written before the article, which the Snowball
// stemmer leaves on some words, and at last the ending of feminine words, which it
// leaves on those that have an article.
func arabicStem(word string) string {
	for _, prefix := range [...]string{"وال", "بال", "كال", "فال", "لل"} {
		// Three letters are the shortest root.
		if rest, ok := strings.CutPrefix(word, prefix); ok && utf8.RuneCountInString(rest) >= 3 {
			word = "ال" + rest
			break
		}
	}
	word = stemmed(word, arabicstem.Stem)
	if rest, ok := strings.CutSuffix(word, "ه"); ok && utf8.RuneCountInString(rest) >= 3 {
		return rest
	}
	return word
}

func stemmed(word string, stem func(*snowballstem.Env) bool) string {
	env := snowballstem.NewEnv(word)
	stem(env)
	if s := env.Current(); s != "" {
		return s
	}
	return word
}

type script uint8

const (
	other script = iota
	latin
	cyrillic
	arabicLetters // those of the Arabic language, not the further ones of others
	digits
	mixed
)

// scriptOf returns the one script of a word's letters; digits if it has only
// digits.
func scriptOf(word string) script {
	found, none := other, true
	for _, r := range word {
		s := scriptOfRune(r)
		if none {
			found, none = s, false
		} else if s != found {
			return mixed
		}
	}
	return found
}

func scriptOfRune(r rune) script {
	switch {
	case r < utf8.RuneSelf:
		if '0' <= r && r <= '9' {
			return digits
		}
		if 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' {
			return latin
		}
	case r >= 0x400 && r < 0x530:
		return cyrillic
	case r >= 0x621 && r <= 0x64A:
		return arabicLetters
	case unicode.Is(unicode.Latin, r):
		return latin
	case unicode.Is(unicode.Cyrillic, r):
		return cyrillic
	}
	return other
}
