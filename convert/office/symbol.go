package office

import "strings"

// Letters of the Symbol font at the places of a to z and A to Z.
const (
	symbolLower = "αβχδεφγηιϕκλμνοπθρστυϖωξψζ"
	symbolUpper = "ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ"
)

var symbolSigns = map[rune]string{
	0xa3: "≤", 0xa5: "∞", 0xab: "↔", 0xac: "←", 0xad: "↑", 0xae: "→", 0xaf: "↓", 0xb0: "°", 0xb1: "±", 0xb3: "≥", 0xb4: "×", 0xb6: "∂",
	0xb7: "•", 0xb8: "÷", 0xb9: "≠", 0xba: "≡", 0xbb: "≈", 0xbc: "…", 0xc5: "⊕", 0xc7: "∩", 0xc8: "∪", 0xce: "∈", 0xcf: "∉", 0xd0: "∠",
	0xd1: "∇", 0xd5: "∏", 0xd6: "√", 0xd7: "⋅", 0xd8: "¬", 0xd9: "∧", 0xda: "∨", 0xde: "⇒", 0xe5: "∑", 0xf2: "∫",
}

var wingdingsSigns = map[rune]string{
	0x4a: "☺", 0x6c: "●", 0x6e: "■", 0x6f: "☐", 0xa7: "▪", 0xa8: "☐", 0xd8: "➢", 0xdf: "←", 0xe0: "→", 0xe1: "↑", 0xe2: "↓",
	0xe8: "→", 0xf0: "⇨", 0xfb: "✗", 0xfc: "✓", 0xfd: "☒", 0xfe: "☑",
}

// The ticks and boxes of Wingdings 2.
var wingdings2Signs = map[rune]string{
	0x4f: "✗", 0x50: "✓", 0x51: "☒", 0x52: "☑", 0x53: "☒", 0x54: "☒", 0x97: "●", 0x98: "●", 0xa2: "■", 0xa3: "☐",
}

// symbol returns what the character r of a font shows; in symbol fonts it may
// stand at its own place or in the private use area.
func symbol(r rune, font string) string {
	if f := strings.ToLower(font); r < 0x100 && (f == "symbol" || strings.HasPrefix(f, "wingdings") || f == "webdings") {
		r += 0xf000
	}
	return unsymbol(string(r), font)
}

// unsymbol turns characters of the symbol fonts, which stand in the private
// use area at U+F000, into what they show. What is not known is dropped.
func unsymbol(text, font string) string {
	if !strings.ContainsFunc(text, private) {
		return text
	}
	font = strings.ToLower(font)
	var b strings.Builder
	for _, r := range text {
		if !private(r) {
			b.WriteRune(r)
			continue
		}
		c := r - 0xf000
		switch {
		case font == "wingdings 2":
			b.WriteString(wingdings2Signs[c])
		case font == "wingdings 3", font == "webdings":
		case strings.HasPrefix(font, "wingdings"):
			b.WriteString(wingdingsSigns[c])
		case symbolSigns[c] != "":
			b.WriteString(symbolSigns[c])
		case c >= 'a' && c <= 'z':
			b.WriteRune([]rune(symbolLower)[c-'a'])
		case c >= 'A' && c <= 'Z':
			b.WriteRune([]rune(symbolUpper)[c-'A'])
		case c >= ' ' && c < 0x7f:
			b.WriteRune(c)
		}
	}
	return b.String()
}

func private(r rune) bool { return r >= 0xf000 && r <= 0xf0ff }
