//go:build lite

package pdf

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"

	"github.com/ledongthuc/pdf"
)

// A font turns the codes of strings into text and widths.
type font struct {
	name            string
	bold            bool
	composite       bool
	vertical        bool
	scale           float64 // from widths to sizes
	ascent, descent float64 // in sizes
	widths          map[int]float64
	usual           float64 // width of what is not in widths
	standard        bool    // the widths are a standard font's
	texts           map[uint32]string
	codes           *charMap // of a composite font; nil for a fixed two bytes
	legacy          encoding.Encoding
	simple          [256]string
}

// A shown is a code of a string with what it stands for.
type shown struct {
	text  string
	width float64 // in sizes
	space bool    // code 32 of one byte, which word spacing widens
}

// font returns the font of a dictionary, read once.
func (in *instance) font(v pdf.Value) *font {
	key := v.String()
	if f, ok := in.fonts[key]; ok {
		return f
	}
	f := &font{scale: 0.001, ascent: 0.75, descent: -0.25, widths: map[int]float64{}}
	in.fonts[key] = f
	var lost error
	func() {
		defer in.catch(&lost)
		in.fillFont(f, v)
	}()
	if lost != nil && lost != errPage {
		panic(lost)
	}
	return f
}

func (in *instance) fillFont(f *font, v pdf.Value) {
	in.spend(64 << 10)
	for c := range f.simple {
		f.simple[c] = string(charmap.Windows1252.DecodeByte(byte(c)))
	}
	f.name = v.Key("BaseFont").Name()
	f.bold = boldName(f.name)
	f.texts = map[uint32]string{}
	if v.Key("Subtype").Name() == "Type0" {
		f.composite = true
		in.fillComposite(f, v)
	} else {
		in.fillSimple(f, v)
	}
	if u := v.Key("ToUnicode"); u.Kind() == pdf.Stream {
		m := in.readCharMap(in.unpack(u))
		for c, s := range m.text {
			if strings.Trim(s, "\x00\ufffd") != "" {
				f.texts[c] = s
			}
		}
	}
}

func (f *font) describe(d pdf.Value) {
	if d.Key("Flags").Int64()&forceBold != 0 {
		f.bold = true
	}
	if a, b := d.Key("Ascent").Float64()/1000, d.Key("Descent").Float64()/1000; a > 0.3 && a < 1.5 && b <= 0 && b > -0.8 {
		f.ascent, f.descent = a, b
	}
}

func (in *instance) fillSimple(f *font, v pdf.Value) {
	d := v.Key("FontDescriptor")
	f.describe(d)
	f.usual = d.Key("MissingWidth").Float64()
	widths := v.Key("Widths")
	first := int(v.Key("FirstChar").Int64())
	for i := range min(widths.Len(), 256) {
		f.widths[first+i] = widths.Index(i).Float64()
	}
	f.standard = widths.Len() == 0
	if m := v.Key("FontMatrix"); v.Key("Subtype").Name() == "Type3" && m.Len() == 6 {
		if s := m.Index(0).Float64(); s != 0 {
			f.scale = s
		}
	}

	enc := v.Key("Encoding")
	base := enc.Name()
	if enc.Kind() == pdf.Dict {
		base = enc.Key("BaseEncoding").Name()
	}
	symbolic := d.Key("Flags").Int64()&4 != 0
	switch {
	case base == "MacRomanEncoding":
		for c := range f.simple {
			f.simple[c] = string(charmap.Macintosh.DecodeByte(byte(c)))
		}
	case base == "" && (v.Key("Subtype").Name() == "Type1" || v.Key("Subtype").Name() == "MMType1"):
		for c, s := range standardHigh {
			f.simple[c] = s
		}
		if file := d.Key("FontFile"); file.Kind() == pdf.Stream {
			for _, m := range builtinGlyph.FindAllSubmatch(in.unpack(file), 256) {
				c, _ := strconv.Atoi(string(m[1]))
				if s := glyphText(string(m[2])); s != "" && c < 256 {
					f.simple[c] = s
				}
			}
		}
	}
	if file := d.Key("FontFile3"); base == "" && file.Kind() == pdf.Stream && file.Key("Subtype").Name() == "Type1C" {
		for c, s := range cffLetters(in.unpack(file)) {
			if c < 256 {
				f.simple[c] = s
			}
		}
	}
	if strings.Contains(f.name, "Symbol") && symbolic {
		for c, r := range symbolLetters {
			f.simple[c] = string(r)
		}
	}
	if enc.Kind() != pdf.Dict {
		return
	}
	diffs := enc.Key("Differences")
	// The library knows the names of glyphs: it decodes a code by its differences.
	known := (&pdf.Font{V: v}).Encoder()
	c := 0
	for i := range min(diffs.Len(), 1024) {
		in.step()
		switch x := diffs.Index(i); x.Kind() {
		case pdf.Integer:
			c = int(x.Int64())
		case pdf.Name:
			if c >= 0 && c < 256 {
				s := glyphText(x.Name())
				if s == "" {
					if t := known.Decode(string([]byte{byte(c)})); t != string(rune(c)) {
						s = t
					}
				}
				if s != "" {
					f.simple[c] = s
				}
			}
			c++
		}
	}
}

