package minirag_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

const book = `Preface.

# One

## Rules

First rules.

` + "```" + `
# Rules in code
` + "```" + `

# **Two**

## Rules

Second rules.

### Detail

Zwölf Blätter.

## End
Last line`

func TestPart(t *testing.T) {
	c := testcorpus.New(t, testcorpus.Write(t, map[string]string{"book.md": book}))
	syncAll(t, c)
	source := query(t, c, "rules").Hits[0].Source.ID
	text, err := c.Read(t.Context(), source)
	if err != nil {
		t.Fatal(err)
	}
	second := book[strings.Index(book, "## Rules\n\nSecond"):strings.Index(book, "## End")]
	for _, tc := range []struct {
		name     string
		o        *minirag.PartOptions
		want     string
		from, to int
		err      error
	}{
		{name: "everything", want: book, from: 1, to: 24},
		{name: "a heading", o: &minirag.PartOptions{Heading: "one"}, want: book[strings.Index(book, "# One"):strings.Index(book, "# **Two")], from: 3, to: 12},
		{name: "the first of two", o: &minirag.PartOptions{Heading: "Rules"}, want: book[strings.Index(book, "## Rules"):strings.Index(book, "# **Two")], from: 5, to: 12},
		{name: "a chain", o: &minirag.PartOptions{Heading: "Two > rules"}, want: second, from: 15, to: 22},
		{name: "a chain with a gap", o: &minirag.PartOptions{Heading: "Two > Detail"}, want: "### Detail\n\nZwölf Blätter.\n\n", from: 19, to: 22},
		{name: "the second of two", o: &minirag.PartOptions{Heading: "Rules #2"}, want: second, from: 15, to: 22},
		{name: "a number in a chain", o: &minirag.PartOptions{Heading: "Rules #2 > Detail"}, want: "### Detail\n\nZwölf Blätter.\n\n", from: 19, to: 22},
		{name: "markup in the question", o: &minirag.PartOptions{Heading: "# **Two** > `Rules`"}, want: second, from: 15, to: 22},
		{name: "the end of a section's name", o: &minirag.PartOptions{Section: "p0"}, want: "Preface.", from: 1, to: 1},
		{name: "lines", o: &minirag.PartOptions{FromLine: 3, ToLine: 5}, want: "# One\n\n## Rules\n", from: 3, to: 5},
		{name: "to the end", o: &minirag.PartOptions{FromLine: 23}, want: "## End\nLast line", from: 23, to: 24},
		{name: "beyond the end", o: &minirag.PartOptions{FromLine: 24, ToLine: 99}, want: "Last line", from: 24, to: 24},
		{name: "a page", o: &minirag.PartOptions{MaxBytes: 12}, want: "Preface.\n\n", from: 1, to: 2},
		{name: "less than a line", o: &minirag.PartOptions{FromLine: 21, ToLine: 21, MaxBytes: 4}, want: "Zwö", from: 21, to: 21},
		{name: "less than a character", o: &minirag.PartOptions{Offset: strings.Index(book, "ö"), MaxBytes: 1}, want: "ö", from: 21, to: 21},

		{name: "no such heading", o: &minirag.PartOptions{Heading: "Rules in code"}, err: minirag.ErrNotFound},
		{name: "no such chain", o: &minirag.PartOptions{Heading: "One > Detail"}, err: minirag.ErrNotFound},
		{name: "no such section", o: &minirag.PartOptions{Section: source + "#p99"}, err: minirag.ErrNotFound},
		{name: "a section of another", o: &minirag.PartOptions{Section: "other#p0"}, err: minirag.ErrNotFound},
		{name: "a third of two", o: &minirag.PartOptions{Heading: "Rules #3"}, err: minirag.ErrNotFound},
		{name: "a blank heading", o: &minirag.PartOptions{Heading: " # "}, err: minirag.ErrNotFound},
		{name: "a section without a number", o: &minirag.PartOptions{Section: "p"}, err: minirag.ErrNotFound},
		{name: "a line below zero", o: &minirag.PartOptions{FromLine: -3}, err: minirag.ErrInvalid},
		{name: "a last line below zero", o: &minirag.PartOptions{ToLine: -1}, err: minirag.ErrInvalid},
		{name: "no such line", o: &minirag.PartOptions{FromLine: 25}, err: minirag.ErrInvalid},
		{name: "lines the wrong way", o: &minirag.PartOptions{FromLine: 5, ToLine: 3}, err: minirag.ErrInvalid},
		{name: "two ways", o: &minirag.PartOptions{FromLine: 5, Heading: "One"}, err: minirag.ErrInvalid},
		{name: "an offset elsewhere", o: &minirag.PartOptions{Heading: "Two", Offset: 1}, err: minirag.ErrInvalid},
		{name: "an offset in a character", o: &minirag.PartOptions{Offset: strings.Index(book, "ö") + 1}, err: minirag.ErrInvalid},
		{name: "a negative size", o: &minirag.PartOptions{MaxBytes: -1}, err: minirag.ErrInvalid},
	} {
		p, err := text.Part(tc.o)
		if !errors.Is(err, tc.err) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.err)
		}
		if tc.err != nil || err != nil {
			continue
		}
		if diff := cmp.Diff(tc.want, p.Text); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
		if p.FromLine != tc.from || p.ToLine != tc.to || p.Lines != 24 {
			t.Errorf("%s: lines %d to %d of %d, want %d to %d of 24", tc.name, p.FromLine, p.ToLine, p.Lines, tc.from, tc.to)
		}
	}
	for _, h := range query(t, c, "rules").Hits {
		p, err := text.Part(&minirag.PartOptions{Section: h.Section.ID})
		if err != nil || strings.TrimSpace(p.Text) != h.Section.Text {
			t.Errorf("section %s: %q, %v", h.Section.ID, p.Text, err)
		}
	}
	if _, err := text.Part(&minirag.PartOptions{Heading: "x"}); err == nil || !strings.Contains(err.Error(), `"Detail"`) {
		t.Errorf("the error does not say which headings there are: %v", err)
	}
}

