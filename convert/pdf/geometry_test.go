package pdf_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/pdf"
)

// show returns a content stream that shows a text in a font at a place.
func show(font string, size, x, y float64, s string) string {
	return fmt.Sprintf("BT /%s %g Tf 1 0 0 1 %g %g Tm (%s) Tj ET\n", font, size, x, y, literal(s))
}

// ruled shows rows of cells from the left and top, with columns and rows of the
// given size, and rules around the cells.
func ruled(rows [][]string, x, y, width, height float64) string {
	var b strings.Builder
	for i, cells := range rows {
		for c, s := range cells {
			left, bottom := x+width*float64(c), y-height*float64(i+1)
			fmt.Fprintf(&b, "%g %g %g %g re S\n", left, bottom, width, height)
			for k, l := range strings.Split(s, "\n") {
				b.WriteString(show("F1", 10, left+4, bottom+height-12-12*float64(k), l))
			}
		}
	}
	return b.String()
}

func lines(font string, x, y float64, texts ...string) string {
	var b strings.Builder
	for i, s := range texts {
		b.WriteString(show(font, 10, x, y-12*float64(i), s))
	}
	return b.String()
}

var (
	leftColumn = []string{"The left column tells of the first", "part of the matter, and goes on to", "say what the second party owes to", "the first, until the column ends."}
	rightTexts = []string{"In the right column the reader may", "find what comes after it: the dates", "of delivery and the prices that are", "due, with all that belongs to them."}
)

func TestGeometry(t *testing.T) {
	interleaved := ""
	for i := range leftColumn {
		interleaved += show("F1", 10, 50, 700-12*float64(i), leftColumn[i]) + show("F1", 10, 320, 700-12*float64(i), rightTexts[i])
	}
	columns := strings.Join(leftColumn, "\n") + "\n\n" + strings.Join(rightTexts, "\n") + "\n"
	aligned := ""
	for i, cells := range [][]string{{"Item", "Pieces", "Price"}, {"Steel bolts", "120", "14.50"}, {"Copper wire", "", "230.00"}, {"Oak boards", "8", "96.25"}} {
		for c, s := range cells {
			aligned += show("F1", 10, []float64{60, 220, 340}[c], 700-15*float64(i), s)
		}
	}
	vertical := ""
	for c, s := range []string{"abcdefgh", "hgfedcba"} {
		for i, r := range s {
			vertical += show("F1", 20, 400-24*float64(c), 700-20*float64(i), string(r))
		}
	}
	han := map[byte]string{'a': "天", 'b': "地", 'c': "玄", 'd': "黄", 'e': "宇", 'f': "宙", 'g': "洪", 'h': "荒"}
	spaced := "BT /F1 10 Tf 4 Tc 1 0 0 1 72 700 Tm (Wide letters drawn) Tj ET"
	body := lines("F1", 72, 600, "Words of the body, of which there are many more", "than of the heading, so that it can be told", "from them by its print.")
	cases := []struct {
		name string
		in   builder
		want string
	}{
		{"ruled table", builder{pages: []string{ruled([][]string{{"Name", "Place of\nbirth"}, {"Anna", ""}, {"Boris | B.", "Omsk"}}, 60, 700, 150, 30)}},
			"| Name | Place of birth |\n| --- | --- |\n| Anna | |\n| Boris \\| B. | Omsk |\n"},
		{"tables of one grid", builder{pages: []string{show("F2", 10, 60, 715, "Gases") + body +
			ruled([][]string{{"Kind", "Air"}, {"Argon", "1"}, {"Neon", "2"}, {"Metals", ""}, {"Kind", "Air"}, {"Lead", "3"}}, 60, 700, 150, 12)}},
			"# Gases\n\n| Kind | Air |\n| --- | --- |\n| Argon | 1 |\n| Neon | 2 |\n\n# Metals\n\n| Kind | Air |\n| --- | --- |\n| Lead | 3 |\n\n" +
				"Words of the body, of which there are many more\nthan of the heading, so that it can be told\nfrom them by its print.\n"},
		{"figures ruled in groups", builder{pages: []string{ruled([][]string{{"City", "In", "Out"}, {"Bern\nLyon\nTurin", "1\n2\n3", "4\n5\n6"}}, 60, 700, 120, 44)}},
			"| City | In | Out |\n| --- | --- | --- |\n| Bern | 1 | 4 |\n| Lyon | 2 | 5 |\n| Turin | 3 | 6 |\n"},
		{"frame around text", builder{pages: []string{"50 560 500 160 re S\n" + lines("F1", 72, 700, "A framed line of text", "and one more of it")}}, "A framed line of text\nand one more of it\n"},
		{"aligned table", builder{pages: []string{aligned}},
			"| Item | Pieces | Price |\n| --- | --- | --- |\n| Steel bolts | 120 | 14.50 |\n| Copper wire | | 230.00 |\n| Oak boards | 8 | 96.25 |\n"},
		{"list is no table", builder{pages: []string{lines("F1", 60, 700, "1.", "2.", "3.", "4.") + lines("F1", 90, 700, "first item of it", "second item", "third item of all", "last")}},
			"1. first item of it\n2. second item\n3. third item of all\n4. last\n"},
		{"columns written by rows", builder{pages: []string{interleaved}}, columns},
		{"columns written one by one", builder{pages: []string{lines("F1", 320, 700, rightTexts...) + lines("F1", 50, 700, leftColumn...)}}, columns},
		{"title over columns", builder{pages: []string{interleaved + show("F1", 18, 120, 740, "A title that spans both of the columns")}},
			"# A title that spans both of the columns\n\n" + columns},
		{"bold heading", builder{pages: []string{show("F2", 10, 72, 640, "Terms of payment") + body}},
			"# Terms of payment\n\nWords of the body, of which there are many more\nthan of the heading, so that it can be told\nfrom them by its print.\n"},
		{"numbered bold headings", builder{pages: []string{show("F2", 10, 72, 660, "2 Goods") + show("F2", 10, 72, 630, "2.1 Delivery") + body}},
			"# 2 Goods\n\n## 2.1 Delivery\n\nWords of the body, of which there are many more\nthan of the heading, so that it can be told\nfrom them by its print.\n"},
		{"heading by outline", builder{outline: []string{"DELIVERY terms"}, pages: []string{show("F1", 10, 72, 640, "Delivery Terms") + body}},
			"# Delivery Terms\n\nWords of the body, of which there are many more\nthan of the heading, so that it can be told\nfrom them by its print.\n"},
		{"all bold is no heading", builder{pages: []string{lines("F2", 72, 700, "Everything here") + lines("F2", 72, 640, "is in bold print")}}, "Everything here\n\nis in bold print\n"},
		{"vertical writing", builder{pages: []string{vertical}, glyphs: han}, "天地玄黄宇宙洪荒荒洪宙宇黄玄地天\n"},
		{"letters drawn apart", builder{pages: []string{spaced}}, "Wide letters drawn\n"},
		{"lines without spaces", builder{pages: []string{lines("F1", 72, 700, "abcd", "efgh")}, glyphs: han}, "天地玄黄宇宙洪荒\n"},
		{"hyphens of compounds", builder{pages: []string{text("an up-to-date list of well-known", "names; a second list of up-to-", "date and well-", "known names, of self-", "employed ones, of pre-", "and postwar ones, and of nor-", "mal ones")}},
			"an up-to-date list of well-known\nnames; a second list of up-to-date and well-known names, of self-employed ones, of pre- and postwar ones, and of normal ones\n"},
		{"own hyphen", builder{pages: []string{text("made by the Anglo-", "American company")}}, "made by the Anglo-American company\n"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := convertBytes(t, tc.in.bytes(), convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
		})
	}
}

