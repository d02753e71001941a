package numfmt

import (
	"strconv"
	"strings"
)

// split cuts a code at the semicolons outside quotations and brackets.
func split(code string) []string {
	var parts []string
	start := 0
	quoted, bracket := false, false
	for i := 0; i < len(code); i++ {
		switch c := code[i]; {
		case quoted:
			quoted = c != '"'
		case c == '\\' || c == '_' || c == '*':
			i++
		case c == '"':
			quoted = true
		case c == '[':
			bracket = true
		case c == ']':
			bracket = false
		case c == ';' && !bracket:
			parts = append(parts, code[start:i])
			start = i + 1
		}
	}
	return append(parts, code[start:])
}

func parseSection(code string) section {
	var s section
	rs := []rune(code)
	lit := func(text string) { s.tokens = append(s.tokens, token{kind: literal, text: text}) }
	for i := 0; i < len(rs); i++ {
		c := rs[i]
		rest := string(rs[i:min(i+7, len(rs))])
		switch {
		case c == '"':
			j := i + 1
			for j < len(rs) && rs[j] != '"' {
				j++
			}
			lit(string(rs[i+1 : j]))
			i = j
		case c == '\\' && i+1 < len(rs):
			i++
			lit(string(rs[i]))
		case c == '_' && i+1 < len(rs):
			i++ // as wide as that character
			lit(" ")
		case c == '*' && i+1 < len(rs):
			i++ // filled up with that character
		case c == '[':
			j := i + 1
			for j < len(rs) && rs[j] != ']' {
				j++
			}
			s.bracket(string(rs[i+1 : j]))
			i = j
		case len(rest) >= 7 && strings.EqualFold(rest, "general"):
			s.tokens = append(s.tokens, token{kind: general})
			i += 6
		case hasFold(rest, "AM/PM"):
			s.tokens = append(s.tokens, token{kind: ampm, text: "AM/PM"})
			i += 4
			s.date = true
		case hasFold(rest, "A/P"):
			s.tokens = append(s.tokens, token{kind: ampm, text: "A/P"})
			i += 2
			s.date = true
		case (c == 'E' || c == 'e') && i+1 < len(rs) && (rs[i+1] == '+' || rs[i+1] == '-'):
			s.tokens = append(s.tokens, token{kind: exponent, text: string(rs[i+1])})
			i++
		case strings.ContainsRune("ymdhsYMDHSeEgGbB", c):
			j := i + 1
			for j < len(rs) && rs[j]|0x20 == c|0x20 {
				j++
			}
			s.tokens = append(s.tokens, token{kind: date, text: string(c | 0x20), n: j - i})
			i = j - 1
			s.date = true
		case c == '0' || c == '#' || c == '?':
			s.tokens = append(s.tokens, token{kind: digit, text: string(c)})
		case c == '.':
			s.tokens = append(s.tokens, token{kind: point, text: "."})
		case c == '%':
			s.tokens = append(s.tokens, token{kind: percent, text: "%"})
		case c == '/':
			s.tokens = append(s.tokens, token{kind: slash, text: "/"})
		case c == '@':
			s.tokens = append(s.tokens, token{kind: at})
		default:
			lit(string(c))
		}
	}
	s.settle()
	return s
}

func hasFold(s, prefix string) bool {
	return len(s) >= len(prefix) && strings.EqualFold(s[:len(prefix)], prefix)
}

func (s *section) bracket(content string) {
	lower := strings.ToLower(content)
	switch {
	case lower == "":
	case strings.Trim(lower, lower[:1]) == "" && strings.Contains("hms", lower[:1]):
		s.tokens = append(s.tokens, token{kind: elapsed, text: lower[:1], n: len(lower)})
		s.date = true
	case lower[0] == '$':
		symbol, id, _ := strings.Cut(content[1:], "-")
		if symbol != "" {
			s.tokens = append(s.tokens, token{kind: literal, text: symbol})
		}
		if v, err := strconv.ParseUint(strings.TrimSpace(id), 16, 32); err == nil {
			s.locale = int(v & 0xffff)
		}
	case strings.ContainsRune("<>=", rune(lower[0])):
		op := lower[:len(lower)-len(strings.TrimLeft(lower, "<>="))]
		if v, err := strconv.ParseFloat(strings.TrimSpace(lower[len(op):]), 64); err == nil {
			s.condition, s.bound = op, v
		}
	}
}

// settle finds out what the tokens mean together.
func (s *section) settle() {
	if s.date {
		s.settleDate()
		return
	}
	// A comma between placeholders groups thousands; behind the last it divides by a thousand.
	last := -1
	for i, t := range s.tokens {
		if t.kind == digit {
			last = i
		}
		if t.kind == exponent {
			break
		}
	}
	first := -1
	kept := s.tokens[:0:0]
	for i, t := range s.tokens {
		if t.kind == digit && first < 0 {
			first = i
		}
		if t.kind == literal && t.text == "," && first >= 0 {
			switch {
			case i < last && !pointBefore(s.tokens[:i]):
				s.thousands = true
				continue
			case i > last && trailing(s.tokens[last+1:i]), i < last && pointNext(s.tokens[i:]):
				s.scale++
				continue
			}
		}
		kept = append(kept, t)
	}
	s.tokens = kept
}

func pointBefore(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == point {
			return true
		}
	}
	return false
}

// trailing reports whether only commas are in tokens.
func trailing(tokens []token) bool {
	for _, t := range tokens {
		if t.kind != literal || t.text != "," {
			return false
		}
	}
	return true
}

func pointNext(tokens []token) bool {
	for _, t := range tokens {
		if t.kind == point {
			return true
		}
		if t.kind != literal || t.text != "," {
			return false
		}
	}
	return false
}

// settleDate tells minutes from months, and finds decimal places of seconds.
func (s *section) settleDate() {
	var kept []token
	for i := 0; i < len(s.tokens); i++ {
		t := s.tokens[i]
		if t.kind == point && i+1 < len(s.tokens) && s.tokens[i+1].kind == digit && s.tokens[i+1].text == "0" {
			n := 0
			for i+1 < len(s.tokens) && s.tokens[i+1].kind == digit {
				n++
				i++
			}
			kept = append(kept, token{kind: millis, n: min(n, 3)})
			continue
		}
		kept = append(kept, t)
	}
	before := ""
	for i := range kept {
		t := &kept[i]
		if t.kind != date && t.kind != elapsed {
			continue
		}
		if t.kind == date && t.text == "m" && t.n <= 2 && (before == "h" || nextUnit(kept[i+1:]) == "s") {
			t.text = "n" // minutes
		}
		before = t.text
	}
	s.tokens = kept
	s.names = namesOf(s.locale)
}

func nextUnit(tokens []token) string {
	for _, t := range tokens {
		if t.kind == date || t.kind == elapsed {
			return t.text
		}
	}
	return ""
}