// builtinGlyph is a line of the encoding in a Type 1 font program.
var builtinGlyph = regexp.MustCompile(`dup\s+(\d{1,3})\s*/(\S+)\s+put`)

// standardHigh is where Adobe's standard encoding is not Windows-1252 (ISO 32000-1, annex D.2).
var standardHigh = map[int]string{
	0x27: "’", 0x60: "‘", 0xa4: "⁄", 0xa6: "ƒ", 0xa8: "¤", 0xa9: "'", 0xaa: "“", 0xac: "‹", 0xad: "›", 0xae: "fi", 0xaf: "fl",
	0xb1: "–", 0xb2: "†", 0xb3: "‡", 0xb4: "·", 0xb7: "•", 0xb8: "‚", 0xb9: "„", 0xba: "”", 0xbc: "…", 0xbd: "‰", 0xd0: "—",
	0xe1: "Æ", 0xe3: "ª", 0xe8: "Ł", 0xe9: "Ø", 0xea: "Œ", 0xeb: "º", 0xf1: "æ", 0xf5: "ı", 0xf8: "ł", 0xf9: "ø", 0xfa: "œ", 0xfb: "ß",
}

// symbolLetters are the letters of the Symbol font (ISO 32000-1, annex D.5).
var symbolLetters = func() map[int]rune {
	m := map[int]rune{0xb7: '•', 0xa3: '≤', 0xb3: '≥', 0xb1: '±', 0xb4: '×', 0xae: '→', 0xac: '←', 0xb5: '∝', 0xb9: '≠', 0xbb: '≈', 0xa5: '∞', 0xe5: '∑', 0xf2: '∫', 0x2d: '−', 0xb0: '°', 0xce: '∈'}
	for i, r := range []rune("ΑΒΧΔΕΦΓΗΙϑΚΛΜΝΟΠΘΡΣΤΥςΩΞΨΖ") {
		m['A'+i] = r
	}
	for i, r := range []rune("αβχδεφγηιϕκλμνοπθρστυϖωξψζ") {
		m['a'+i] = r
	}
	return m
}()

