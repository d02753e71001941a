// Package charset decodes text whose character set is unknown, declared or
// declared wrongly. It knows byte order marks, UTF-8, UTF-16 and UTF-32 with
// and without one, and finds legacy character sets by how probable the
// decoded text is. It refuses binary data instead of decoding it to garbage.
//
// It imports the standard library and golang.org/x/text only.
package charset

import (
	"bytes"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"golang.org/x/text/encoding/htmlindex"
)

var (
	// ErrBinary says that the bytes are not text.
	ErrBinary = errors.New("binary data, not text")
	// ErrUnknown says that the bytes may be text but in no known character set.
	ErrUnknown = errors.New("unknown text encoding")
)

// Decode returns data as UTF-8 without a byte order mark, and the name of the
// character set that it was in. declared is what a header or the document
// itself says, or empty; it is believed unless the bytes speak against it,
// since declarations are often inherited from a template or a server's default.
//
// The decision takes the whole of data into account. Few invalid bytes in
// text that is plainly UTF-8 come out as U+FFFD. Errors wrap [ErrBinary] or [ErrUnknown].
func Decode(data []byte, declared string) (text, name string, err error) {
	text, name, err = decode(data, strings.ToLower(strings.TrimSpace(declared)))
	if err == nil && tooManyControls(text) {
		return "", "", ErrBinary
	}
	return text, name, err
}

// trusted is how many sequences of UTF-8 outweigh one invalid byte. Text in
// another character set has less than one of them to each invalid byte, in two
// bytes to a character as well.
const trusted = 5

func decode(data []byte, declared string) (text, name string, err error) {
	if s, name, ok := decodeMarked(data); ok {
		return s, name, nil
	}
	if s, name, ok := decodeWide(data); ok {
		return s, name, nil
	}
	valid, invalid := countUTF8(data)
	switch {
	case invalid == 0 && valid == 0:
		if enc := escapeCharset(data); enc != "" {
			return decodeAs(data, enc)
		}
		return string(data), "ascii", nil
	case invalid == 0, invalid == 1 && valid > 0 && truncatedTail(data), valid >= trusted*invalid:
		return strings.ToValidUTF8(string(trimTail(data)), "\ufffd"), "utf-8", nil
	}
	if tooManyControls(string(data)) {
		return "", "", ErrBinary
	}
	if declared != "" && !strings.HasPrefix(declared, "utf") {
		if s, name, err := decodeAs(data, declared); err == nil && strings.Count(s, "\ufffd")*100 <= len(data) && plausible(s) {
			return s, name, nil
		}
	}
	name = Detect(data)
	if name == "" {
		return "", "", fmt.Errorf("%w: save the text as UTF-8", ErrUnknown)
	}
	return decodeAs(data, name)
}

// plausible says whether text decoded as declared is free of C1 control
// characters, which is how a wrong single-byte declaration usually shows.
func plausible(s string) bool {
	n := 0
	for _, r := range s {
		if r >= 0x80 && r < 0xa0 && r != 0x85 {
			n++
		}
	}
	return n*200 <= len(s)
}

func decodeAs(data []byte, name string) (string, string, error) {
	enc, err := htmlindex.Get(name)
	if c, ok := extra[name]; ok {
		enc, err = c, nil
	}
	if err != nil {
		return "", "", fmt.Errorf("%w %q", ErrUnknown, name)
	}
	b, err := enc.NewDecoder().Bytes(data)
	if err != nil {
		return "", "", fmt.Errorf("%w: %s: %v", ErrUnknown, name, err)
	}
	if canonical, err := htmlindex.Name(enc); err == nil {
		name = canonical
	}
	return string(b), name, nil
}

func decodeMarked(data []byte) (string, string, bool) {
	switch {
	case bytes.HasPrefix(data, []byte("\xef\xbb\xbf")):
		return strings.ToValidUTF8(string(data[3:]), "\ufffd"), "utf-8", true
	case bytes.HasPrefix(data, []byte("\xff\xfe\x00\x00")) && len(data)%4 == 0:
		return fromUTF32(data[4:], binary.LittleEndian), "utf-32le", true
	case bytes.HasPrefix(data, []byte("\x00\x00\xfe\xff")):
		return fromUTF32(data[4:], binary.BigEndian), "utf-32be", true
	case bytes.HasPrefix(data, []byte("\xff\xfe")):
		return fromUTF16(data[2:], binary.LittleEndian), "utf-16le", true
	case bytes.HasPrefix(data, []byte("\xfe\xff")):
		return fromUTF16(data[2:], binary.BigEndian), "utf-16be", true
	}
	return "", "", false
}

