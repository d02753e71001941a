package mdtext_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/internal/mdtext"
)

func TestWriter(t *testing.T) {
	var w mdtext.Writer
	w.Heading(9, " Deep \n heading ")
	w.Paragraph("# not a heading\nsecond line\n---")
	w.Item("- ")
	w.Paragraph("one\ntwo")
	w.Tight()
	w.Item("10. ")
	w.Paragraph("inner")
	w.Close()
	w.Code("go", "x := 1\n\ny := 2\n")
	w.Close()
	w.Tight()
	w.Item("- ")
	w.Item("- ")
	w.Paragraph("list in list")
	w.Close()
	w.Close()
	w.Item("- ")
	w.Close()
	w.Quote()
	w.Paragraph("said")
	w.Paragraph("again")
	w.Close()
	w.Code("", "a ``` b")
	w.Table([][]string{{"a", "b"}, {"1"}})
	want := `###### Deep heading

\# not a heading
second line
\---

- one
  two
  10. inner

  ` + "```go" + `
  x := 1

  y := 2
  ` + "```" + `
- - list in list

> said
>
> again

` + "````" + `
a ` + "```" + ` b
` + "````" + `

| a | b |
| --- | --- |
| 1 | |
`
	if diff := cmp.Diff(want, w.String()); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestWriterDeep(t *testing.T) {
	var w mdtext.Writer
	for range 5000 {
		w.Item("- ")
		w.Paragraph("x")
	}
	for range 5000 {
		w.Close()
	}
	if n := w.Len(); n > 5000*100 {
		t.Errorf("5000 nested items take %d bytes", n)
	}
}

func TestWriterMax(t *testing.T) {
	w := mdtext.Writer{Max: 10}
	w.Paragraph("12345")
	if w.Full() {
		t.Error("full too early")
	}
	w.Paragraph("1234567890")
	if !w.Full() || w.Len() > 10 {
		t.Errorf("Full() = %v with %d bytes", w.Full(), w.Len())
	}
}

func TestEscapeLine(t *testing.T) {
	for in, want := range map[string]string{
		"apply_secrets and *.tmp": "apply_secrets and *.tmp",
		"#hashtag":                "#hashtag",
		"# heading":               `\# heading`,
		"> quote":                 `\> quote`,
		"```go":                   "\\```go",
		"===":                     `\===`,
		"***":                     `\***`,
		"- item":                  "- item",
		"-":                       "-",
	} {
		if got := mdtext.EscapeLine(in); got != want {
			t.Errorf("EscapeLine(%q) = %q, want %q", in, got, want)
		}
	}
}

func TestLink(t *testing.T) {
	for _, tc := range []struct{ text, target, want string }{
		{"t", "https://example.com/a b(c)", "[t](https://example.com/a%20b%28c%29)"},
		{"t", "../x.md", "[t](../x.md)"},
		{"t", "path/a:b", "[t](path/a:b)"},
		{"t", "JavaScript:alert(1)", "t"},
		{"t", "#part", "t"},
		{"t", "", "t"},
		{"", "https://example.com", ""},
		{"https://example.com", "https://example.com", "https://example.com"},
		{"a@example.com", "mailto:a@example.com", "a@example.com"},
	} {
		if got := mdtext.Link(tc.text, tc.target); got != tc.want {
			t.Errorf("Link(%q, %q) = %q, want %q", tc.text, tc.target, got, tc.want)
		}
	}
}

func TestCodeSpan(t *testing.T) {
	for in, want := range map[string]string{"a_b": "`a_b`", "a`b": "`` a`b ``", "a``b": "``` a``b ```", " ": ""} {
		if got := mdtext.CodeSpan(in); got != want {
			t.Errorf("CodeSpan(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzStripEmbedded(f *testing.F) {
	f.Add("![a](data:x) <img src='data:y' alt=z>")
	f.Add("```\n![a](data:x)\n```")
	f.Fuzz(func(t *testing.T, s string) {
		got := mdtext.StripEmbedded(s)
		if len(got) > len(s)+1 {
			t.Errorf("%q grew to %q", s, got)
		}
		if !strings.Contains(s, "data:") && got != s {
			t.Errorf("%q changed to %q", s, got)
		}
	})
}