// glyphText returns what a glyph's name says by its form, or nothing.
func glyphText(name string) string {
	name, _, _ = strings.Cut(name, ".")
	if len(name) == 1 && (name[0] >= 'A' && name[0] <= 'Z' || name[0] >= 'a' && name[0] <= 'z') {
		return name
	}
	if s, ok := glyphNames[name]; ok {
		return s
	}
	hex := ""
	switch {
	case strings.HasPrefix(name, "uni") && len(name) >= 7:
		hex = name[3:7]
	case strings.HasPrefix(name, "u") && len(name) >= 5 && len(name) <= 7:
		hex = name[1:]
	case strings.HasPrefix(name, "afii100") && len(name) == 9:
		n, err := strconv.Atoi(name[7:])
		switch {
		case err != nil:
		case n == 23:
			return "Ё"
		case n == 71:
			return "ё"
		case n >= 17 && n <= 49: // Ё stands after Е
			return cyrillic('А', n-17)
		case n >= 65 && n <= 97:
			return cyrillic('а', n-65)
		}
	case strings.Contains(name, "_"):
		var b strings.Builder
		for part := range strings.SplitSeq(name, "_") {
			b.WriteString(glyphText(part))
		}
		return b.String()
	}
	if n, err := strconv.ParseUint(hex, 16, 32); err == nil && n > 0 && utf8.ValidRune(rune(n)) {
		return string(rune(n))
	}
	return ""
}

// cyrillic returns letter n of the alphabet from first on, in which the letter
// after the sixth is left out of Unicode's row.
func cyrillic(first rune, n int) string {
	if n > 6 {
		n--
	}
	return string(first + rune(n))
}

var glyphNames = map[string]string{
	"space": " ", "fi": "fi", "fl": "fl", "ff": "ff", "ffi": "ffi", "ffl": "ffl", "hyphen": "-", "quoteright": "’", "quoteleft": "‘", "quotesingle": "'",
	"period": ".", "comma": ",", "colon": ":", "semicolon": ";", "zero": "0", "one": "1", "two": "2", "three": "3", "four": "4", "five": "5", "six": "6",
	"seven": "7", "eight": "8", "nine": "9", "parenleft": "(", "parenright": ")", "bracketleft": "[", "bracketright": "]", "slash": "/", "plus": "+",
	"equal": "=", "quotedblleft": "“", "quotedblright": "”", "quotedbl": "\"", "endash": "–", "emdash": "—", "bullet": "•", "dotlessi": "ı", "exclam": "!",
	"question": "?", "percent": "%", "ampersand": "&", "numbersign": "#", "dollar": "$", "at": "@", "asterisk": "*", "less": "<", "greater": ">",
	"underscore": "_", "bar": "|", "braceleft": "{", "braceright": "}", "backslash": "\\", "asciitilde": "~", "asciicircum": "^", "minus": "−", "grave": "`",
}

func (in *instance) fillComposite(f *font, v pdf.Value) {
	child := v.Key("DescendantFonts").Index(0)
	f.describe(child.Key("FontDescriptor"))
	if f.name == "" {
		f.name = child.Key("BaseFont").Name()
	}
	f.usual = 1000
	if dw := child.Key("DW"); dw.Kind() == pdf.Integer || dw.Kind() == pdf.Real {
		f.usual = dw.Float64()
	}
	w := child.Key("W")
	for i := 0; i+1 < w.Len() && len(f.widths) < maxMapped; {
		in.step()
		first := int(w.Index(i).Int64())
		next := w.Index(i + 1)
		if next.Kind() == pdf.Array {
			for k := range min(next.Len(), 1<<16) {
				f.widths[first+k] = next.Index(k).Float64()
			}
			i += 2
			continue
		}
		last, width := int(next.Int64()), w.Index(i+2).Float64()
		for c := first; c <= last && c-first < 1<<16 && len(f.widths) < maxMapped; c++ {
			f.widths[c] = width
		}
		i += 3
	}
	enc := v.Key("Encoding")
	name := enc.Name()
	if enc.Kind() == pdf.Stream {
		f.codes = in.readCharMap(in.unpack(enc))
		name = enc.Key("CMapName").Name()
		f.vertical = enc.Key("WMode").Int64() == 1
	}
	f.vertical = f.vertical || strings.HasSuffix(name, "-V")
	if f.legacy = legacyMap(name); f.legacy != nil || v.Key("ToUnicode").Kind() == pdf.Stream {
		return
	}
	switch child.Key("CIDSystemInfo").Key("Ordering").RawString() {
	case "Japan1", "GB1", "CNS1", "Korea1":
		for c := range uint32(95) { // Latin letters; the others would take large tables
			f.texts[c+1] = string(rune(c + ' '))
		}
		return
	}
	file := child.Key("FontDescriptor").Key("FontFile2")
	if file.Kind() != pdf.Stream {
		return
	}
	glyphs := letters(in.unpack(file))
	if m := child.Key("CIDToGIDMap"); m.Kind() == pdf.Stream {
		data := in.unpack(m)
		for cid := 0; 2*cid+1 < len(data) && cid < maxMapped; cid++ {
			if r := glyphs[int(data[2*cid])<<8|int(data[2*cid+1])]; r != 0 {
				f.texts[uint32(cid)] = string(r)
			}
		}
		return
	}
	for g, r := range glyphs {
		f.texts[uint32(g)] = string(r)
	}
}

