//go:build lite

package pdf

import "strings"

// Operators of a CFF top dictionary (Adobe Technical Note 5176, table 9).
const (
	cffCharset  = 15
	cffEncoding = 16
)

// cffStandard are the names from string 96 on that stand for text (Technical Note 5176, appendix A).
var cffStandard = strings.Fields("¡ ¢ £ ⁄ ¥ ƒ § ¤ ' “ « ‹ › fi fl – † ‡ · ¶ • ‚ „ ” » … ‰ ¿ ` ´ ˆ ˜ ¯ ˘ ˙ ¨ ˚ ¸ ˝ ˛ ˇ — Æ ª Ł Ø Œ º æ ı ł ø œ ß")

// cffLetters returns what the codes of a compact font stand for by the
// encoding in it, or nothing when that is a standard one.
func cffLetters(file []byte) map[int]string {
	u := func(at, n int) int {
		if at < 0 || at+n > len(file) {
			return 0
		}
		v := 0
		for _, b := range file[at : at+n] {
			v = v<<8 | int(b)
		}
		return v
	}
	// index returns the places of an index's items and of what follows it.
	index := func(at int) (places []int, end int) {
		n, size := u(at, 2), u(at+2, 1)
		if n == 0 || size < 1 || size > 4 || at+3+(n+1)*size > len(file) {
			return nil, at + 2
		}
		base := at + 2 + (n+1)*size
		for i := range n + 1 {
			places = append(places, base+u(at+3+i*size, size))
		}
		return places, places[n]
	}
	_, at := index(u(2, 1))
	tops, at := index(at)
	names, _ := index(at)
	if len(tops) < 2 || tops[0] > tops[1] || tops[1] > len(file) {
		return nil
	}
	charset, encoding := 0, 0
	operand := 0
	for top := file[tops[0]:tops[1]]; len(top) > 0; {
		b, n := int(top[0]), 1
		switch {
		case b == 12:
			n = 2
		case b == cffCharset:
			charset = operand
		case b == cffEncoding:
			encoding = operand
		case b == 28 && len(top) > 2:
			operand, n = int(top[1])<<8|int(top[2]), 3
		case b == 29 && len(top) > 4:
			operand, n = int(top[1])<<24|int(top[2])<<16|int(top[3])<<8|int(top[4]), 5
		case b == 30: // a real number
			for n < len(top) && top[n]&0xf != 0xf && top[n]>>4 != 0xf {
				n++
			}
			n++
		case b >= 32 && b <= 246:
			operand = b - 139
		case b >= 247 && b <= 250 && len(top) > 1:
			operand, n = (b-247)*256+int(top[1])+108, 2
		case b >= 251 && b <= 254 && len(top) > 1:
			operand, n = -(b-251)*256-int(top[1])-108, 2
		}
		top = top[min(n, len(top)):]
	}
	if charset <= 2 || encoding <= 1 {
		return nil
	}
	// sids are the names of the first 256 glyphs.
	sids := []int{0}
	for at, kind := charset+1, u(charset, 1); len(sids) < 257 && at < len(file); {
		switch kind {
		case 0:
			sids = append(sids, u(at, 2))
			at += 2
		default:
			first, left := u(at, 2), u(at+2, kind)
			for i := 0; i <= left && len(sids) < 257; i++ {
				sids = append(sids, first+i)
			}
			at += 2 + max(kind, 1)
		}
	}
	name := func(glyph int) string {
		if glyph >= len(sids) {
			return ""
		}
		switch s := sids[glyph]; {
		case s >= 1 && s <= 95:
			switch s {
			case 8:
				return "’"
			case 65:
				return "‘"
			}
			return string(rune(s + 31))
		case s >= 96 && s-96 < len(cffStandard):
			return cffStandard[s-96]
		case s >= 391 && s-391+1 < len(names):
			if a, b := names[s-391], names[s-390]; a <= b && b <= len(file) {
				return glyphText(string(file[a:b]))
			}
		}
		return ""
	}
	out := map[int]string{}
	n := u(encoding+1, 1)
	glyph := 1
	switch u(encoding, 1) & 0x7f {
	case 0:
		for i := range n {
			if s := name(glyph); s != "" {
				out[u(encoding+2+i, 1)] = s
			}
			glyph++
		}
	case 1:
		for i := range n {
			first, left := u(encoding+2+2*i, 1), u(encoding+3+2*i, 1)
			for k := 0; k <= left; k++ {
				if s := name(glyph); s != "" {
					out[first+k] = s
				}
				glyph++
			}
		}
	}
	return out
}
