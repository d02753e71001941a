package chunk

import (
	"context"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A line is one line of the document that has text to be seen.
type line struct {
	start, end int // without the newline and trailing white space
	afterBlank bool
	fence      int8 // see the fence constants
	level      int8 // 1..6: the heading's level; 0: no heading
	underlined bool // the heading's second line follows
	closer     int  // of a fenceOpen line: index of its fenceClose line
}

// An outline is the line structure that all strategies share.
type outline struct {
	title string
	md    string
	lines []line
}

func (o *outline) text(i int) string { return o.md[o.lines[i].start:o.lines[i].end] }

// inCode reports whether line i belongs to a closed code fence, or to HTML that
// holds no Markdown.
func (o *outline) inCode(i int) bool { return o.lines[i].fence != fenceNone }

// ctxEvery is how many cheap steps are taken between two looks at the context.
const ctxEvery = 1 << 14

// scan finds lines, closed fences and headings.
func scan(ctx context.Context, doc Document) (*outline, error) {
	o := &outline{title: doc.Title, md: doc.Markdown}
	o.lines = make([]line, 0, len(o.md)/64+1)
	blank := true
	for pos := 0; pos < len(o.md); {
		end := len(o.md)
		next := end
		if n := strings.IndexByte(o.md[pos:], '\n'); n >= 0 {
			end, next = pos+n, pos+n+1
		}
		if text := strings.TrimRightFunc(o.md[pos:end], unicode.IsSpace); text == "" || isInvisible(text) {
			blank = true
		} else {
			if len(o.lines) == cap(o.lines) {
				// Grow by what the lines so far say about those to come.
				mean := pos/(len(o.lines)+1) + 1
				o.lines = slices.Grow(o.lines, (len(o.md)-pos)/mean/2+16)
			}
			o.lines = append(o.lines, line{start: pos, end: pos + len(text), afterBlank: blank})
			blank = false
			if len(o.lines)%ctxEvery == 0 && ctx.Err() != nil {
				return nil, ctx.Err()
			}
		}
		pos = next
	}
	o.findCode()
	o.findHeadings()
	return o, ctx.Err()
}

// findHeadings marks ATX headings, and underlined (setext) ones whose text is
// a paragraph of one line.
func (o *outline) findHeadings() {
	for i := range o.lines {
		if o.inCode(i) {
			continue
		}
		if level, _ := atxHeading(o.text(i)); level > 0 {
			o.lines[i].level = int8(level)
		} else if level := o.setext(i); level > 0 {
			o.lines[i].level, o.lines[i].underlined = int8(level), true
		}
	}
}

// maxSetext is the length in bytes of the longest line that an underline makes
// a heading: more is a paragraph above a rule.
const maxSetext = 200

func (o *outline) setext(i int) int {
	if i+1 >= len(o.lines) || o.lines[i+1].afterBlank || o.inCode(i+1) {
		return 0
	}
	if i > 0 && !o.lines[i].afterBlank && o.lines[i-1].level == 0 && o.lines[i-1].fence != fenceClose {
		return 0
	}
	text := o.text(i)
	if len(text) > maxSetext || strings.ContainsAny(text[:1], " \t|>#<") || !hasAlnum(text) || isListItem(text) {
		return 0
	}
	switch under := o.text(i + 1); {
	case len(under) >= 2 && strings.Trim(under, "=") == "":
		return 1
	case len(under) >= 3 && strings.Trim(under, "-") == "":
		return 2
	}
	return 0
}

// isInvisible reports whether a text is nothing but white space and characters
// that only format, such as zero-width spaces and joiners.
func isInvisible(text string) bool {
	return !strings.ContainsFunc(text, func(r rune) bool { return !unicode.IsSpace(r) && !unicode.Is(unicode.Cf, r) })
}

func hasAlnum(s string) bool {
	return strings.ContainsFunc(s, func(r rune) bool { return unicode.IsLetter(r) || unicode.IsDigit(r) })
}

func isListItem(text string) bool {
	rest := strings.TrimLeft(text, "0123456789")
	if len(rest) < len(text) {
		return strings.HasPrefix(rest, ". ") || strings.HasPrefix(rest, ") ")
	}
	return len(text) > 1 && strings.ContainsAny(text[:1], "-*+") && text[1] == ' '
}

// atxHeading gives the level and the text of a heading line, or 0.
func atxHeading(text string) (int, string) {
	rest := strings.TrimLeft(text, "#")
	level := len(text) - len(rest)
	if level < 1 || level > 6 || rest == "" || rest[0] != ' ' && rest[0] != '\t' {
		return 0, ""
	}
	rest = strings.TrimSpace(rest)
	if rest == "" {
		return 0, ""
	}
	// A closing run of # after white space is not part of the text.
	if open := strings.TrimRight(rest, "#"); open != "" && open != rest {
		if r, _ := utf8.DecodeLastRuneInString(open); unicode.IsSpace(r) {
			rest = strings.TrimSpace(open)
		}
	}
	return level, rest
}

// heading gives the cleaned text of the heading at line i.
func (o *outline) heading(i int) string {
	text := o.text(i)
	if !o.lines[i].underlined {
		_, text = atxHeading(text)
	}
	return cleanHeading(text)
}

// isClean reports whether a text has neither markup nor white space to collapse,
// as most headings.
func isClean(text string) bool {
	space := true // at the beginning, where there must be none
	for _, r := range text {
		switch {
		case r == ' ':
			if space {
				return false
			}
			space = true
		case r == '*' || r == '_' || r == '\\' || r == '`' || r == '~' || unicode.IsSpace(r):
			return false
		default:
			space = false
		}
	}
	return !space
}

var strongMarks = strings.NewReplacer("**", " ", "__", " ")

// cleanHeading takes the markup off a heading. A heading that is nothing but
// markup keeps it.
func cleanHeading(text string) string {
	if isClean(text) {
		return text
	}
	clean := strings.Join(strings.Fields(strongMarks.Replace(text)), " ")
	if clean = strings.Trim(clean, "*_\\`~ \t"); clean != "" {
		return clean
	}
	return strings.Join(strings.Fields(text), " ")
}
