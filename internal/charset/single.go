package charset

import (
	"strings"
	"unicode"

	"golang.org/x/text/encoding/charmap"
)

// Log-likelihoods in nats. They were set by hand from rough frequencies; what
// matters is their order, since real text differs from a wrong decoding by whole nats for each letter.
const (
	costUndefined   = -16.0 // no character, or a C1 control
	costSymbol      = -8.0  // a symbol that prose seldom has
	costPunctuation = -4.0
	costMixed       = -6.0 // two scripts in one word
	costCase        = -5.0 // a capital after a small letter
	costForeign     = -9.0 // a Latin letter that the language does not use
)

const punctuation = "\u00a0«»„“”‘’‚–—…•§°©®€£№·"

// fractions and the like are rarer than punctuation but not strange in Western text.
const common = "½¼¾²³×±µ¹º™´¿¡¥¢"

type script int

const (
	none script = iota
	latin
	cyrillic
	greek
	hebrew
	arabic
	thai
)

func scriptOf(r rune) script {
	switch {
	case r < 0x80:
		if r|0x20 >= 'a' && r|0x20 <= 'z' {
			return latin
		}
		return none
	case r >= 0x400 && r < 0x530:
		return cyrillic
	case r >= 0x370 && r < 0x400:
		return greek
	case r >= 0x591 && r < 0x600:
		return hebrew
	case r >= 0x600 && r < 0x700:
		return arabic
	case r >= 0xe00 && r < 0xe80:
		return thai
	case r < 0x250 && unicode.IsLetter(r) && r != 'ª' && r != 'º':
		return latin
	}
	return none
}

// scoreSingle returns the log-likelihood of the non-ASCII characters of s as decoded by cm.
func scoreSingle(s []byte, cm *charmap.Charmap) float64 {
	var table [256]rune
	for i := range table {
		table[i] = cm.DecodeByte(byte(i))
	}
	score := 0.0
	var national [len(languages)]float64
	prev, run := ' ', 0
	for i, c := range s {
		r := table[c]
		next := ' '
		if i+1 < len(s) {
			next = table[s[i+1]]
		}
		sc, before := scriptOf(r), scriptOf(prev)
		if sc != none && before != none && sc != before {
			score += costMixed
		}
		if c < 0x80 {
			run = 0
			if before == cyrillic && sc == none {
				score += bigram(prev, ' ')
			}
			if sc == latin && before == latin && prev >= 0x80 && unicode.IsLower(prev) && c < 'a' {
				score += costCase
			}
			prev = r
			continue
		}
		if sc != none && unicode.IsUpper(r) && before == sc && unicode.IsLower(prev) {
			score += costCase
		}
		switch sc {
		case none:
			score += symbol(r, prev, next)
			if before == cyrillic {
				score += bigram(prev, ' ')
			}
			run = 0
		case latin:
			run++
			if run > 2 {
				score += costMixed
			}
			for k := range languages {
				national[k] += languages[k].letter(r)
			}
		case cyrillic:
			score += bigram(prev, r)
			if unicode.IsUpper(r) && before == cyrillic {
				score -= 0.5
			}
		default:
			score += letter(r, sc, before, scriptOf(next))
			if unicode.IsUpper(r) && before == sc {
				score -= 1
			}
		}
		prev = r
	}
	best := national[0]
	for _, v := range national {
		best = max(best, v)
	}
	return score + best
}

