package analysis

import (
	"strings"
	"unicode/utf8"
)

const (
	// phoneticMark begins phonetic terms, followed by a letter for the script.
	phoneticMark = "~"
	// minConsonants is the least number of consonants of a phonetic key: words
	// with fewer sound like too many others.
	minConsonants = 3
	// maxSpoken is the length in bytes of the longest word that is spoken.
	maxSpoken = 64
	// maxKeys bounds the ways to say a word.
	maxKeys = 8
	// vowel stands for any vowels in a phonetic key.
	vowel = "."
)

// A phoneticRule gives what letters may sound like, most likely first, in the
// letters of phonetic keys: b c d f g h j k l m n p r s t v, where c is the
// ch of church as well as the sh of ship, j that of jam, s also z and ts.
type phoneticRule struct {
	letters string
	sounds  []string
	// soft rules hold before e, i and y, first ones at the beginning of a word,
	// last ones at its end.
	soft, first, last bool
}

// The rules of each script by first letter, of which the first that fits
// counts. They follow how names and loan words are written in the other
// script, from English to Russian and back (Hugo is Гюго, Houston Хьюстон,
// Augustine Августин).
var phoneticRules = map[script]map[rune][]phoneticRule{
	latin: rulesOf(
		`tch:c sch:c|sk sh:c ch:c|k|h ck:k kh:h ph:f th:t zh:j ts:s tz:s dg+:j gh:|g qu:k.|kv q:k stl:sl|stl tio:s. ^x:ks|s x:ks`,
		`au:.|.v eu:.|.v c+:s c:k g+:g|j g:g j:j|. ^h:h|g h:h| w:.|v es$:s|.s a:. e:. i:. o:. u:. y:.`,
		`b:b d:d f:f k:k l:l m:m n:n p:p r:r s:s t:t v:v z:s`,
	),
	cyrillic: rulesOf(
		`дж:j тс:s тц:s тч:c тш:c ск$:sk|`,
		`а:. е:. и:. о:. у:. ы:. э:. ю:. я:. й:. і:. ї:. є:. ў:. ј:. ь: ъ:`,
		`б:b в:v г:g ґ:g д:d ж:j з:s к:k л:l љ:l м:m н:n њ:n п:p р:r с:s т:t ф:f х:h ц:s ч:c ћ:c џ:j ђ:j ш:c щ:c`,
	),
}

// rulesOf reads rules as "letters:sound|sound": ^ stands for the beginning of
// a word, $ for its end and + for a soft vowel after the letters.
func rulesOf(lists ...string) map[rune][]phoneticRule {
	rules := make(map[rune][]phoneticRule)
	for _, rule := range strings.Fields(strings.Join(lists, " ")) {
		letters, sounds, _ := strings.Cut(rule, ":")
		r := phoneticRule{sounds: strings.Split(sounds, "|")}
		letters, r.first = strings.CutPrefix(letters, "^")
		letters, r.last = strings.CutSuffix(letters, "$")
		r.letters, r.soft = strings.CutSuffix(letters, "+")
		first, _ := utf8.DecodeRuneInString(r.letters)
		rules[first] = append(rules[first], r)
	}
	return rules
}

// fits reports whether the rule holds at the beginning of rest, of a word that
// is whole.
func (r *phoneticRule) fits(rest, whole string) bool {
	after, ok := strings.CutPrefix(rest, r.letters)
	return ok && (!r.first || len(rest) == len(whole)) && (!r.last || after == "" && len(rest) < len(whole)) &&
		(!r.soft || after != "" && strings.ContainsRune("eiy", rune(after[0])))
}

// phoneticTerms returns the terms of how the forms of a word may sound, each
// once. Words of other letters than Latin and Cyrillic ones, or with few
// consonants, have none.
func phoneticTerms(forms ...string) []string {
	var terms []string
	seen := make(map[string]bool)
	for _, form := range forms {
		mark := phoneticMark + "l"
		sc := scriptOf(form)
		if sc == cyrillic {
			mark = phoneticMark + "c"
		}
		rules := phoneticRules[sc]
		if rules == nil || len(form) > maxSpoken {
			continue
		}
		for _, key := range phoneticKeys(form, rules) {
			if term := mark + key; !seen[term] {
				seen[term] = true
				terms = append(terms, term)
			}
		}
	}
	return terms
}

// otherScript returns the phonetic term of what sounds the same in the other
// script.
func otherScript(term string) string {
	rest := term[len(phoneticMark)+1:]
	if term[len(phoneticMark)] == 'l' {
		return phoneticMark + "c" + rest
	}
	return phoneticMark + "l" + rest
}

func phoneticKeys(word string, rules map[rune][]phoneticRule) []string {
	spoken := []string{""}
next:
	for rest := word; rest != ""; {
		first, _ := utf8.DecodeRuneInString(rest)
		for i := range rules[first] {
			rule := &rules[first][i]
			if !rule.fits(rest, word) {
				continue
			}
			sounds := rule.sounds
			if len(spoken)*len(sounds) > maxKeys {
				sounds = sounds[:1]
			}
			all := make([]string, 0, len(spoken)*len(sounds))
			for _, s := range spoken {
				for _, sound := range sounds {
					all = append(all, s+sound)
				}
			}
			spoken = all
			rest = rest[len(rule.letters):]
			continue next
		}
		return nil
	}
	keys := spoken[:0]
	for _, s := range spoken {
		if key := squeeze(s); len(key)-strings.Count(key, vowel) >= minConsonants {
			keys = append(keys, key)
		}
	}
	return keys
}

// squeeze makes doubled sounds single and cuts vowels at the end, which are
// mostly those of grammar.
func squeeze(sounds string) string {
	key := make([]byte, 0, len(sounds))
	for i := range len(sounds) {
		if i == 0 || sounds[i] != sounds[i-1] {
			key = append(key, sounds[i])
		}
	}
	return strings.TrimRight(string(key), vowel)
}
