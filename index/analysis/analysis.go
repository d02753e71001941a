// Package analysis turns text into the terms that keyword indexes store and
// look up. The same rules hold for documents and questions, so that what is
// written can be found. They are fixed: an index records [Version] and is made
// anew when it differs.
//
// # Rules
//
// Text is brought to Unicode form NFKC, so that composed and decomposed,
// full-width and half-width characters are one; the trade mark signs and the
// numero sign, which that form would glue to words as letters, separate words.
// Soft hyphens, zero-width characters, direction marks, variation selectors,
// Arabic vowel marks and tatweel, Hebrew points and stress marks on Cyrillic
// letters are dropped. Letters are lower-cased; ё is е, ß is ss, ς is σ,
// Arabic alef with hamza or madda is alef, alef maksura is yeh, teh marbuta is
// heh. Digits of all scripts are ASCII digits. Typographic hyphens and
// apostrophes are ASCII ones, a backslash is a slash.
//
// A word is a run of letters, marks and digits. Each gives an [Exact] term (as
// written, folded as above) and a [Stem] term: without diacritics if Latin or
// Greek, then reduced by the Snowball stemmer, English for words of Latin
// letters and Russian for words of Cyrillic ones; words of nothing but letters of
// the Arabic language by that for Arabic, without what is written before the
// article and the ending of feminine words; other words are stems of themselves.
// A number has only the second. An English possessive 's and the plural s of
// capitals (PDFs) are cut.
//
// Words joined by one of _ - . / @ : + # & ' (several underscores, "::" and
// "++" too), numbers also by a comma, and words with a border inside, from
// lower to upper case (useEffect), from capitals to a capitalised word
// (HTTPServer), between letters and digits (SP1077) or between Latin and other
// letters, are compounds. A compound gives an Exact term for the whole, with
// its joining characters and its leading and trailing underscores and trailing
// "++" or "#" (C++, C#), and [Part] terms, which are stems: the whole without
// joining characters (a Stem term if it has none), each joined piece, and what
// the borders cut it into. So
// DEC-0054, "dec 0054", SP1077, SP-1077, useEffect and "use effect" find each
// other, and what is spelled the same comes first. Numbers are joined only if
// the joining characters are separators of thousands. Hexadecimal strings of 8
// and more and words with more than 3 borders to digits are not cut at these.
//
// Chinese, Japanese and Korean, and Thai, Lao, Khmer, Burmese and Tibetan,
// which do not mark words, give overlapping pairs of characters ([Bigram]) and
// single ones ([Single]).
//
// A word of nothing but Latin or Cyrillic letters that is no function word also
// gives [Phonetic] terms: its consonants, where letters that stand for each other in the
// other script are one, and the places of its vowels, for the word and for
// its stem. So a question for Ньютон finds Newton, and one for Docker докер. Words
// with fewer than three consonants give none.
//
// Nothing is dropped for being frequent or long: a term over [MaxTerm] bytes
// is stored as its beginning and a hash of the whole.
//
// [Query] gives the terms of a question their weights. It can be searched for
// whatever it is: no character is an operator.
//
// The package imports golang.org/x/text, blevesearch/snowballstem and the
// standard library. All functions are safe for concurrent use.
package analysis

import (
	"crypto/sha256"
	"encoding/hex"
	"unicode/utf8"
)

// Version is that of the rules. Terms of different versions do not compare.
const Version = 3

// MaxTerm is the largest length of a term in bytes, without the mark of exact
// terms.
const MaxTerm = 256

// A Kind says what a term stands for.
type Kind uint8

// The kinds of terms.
const (
	Exact    Kind = iota // a word or compound as written
	Stem                 // a word in its basic form
	Part                 // a piece of a compound in its basic form
	Bigram               // two characters of a script without word borders
	Single               // one character of such a script
	Phonetic             // how a word sounds
)

// String returns the kind's name.
func (k Kind) String() string {
	return [...]string{"exact", "stem", "part", "bigram", "single", "phonetic"}[k]
}

// exactMark begins exact terms, so that no other term equals one.
const exactMark = "="

// A Token is an occurrence of a term.
type Token struct {
	// Term is what indexes store. Terms of different kinds never match by
	// accident: those that should, stems and parts, are alike, the others
	// differ.
	Term string
	Kind Kind
	// Position counts words from 0: all terms of a word have the same. The
	// length of a text is its last position plus 1.
	Position int
}

// Tokens returns the terms of a text in order.
func Tokens(text string) []Token { return Append(nil, text) }

// Append appends the terms of a text to dst.
func Append(dst []Token, text string) []Token {
	s := scanner{out: dst}
	s.scan(normalise(text))
	return s.out
}

// Length returns the number of words in tokens of one text.
func Length(tokens []Token) int {
	if len(tokens) == 0 {
		return 0
	}
	return tokens[len(tokens)-1].Position + 1
}

// limit shortens a term that is too long to one that is as good as unique.
func limit(term string) string {
	if len(term) <= MaxTerm {
		return term
	}
	sum := sha256.Sum256([]byte(term))
	keep := MaxTerm - 2*16 - 1
	for !utf8.RuneStart(term[keep]) {
		keep--
	}
	return term[:keep] + "~" + hex.EncodeToString(sum[:16])
}
