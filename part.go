package minirag

import (
	"errors"
	"fmt"
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/chunk"
)

// PartOptions choose a part of a [Text]. At most one of Section, Heading and
// lines is set; none means the whole text.
type PartOptions struct {
	// Section is the ID of a section, as [Section.ID], or the end of it from the p on.
	Section string
	// Heading is the text of a heading, or a chain of them joined by " > ".
	// Case and markup do not matter. The part goes to the next heading of the
	// same or a higher level. Of several equal ones the first is taken, and
	// "Notes #2" is the second of the name.
	Heading string
	// FromLine and ToLine are the first and the last line, from 1. Zero: the
	// first and the last of the text.
	FromLine, ToLine int
	// Offset is where to begin within the part: [Part.Next] of the call
	// before. Zero: at its beginning.
	Offset int
	// MaxBytes cuts the part, behind a line if possible and never in a
	// character. Zero: it is not cut.
	MaxBytes int
}

// A Part is a range of a document.
type Part struct {
	Text string
	// Start and End are its byte range in [Text.Markdown].
	Start, End int
	// FromLine and ToLine are its first and last line, from 1, of Lines.
	FromLine, ToLine, Lines int
	// Next is the Offset that goes on with the part, 0 at its end.
	Next int
}

// Part returns a part of the text. Parts that are read one after another by
// Next, joined, are the whole part. An option that does not fit the text is
// [ErrInvalid], a heading or section that is not there [ErrNotFound].
func (t *Text) Part(o *PartOptions) (*Part, error) {
	if o == nil {
		o = &PartOptions{}
	}
	start, end, err := t.span(o)
	if err != nil {
		e := &SourceError{Op: "read a part of", Source: t.Source.ID, Err: err}
		if errors.Is(err, ErrNotFound) {
			e.Hint = t.parts(o)
		}
		return nil, e
	}
	if o.Offset != 0 {
		if o.Offset < start || o.Offset > end || o.Offset < len(t.Markdown) && !utf8.RuneStart(t.Markdown[o.Offset]) {
			return nil, &SourceError{Op: "read a part of", Source: t.Source.ID,
				Err:  fmt.Errorf("%w: the offset %d is not in the part, which goes from %d to %d", ErrInvalid, o.Offset, start, end),
				Hint: "begin without an offset, and go on with the one that each page gives"}
		}
		start = o.Offset
	}
	p := &Part{Start: start, End: end}
	if o.MaxBytes > 0 && end-start > o.MaxBytes {
		p.End = cutAt(t.Markdown, start, start+o.MaxBytes)
		p.Next = p.End
	}
	p.Text = t.Markdown[p.Start:p.End]
	p.FromLine = 1 + strings.Count(t.Markdown[:p.Start], "\n")
	p.ToLine = p.FromLine + strings.Count(strings.TrimSuffix(p.Text, "\n"), "\n")
	p.Lines = countLines(t.Markdown)
	return p, nil
}

// cutAt returns where to cut before most: behind a line, else between
// characters, and at least one character behind start.
func cutAt(text string, start, most int) int {
	if i := strings.LastIndexByte(text[start:most], '\n'); i >= 0 {
		return start + i + 1
	}
	for most > start && !utf8.RuneStart(text[most]) {
		most--
	}
	if most == start {
		_, size := utf8.DecodeRuneInString(text[start:])
		return start + size
	}
	return most
}

func countLines(text string) int {
	n := strings.Count(text, "\n")
	if text != "" && !strings.HasSuffix(text, "\n") {
		n++
	}
	return n
}

// span returns the range that the options name.
func (t *Text) span(o *PartOptions) (start, end int, err error) {
	chosen := 0
	for _, set := range []bool{o.Section != "", o.Heading != "", o.FromLine != 0 || o.ToLine != 0} {
		if set {
			chosen++
		}
	}
	switch {
	case chosen > 1:
		return 0, 0, fmt.Errorf("%w: give one of a section, a heading and lines", ErrInvalid)
	case o.MaxBytes < 0 || o.Offset < 0 || o.FromLine < 0 || o.ToLine < 0:
		return 0, 0, fmt.Errorf("%w: lines, offset and size must not be negative", ErrInvalid)
	case o.Section != "":
		return t.sectionSpan(o.Section)
	case o.Heading != "":
		return t.headingSpan(o.Heading)
	case chosen == 1:
		return t.lineSpan(o.FromLine, o.ToLine)
	}
	return 0, len(t.Markdown), nil
}

func (t *Text) sectionSpan(id string) (start, end int, err error) {
	number, ok := strings.CutPrefix(strings.TrimPrefix(strings.TrimPrefix(id, t.Source.ID), "#"), "p")
	i, err := strconv.Atoi(number)
	if !ok || err != nil || i < 0 || i >= len(t.Sections) || t.Sections[i].End > len(t.Markdown) {
		return 0, 0, absent(fmt.Sprintf("section %q", id))
	}
	return t.Sections[i].Start, t.Sections[i].End, nil
}

