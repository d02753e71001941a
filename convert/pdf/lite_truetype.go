//go:build lite

package pdf

import "encoding/binary"

// letters returns which letter each glyph of a TrueType or OpenType font
// shows, by the font's own table (OpenType, cmap), whose fonts without a
// ToUnicode map have nothing else.
func letters(file []byte) map[int]rune {
	out := map[int]rune{}
	u16 := func(at int) int {
		if at < 0 || at+2 > len(file) {
			return 0
		}
		return int(binary.BigEndian.Uint16(file[at:]))
	}
	u32 := func(at int) int {
		if at < 0 || at+4 > len(file) {
			return 0
		}
		return int(binary.BigEndian.Uint32(file[at:]))
	}
	put := func(glyph, letter int) {
		if _, ok := out[glyph]; !ok && glyph > 0 && letter > ' ' {
			out[glyph] = rune(letter)
		}
	}
	cmap := 0
	for i := range min(u16(4), 64) {
		if at := 12 + 16*i; at+16 <= len(file) && string(file[at:at+4]) == "cmap" {
			cmap = u32(at + 8)
		}
	}
	if cmap == 0 {
		return out
	}
	for i := range min(u16(cmap+2), 32) {
		record := cmap + 4 + 8*i
		platform, kind := u16(record), u16(record+2)
		if platform != 0 && (platform != 3 || kind != 1 && kind != 10) {
			continue
		}
		t := cmap + u32(record+4)
		switch u16(t) {
		case 4:
			n := u16(t+6) / 2
			for s := range n {
				last, first := u16(t+14+2*s), u16(t+16+2*n+2*s)
				delta, place := u16(t+16+4*n+2*s), t+16+6*n+2*s
				offset := u16(place)
				for c := first; c <= last && c < 0xffff; c++ {
					glyph := c
					if offset != 0 {
						if glyph = u16(place + offset + 2*(c-first)); glyph == 0 {
							continue
						}
					}
					put((glyph+delta)&0xffff, c)
				}
			}
		case 12:
			for g := range min(u32(t+12), 1<<16) {
				at := t + 16 + 12*g
				if at+12 > len(file) || len(out) > maxMapped {
					break
				}
				first, last, glyph := u32(at), u32(at+4), u32(at+8)
				for c := first; c <= last && c-first < 1<<16 && c <= 0x10ffff; c++ {
					put(glyph+c-first, c)
				}
			}
		}
	}
	return out
}
