package rtf

import (
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
)

// symbol marks fonts of pictures, whose bytes are no letters.
const symbol = 42

// codePages are those of the specification's table of code pages.
var codePages = map[int]encoding.Encoding{
	437: charmap.CodePage437, 850: charmap.CodePage850, 852: charmap.CodePage852, 855: charmap.CodePage855, 858: charmap.CodePage858,
	860: charmap.CodePage860, 862: charmap.CodePage862, 863: charmap.CodePage863, 865: charmap.CodePage865, 866: charmap.CodePage866,
	874: charmap.Windows874, 932: japanese.ShiftJIS, 936: simplifiedchinese.GBK, 949: korean.EUCKR, 950: traditionalchinese.Big5,
	1250: charmap.Windows1250, 1251: charmap.Windows1251, 1252: charmap.Windows1252, 1253: charmap.Windows1253, 1254: charmap.Windows1254,
	1255: charmap.Windows1255, 1256: charmap.Windows1256, 1257: charmap.Windows1257, 1258: charmap.Windows1258, 10000: charmap.Macintosh, 10007: charmap.MacintoshCyrillic,
}

// charsets maps the \fcharset of a font to its code page; 0 and 1 are the document's own.
var charsets = map[int]int{
	2: symbol, 77: 10000, 128: 932, 129: 949, 134: 936, 136: 950, 161: 1253, 162: 1254, 163: 1258, 177: 1255, 178: 1256,
	186: 1257, 204: 1251, 222: 874, 238: 1250, 254: 437, 255: 850,
}

// decode returns the text of b in a code page.
func decode(b []byte, page int) string {
	if page == symbol {
		// Bullets are what documents use these fonts for.
		out := make([]rune, 0, len(b))
		for _, c := range b {
			switch {
			case c >= ' ' && c < 0x7f:
				out = append(out, rune(c))
			case c == 0xb7, c == 0xa7, c == 0xa8, c == 0xd8, c == 0x76, c == 0xfc:
				out = append(out, '•')
			}
		}
		return string(out)
	}
	if page == 65001 {
		return string(b)
	}
	enc, ok := codePages[page]
	if !ok {
		enc = charmap.Windows1252
	}
	s, err := enc.NewDecoder().Bytes(b)
	if err != nil {
		return ""
	}
	return string(s)
}
