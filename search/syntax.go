package search

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// A Syntax is a question taken apart by [Parse].
type Syntax struct {
	// Text is what is asked: the question without what is excluded, and
	// without the marks of phrases.
	Text string
	// Phrases must stand in a hit.
	Phrases []string
	// Without must not stand in a hit.
	Without []string
}

// leastExcluded is the length of the shortest word that a minus excludes, so
// that the options of commands (tar -x) are none.
const leastExcluded = 3

// longestPhrase bounds in bytes the look for the end of a phrase.
const longestPhrase = 1000

// closing has the marks that end a phrase, by the mark that begins it.
var closing = map[rune]string{'"': `"`, '“': "”", '„': "“”", '«': "»"}

// Parse reads the syntax of questions. Every text is a question:
//
//   - "words in double quotes" (or “ ”, „ “, « ») are a phrase. A straight mark
//     begins one at the start of a word and ends it at the end of one, so that
//     27" is a number; without its partner it is nothing.
//   - -word excludes what follows the minus up to white space, -"a phrase" the
//     phrase. The minus stands at the beginning or after a space, and a letter
//     follows at once: e-mail, -5, "a - b", --force and dashes exclude nothing,
//     nor does a minus before fewer than 3 letters (tar -x).
//   - A text of several lines is a passage that was pasted: it has no syntax.
//   - A question of nothing but exclusions is taken as it stands.
func Parse(text string) Syntax {
	if strings.ContainsAny(text, "\r\n") {
		return Syntax{Text: text}
	}
	var s Syntax
	var rest strings.Builder
	before := ' '
	for i := 0; i < len(text); {
		r, size := utf8.DecodeRuneInString(text[i:])
		minus := r == '-' && before == ' '
		if minus {
			if phrase, n := quoted(text[i+1:]); n > 0 && hasWord(phrase) {
				s.Without = append(s.Without, phrase)
				i += 1 + n
				continue
			}
			if word := excluded(text[i+1:]); word != "" {
				s.Without = append(s.Without, word)
				i += 1 + len(word)
				continue
			}
		}
		if opens(before) {
			if phrase, n := quoted(text[i:]); n > 0 {
				if hasWord(phrase) {
					s.Phrases = append(s.Phrases, phrase)
				}
				rest.WriteString(" " + phrase + " ")
				i += n
				before = '"'
				continue
			}
		}
		rest.WriteRune(r)
		before = r
		if unicode.IsSpace(r) {
			before = ' '
		}
		i += size
	}
	s.Text = rest.String()
	switch {
	case len(s.Without) == 0 && len(s.Phrases) == 0:
		return Syntax{Text: text}
	case !hasWord(s.Text):
		return Syntax{Text: text}
	}
	s.Text = strings.Join(strings.Fields(s.Text), " ")
	return s
}

// opens reports whether a phrase may begin behind r.
func opens(r rune) bool {
	return !unicode.IsLetter(r) && !unicode.IsDigit(r)
}

// quoted returns the phrase that text begins with, and how long it is with its
// marks, or 0.
func quoted(text string) (phrase string, n int) {
	r, size := utf8.DecodeRuneInString(text)
	ends, ok := closing[r]
	if !ok {
		return "", 0
	}
	if next, _ := utf8.DecodeRuneInString(text[size:]); unicode.IsSpace(next) {
		return "", 0
	}
	for i, c := range text[size:] {
		if i > longestPhrase {
			break
		}
		if !strings.ContainsRune(ends, c) {
			continue
		}
		if i == 0 {
			return "", size + utf8.RuneLen(c)
		}
		after, _ := utf8.DecodeRuneInString(text[size+i+utf8.RuneLen(c):])
		last, _ := utf8.DecodeLastRuneInString(text[:size+i])
		if c == '"' && (unicode.IsSpace(last) || !opens(after)) {
			continue
		}
		return text[size : size+i], size + i + utf8.RuneLen(c)
	}
	return "", 0
}

// excluded returns the word behind a minus, or nothing if it excludes none.
func excluded(text string) string {
	word := text
	if i := strings.IndexFunc(text, unicode.IsSpace); i >= 0 {
		word = text[:i]
	}
	word = strings.TrimRightFunc(word, func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) })
	if first, _ := utf8.DecodeRuneInString(word); !unicode.IsLetter(first) {
		return ""
	}
	if utf8.RuneCountInString(word) < leastExcluded && !dense(word) {
		return ""
	}
	return word
}

// dense reports whether a word is of a script in which few characters are a word.
func dense(word string) bool {
	r, _ := utf8.DecodeRuneInString(word)
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Hangul, unicode.Thai)
}

func hasWord(text string) bool {
	return strings.ContainsFunc(text, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}