func symbol(r, prev, next rune) float64 {
	switch {
	case r == unicode.ReplacementChar, r < 0xa0:
		return costUndefined
	case strings.ContainsRune(punctuation, r):
		if scriptOf(prev) != none && scriptOf(next) != none && !strings.ContainsRune("\u00a0’–—…·", r) {
			return costPunctuation + costMixed
		}
		// A dash or a low quote glued to one word is a letter of another character set.
		if strings.ContainsRune("®©", r) && scriptOf(next) != none {
			return costPunctuation - 4
		}
		if strings.ContainsRune("–—…‘‚¢„", r) && (scriptOf(prev) == none) != (scriptOf(next) == none) {
			return costPunctuation - 4
		}
		return costPunctuation
	case r >= 0x2500 && r < 0x25a0:
		if prev >= 0x2500 && prev < 0x25a0 || next >= 0x2500 && next < 0x25a0 {
			if prev == r || next == r {
				return -2.5
			}
			return -5
		}
		return costSymbol
	case scriptOf(prev) != none && scriptOf(next) != none:
		return costSymbol + costMixed/2
	case strings.ContainsRune(common, r):
		return costPunctuation - 1
	}
	return costSymbol
}

// Letters that make up most of running text in each script.
const (
	commonGreek  = "αοιετνσηυρκπμλςάίόέή"
	commonHebrew = "יוהלאתרבשמנ"
	commonArabic = "اليمنرتوبعدهةفقسك"
	commonThai   = "านรอกเงยวสลมทดตคบปหจพะ่้ัีิ"
)

func letter(r rune, sc, before, after script) float64 {
	often := func(set string) float64 {
		if strings.ContainsRune(set, unicode.ToLower(r)) {
			return -2.9
		}
		return -5.2
	}
	switch sc {
	case greek:
		if r == 'ς' && after == greek {
			return -4.5 + costCase
		}
		if strings.ContainsRune("άέήίόύώΆΈΉΊΌΎΏΐΰ", r) && before == greek && after == greek {
			return -4
		}
		return often(commonGreek)
	case hebrew:
		if strings.ContainsRune("ךםןףץ", r) {
			if after == hebrew {
				return -4 + costCase
			}
			return -3.5
		}
		if r < 0x5d0 { // points and marks
			return -7
		}
		return often(commonHebrew)
	case arabic:
		if unicode.IsLetter(r) && r < 0x64b {
			return often(commonArabic)
		}
		return -6
	}
	// Thai: vowel signs and tone marks stand on a consonant.
	if strings.ContainsRune(commonThai, r) && before == thai {
		return -3.2
	}
	if mark := r == 0xe31 || r >= 0xe34 && r <= 0xe3a || r >= 0xe47 && r <= 0xe4e; mark && before != thai {
		return -10
	}
	return -4.5
}

// A language is the non-ASCII part of a Latin alphabet, small letters, the
// most frequent first.
type language string

func (l language) letter(r rune) float64 {
	low := unicode.ToLower(r)
	rank := 0
	for _, c := range string(l) {
		if c == low {
			cost := -3 - 0.25*float64(rank)
			if low != r {
				cost -= 1.2
			}
			return cost
		}
		rank++
	}
	return costForeign
}

var languages = [...]language{
	"éàèêçôâîùûïëœüÿæ",  // French
	"üäößé",             // German
	"óáíéñúü",           // Spanish
	"ãçáéíóêõâúàô",      // Portuguese
	"èàòùéìó",           // Italian
	"äåöéü",             // Swedish, Finnish
	"øåæéòôü",           // Danish, Norwegian
	"éëïèöüê",           // Dutch
	"áðíóéþúýæö",        // Icelandic
	"ąęłóśżćźń",         // Polish
	"íáěéřčšžýůúňťďó",   // Czech
	"áíčéšýžúľťôňďóĺŕä", // Slovak
	"áéöőóüíúű",         // Hungarian
	"ăîâșțşţ",           // Romanian
	"čšžćđ",             // Croatian, Slovene
	"ıüşçöğiâîû",        // Turkish
	"äõöüšž",            // Estonian
	"āīēšņūļžčķģ",       // Latvian
	"ėšųįąūžęč",         // Lithuanian
	"àáảãạăâđêôơư",      // Vietnamese, what code page 1258 has of it
	"éáíóúàèñçïüâêô",    // names and loan words in English
}
