package pdf

import (
	"regexp"
	"strings"
	"unicode"
)

// A lexicon is the words with a hyphen of their own that a document has within
// its lines, in small letters. The nil lexicon is empty.
type lexicon map[string]bool

var hyphenated = regexp.MustCompile(`\p{L}+(?:[-\x{2010}\x{2011}]\p{L}+)+`)

// maxLexicon bounds its words.
const maxLexicon = 100_000

func (x lexicon) learn(text string) {
	if !strings.ContainsAny(text, "-\u2010\u2011") {
		return
	}
	for _, w := range hyphenated.FindAllString(text, -1) {
		if len(x) < maxLexicon {
			x[foldHyphens(w)] = true
		}
	}
}

func foldHyphens(s string) string {
	return strings.ToLower(strings.NewReplacer("\u2010", "-", "\u2011", "-").Replace(s))
}

// conjunctions follow the hyphen that stands for the second part of a word, as in "Ein- und Ausfuhr".
var conjunctions = map[string]bool{"und": true, "oder": true, "bzw": true, "sowie": true, "and": true, "и": true, "или": true}

// ownHyphen matches words of which the hyphen is a part by their spelling: the
// Russian particles and adverbs, and first parts that take one in most compounds.
var ownHyphen = regexp.MustCompile(`^(?:кое-\p{L}+|\p{L}+-(?:нибудь|либо)|` +
	`(?:кто|кого|кому|кем|что|чего|чему|чем|где|куда|откуда|когда|как|какая|какой|какое|какие|каких|каким|какими|какого|какую|почему|зачем|сколько)-то|` +
	`по-(?:прежнему|моему|твоему|своему|новому|другому|иному|видимому|разному|хорошему|старому|\p{L}{3,}(?:ски|цки))|` +
	`(?:северо|юго)-(?:запад|восто)\p{L}+|(?:научно|вице)-\p{L}{3,}|self-\p{L}{5,})$`)

// joinHyphen joins two parts of a word that was cut at the end of a line. A
// capital or figure after it, the lexicon, or the spelling says that the hyphen is the word's own.
func joinHyphen(a, b string, words lexicon) string {
	r := firstRune(b)
	if unicode.IsUpper(r) || unicode.IsDigit(r) {
		return a + "-" + b
	}
	first := a[strings.LastIndexFunc(a, func(r rune) bool { return !unicode.IsLetter(r) && r != '-' })+1:]
	second := b
	if i := strings.IndexFunc(b, func(r rune) bool { return !unicode.IsLetter(r) }); i >= 0 {
		second = b[:i]
	}
	if conjunctions[second] && len(second) < len(b) {
		return a + "- " + b
	}
	if word := foldHyphens(first + "-" + second); words[word] || ownHyphen.MatchString(word) {
		return a + "-" + b
	}
	return a + b
}
