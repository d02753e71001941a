package analysis

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// normalise brings a text to the form in which it is scanned. Case stays: it
// shows the borders in compounds.
func normalise(text string) string {
	ascii := true
	for i := range len(text) {
		if text[i] >= utf8.RuneSelf {
			ascii = false
			break
		}
	}
	if ascii {
		return text
	}
	text = strings.ToValidUTF8(text, " ")
	text = strings.Map(beforeNFKC, text)
	text = norm.NFKC.String(text)
	var out strings.Builder
	out.Grow(len(text))
	var last rune
	for _, r := range text {
		if r >= utf8.RuneSelf {
			if r = afterNFKC(last, r); r < 0 {
				continue
			}
		}
		out.WriteRune(r)
		last = r
	}
	return out.String()
}

func beforeNFKC(r rune) rune {
	switch {
	case r < 0xAD:
		return r
	case r == 0xAD, // soft hyphen
		r == 0x34F, r == 0x61C, r == 0x180E, // joiner, marks
		r >= 0x200B && r <= 0x200F, r >= 0x202A && r <= 0x202E,
		r >= 0x2060 && r <= 0x206F,
		r >= 0xFE00 && r <= 0xFE0F, r == 0xFEFF, // variation selectors, BOM
		r >= 0xE0000 && r <= 0xE01EF: // tags, variation selectors
		return -1
	case r == '™', r == '℠', r == '№', r == '℡':
		return ' '
	}
	return r
}

// afterNFKC returns what stands for r after last, or -1 to drop it.
func afterNFKC(last, r rune) rune {
	switch {
	case r < 0x300:
		return r
	case r == 0x300 || r == 0x301: // grave, acute: stress in Cyrillic
		if unicode.Is(unicode.Cyrillic, last) {
			return -1
		}
	case r == 'ё':
		return 'е'
	case r == 'Ё':
		return 'Е'
	case r >= 0x591 && r <= 0x5C7 && unicode.Is(unicode.Mn, r): // Hebrew points
		return -1
	case r >= 0x610 && r <= 0x6ED:
		return arabic(r)
	case r == '‐', r == '‑', r == '−':
		return '-'
	case r == '’', r == '‘', r == 'ʼ', r == '＇', r == '′':
		return '\''
	case unicode.Is(unicode.Nd, r):
		// Unicode guarantees that decimal digits come in rows of ten.
		zero := r
		for unicode.Is(unicode.Nd, zero-1) && r-zero < 9 {
			zero--
		}
		return '0' + r - zero
	}
	return r
}

func arabic(r rune) rune {
	switch r {
	case 'أ', 'إ', 'آ', 'ٱ':
		return 'ا'
	case 'ى':
		return 'ي'
	case 'ة':
		return 'ه'
	case 'ـ':
		return -1
	}
	if unicode.Is(unicode.Mn, r) {
		return -1
	}
	if r >= '٠' && r <= '٩' {
		return '0' + r - '٠'
	}
	if r >= '۰' && r <= '۹' {
		return '0' + r - '۰'
	}
	return r
}

// fold lower-cases a normalised word.
func fold(word string) string {
	ascii, lower := true, true
	for i := range len(word) {
		c := word[i]
		ascii = ascii && c < utf8.RuneSelf
		lower = lower && (c < 'A' || c > 'Z')
	}
	if ascii && lower {
		return word
	}
	if ascii {
		return strings.ToLower(word)
	}
	var out strings.Builder
	out.Grow(len(word) + 4)
	for _, r := range word {
		switch r {
		case 'ß', 'ẞ':
			out.WriteString("ss")
		case 'ς':
			out.WriteRune('σ')
		default:
			out.WriteRune(unicode.ToLower(r))
		}
	}
	return norm.NFC.String(out.String())
}

// plain removes diacritics from Latin and Greek letters of a folded word.
func plain(word string) string {
	need := false
	for _, r := range word {
		if r >= 0xC0 && r < 0x400 || r >= 0x1E00 && r < 0x2000 {
			need = true
			break
		}
	}
	if !need {
		return word
	}
	var out strings.Builder
	out.Grow(len(word))
	var base rune
	for _, r := range norm.NFD.String(word) {
		if unicode.Is(unicode.Mn, r) {
			if unicode.Is(unicode.Latin, base) || unicode.Is(unicode.Greek, base) {
				continue
			}
		} else {
			base = r
		}
		switch r {
		case 'ø':
			out.WriteByte('o')
		case 'ł':
			out.WriteByte('l')
		case 'đ', 'ð':
			out.WriteByte('d')
		case 'ı':
			out.WriteByte('i')
		case 'æ':
			out.WriteString("ae")
		case 'œ':
			out.WriteString("oe")
		case 'þ':
			out.WriteString("th")
		default:
			out.WriteRune(r)
		}
	}
	return norm.NFC.String(out.String())
}
