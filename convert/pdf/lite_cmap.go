//go:build lite

package pdf

import (
	"encoding/binary"
	"strconv"
	"unicode/utf16"
)

// maxMapped bounds the codes that a character map gives a meaning.
const maxMapped = 1 << 17

// A codeRange is codes of n bytes.
type codeRange struct {
	n      int
	lo, hi uint32
}

// A charMap is a CMap (ISO 32000-1, 9.7.5 and 9.10.3): texts and glyph numbers of codes.
type charMap struct {
	spaces []codeRange
	text   map[uint32]string
	cids   map[uint32]int
}

// readCharMap reads a CMap as far as it can be read.
func (in *instance) readCharMap(data []byte) *charMap {
	m := &charMap{text: map[uint32]string{}, cids: map[uint32]int{}}
	var args [][]byte
	for at := skipWhite(data, 0); at < len(data); at = skipWhite(data, at) {
		in.step()
		end := skipToken(data, at)
		if data[at] == '[' {
			end = skipValue(data, at)
		}
		tok := data[at:end]
		at = end
		switch string(tok) {
		case "begincodespacerange", "beginbfchar", "beginbfrange", "begincidchar", "begincidrange":
			args = args[:0]
		case "endcodespacerange":
			for ; len(args) >= 2; args = args[2:] {
				lo, n := code(args[0])
				hi, _ := code(args[1])
				m.spaces = append(m.spaces, codeRange{n, lo, hi})
			}
		case "endbfchar":
			for ; len(args) >= 2; args = args[2:] {
				c, _ := code(args[0])
				m.setText(c, utf16Text(hexString(args[1]), 0))
			}
		case "endbfrange":
			for ; len(args) >= 3; args = args[3:] {
				lo, _ := code(args[0])
				hi, _ := code(args[1])
				if args[2][0] == '[' {
					list := args[2][1:]
					for c, p := lo, skipWhite(list, 0); c <= hi && p < len(list) && list[p] != ']'; c++ {
						end := skipToken(list, p)
						m.setText(c, utf16Text(hexString(list[p:end]), 0))
						p = skipWhite(list, end)
					}
					continue
				}
				first := hexString(args[2])
				for c := lo; c <= hi && c-lo < 1<<16 && len(m.text) < maxMapped; c++ {
					in.step()
					m.setText(c, utf16Text(first, int(c-lo)))
				}
			}
		case "endcidchar":
			for ; len(args) >= 2; args = args[2:] {
				c, _ := code(args[0])
				m.cids[c], _ = strconv.Atoi(string(args[1]))
			}
		case "endcidrange":
			for ; len(args) >= 3; args = args[3:] {
				lo, _ := code(args[0])
				hi, _ := code(args[1])
				cid, _ := strconv.Atoi(string(args[2]))
				for c := lo; c <= hi && c-lo < 1<<16 && len(m.cids) < maxMapped; c++ {
					in.step()
					m.cids[c] = cid + int(c-lo)
				}
			}
		default:
			args = append(args, tok)
		}
	}
	return m
}

func (m *charMap) setText(c uint32, s string) {
	if len(m.text) < maxMapped {
		m.text[c] = s
	}
}

// hexString returns the bytes of a string such as <00e9>.
func hexString(tok []byte) []byte {
	var out []byte
	high := -1
	for _, c := range tok {
		d := hexDigit(c)
		switch {
		case d < 0:
		case high < 0:
			high = d
		default:
			out = append(out, byte(high<<4|d))
			high = -1
		}
	}
	if high >= 0 {
		out = append(out, byte(high<<4))
	}
	return out
}

func code(tok []byte) (c uint32, n int) {
	b := hexString(tok)
	for _, x := range b[:min(len(b), 4)] {
		c = c<<8 | uint32(x)
	}
	return c, len(b)
}

// utf16Text decodes UTF-16BE with plus added to the last unit.
func utf16Text(b []byte, plus int) string {
	if len(b) == 1 {
		return string(rune(int(b[0]) + plus))
	}
	units := make([]uint16, 0, len(b)/2)
	for i := 0; i+1 < len(b) && i < 64; i += 2 {
		units = append(units, binary.BigEndian.Uint16(b[i:]))
	}
	if len(units) > 0 {
		units[len(units)-1] += uint16(plus)
	}
	return string(utf16.Decode(units))
}

// next returns the first code of s and its length.
func (m *charMap) next(s string, usual int) (uint32, int) {
	var c uint32
	for n := 1; n <= min(4, len(s)); n++ {
		c = c<<8 | uint32(s[n-1])
		for _, r := range m.spaces {
			if r.n == n && c >= r.lo && c <= r.hi {
				return c, n
			}
		}
	}
	c = 0
	usual = min(usual, len(s))
	for i := range usual {
		c = c<<8 | uint32(s[i])
	}
	return c, usual
}
