// Package numfmt writes numbers as a spreadsheet shows them, by the number
// format codes of ECMA-376, part 1, 18.8.30 and 18.8.31. It imports the
// standard library only. A Format is safe for concurrent use.
package numfmt

import (
	"math"
	"strconv"
	"strings"
)

// A Format is a parsed format code.
type Format struct {
	sections []section
	text     *section // of texts, or nil
	special  string   // layout of the package time, for codes that depend on the reader's locale
}

type kind int

const (
	literal kind = iota
	digit        // 0, # or ?
	point
	percent
	exponent // text is "+" or "-"
	slash    // of a fraction
	general
	at      // the text itself
	date    // text is the letter, n how many of it
	elapsed // the same, for [h], [m] and [s]
	ampm    // text is "AM/PM" or "A/P"
	millis  // n decimal places of seconds
)

type token struct {
	kind kind
	text string
	n    int
}

type section struct {
	tokens    []token
	condition string // "<", ">=" and so on, or empty
	bound     float64
	date      bool
	thousands bool
	scale     int    // times to divide by 1000
	locale    int    // a Windows language id
	names     *names // of months and days, of a date
}

// maxCode bounds a format code; Excel allows 255 characters.
const maxCode = 1000

// Parse reads a code. One that makes no sense is like "General".
func Parse(code string) *Format {
	f := &Format{}
	if code == "" || len(code) > maxCode {
		code = "General"
	}
	for i, part := range split(code) {
		s := parseSection(part)
		if strings.Contains(strings.ToUpper(part), "[$-F800]") {
			f.special = "2006-01-02"
		}
		if strings.Contains(strings.ToUpper(part), "[$-F400]") {
			f.special = "15:04:05"
		}
		hasText := false
		for _, t := range s.tokens {
			hasText = hasText || t.kind == at
		}
		if i == 3 || hasText {
			f.text = &s
			if i == 3 {
				break
			}
		}
		if !hasText || i == 0 {
			f.sections = append(f.sections, s)
		}
	}
	return f
}

// Builtin returns the format with a built-in id, or nil where there is none.
// Dates whose form depends on the reader's locale (14 and 22) are in ISO 8601.
func Builtin(id int) *Format {
	switch id {
	case 14:
		return &Format{special: "2006-01-02"}
	case 22:
		return &Format{special: "2006-01-02 15:04"}
	}
	code, ok := builtin[id]
	if !ok {
		return nil
	}
	return Parse(code)
}

var builtin = map[int]string{
	0: "General", 1: "0", 2: "0.00", 3: "#,##0", 4: "#,##0.00",
	5: `"$"#,##0_);("$"#,##0)`, 6: `"$"#,##0_);("$"#,##0)`, 7: `"$"#,##0.00_);("$"#,##0.00)`, 8: `"$"#,##0.00_);("$"#,##0.00)`,
	9: "0%", 10: "0.00%", 11: "0.00E+00", 12: "# ?/?", 13: "# ??/??",
	15: "d-mmm-yy", 16: "d-mmm", 17: "mmm-yy", 18: "h:mm AM/PM", 19: "h:mm:ss AM/PM", 20: "h:mm", 21: "h:mm:ss",
	37: "#,##0_);(#,##0)", 38: "#,##0_);(#,##0)", 39: "#,##0.00_);(#,##0.00)", 40: "#,##0.00_);(#,##0.00)",
	41: `_(* #,##0_);_(* (#,##0);_(* "-"_);_(@_)`, 42: `_("$"* #,##0_);_("$"* (#,##0);_("$"* "-"_);_(@_)`,
	43: `_(* #,##0.00_);_(* (#,##0.00);_(* "-"??_);_(@_)`, 44: `_("$"* #,##0.00_);_("$"* (#,##0.00);_("$"* "-"??_);_(@_)`,
	45: "mm:ss", 46: "[h]:mm:ss", 47: "mm:ss.0", 48: "##0.0E+0", 49: "@",
	// Dates of the East Asian versions, in ISO 8601's order as 14 is.
	27: "yyyy-mm-dd", 28: "yyyy-mm-dd", 29: "yyyy-mm-dd", 30: "yyyy-mm-dd", 31: "yyyy-mm-dd", 32: "hh:mm", 33: "hh:mm:ss", 34: "hh:mm", 35: "hh:mm:ss", 36: "yyyy-mm-dd",
	50: "yyyy-mm-dd", 51: "yyyy-mm-dd", 52: "yyyy-mm", 53: "yyyy-mm-dd", 54: "yyyy-mm-dd", 55: "yyyy-mm", 56: "yyyy-mm-dd", 57: "yyyy-mm", 58: "mm-dd",
}

