package text_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/text"
)

func TestContract(t *testing.T) {
	long := strings.Repeat("A line of words that fills the sample, so that limits can be met.\n", 4)
	for name, s := range map[string]converttest.Suite{
		"markdown": {Converter: text.Markdown{}, Sample: convert.Source{Name: "a.md", Data: []byte("---\ntitle: T\n---\n# Heading\n\n" + long)}, Want: "# Heading"},
		"text":     {Converter: text.Plain{}, Sample: convert.Source{Name: "a.txt", Data: []byte("Первая строка\r\n" + long)}, Want: "Первая строка\n"},
		"csv":      {Converter: text.CSV{}, Sample: convert.Source{Name: "a.csv", Data: []byte("name;note\n" + strings.Repeat("\"Widget\";\"a \"\"big\"\" one\"\n", 9))}, Want: `| Widget | a "big" one |`},
	} {
		t.Run(name, s.Run)
	}
}

func markdown(t *testing.T, s string) *convert.Document {
	t.Helper()
	doc, err := text.Markdown{}.Convert(t.Context(), convert.Source{Name: "a.md", Data: []byte(s)}, convert.Limits{})
	if err != nil {
		t.Fatalf("Convert(%q): %v", s, err)
	}
	return doc
}

func TestFrontMatter(t *testing.T) {
	for _, tc := range []struct {
		name, in, body, title string
		meta                  map[string]string
	}{
		{"yaml", "---\ntitle: \"The \\\"big\\\" one\"\nAuthor: Ann # writer\ntags: [a, 'b c']\n---\n\nBody\n", "Body\n", `The "big" one`,
			map[string]string{"title": `The "big" one`, "author": "Ann", "tags": "a, b c"}},
		{"lists and blocks", "---\ntags:\n  - one\n  - two\ndescription: >\n  first line\n  second line\nseo:\n  title: inner\n---\nBody", "Body", "",
			map[string]string{"tags": "one, two", "description": "first line second line", "seo.title": "inner"}},
		{"russian, byte order mark, CRLF", "\ufeff---\r\ntitle: Отчёт\r\n---\r\n# H\r\n", "# H\n", "Отчёт", map[string]string{"title": "Отчёт"}},
		{"toml", "+++\ntitle = 'T'\ndate = 2026-01-02\ntags = [\n  \"x\",\n  \"y\",\n]\n[extra]\nkey = 1\n+++\nBody", "Body", "T",
			map[string]string{"title": "T", "date": "2026-01-02", "tags": "x, y", "extra.key": "1"}},
		{"a rule", "---\n\nText between rules\n\n---\n", "---\n\nText between rules\n\n---\n", "", nil},
		{"never closed", "---\ntitle: x\n\nBody", "---\ntitle: x\n\nBody", "", nil},
		{"not at the top", "\n---\na: b\n---\n", "\n---\na: b\n---\n", "", nil},
		{"prose with a colon", "---\nNote: see below\nand a line without\n---\nx", "---\nNote: see below\nand a line without\n---\nx", "", nil},
		{"prose", "---\nA plain line\n---\nx", "---\nA plain line\n---\nx", "", nil},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc := markdown(t, tc.in)
			got := &convert.Document{Markdown: doc.Markdown, Title: doc.Title, Metadata: doc.Metadata}
			want := &convert.Document{Markdown: tc.body, Title: tc.title, Metadata: tc.meta}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestEmbeddedPictures(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"a ![ logo ](data:image/png;base64,AAAA) b ![x](y.png)", "a logo b ![x](y.png)"},
		{"![](data:image/png;base64,AAAA)\ntext", "\ntext"},
		{"```\n![logo](data:x)\n```\n", "```\n![logo](data:x)\n```\n"},
		{"````\n```\n![logo](data:x)\n````\n![out](data:x)", "````\n```\n![logo](data:x)\n````\nout"},
		{`<img src="data:image/png;base64,AA" alt="the alt"> <img src="a.png">`, `the alt <img src="a.png">`},
		{"see [logo]\n\n[logo]: data:image/png;base64,AAAA\n", "see [logo]\n\n\n"},
		{"![](data:image/png;base64,AAAA)", "![](data:image/png;base64,AAAA)"},
		{"[the data: scheme](https://example.com/)", "[the data: scheme](https://example.com/)"},
	} {
		if got := markdown(t, tc.in).Markdown; got != tc.want {
			t.Errorf("%q became %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestPlainRefusesBinary(t *testing.T) {
	for _, data := range []string{"\x00\x01\x02\x03\x04\x05\x06\x07" + strings.Repeat("\x80\x00\x13\xff", 50), strings.Repeat("\x00", 64)} {
		if doc, err := (text.Plain{}).Convert(t.Context(), convert.Source{Data: []byte(data)}, convert.Limits{}); !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("Convert(%q) = %v, %v; want ErrDamaged", data, doc, err)
		}
	}
}

func TestPlainKeepsText(t *testing.T) {
	in := "# not touched\n\n  indented *text* with `marks` and a_b_c\n\n---\nx: y\n---\n"
	doc, err := text.Plain{}.Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{})
	if err != nil || doc.Markdown != in {
		t.Errorf("got %q, %v", doc.Markdown, err)
	}
}

func TestCSV(t *testing.T) {
	cp1251, _ := charmap.Windows1251.NewEncoder().String("Имя;Город\nАнна;Москва\n")
	for _, tc := range []struct{ name, in, want string }{
		{"comma", "a,b\n1,2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"},
		{"semicolon and decimal comma", "n;price\nx;1,5\ny;2,5\n", "| n | price |\n| --- | --- |\n| x | 1,5 |\n| y | 2,5 |\n"},
		{"only decimal commas", "1,5;2,5\n3,5;4,5\n", "| 1,5 | 2,5 |\n| --- | --- |\n| 3,5 | 4,5 |\n"},
		{"tab", "a\tb\n1, 2\t3, 4\n", "| a | b |\n| --- | --- |\n| 1, 2 | 3, 4 |\n"},
		{"pipe", "a|b\n1|2\n", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"},
		{"sep line", "sep=;\na;b\n1,2;3\n", "| a | b |\n| --- | --- |\n| 1,2 | 3 |\n"},
		{"quotes", "a,b\n\"x, \"\"y\"\"\",\"l1\nl2\"\n", "| a | b |\n| --- | --- |\n| x, \"y\" | l1 l2 |\n"},
		{"pipes in fields", "a,b\nx|y,z\n", "| a | b |\n| --- | --- |\n| x\\|y | z |\n"},
		{"carriage returns only", "a,b\r1,2\r", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"},
		{"ragged", "a,b,c\n1\n1,2,3,4\n", "| a | b | c | |\n| --- | --- | --- | --- |\n| 1 | | | |\n| 1 | 2 | 3 | 4 |\n"},
		{"title rows", "Stock report,,\n\nname,qty,price\nbolt,1,2\n", "Stock report\n\n| name | qty | price |\n| --- | --- | --- |\n| bolt | 1 | 2 |\n"},
		{"one column", "name\nann\nbob\n", "| name |\n| --- |\n| ann |\n| bob |\n"},
		{"one column with commas", "name\nann\nsmith, bob\n", "| name |\n| --- |\n| ann |\n| smith, bob |\n"},
		{"titles above a small table", "Report\nfor 2024\nin euro\na,b\n1,2\n", "Report\n\nfor 2024\n\nin euro\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"},
		{"open quote", "a,b\n\"x,1\ny,2\n", "| a | b |\n| --- | --- |\n| \"x | 1 |\n| y | 2 |\n"},
		{"quote inside", "a,b\n5\" pipe,1\n", "| a | b |\n| --- | --- |\n| 5\" pipe | 1 |\n"},
		{"empty lines and columns", "a,b,,\n,,,\n1,2,,\n", "| a | b |\n| --- | --- |\n| 1 | 2 |\n"},
		{"zero byte", "a,b\nx\x00,1\ny,2\n", "| a | b |\n| --- | --- |\n| x | 1 |\n| y | 2 |\n"},
		{"legacy charset", cp1251, "| Имя | Город |\n| --- | --- |\n| Анна | Москва |\n"},
		{"empty", "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := text.CSV{}.Convert(t.Context(), convert.Source{Data: []byte(tc.in)}, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestCSVLimits(t *testing.T) {
	in := convert.Source{Data: []byte(strings.Repeat("a,b,c\n", 100))}
	if _, err := (text.CSV{}).Convert(t.Context(), in, convert.Limits{Cells: 299}); !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("299 cells: %v", err)
	}
	// One long row among many short ones must not be multiplied.
	wide := strings.Repeat("x,", 50_000) + "\n" + strings.Repeat("a,b\n", 50_000)
	doc, err := text.CSV{}.Convert(t.Context(), convert.Source{Data: []byte(wide)}, convert.Limits{})
	if err != nil || len(doc.Markdown) > 20*len(wide) {
		t.Errorf("%d bytes became %d, %v", len(wide), len(doc.Markdown), err)
	}
}

func TestTSV(t *testing.T) {
	doc, err := text.CSV{Comma: '\t'}.Convert(t.Context(), convert.Source{Data: []byte("a, b\tc\nx, y\tz\n")}, convert.Limits{})
	if want := "| a, b | c |\n| --- | --- |\n| x, y | z |\n"; err != nil || doc.Markdown != want || doc.Format != "tsv" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

func FuzzMarkdown(f *testing.F) {
	f.Add("---\ntitle: x\ntags: [a]\n---\nbody ![a](data:x)")
	f.Add("+++\na = [\n'b'\n]\n+++\n")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := text.Markdown{}.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{})
		if err != nil {
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 4*len(s)+16 {
			t.Errorf("%q became %q", s, doc.Markdown)
		}
	})
}

func FuzzCSV(f *testing.F) {
	f.Add("a,b\n\"x\"\"\n\",2\n")
	f.Add("sep=;\na;b\n")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := text.CSV{}.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{})
		if err != nil {
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 50*len(s)+200_000 {
			t.Errorf("%d bytes became %d", len(s), len(doc.Markdown))
		}
	})
}