// TestPartOfMarkedHeadings finds headings by what a reader sees of them.
func TestPartOfMarkedHeadings(t *testing.T) {
	text := &minirag.Text{Markdown: "# Use of `foo()` and *bar_baz* in [links](http://x.y/z_(a)) <a id=\"u\"></a>\n\none\n\n" +
		"# a > b\n\ntwo\n\n# C #1\n\nthree\n\n# C\n\nfour\n"}
	for _, tc := range []struct{ heading, want string }{
		{"Use of foo() and bar_baz in links", "one"},
		{"use of `foo()` and bar_baz in [links]", "one"},
		{"a > b", "two"},
		{"C #1", "three"},
		{"C", "four"},
	} {
		p, err := text.Part(&minirag.PartOptions{Heading: tc.heading})
		if err != nil || !strings.Contains(p.Text, tc.want) {
			t.Errorf("%s: %+v, %v", tc.heading, p, err)
		}
	}
	if _, err := (&minirag.Text{Markdown: "text"}).Part(&minirag.PartOptions{Heading: "x"}); err == nil || !strings.Contains(err.Error(), "no headings") {
		t.Errorf("%v", err)
	}
}

// FuzzPart tests that pages of any size, joined, are the text.
func FuzzPart(f *testing.F) {
	f.Add(book, 7)
	f.Add("ä\n\n\nb", 1)
	f.Fuzz(func(t *testing.T, markdown string, size int) {
		if !utf8.ValidString(markdown) || size < 1 || len(markdown)/size > 1000 {
			t.Skip()
		}
		text := &minirag.Text{Markdown: markdown}
		var joined strings.Builder
		line := 1
		for o := (minirag.PartOptions{MaxBytes: size}); ; {
			p, err := text.Part(&o)
			if err != nil {
				t.Fatal(err)
			}
			if !utf8.ValidString(p.Text) || p.FromLine < line || p.Next != 0 && p.Next <= o.Offset {
				t.Fatalf("%+v after line %d", p, line)
			}
			joined.WriteString(p.Text)
			line = p.ToLine
			if o.Offset = p.Next; p.Next == 0 {
				break
			}
		}
		if joined.String() != markdown {
			t.Fatalf("%q became %q", markdown, joined.String())
		}
	})
}
