package pdf_test

import (
	"slices"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert/pdf"
)

func TestPlain(t *testing.T) {
	cases := []struct{ in, want string }{
		{"", ""},
		{" \t ", ""},
		{"  two   words\r", "two words"},
		{"exam\x02ple and exam\ufffeple", "example and example"},
		{"co\u00adoperate", "cooperate"},
		{"\ufb00 \ufb01 \ufb02 \ufb03 \ufb04 \ufb05 \ufb06", "ff fi fl ffi ffl st st"},
		{"1\u00a0200\u202f000\u2009€", "1 200 000 €"},
		{"\uf0b7 item", "• item"},
		{"x\ue123y\U000f1234", "xy"},
		{"a\x00b\x1fc\x7f\ufffd", "abc"},
		{"\u202babc\u202c\u200f", "abc"},
		{"\ufeb3\ufefc", "سلا"},
		{"½ ² ㎏ …", "½ ² ㎏ …"},
	}
	for _, tc := range cases {
		if got := pdf.Plain(tc.in); got != tc.want {
			t.Errorf("Plain(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestLayOut(t *testing.T) {
	at := func(x, y, size float64, text string) pdf.Line { return pdf.NewLine(text, x, y, size) }
	cases := []struct {
		name  string
		lines []pdf.Line
		want  string
	}{
		{"nothing", nil, ""},
		{"even lines", []pdf.Line{at(0, 100, 10, "a"), at(0, 88, 10, "b"), at(0, 76, 10, "c"), at(0, 64, 10, "d")}, "a\nb\nc\nd"},
		{"wide gap", []pdf.Line{at(0, 100, 10, "a"), at(0, 88, 10, "b"), at(0, 76, 10, "c"), at(0, 64, 10, "d"), at(0, 45, 10, "e")}, "a\nb\nc\nd\n\ne"},
		{"double spaced", []pdf.Line{at(0, 100, 10, "a"), at(0, 76, 10, "b"), at(0, 52, 10, "c"), at(0, 28, 10, "d")}, "a\nb\nc\nd"},
		{"heading by size", []pdf.Line{at(0, 120, 18, "The head"), at(0, 100, 18, "of all"), at(0, 80, 14, "Sub"), at(0, 64, 10, "Words of the body that are many"), at(0, 52, 10, "and more words of the body, enough")},
			"# The head of all\n\n## Sub\n\nWords of the body that are many\nand more words of the body, enough"},
		{"large print", []pdf.Line{at(0, 120, 18, "All is large"), at(0, 90, 10, "but this")}, "All is large\n\nbut this"},
		{"large figure", []pdf.Line{at(0, 120, 18, "42"), at(0, 90, 10, "is the answer, and this is body text")}, "42\n\nis the answer, and this is body text"},
		{"next column", []pdf.Line{at(0, 50, 10, "a"), at(0, 38, 10, "b"), at(300, 700, 10, "c"), at(300, 688, 10, "d")}, "a\nb\n\nc\nd"},
		{"unplaced", []pdf.Line{{}, at(0, 50, 10, "a")}, "\n\na"},
		{"no size", []pdf.Line{at(0, 50, 0, "a"), at(0, 10, 0, "b")}, "a\nb"},
	}
	for _, tc := range cases {
		if diff := cmp.Diff(tc.want, pdf.LayOut(tc.lines)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func TestRunningTitle(t *testing.T) {
	page := func(body string) []pdf.Line {
		return []pdf.Line{pdf.NewLine("Handbook", 0, 120, 14), pdf.NewLine(body+" and many words of text after it", 0, 80, 10)}
	}
	if got := pdf.LayOut(page("One"), page("Two"), page("Three")); strings.Contains(got, "#") {
		t.Errorf("a title that runs over all pages became a heading:\n%s", got)
	}
}

func TestPageList(t *testing.T) {
	for want, pages := range map[string][]int{
		"page 3":              {3},
		"pages 1-3":           {1, 2, 3},
		"pages 1, 3-4, 7, 10": {1, 3, 4, 7, 10},
	} {
		if got := pdf.PageList(pages); got != want {
			t.Errorf("PageList(%v) = %q, want %q", pages, got, want)
		}
	}
}

func TestRealTitle(t *testing.T) {
	for _, title := range []string{
		"Annual Report 2024", "Отчёт за год", "Print on demand: a history", "C++ in depth", "Untitled: stories", "1984", "Node.js guide",
		"Microsoft Word for beginners", "Документ о намерениях",
	} {
		if got := pdf.RealTitle(title); got != title {
			t.Errorf("RealTitle(%q) = %q", title, got)
		}
	}
	for _, title := range []string{
		"", "  ", "untitled", "Untitled-1", "(Untitled)", "Microsoft Word - contract.doc", "Microsoft PowerPoint - Deck", "report_v2.docx",
		`C:\Users\ann\letter.rtf`, "/home/ann/thesis", "file:///tmp/x", "https://example.org/a", "PowerPoint Presentation", "Презентация PowerPoint",
		"Документ1", "Document1", "Без имени 2", "---", "<4d6963726f>", "x\ufffdy",
	} {
		if got := pdf.RealTitle(title); got != "" {
			t.Errorf("RealTitle(%q) = %q, want none", title, got)
		}
	}
}

func TestDate(t *testing.T) {
	for in, want := range map[string]string{
		"D:20240102030405+03'00'": "2024-01-02T03:04:05+03:00",
		"D:20240102030405-08'00":  "2024-01-02T03:04:05-08:00",
		"D:20240102030405+03'":    "2024-01-02T03:04:05+03:00",
		"D:20240102030405Z":       "2024-01-02T03:04:05Z",
		"D:20240102030405Z00'00'": "2024-01-02T03:04:05Z",
		"20240102030405":          "2024-01-02T03:04:05",
		"D:20240102":              "2024-01-02",
		"D:202401":                "2024-01",
		"D:2024":                  "2024",
		"D:20241302":              "2024",
		"yesterday":               "",
		"":                        "",
	} {
		if got := pdf.Date(in); got != want {
			t.Errorf("Date(%q) = %q, want %q", in, got, want)
		}
	}
}

func FuzzPlain(f *testing.F) {
	f.Add(" exam\x02ple \ufb01\u00a0\uf0b7\xff\u202e")
	f.Add("\ufe7c\ufdfa")
	f.Fuzz(func(t *testing.T, s string) {
		got := pdf.Plain(s)
		if !utf8.ValidString(got) || strings.TrimSpace(got) != got || strings.Contains(got, "  ") {
			t.Errorf("Plain(%q) = %q is not tidy", s, got)
		}
		if i := strings.IndexFunc(got, func(r rune) bool { return unicode.IsControl(r) || unicode.Is(unicode.Co, r) || r == 0xfffe }); i >= 0 {
			t.Errorf("Plain(%q) = %q has a meaningless character at %d", s, got, i)
		}
		if again := pdf.Plain(got); again != got {
			t.Errorf("Plain(%q) = %q, and again %q", s, got, again)
		}
	})
}

func FuzzLayOut(f *testing.F) {
	f.Add("a\nb", 0.0, 10.0, 12.0, 14.0)
	f.Add("#", 67.0, 11.25, -31.0, 98.0)
	f.Fuzz(func(t *testing.T, s string, x, y, size, step float64) {
		var lines []pdf.Line
		var want []string
		for part := range strings.SplitSeq(s, "\n") {
			if part = pdf.Plain(part); part != "" {
				lines = append(lines, pdf.NewLine(part, x, y, size))
				want = append(want, strings.Fields(part)...)
				x, y = y, y-step
			}
		}
		got := strings.Fields(pdf.LayOut(lines))
		got = slices.DeleteFunc(got, func(w string) bool { return strings.Trim(w, `#\`) == "" })
		want = slices.DeleteFunc(want, func(w string) bool { return strings.Trim(w, `#\`) == "" })
		for i, w := range got {
			if i < len(want) && w == `\`+want[i] {
				got[i] = want[i]
			}
		}
		if strings.ContainsFunc(s, func(r rune) bool { return r >= 0xe00 }) {
			// Scripts without spaces are joined over the end of a line.
			got, want = []string{strings.Join(got, "")}, []string{strings.Join(want, "")}
		}
		if !slices.Equal(got, want) {
			t.Errorf("words were lost, made up or moved: got %q, want %q", got, want)
		}
	})
}
