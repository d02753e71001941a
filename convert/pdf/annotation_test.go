package pdf_test

import (
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
)

// webLink is a link annotation over the letters of a line of show at 10 points.
func webLink(rect, url string) string {
	return "<</Type/Annot/Subtype/Link/Rect[" + rect + "]/A<</S/URI/URI(" + literal(url) + ")>>>>"
}

func TestLinks(t *testing.T) {
	const all = "0 0 612 792"
	cases := []struct {
		name, content string
		annotations   []string
		want          string
	}{
		{"word", show("F1", 10, 72, 700, "See (here) for more"), []string{webLink("95 698 117 710", "https://example.org/a_(b)|c d")},
			"See ([here](https://example.org/a_%28b%29%7Cc%20d)) for more\n"},
		{"over a line's end", lines("F1", 72, 700, "Read the whole", "report of it"),
			[]string{"<</Subtype/Link/Rect[" + all + "]/QuadPoints[114 710 140 710 114 698 140 698 72 698 101 698 72 686 101 686]/A<</S/URI/URI(http://example.org/r)>>>>"},
			"Read the [whole\nreport](http://example.org/r) of it\n"},
		{"bare address", show("F1", 10, 72, 700, "At www.example.org/x today"), []string{webLink("84 698 163 710", "https://www.example.org/x")}, "At www.example.org/x today\n"},
		{"address in two lines", lines("F1", 72, 700, "https://example.org/a/", "long/way"), []string{webLink("70 680 300 712", "https://example.org/a/long/way")}, "https://example.org/a/long/way\n"},
		{"address of mail", show("F1", 10, 72, 700, "ann@example.org"), []string{webLink("70 698 300 712", "mailto:ann@example.org")}, "ann@example.org\n"},
		{"another address", show("F1", 10, 72, 700, "www.example.org"), []string{webLink("70 698 300 712", "https://other.example")}, "www.example.org\n"},
		{"edge in a word", show("F1", 10, 72, 700, "Reports"), []string{webLink("70 698 90 712", "https://example.org")}, "[Reports](https://example.org)\n"},
		{"one bracket", show("F1", 10, 72, 700, "[12"), []string{webLink("70 698 300 712", "https://example.org")}, "[\\[12](https://example.org)\n"},
		{"within the document", show("F1", 10, 72, 700, "Chapter two"), []string{"<</Subtype/Link/Rect[" + all + "]/Dest[4 0 R/Fit]>>"}, "Chapter two\n"},
		{"script", show("F1", 10, 72, 700, "Chapter two"), []string{webLink(all, "javascript:alert(1)")}, "Chapter two\n"},
		{"whole page", lines("F1", 72, 700, strings.Split(strings.Repeat("many words stand on the page\n", 20), "\n")...), []string{webLink(all, "https://example.org")},
			strings.Repeat("many words stand on the page\n", 20)},
		{"table", ruled([][]string{{"Name", "Home"}, {"Anna", "page"}, {"Boris", "none"}}, 60, 700, 150, 30), []string{webLink("205 640 360 670", "https://example.org/anna")},
			"| Name | Home |\n| --- | --- |\n| Anna | [page](https://example.org/anna) |\n| Boris | none |\n"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			in := builder{pages: []string{tc.content}, pageKeys: "/Annots[" + strings.Join(tc.annotations, " ") + "]"}
			doc, err := convertBytes(t, in.bytes(), convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestForm(t *testing.T) {
	labels := show("F1", 10, 72, 700, "Name") + show("F1", 10, 72, 670, "City") + show("F1", 10, 100, 640, "wants mail") + show("F1", 10, 100, 610, "wants calls") +
		show("F1", 10, 72, 580, "Colours") + show("F1", 10, 72, 550, "Printed") + show("F1", 10, 110, 550, "already there")
	const on = "/AP<</N<</On 5 0 R/Off 5 0 R>>>>"
	fields := []string{
		"<</Subtype/Widget/FT/Tx/T(n)/V(Anna Karenina)/Rect[110 695 300 715]>>",
		"<</Subtype/Widget/FT/Ch/Ff 131072/T(c)/V(2)/Opt[[(1)(Omsk)][(2)(Tver)]]/Rect[110 665 300 685]>>",
		"<</Subtype/Widget/FT/Btn/T(m)/V/On/AS/On/Rect[80 636 92 648]" + on + ">>",
		"<</Subtype/Widget/FT/Btn/T(k)/V/Off/AS/Off/Rect[80 606 92 618]" + on + ">>",
		"<</Subtype/Widget/FT/Ch/Ff 2097152/T(l)/V[(red)(blue)]/Opt[(red)(green)(blue)]/Rect[120 570 300 590]>>",
		"<</Subtype/Widget/FT/Tx/T(p)/V(Already there)/Rect[105 545 300 565]>>",
		"<</Subtype/Widget/FT/Tx/Ff 8192/T(s)/V(secret)/Rect[110 695 300 715]>>",
		"<</Subtype/Widget/F 2/FT/Tx/T(h)/V(hidden)/Rect[110 695 300 715]>>",
		"<</Subtype/Widget/FT/Btn/Ff 65536/T(push)/Rect[110 395 300 415]>>",
		"<</Subtype/Widget/FT/Tx/T(empty)/Rect[110 395 300 415]>>",
		"<</Subtype/Widget/FT/Tx/T(form.far_away[0])/V(first line\\rsecond line)/Rect[300 60 500 100]>>",
		"<</Subtype/Widget/Parent 18 0 R/Rect[300 200 500 220]>>",
		"<</FT/Tx/T(x)/TU(Their label)/V(\xfe\xff\x04\x16\x04\x51)/Kids[17 0 R]>>",
		"<</Subtype/FreeText/Contents(written over)/Rect[300 300 500 320]>>",
	}
	refs := ""
	for i := range fields {
		refs += " " + string(rune('0'+(i+6)/10)) + string(rune('0'+(i+6)%10)) + " 0 R"
	}
	in := builder{pages: []string{labels}, pageKeys: "/Annots[" + refs + "]", catalog: "/AcroForm<</Fields[" + refs + "]>>", more: fields}
	doc, err := convertBytes(t, in.bytes(), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := `Name Anna Karenina
City Tver

[x] wants mail
[ ] wants calls

Colours red, blue

Printed already there

written over

Their label: Жё

far away: first line
second line
`
	if diff := cmp.Diff(want, doc.Markdown); diff != "" {
		t.Errorf("Markdown (-want +got):\n%s", diff)
	}
	only, err := convertBytes(t, builder{pages: []string{""}, pageKeys: "/Annots[6 0 R]", catalog: "/AcroForm<</Fields[6 0 R]>>", more: fields[:1]}.bytes(), convert.Limits{})
	if err != nil || only.Markdown != "n: Anna Karenina\n" {
		t.Errorf("a form on an empty page: %v, %+v", err, only)
	}
}
