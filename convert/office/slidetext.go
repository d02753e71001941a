package office

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf16"

	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/ooxml"
)

// text returns the text of all paragraphs of a text body, one line each.
func (s *slides) text(body *ooxml.Node) []span {
	var spans []span
	for _, p := range orEmpty(body).Children {
		if p.Name != "a:p" {
			continue
		}
		if len(spans) > 0 {
			spans = add(spans, span{}, "\n")
		}
		spans = s.inline(spans, p)
	}
	return spans
}

// cellText writes spans as the content of a table cell.
func cellText(spans []span) string { return mdtext.Cell(markdown(spans, true)) }

// inline appends the text of a paragraph: links, but no emphasis, which on slides is decoration.
func (s *slides) inline(spans []span, p *ooxml.Node) []span {
	for _, c := range p.Children {
		switch c.Name {
		case "a:r":
			rpr := c.Child("a:rPr")
			f := span{}
			if link := rpr.Child("a:hlinkClick"); link != nil {
				if rel := s.rels[link.Attr("r:id")]; rel.External {
					f.link = rel.Target
				}
			}
			text := unescape(c.Child("a:t").String())
			if rpr != nil && strings.Trim(rpr.Attr("baseline"), "0123456789%.") == "" && rpr.Attr("baseline") > "0" && exponent(spans, text) {
				text = "^" + text
			}
			if rpr != nil {
				for _, font := range []string{"a:sym", "a:latin"} {
					if face := rpr.Child(font); face != nil {
						text = unsymbol(text, face.Attr("typeface"))
					}
				}
			}
			spans = add(spans, f, unsymbol(text, ""))
		case "a:fld":
			if c.Attr("type") != "slidenum" {
				spans = add(spans, span{}, unescape(c.Child("a:t").String()))
			}
		case "a:br":
			spans = add(spans, span{}, "\n")
		case "mc:AlternateContent":
			spans = s.inline(spans, readable(c))
		case "a14:m", "m:oMathPara":
			spans = s.inline(spans, c)
		case "m:oMath":
			if tex := strings.TrimSpace(latex(c)); tex != "" {
				spans = add(spans, span{}, "$"+tex+"$")
			}
		}
	}
	return spans
}

// paragraphs writes the paragraphs of a text body, those with bullets or
// automatic numbers as items.
func (s *slides) paragraphs(body *ooxml.Node, styles []*ooxml.Node) {
	var (
		levels  []int // of the open items
		numbers [9]int
		labels  [9]string
	)
	for _, p := range orEmpty(body).Children {
		if p.Name != "a:p" {
			continue
		}
		text := strings.TrimSpace(markdown(s.inline(nil, p), true))
		if text == "" {
			continue
		}
		ppr := p.Child("a:pPr")
		level := 0
		if ppr != nil {
			if v, err := strconv.Atoi(ppr.Attr("lvl")); err == nil {
				level = min(max(v, 0), 8)
			}
		}
		mark := bullet(ppr, level, styles)
		clear(numbers[level+1:])
		if mark == nil || mark.Name == "a:buNone" {
			for range levels {
				s.w.Close()
			}
			levels = levels[:0]
			numbers[level] = 0
			s.w.Paragraph(text)
			continue
		}
		marker := "- "
		if mark.Name == "a:buAutoNum" {
			if kind := mark.Attr("type") + " " + mark.Attr("startAt"); numbers[level] == 0 || labels[level] != kind {
				labels[level], numbers[level] = kind, start(mark)
			}
			if label := autoNumber(mark.Attr("type"), numbers[level]); markdownNumber(label) {
				marker = label + " "
			} else {
				text = label + " " + text
			}
			numbers[level]++
		} else {
			numbers[level] = 0
		}
		open := len(levels)
		for len(levels) > 0 && levels[len(levels)-1] >= level {
			s.w.Close()
			levels = levels[:len(levels)-1]
		}
		if open > 0 {
			s.w.Tight()
		}
		s.w.Item(marker)
		s.w.Paragraph(text)
		levels = append(levels, level)
	}
	for range levels {
		s.w.Close()
	}
}

// bullet returns what says how a paragraph is marked: its own properties or those of the nearest style.
func bullet(ppr *ooxml.Node, level int, styles []*ooxml.Node) *ooxml.Node {
	if m := mark(ppr); m != nil {
		return m
	}
	name := "a:lvl" + strconv.Itoa(level+1) + "pPr"
	for _, st := range styles {
		if m := mark(st.Child(name)); m != nil {
			return m
		}
	}
	return nil
}

func mark(ppr *ooxml.Node) *ooxml.Node {
	for _, c := range orEmpty(ppr).Children {
		switch c.Name {
		case "a:buNone", "a:buChar", "a:buAutoNum", "a:buBlip":
			return c
		}
	}
	return nil
}

func start(mark *ooxml.Node) int {
	n, err := strconv.Atoi(mark.Attr("startAt"))
	if err != nil || n < 1 || n > 32767 {
		return 1
	}
	return n
}

// autoNumber writes n in one of the schemes of DrawingML (ECMA-376, part 1, 20.1.10.61).
func autoNumber(scheme string, n int) string {
	format := "decimal"
	for prefix, f := range map[string]string{"alphaLc": "lowerLetter", "alphaUc": "upperLetter", "romanLc": "lowerRoman", "romanUc": "upperRoman"} {
		if strings.HasPrefix(scheme, prefix) {
			format = f
		}
	}
	label := formatNumber(n, format)
	switch {
	case strings.HasSuffix(scheme, "ParenBoth"):
		return "(" + label + ")"
	case strings.HasSuffix(scheme, "ParenR"):
		return label + ")"
	}
	return label + "."
}

var escaped = regexp.MustCompile(`(?:_x[0-9A-Fa-f]{4}_)+`)

// unescape decodes the characters that XML cannot hold or that programs avoid
// in it, written as _x000D_ (ECMA-376, part 1, 22.9.2.19).
func unescape(s string) string {
	if !strings.Contains(s, "_x") {
		return s
	}
	return escaped.ReplaceAllStringFunc(s, func(m string) string {
		var units []uint16
		for ; m != ""; m = m[7:] {
			v, _ := strconv.ParseUint(m[2:6], 16, 16)
			if v == '\v' {
				v = '\n'
			}
			units = append(units, uint16(v))
		}
		return string(utf16.Decode(units))
	})
}