// legacyMap returns the encoding of a predefined CMap (ISO 32000-1, table 118), or nil.
func legacyMap(name string) encoding.Encoding {
	switch has := func(parts ...string) bool {
		for _, p := range parts {
			if strings.Contains(name, p) {
				return true
			}
		}
		return false
	}; {
	case has("UCS2", "UTF16"):
		return unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM)
	case has("RKSJ"):
		return japanese.ShiftJIS
	case has("GBK", "GB-EUC", "GBpc", "GBT"):
		return simplifiedchinese.GBK
	case has("B5", "ETen", "HKscs"):
		return traditionalchinese.Big5
	case has("KSC"):
		return korean.EUCKR
	case name == "EUC-H" || name == "EUC-V":
		return japanese.EUCJP
	}
	return nil
}

// legacyLength returns how many bytes the first code of s has.
func (f *font) legacyLength(s string) int {
	c := s[0]
	switch f.legacy {
	case japanese.ShiftJIS:
		if c < 0x81 || c >= 0xa0 && c < 0xe0 {
			return 1
		}
	case japanese.EUCJP, simplifiedchinese.GBK, traditionalchinese.Big5, korean.EUCKR:
		if c < 0x81 {
			return 1
		}
	default: // UTF-16
		if c >= 0xd8 && c < 0xdc {
			return min(4, len(s))
		}
	}
	return min(2, len(s))
}

// decode calls f for each code of a string.
func (f *font) decode(s string, each func(shown)) {
	for len(s) > 0 {
		if !f.composite {
			c := int(s[0])
			text, ok := f.texts[uint32(c)]
			if !ok {
				text = f.simple[c]
			}
			width, ok := f.widths[c]
			switch {
			case f.standard:
				r, _ := utf8.DecodeRuneInString(f.simple[c])
				width = standardWidth(f.name, r)
			case !ok:
				width = f.usual
			}
			each(shown{text, width * f.scale, c == ' '})
			s = s[1:]
			continue
		}
		var c uint32
		n := min(2, len(s))
		switch {
		case f.codes != nil:
			c, n = f.codes.next(s, 2)
		case f.legacy != nil:
			n = f.legacyLength(s)
			fallthrough
		default:
			for i := range n {
				c = c<<8 | uint32(s[i])
			}
		}
		text, ok := f.texts[c]
		if !ok && f.legacy != nil {
			text, _ = f.legacy.NewDecoder().String(s[:n])
		}
		cid := int(c)
		if f.codes != nil && len(f.codes.cids) > 0 {
			cid = f.codes.cids[c]
		}
		width, ok := f.widths[cid]
		switch {
		case !ok || f.legacy != nil:
			width = f.usual
			if f.legacy != nil && n == 1 {
				width = 500
			}
		}
		each(shown{text, width * f.scale, n == 1 && c == ' '})
		s = s[max(n, 1):]
	}
}