// headingSpan finds a heading, or the last of a chain in which each stands
// under the one before. One that is written as in the document is preferred.
func (t *Text) headingSpan(text string) (start, end int, err error) {
	headings := chunk.Outline(t.Markdown)
	chain := strings.Split(text, " > ")
	for _, name := range []func(string) string{spaced, unmarked} {
		for _, numbered := range []bool{false, true} {
			if h := under(headings, []string{text}, name, numbered); h != nil {
				return h.Start, h.End, nil
			}
			if len(chain) == 1 {
				continue
			}
			if h := under(headings, chain, name, numbered); h != nil {
				return h.Start, h.End, nil
			}
		}
	}
	return 0, 0, absent(fmt.Sprintf("heading %q", text))
}

// absent names what a document does not have. It is [ErrNotFound].
type absent string

func (a absent) Error() string      { return string(a) + " is not in the document" }
func (absent) Is(target error) bool { return target == ErrNotFound }

// parts says what could have been chosen.
func (t *Text) parts(o *PartOptions) string {
	switch {
	case o.Section != "" && len(t.Sections) > 0:
		return fmt.Sprintf("the sections of the document: p0 to p%d", len(t.Sections)-1)
	case o.Heading != "":
		names := make([]string, 0, headingsNamed)
		for _, h := range chunk.Outline(t.Markdown) {
			if len(names) == headingsNamed {
				names = append(names, "…")
				break
			}
			names = append(names, strconv.Quote(h.Text))
		}
		if len(names) == 0 {
			return "the document has no headings; choose lines"
		}
		return "the headings of the document: " + list(names)
	}
	return ""
}

// under finds the first heading at the end of a chain, by names that name makes
// of texts. If numbered, "Notes #2" is the second heading of that name.
func under(headings []chunk.Heading, chain []string, name func(string) string, numbered bool) *chunk.Heading {
	want, number := chain[0], 0
	if i := strings.LastIndex(want, " #"); numbered && i >= 0 {
		if n, err := strconv.Atoi(want[i+2:]); err == nil && n > 0 {
			want, number = want[:i], n
		}
	}
	if want = name(want); want == "" {
		return nil
	}
	seen := 0
	for i := range headings {
		h := &headings[i]
		if !strings.EqualFold(name(h.Text), want) {
			continue
		}
		if seen++; number > 0 && seen != number {
			continue
		}
		if len(chain) == 1 {
			return h
		}
		end := i + 1
		for end < len(headings) && headings[end].Start < h.End {
			end++
		}
		if found := under(headings[i+1:end], chain[1:], name, numbered); found != nil {
			return found
		}
	}
	return nil
}

// headingsNamed is the number of headings that an error lists.
const headingsNamed = 30

// spaced is the text of a heading without the marks of one.
func spaced(s string) string {
	return strings.Join(strings.Fields(strings.Trim(s, "# \t")), " ")
}

var (
	linkTarget = regexp.MustCompile(`\]\([^()]*(\([^()]*\)[^()]*)*\)|\]\[[^\]]*\]`)
	htmlTag    = regexp.MustCompile(`</?[A-Za-z][^<>]*>`)
	marks      = strings.NewReplacer("*", "", "_", "", "`", "", "~", "", "\\", "", "![", "", "[", "", "]", "")
)

// unmarked is the same without emphasis, code marks, targets of links and tags.
func unmarked(s string) string {
	if !strings.ContainsAny(s, "*_`~\\[<") {
		return spaced(s)
	}
	return spaced(marks.Replace(htmlTag.ReplaceAllString(linkTarget.ReplaceAllString(s, "]"), "")))
}

func (t *Text) lineSpan(from, to int) (start, end int, err error) {
	lines := countLines(t.Markdown)
	if to == 0 {
		to = lines
	}
	from = max(from, 1)
	switch {
	case from > lines:
		return 0, 0, fmt.Errorf("%w: there is no line %d; the document has %d", ErrInvalid, from, lines)
	case to < from:
		return 0, 0, fmt.Errorf("%w: there are no lines %d to %d; the document has %d", ErrInvalid, from, to, lines)
	}
	for n := 1; n < from; n++ {
		start += strings.IndexByte(t.Markdown[start:], '\n') + 1
	}
	end = start
	for n := from; n <= to && end < len(t.Markdown); n++ {
		i := strings.IndexByte(t.Markdown[end:], '\n')
		if i < 0 {
			return start, len(t.Markdown), nil
		}
		end += i + 1
	}
	return start, end, nil
}
