package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// decimal is a number as its significant digits: 0.d1d2d3... times 10 to the power exp.
type decimal struct {
	digits string
	exp    int
}

// decimalOf takes the 15 digits that a spreadsheet has of v, which is not negative.
func decimalOf(v float64) decimal {
	mantissa, exp, _ := strings.Cut(strconv.FormatFloat(v, 'e', 14, 64), "e")
	e, _ := strconv.Atoi(exp)
	d := strings.TrimRight(strings.Replace(mantissa, ".", "", 1), "0")
	if d == "" {
		return decimal{}
	}
	return decimal{d, e + 1}
}

// fixed returns the digits before and after the point, rounded half up to
// places; the whole part of a number below 1 is empty.
func (d decimal) fixed(places int) (whole, fraction string) {
	n := d.exp + places // digits to keep
	digits := d.digits
	switch {
	case n < 0 || digits == "":
		digits = ""
	case n < len(digits):
		up := digits[n] >= '5'
		b := []byte(digits[:n])
		for i := n - 1; up && i >= 0; i-- {
			if b[i] == '9' {
				b[i] = '0'
				continue
			}
			b[i]++
			up = false
		}
		digits = string(b)
		if up {
			digits = "1" + digits
			d.exp++
		}
	}
	if digits == "" {
		return "", strings.Repeat("0", places)
	}
	if d.exp <= 0 {
		digits = strings.Repeat("0", -d.exp) + digits
		d.exp = 0
	}
	if len(digits) < d.exp+places {
		digits += strings.Repeat("0", d.exp+places-len(digits))
	}
	return strings.TrimLeft(digits[:d.exp], "0"), digits[d.exp : d.exp+places]
}

// number writes v, which is not negative.
func (s *section) number(v float64, negative bool) string {
	var pointAt, expAt, slashAt, digits = -1, -1, -1, 0
	for i, t := range s.tokens {
		switch t.kind {
		case point:
			if pointAt < 0 && expAt < 0 {
				pointAt = i
			}
		case exponent:
			if expAt < 0 && digits > 0 {
				expAt = i
			}
		case slash:
			if slashAt < 0 && digits > 0 {
				slashAt = i
			}
		case digit:
			digits++
		case percent:
			v *= 100
		}
	}
	for range s.scale {
		v /= 1000
	}
	var body string
	switch {
	case math.IsInf(v, 0):
		return ""
	case digits == 0:
		body = s.plain(v)
	case slashAt >= 0 && pointAt < 0:
		body = s.fraction(v, slashAt)
	case expAt >= 0:
		body = s.scientific(v, pointAt, expAt)
	default:
		body = s.fixed(decimalOf(v), pointAt, len(s.tokens))
	}
	if negative && strings.ContainsAny(body, "123456789") {
		body = "-" + body
	} else if negative && digits == 0 && !s.has(general) {
		body = "-" + body
	}
	return body
}

func (s *section) has(k kind) bool {
	for _, t := range s.tokens {
		if t.kind == k {
			return true
		}
	}
	return false
}

// plain writes a section without placeholders: literals, or General in them.
func (s *section) plain(v float64) string {
	var b strings.Builder
	for _, t := range s.tokens {
		switch t.kind {
		case general, at:
			b.WriteString(General(v))
		case digit, date, elapsed, millis, ampm:
		default:
			b.WriteString(t.text)
		}
	}
	return b.String()
}

// fixed fills the placeholders of the tokens up to end.
func (s *section) fixed(d decimal, pointAt, end int) string {
	places := 0
	if pointAt >= 0 {
		for _, t := range s.tokens[pointAt:end] {
			if t.kind == digit {
				places++
			}
		}
	} else {
		pointAt = end
	}
	whole, fraction := d.fixed(places)
	var out []string
	out = append(out, s.whole(whole, 0, pointAt, s.thousands))
	// Zeros at the end are shown only for the placeholder "0".
	shown := len(strings.TrimRight(fraction, "0"))
	i := 0
	for _, t := range s.tokens[pointAt:end] {
		switch t.kind {
		case digit:
			if i < shown || t.text == "0" {
				if t.text == "0" {
					shown = max(shown, i+1)
				}
				out = append(out, fraction[i:i+1])
			} else if zeroLater(s.tokens[pointAt:end], i) {
				out = append(out, fraction[i:i+1])
			} else if t.text == "?" {
				out = append(out, " ")
			}
			i++
		default:
			out = append(out, t.text)
		}
	}
	return strings.Join(out, "")
}

// zeroLater reports whether a placeholder "0" stands behind the i-th.
func zeroLater(tokens []token, i int) bool {
	n := 0
	for _, t := range tokens {
		if t.kind != digit {
			continue
		}
		if n > i && t.text == "0" {
			return true
		}
		n++
	}
	return false
}