// IsDate reports whether numbers in this format are dates or times.
func (f *Format) IsDate() bool {
	return f.special != "" || len(f.sections) > 0 && f.sections[0].date
}

// Number returns v as the format shows it, without white space at its ends.
// date1904 says that dates count from 1904 instead of 1900.
func (f *Format) Number(v float64, date1904 bool) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	if f.special != "" {
		if t, ok := moment(v, date1904); ok {
			return t.Format(f.special)
		}
		return General(v)
	}
	s, abs := f.choose(v)
	if s == nil {
		return General(v)
	}
	if s.date {
		if text, ok := s.moment(v, date1904); ok {
			return strings.TrimSpace(text)
		}
		return General(v)
	}
	negative := v < 0 && !abs
	return strings.TrimSpace(s.number(math.Abs(v), negative))
}

// Text returns a text as the format shows it.
func (f *Format) Text(s string) string {
	if f.text == nil {
		return s
	}
	var b strings.Builder
	shown := false
	for _, t := range f.text.tokens {
		switch t.kind {
		case literal:
			b.WriteString(t.text)
		case at:
			b.WriteString(s)
			shown = true
		}
	}
	if !shown {
		return s // a format that hides its text: the text is still what the cell holds
	}
	return strings.TrimSpace(b.String())
}

// choose returns the section for v, and whether that shows its sign itself.
func (f *Format) choose(v float64) (s *section, abs bool) {
	n := len(f.sections)
	conditional := false
	for i := range f.sections {
		s := &f.sections[i]
		if s.condition == "" {
			continue
		}
		conditional = true
		if holds(v, s.condition, s.bound) {
			return s, v < 0 && s.bound <= 0 && s.condition[0] == '<'
		}
	}
	switch {
	case n == 0:
		return nil, false
	case conditional:
		for i := range f.sections {
			if f.sections[i].condition == "" && (i > 0 || v >= 0 || n == 1) {
				return &f.sections[i], i == 1 && v < 0
			}
		}
		return nil, false
	case v < 0 && n >= 2:
		return &f.sections[1], true
	case v == 0 && n >= 3:
		return &f.sections[2], true
	}
	return &f.sections[0], false
}

func holds(v float64, op string, bound float64) bool {
	switch op {
	case "<":
		return v < bound
	case "<=":
		return v <= bound
	case ">":
		return v > bound
	case ">=":
		return v >= bound
	case "=":
		return v == bound
	case "<>":
		return v != bound
	}
	return false
}

// General writes v with the 15 significant digits that a spreadsheet keeps,
// in scientific form only where that is much shorter.
func General(v float64) string {
	if math.IsNaN(v) || math.IsInf(v, 0) {
		return ""
	}
	if f, err := strconv.ParseFloat(strconv.FormatFloat(v, 'g', 15, 64), 64); err == nil {
		v = f
	}
	if v == 0 {
		return "0" // also for minus zero
	}
	if a := math.Abs(v); a >= 1e21 || a < 1e-9 {
		return strconv.FormatFloat(v, 'E', -1, 64)
	}
	return strconv.FormatFloat(v, 'f', -1, 64)
}