// TestLargePage has more letters and objects than are read at once, in changing print.
func TestLargePage(t *testing.T) {
	var content, want strings.Builder
	for i := range 60 {
		fmt.Fprintf(&content, "0 0 m 1 %d l S\n", i)
	}
	content.WriteString(strings.Repeat("10 10 2 2 re f\n", 2000))
	for i := range 50 {
		line := fmt.Sprintf("line %d of words of a page that is read in several parts", i)
		content.WriteString(show("F1", 10, 72, float64(740-12*i), line))
		want.WriteString(line + "\n")
	}
	content.WriteString(ruled([][]string{{"Name", "Age"}, {"Anna", "7"}, {"Boris", "12"}}, 60, 120, 150, 24))
	want.WriteString("\n| Name | Age |\n| --- | --- |\n| Anna | 7 |\n| Boris | 12 |\n")
	doc, err := convertBytes(t, builder{pages: []string{content.String()}}.bytes(), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want.String(), doc.Markdown); diff != "" {
		t.Errorf("Markdown (-want +got):\n%s", diff)
	}
}

func TestRunningLines(t *testing.T) {
	var pages []string
	var want []string
	for i, word := range []string{"alpha", "beta", "gamma", "delta"} {
		pages = append(pages, show("F1", 9, 72, 760, "Yearly report of the works")+
			lines("F1", 72, 700, "The body of page "+word, "says one thing or another", "and then some more of it", "before it comes to", "an end with", "a last line, "+word)+
			show("F1", 9, 300, 40, fmt.Sprintf("Page %d of 4", i+1)))
		want = append(want, fmt.Sprintf("The body of page %s\nsays one thing or another\nand then some more of it\nbefore it comes to\nan end with\na last line, %[1]s", word))
	}
	doc, err := convertBytes(t, builder{pages: pages}.bytes(), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("Yearly report of the works\n\n"+strings.Join(want, "\n\n")+"\n", doc.Markdown); diff != "" {
		t.Errorf("Markdown (-want +got):\n%s", diff)
	}
}

// TestRunningTitleIsNoHeading has a running title that looks like a numbered one.
func TestRunningTitleIsNoHeading(t *testing.T) {
	var pages []string
	for i := range 4 {
		pages = append(pages, show("F1", 10, 72, 760, fmt.Sprintf("%d CHAPTER TWO", i+1))+
			lines("F1", 72, 700, "Words of page "+strings.Repeat("x", i), "that say one thing", "or another, at some length", "before they end"))
	}
	doc, err := convertBytes(t, builder{pages: pages}.bytes(), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if !strings.HasPrefix(doc.Markdown, "1 CHAPTER TWO\n\nWords") || strings.Count(doc.Markdown, "CHAPTER") != 1 {
		t.Errorf("got %q", doc.Markdown)
	}
}

func TestRunningLinesOfShortPages(t *testing.T) {
	for n := range 4 {
		var pages [][]pdf.Line
		for range 5 {
			var p []pdf.Line
			for i := range n {
				p = append(p, pdf.NewLine(fmt.Sprint("line", i), 0, 100-20*float64(i), 10))
			}
			pages = append(pages, p)
		}
		if got := pdf.LayOut(pages...); n > 0 && !strings.Contains(got, "line0") {
			t.Errorf("pages of %d equal lines: %q", n, got)
		}
	}
}
