package rtf_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/rtf"
)

func TestContract(t *testing.T) {
	converttest.Suite{
		Converter: rtf.RTF{},
		Sample:    convert.Source{Name: "a.rtf", Data: []byte(`{\rtf1\ansi\ansicpg1252{\fonttbl{\f0 Arial;}}{\info{\title T}}\pard\outlinelevel0 Head\par\pard ` + strings.Repeat("Some words. ", 20) + `\par}`)},
		Want:      "# Head\n\nSome words.",
		Deep: func(n int) []byte {
			return []byte(`{\rtf1 ` + strings.Repeat("{", n) + "x" + strings.Repeat("}", n) + "}")
		},
	}.Run(t)
}

func run(t *testing.T, body string) *convert.Document {
	t.Helper()
	doc, err := rtf.RTF{}.Convert(t.Context(), convert.Source{Data: []byte(`{\rtf1\ansi\ansicpg1252\deff0{\fonttbl{\f0\fswiss\fcharset0 Arial;}{\f1\fcharset204 Times;}{\f2\fcharset2 Symbol;}{\f3\fcharset128 Gothic;}}` +
		`{\colortbl;\red1\green2\blue3;}{\stylesheet{\ql Normal;}{\s1\outlinelevel0 heading 1;}{\s2 Heading 2;}{\s15 Title;}{\*\cs10 Default;}}` + "\r\n" + body + "}")}, convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"paragraphs", "one\r\n two\\par\r\n\\b three\\b0 \\line four\\\n# five", "one two\n\nthree\nfour\n\n\\# five\n"},
		{"characters", `a\tab b\~c\_d\-e \emdash \{\}\\ \ldblquote x\rdblquote`, "a b\u00a0c-de —{}\\ “x”\n"},
		{"code pages", `caf\'e9 {\f1 \'cf\'f0\'e8\'e2\'e5\'f2} {\f3 \'93\'fa} na\'efve`, "café Привет 日 naïve\n"},
		{"unicode", `\u1087?\u1088\'3f {\uc2 \u8364 ab}\uc0\u-10179\u-8704 c {\uc1\u233\par}x`, "пр €😀c é\n\nx\n"},
		{"destinations are no text", `{\*\generator Word;}{\*\unknown text}{\pict\pngblip 89504e47}{\*\shppict{\pict\jpegblip ffd8}}{\nonshppict{\pict 00}}a{\xe index}{\v hidden}{\bkmkstart b}z`, "az\n"},
		{"binary picture", "a{\\pict\\bin5 }}}{\\}b", "ab\n"},
		{"alternative text", `x{\*\shppict{\pict{\*\picprop{\sp{\sn wzDescription}{\sv a tree}}}\pngblip 8950}}`, "x a tree\n"},
		{"headings", `\pard\s1 One\par\pard\s2 Two\par\pard\s15 Name\par\pard\outlinelevel2 Three\par\pard text`, "# One\n\n## Two\n\n# Name\n\n### Three\n\ntext\n"},
		{"lists", `\pard{\listtext\f2\'b7\tab}one\par{\pntext 2.\tab}two\par\ilvl1{\listtext\tab a)\tab}three\par\pard after`, "- one\n2. two\n   - a) three\n\nafter\n"},
		{"notes and comments", `a{\super\chftn}{\footnote\pard{\super\chftn} the\par note} b{\*\atnid A}{\*\atnauthor Ann}\chatn{\*\annotation look}\par c`, "a[^1] b\n\n[^1]: the note\n\n> Comment by Ann: look\n\nc\n"},
		{"links", `see {\field{\*\fldinst{HYPERLINK "https://example.com/"}}{\fldrslt{\ul the site}}} and {\field{\*\fldinst PAGE}{\fldrslt 7}}{\field{\*\fldinst TOC \\o}{\fldrslt One\tab 1\par Two}}.`, "see [the site](https://example.com/) and 7.\n"},
		{"text box", `a{\shp{\*\shpinst\shpleft1{\sp{\sn x}{\sv 1}}{\shptxt boxed\par text\par}}{\shprslt old}}b\par c`, "ab\n\nboxed\n\ntext\n\nc\n"},
		{"deleted", `a{\deleted gone}{\revised new}`, "anew\n"},
		{"headers", `{\header Acme Robotics\par}{\footerl\pard 7\par}text`, "text\n\n---\n\nAcme Robotics\n"},
		{"table", `\trowd\cellx100\cellx200\pard\intbl A\cell B|C\cell\row\trowd\cellx100\cellx200\pard\intbl 1\par one\cell\f1 \'e4\'e0\cell\row\pard after`, "| A | B\\|C |\n| --- | --- |\n| 1 one | да |\n\nafter\n"},
		{"merged cells", `\trowd\clvmgf\cellx1\cellx2\pard\intbl x\cell 1\cell\row\trowd\clvmrg\cellx1\cellx2\pard\intbl \cell 2\cell\row`, "| x | 1 |\n| --- | --- |\n| x | 2 |\n"},
		{"nested table", `\trowd\cellx1\cellx2\pard\intbl\itap2 in\nestcell ner\nestcell{\*\nesttableprops\trowd\cellx1\nestrow}{\nonesttables\par}\pard\intbl\cell 2\cell\row`, "| in ner | 2 |\n| --- | --- |\n"},
		{"single column", `\trowd\cellx1\pard\intbl a|b\cell\row\pard x`, "a|b\n\nx\n"},
		{"formula", `{\mmath{\*\moMath{\mr x}{\msSup{\msSupPr no}{\me{\mr y}}}}{\mmathPict{\pict 00}}}`, "xy\n"},
		{"html inside", `{\*\htmltag64 <p>}\htmlrtf {\htmlrtf0 text\htmlrtf\par}\htmlrtf0`, "text\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, tc.in).Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestInfo(t *testing.T) {
	doc := run(t, `{\info{\title The\u32? title}{\author Ann}{\doccomm about}{\operator x}{\creatim\yr2020}}x`)
	if diff := cmp.Diff(map[string]string{"author": "Ann", "description": "about"}, doc.Metadata); diff != "" || doc.Title != "The title" || doc.Markdown != "x\n" {
		t.Errorf("Title %q, Markdown %q, Metadata (-want +got)\n%s", doc.Title, doc.Markdown, diff)
	}
}

func TestCyrillicByDefault(t *testing.T) {
	doc, err := rtf.RTF{}.Convert(t.Context(), convert.Source{Data: []byte(`{\rtf1\ansi\ansicpg1251{\fonttbl{\f0\fcharset0 Arial;}}\f0 ` + "\xc4\xee\xe3\xee\xe2\xee\xf0 \\'b9 1}")}, convert.Limits{})
	if err != nil || doc.Markdown != "Договор № 1\n" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

func TestErrors(t *testing.T) {
	for _, in := range []string{"", "text", "{\\html1}", "\x00\x01"} {
		if _, err := (rtf.RTF{}).Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{}); !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("%q: %v", in, err)
		}
	}
	rows := `{\rtf1 ` + strings.Repeat(`\trowd\pard\intbl x\cell\row`, 200) + "}"
	if _, err := (rtf.RTF{}).Convert(t.Context(), convert.Source{Data: []byte(rows)}, convert.Limits{Cells: 199}); !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("cells: %v", err)
	}
	doc, err := rtf.RTF{}.Convert(t.Context(), convert.Source{Data: []byte(`{\rtf1 a{\b b\bin999999999 `)}, convert.Limits{})
	if err != nil || doc.Markdown != "ab\n" || len(doc.Warnings) != 1 {
		t.Errorf("cut: %+v, %v", doc, err)
	}
}

func FuzzRTF(f *testing.F) {
	f.Add(`{\fonttbl{\f0\fcharset204 x;}}\trowd\clvmrg\cellx1\pard\intbl\'e4\cell\row\pard{\listtext 1.}\u233?x\par`)
	f.Add(`{\field{\*\fldinst HYPERLINK "a"}{\fldrslt b}}{\footnote c}{\shp{\*\shpinst{\shptxt d\par}}}`)
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := rtf.RTF{}.Convert(t.Context(), convert.Source{Data: []byte(`{\rtf1 ` + s)}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 100*len(s)+10_000 {
			t.Errorf("%d bytes became %d: %.200q", len(s), len(doc.Markdown), doc.Markdown)
		}
	})
}
