package charset

// A double describes one multi-byte character set by the frequency of its ranges.
type double struct {
	name  string
	prior float64
	// char returns the length of the character at the start of s, whose first
	// byte is above 0x7F, and its log-likelihood. Length 0 means invalid.
	char func(s []byte) (int, float64)
}

const costInvalid = -25.0

func (d double) score(s []byte) float64 {
	score := 0.0
	for i := 0; i < len(s); {
		if s[i] < 0x80 {
			i++
			continue
		}
		n, p := d.char(s[i:])
		if n == 0 {
			n, p = 1, costInvalid
			if i == len(s)-1 {
				p /= 2 // the sample may be cut in the middle of a character
			}
		}
		score += p
		i += n
	}
	return score
}

// multibyte holds the East Asian sets. Their standards put the frequent ideographs
// (level 1) into one range of lead bytes, which is what tells them apart.
var multibyte = []double{
	{"shift_jis", 0.5, shiftJIS},
	{"gb18030", 0.5, gb18030},
	{"big5", 1, big5},
	{"euc-kr", 1, eucKR},
	{"euc-jp", 1, eucJP},
}

func pair(s []byte) (a, b byte, ok bool) {
	if len(s) < 2 {
		return 0, 0, false
	}
	return s[0], s[1], true
}

func shiftJIS(s []byte) (int, float64) {
	if s[0] >= 0xa1 && s[0] <= 0xdf {
		return 1, -6.5 // half-width katakana
	}
	a, b, ok := pair(s)
	if !ok || a == 0x80 || a == 0xa0 || a > 0xfc || b < 0x40 || b == 0x7f || b > 0xfc {
		return 0, 0
	}
	switch {
	case a == 0x82 && b >= 0x9f && b <= 0xf1:
		return 2, -4.5
	case a == 0x83 && b <= 0x96:
		return 2, -5.5
	case a == 0x81, a == 0x82:
		return 2, -6.5
	case a >= 0x88 && a <= 0x97:
		return 2, -7.5
	case a >= 0x98 && a <= 0x9f, a >= 0xe0 && a <= 0xea:
		return 2, -10.5
	case a >= 0xed && a <= 0xee, a >= 0xfa:
		return 2, -11
	}
	return 2, -14
}

func gb18030(s []byte) (int, float64) {
	a, b, ok := pair(s)
	if !ok || a < 0x81 || a == 0xff || b == 0x7f || b == 0xff {
		return 0, 0
	}
	if b >= 0x30 && b <= 0x39 {
		if len(s) < 4 || s[2] < 0x81 || s[3] < 0x30 || s[3] > 0x39 {
			return 0, 0
		}
		return 4, -22
	}
	switch {
	case b < 0x40:
		return 0, 0
	case b < 0xa1:
		return 2, -14
	case a >= 0xb0 && a <= 0xd7:
		return 2, -7
	case a >= 0xa1 && a <= 0xa3:
		return 2, -6.5
	case a == 0xa4, a == 0xa5:
		return 2, -12
	case a >= 0xd8 && a <= 0xf7:
		return 2, -10.5
	}
	return 2, -14
}

func big5(s []byte) (int, float64) {
	a, b, ok := pair(s)
	if !ok || a < 0x81 || a == 0xff || b < 0x40 || b >= 0x7f && b < 0xa1 || b == 0xff {
		return 0, 0
	}
	switch {
	case a >= 0xa4 && a <= 0xc6:
		return 2, -7
	case a >= 0xa1 && a <= 0xa3:
		return 2, -6.5
	case a >= 0xc9 && a <= 0xf9:
		return 2, -10.5
	}
	return 2, -16
}

func eucKR(s []byte) (int, float64) {
	a, b, ok := pair(s)
	if !ok || a < 0x81 || a == 0xff || b < 0x41 || b == 0xff {
		return 0, 0
	}
	switch {
	case b < 0xa1 || a < 0xa1:
		return 2, -12
	case a >= 0xb0 && a <= 0xc8:
		return 2, -6.5
	case a >= 0xa1 && a <= 0xa3:
		return 2, -6.5
	case a >= 0xca && a <= 0xfd:
		return 2, -12
	}
	return 2, -13
}

func eucJP(s []byte) (int, float64) {
	a, b, ok := pair(s)
	switch {
	case !ok || b < 0xa1 || b == 0xff:
		return 0, 0
	case a == 0x8e && b <= 0xdf:
		return 2, -11
	case a == 0x8f && len(s) > 2 && s[2] >= 0xa1:
		return 3, -16
	case a < 0xa1 || a == 0xff:
		return 0, 0
	case a == 0xa4:
		return 2, -4.5
	case a == 0xa5:
		return 2, -5.5
	case a == 0xa1, a == 0xa3:
		return 2, -6.5
	case a >= 0xb0 && a <= 0xcf:
		return 2, -7.5
	case a >= 0xd0 && a <= 0xf4:
		return 2, -10.5
	}
	return 2, -14
}