// whole fills the placeholders of tokens from..to with digits, from the right;
// the leftmost takes all that are left.
func (s *section) whole(digits string, from, to int, thousands bool) string {
	firstDigit := to
	for i := to - 1; i >= from; i-- {
		if s.tokens[i].kind == digit {
			firstDigit = i
		}
	}
	var parts []string // from the right
	count := 0
	put := func(c string) {
		if thousands && count > 0 && count%3 == 0 && c != " " {
			parts = append(parts, ",")
		}
		parts = append(parts, c)
		count++
	}
	// Placeholders "0" further left demand zeros at all places right of them.
	for i := to - 1; i >= from; i-- {
		t := s.tokens[i]
		if t.kind != digit {
			parts = append(parts, t.text)
			continue
		}
		switch {
		case digits != "":
			put(digits[len(digits)-1:])
			digits = digits[:len(digits)-1]
		case t.text == "0" || s.zeroBefore(from, i):
			put("0")
		case t.text == "?":
			put(" ")
		}
		if i == firstDigit {
			for digits != "" {
				put(digits[len(digits)-1:])
				digits = digits[:len(digits)-1]
			}
		}
	}
	var b strings.Builder
	for i := len(parts) - 1; i >= 0; i-- {
		b.WriteString(parts[i])
	}
	return b.String()
}

func (s *section) zeroBefore(from, to int) bool {
	for _, t := range s.tokens[from:to] {
		if t.kind == digit && t.text == "0" {
			return true
		}
	}
	return false
}

// scientific writes v with an exponent, a multiple of the number of places before the point.
func (s *section) scientific(v float64, pointAt, expAt int) string {
	lead, places := 0, 0
	end := expAt
	for i, t := range s.tokens[:end] {
		if t.kind == digit {
			if pointAt >= 0 && i > pointAt {
				places++
			} else {
				lead++
			}
		}
	}
	d := decimalOf(v)
	e := 0
	if d.digits != "" {
		lead = max(lead, 1)
		e = d.exp - 1
		if lead > 1 {
			e = int(math.Floor(float64(e)/float64(lead))) * lead
		}
		d.exp -= e
		// Rounding may have carried: 9.99 becomes 10.0.
		if whole, _ := d.fixed(places); len(whole) > lead {
			d = decimal{"1", lead}
			if lead == 1 {
				e++
			} else {
				d.exp = 1
				e += lead
			}
		}
	}
	out := s.fixed(d, pointAt, end) + "E"
	if e < 0 {
		out += "-"
	} else if s.tokens[expAt].text == "+" {
		out += "+"
	}
	if e < 0 {
		e = -e
	}
	exp := strconv.Itoa(e)
	if e == 0 {
		exp = ""
	}
	return out + s.whole(exp, expAt+1, len(s.tokens), false)
}

// fraction writes v as a whole number and a fraction.
func (s *section) fraction(v float64, slashAt int) string {
	// The numerator is the run of placeholders before the slash; what is before that is the whole part.
	num := slashAt - 1
	for num >= 0 && s.tokens[num].kind != digit {
		num--
	}
	for num > 0 && s.tokens[num-1].kind == digit {
		num--
	}
	mixed := false
	for _, t := range s.tokens[:max(num, 0)] {
		mixed = mixed || t.kind == digit
	}
	// The denominator: placeholders, or a number.
	den := slashAt + 1
	for den < len(s.tokens) && s.tokens[den].kind == literal && s.tokens[den].text == " " {
		den++
	}
	end, size, fixed := den, 0, ""
	for end < len(s.tokens) {
		t := s.tokens[end]
		if t.kind == literal && len(t.text) == 1 && t.text[0] >= '1' && t.text[0] <= '9' || t.kind == digit && t.text == "0" && fixed != "" {
			fixed += t.text
		} else if t.kind == digit {
			size++
		} else {
			break
		}
		end++
	}
	whole, rest := math.Modf(v)
	if !mixed {
		whole, rest = 0, v
	}
	if whole > 1e15 || rest > 1e9 {
		return General(v)
	}
	var n, d int64
	if fixed != "" {
		d, _ = strconv.ParseInt(fixed[:min(len(fixed), 6)], 10, 64)
		n = int64(math.Round(rest * float64(d)))
	} else {
		n, d = approximate(rest, int64(math.Pow10(min(max(size, 1), 5)))-1)
	}
	if mixed && n == d {
		whole, n = whole+1, 0
	}
	var b strings.Builder
	if mixed {
		digits := ""
		if whole > 0 {
			digits = strconv.FormatFloat(whole, 'f', 0, 64)
		} else if n == 0 {
			digits = "0"
		}
		b.WriteString(strings.TrimRight(s.whole(digits, 0, num, s.thousands), " "))
	}
	if n != 0 || !mixed {
		if b.Len() > 0 {
			b.WriteByte(' ')
		}
		b.WriteString(strconv.FormatInt(n, 10) + "/" + strconv.FormatInt(d, 10))
	}
	for _, t := range s.tokens[end:] {
		b.WriteString(t.text)
	}
	return b.String()
}

// approximate returns the fraction nearest to v whose denominator is at most
// limit, by continued fractions with the last term cut back as far as needed.
func approximate(v float64, limit int64) (n, d int64) {
	n0, d0, n1, d1 := int64(0), int64(1), int64(1), int64(0)
	x := v
	for range 40 {
		a := int64(math.Floor(x))
		n2, d2 := a*n1+n0, a*d1+d0
		if d2 > limit {
			k := (limit - d0) / max(d1, 1)
			n2, d2 = k*n1+n0, k*d1+d0
			if d2 > 0 && math.Abs(float64(n2)/float64(d2)-v) < math.Abs(float64(n1)/float64(d1)-v) {
				return n2, d2
			}
			return n1, d1
		}
		n0, d0, n1, d1 = n1, d1, n2, d2
		if x-float64(a) < 1e-9 {
			break
		}
		x = 1 / (x - float64(a))
	}
	return n1, d1
}