// decodeWide recognises UTF-16 and UTF-32 without a byte order mark. Both need
// at least one zero byte: text without a single space, digit or line end is not worth the risk.
func decodeWide(data []byte) (string, string, bool) {
	if len(data) < 4 || len(data)%2 != 0 || bytes.IndexByte(data, 0) < 0 {
		return "", "", false
	}
	if len(data)%4 == 0 {
		if allPlanes(data, 3, 2) {
			return fromUTF32(data, binary.LittleEndian), "utf-32le", true
		}
		if allPlanes(data, 0, 1) {
			return fromUTF32(data, binary.BigEndian), "utf-32be", true
		}
	}
	le, be := wideScore(data, 1), wideScore(data, 0)
	switch units := len(data) / 2; {
	case le*100 >= units*95 && le > be:
		return fromUTF16(data, binary.LittleEndian), "utf-16le", true
	case be*100 >= units*95 && be > le:
		return fromUTF16(data, binary.BigEndian), "utf-16be", true
	}
	return "", "", false
}

// allPlanes reports whether each group of four bytes has a zero at top and a plane number at plane.
func allPlanes(data []byte, top, plane int) bool {
	for i := 0; i+3 < len(data); i += 4 {
		if data[i+top] != 0 || data[i+plane] > 0x10 {
			return false
		}
	}
	return true
}

// wideScore counts the UTF-16 units that text is likely to have, when the
// high byte of each pair is at offset high: printable ASCII, the alphabetic blocks up to
// Arabic, punctuation, and surrogates. CJK ideographs do not count alone, since any
// pair of ASCII letters is one.
func wideScore(data []byte, high int) int {
	likely, ideographs, kana := 0, 0, 0
	for i := 0; i+1 < len(data); i += 2 {
		h, l := data[i+high], data[i+1-high]
		switch {
		case h == 0 && (l >= ' ' && l < 0x7f || l == '\n' || l == '\r' || l == '\t' || l >= 0xa0):
			likely++
		case h >= 1 && h <= 6 || h == 0x20 || h == 0x21 || h == 0xff || h >= 0xd8 && h <= 0xdf:
			likely++
		case h == 0x30:
			kana++
		case h >= 0x4e && h <= 0x9f:
			ideographs++
		}
	}
	if kana > 0 && kana*50 >= len(data)/2 {
		return likely + kana + ideographs
	}
	return likely + kana
}

func fromUTF16(data []byte, order binary.ByteOrder) string {
	units := make([]uint16, len(data)/2)
	for i := range units {
		units[i] = order.Uint16(data[2*i:])
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}

func fromUTF32(data []byte, order binary.ByteOrder) string {
	var b strings.Builder
	b.Grow(len(data) / 3)
	for i := 0; i+3 < len(data); i += 4 {
		r := order.Uint32(data[i:])
		if r > utf8.MaxRune {
			r = utf8.RuneError
		}
		b.WriteRune(rune(r))
	}
	return b.String()
}

// countUTF8 counts the valid sequences of more than one byte and the invalid bytes.
func countUTF8(data []byte) (valid, invalid int) {
	for i := 0; i < len(data); {
		if data[i] < utf8.RuneSelf {
			i++
			continue
		}
		_, n := utf8.DecodeRune(data[i:])
		if n > 1 {
			valid++
		} else {
			invalid++
		}
		i += n
	}
	return valid, invalid
}

// trimTail drops an incomplete sequence from the end, as a file that was cut has it.
func trimTail(data []byte) []byte {
	for i := 1; i <= min(3, len(data)); i++ {
		c := data[len(data)-i]
		if utf8.RuneStart(c) {
			if c >= 0xc0 && !utf8.FullRune(data[len(data)-i:]) {
				return data[:len(data)-i]
			}
			break
		}
	}
	return data
}

func truncatedTail(data []byte) bool { return len(trimTail(data)) < len(data) }

// tooManyControls reports whether more than one character in a hundred is a
// control character that text does not have. Zero bytes alone are tolerated up to five in a hundred:
// exporters leave them in fields.
func tooManyControls(s string) bool {
	zeros, controls := 0, 0
	for i := range len(s) {
		switch c := s[i]; {
		case c == 0:
			zeros++
		case c < ' ' && c != '\t' && c != '\n' && c != '\r' && c != '\f' && c != '\v' && c != 0x1a && c != 0x1b:
			controls++
		}
	}
	return controls > 1+len(s)/100 || zeros > 1+len(s)/20
}

// escapeCharset names a seven-bit character set that switches by escape sequences.
func escapeCharset(data []byte) string {
	for _, esc := range []string{"\x1b$B", "\x1b$@", "\x1b(J"} {
		if bytes.Contains(data, []byte(esc)) {
			return "iso-2022-jp"
		}
	}
	return ""
}
