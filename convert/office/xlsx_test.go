package office_test

import (
	"errors"
	"fmt"
	"maps"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/office"
)

const sheetNamespaces = `xmlns="http://schemas.openxmlformats.org/spreadsheetml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:xdr="http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" xmlns:tc="http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments"`

// A workbook is the parts of one. All its sheets have the same comments, drawing and so on.
type workbook struct {
	sheets                                           []string // the rows of each
	state                                            string   // of the last sheet
	strings, formats, properties, after              string
	comments, threads, persons, drawing, chart, core string
	kind                                             string // of the last sheet
	more                                             map[string]string
	strict                                           bool
}

func (w workbook) build(t testing.TB) []byte {
	t.Helper()
	frame := func(name, content string) string {
		return "<" + name + " " + sheetNamespaces + ">" + content + "</" + name + ">"
	}
	parts := map[string]string{
		"_rels/.rels":       relations("r1", "officeDocument", "xl/workbook.xml", "r2", "metadata/core-properties", "docProps/core.xml"),
		"docProps/core.xml": coreProperties(w.core),
		"xl/styles.xml":     frame("styleSheet", "<fonts><font/></fonts>"+w.formats),
	}
	for name, s := range map[string][2]string{"sharedStrings": {"sst", w.strings}, "comments": {"comments", w.comments}, "threads": {"tc:ThreadedComments", w.threads}, "persons": {"tc:personList", w.persons}, "drawing": {"xdr:wsDr", w.drawing}, "chart": {"c:chartSpace", w.chart}} {
		if s[1] != "" {
			parts["xl/"+name+".xml"] = frame(s[0], s[1])
		}
	}
	parts["xl/_rels/drawing.xml.rels"] = relations("chart", "chart", "chart.xml")
	rels, list := []string{"s", "styles", "styles.xml", "t", "sharedStrings", "sharedStrings.xml", "p", "person", "persons.xml"}, ""
	for i, rows := range w.sheets {
		id, typ, attr := fmt.Sprint(i+1), "worksheet", ""
		if i == len(w.sheets)-1 {
			if w.kind != "" {
				typ = w.kind
			}
			if w.state != "" {
				attr = ` state="` + w.state + `"`
			}
		}
		parts["xl/worksheets/sheet"+id+".xml"] = frame("worksheet", `<dimension ref="A1:XFD1048576"/><sheetData>`+rows+"</sheetData>"+w.after)
		parts["xl/worksheets/_rels/sheet"+id+".xml.rels"] = relations("c", "comments", "../comments.xml", "t", "threadedComment", "../threads.xml", "d", "drawing", "../drawing.xml", "link", "hyperlink", "https://example.com/a|b")
		rels = append(rels, "r"+id, typ, "worksheets/sheet"+id+".xml")
		list += `<sheet name="S` + id + `" sheetId="` + id + `"` + attr + ` r:id="r` + id + `"/>`
	}
	parts["xl/workbook.xml"] = frame("workbook", w.properties+"<sheets>"+list+"</sheets>")
	parts["xl/_rels/workbook.xml.rels"] = relations(rels...)
	maps.Copy(parts, w.more)
	if w.strict {
		for name, s := range parts {
			s = strings.ReplaceAll(s, "http://schemas.openxmlformats.org/spreadsheetml/2006/main", "http://purl.oclc.org/ooxml/spreadsheetml/main")
			parts[name] = strings.ReplaceAll(s, "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships")
		}
	}
	return zipped(t, parts)
}

// grid makes rows from lines of cells parted by commas: numbers, texts, or nothing.
func grid(lines ...string) string {
	var b strings.Builder
	for i, line := range lines {
		fmt.Fprintf(&b, `<row r="%d">`, i+1)
		for j, s := range strings.Split(line, ",") {
			ref := fmt.Sprintf("%c%d", 'A'+j, i+1)
			switch {
			case s == "":
			case strings.Trim(s, "0123456789.-") == "":
				fmt.Fprintf(&b, `<c r="%s"><v>%s</v></c>`, ref, s)
			default:
				fmt.Fprintf(&b, `<c r="%s" t="inlineStr"><is><t>%s</t></is></c>`, ref, s)
			}
		}
		b.WriteString("</row>")
	}
	return b.String()
}

func TestXLSX(t *testing.T) {
	const s1 = "## S1\n\n"
	for _, tc := range []struct {
		name string
		in   workbook
		want string
	}{
		{"sheets", workbook{sheets: []string{grid("a,b", "1,2"), "", grid("c,d", "3,4")}, state: "veryHidden"},
			"## S1\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n\n## S3\n\n<!-- Hidden sheet -->\n\n| c | d |\n| --- | --- |\n| 3 | 4 |\n"},
		{"kinds of cells", workbook{strings: `<si><t>sha</t></si><si><r><t>ri</t></r><r><rPr/><t>ch_x000D_ _x005F_</t></r><rPh><t>guide</t></rPh></si>`, sheets: []string{
			`<row><c t="s"><v>0</v></c><c t="s"><v>1</v></c><c t="s"><v>9</v></c><c t="inlineStr"><is><t>a | b&#10;c</t></is></c></row>` +
				`<row><c t="b"><v>1</v></c><c t="b"><v>0</v></c><c t="e"><v>#DIV/0!</v></c><c t="str"><f>A1</f><v>calc</v></c><c t="d"><v>2026-01-05T00:00:00</v></c><c><f>1+1</f><v>2</v></c></row>`}},
			s1 + "| sha | rich _ | | a \\| b c | | |\n| --- | --- | --- | --- | --- | --- |\n| TRUE | FALSE | #DIV/0! | calc | 2026-01-05 | 2 |\n"},
		{"numbers", workbook{sheets: []string{grid("General,Other", "12,0.1", "0.30000000000000004,1200000")}}, s1 + "| General | Other |\n| --- | --- |\n| 12 | 0.1 |\n| 0.3 | 1200000 |\n"},
		{"formats", workbook{formats: `<numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/><numFmt numFmtId="14" formatCode="m/d/yyyy"/></numFmts><cellXfs><xf numFmtId="0"/><xf numFmtId="14"/><xf numFmtId="164"/><xf numFmtId="10"/><xf numFmtId="7"/></cellXfs>`,
			sheets: []string{`<row><c t="inlineStr"><is><t>x</t></is></c><c s="0"><v>46027</v></c><c s="1"><v>46027</v></c><c s="2"><v>46027</v></c><c s="3"><v>0.256</v></c><c s="4"><v>-5</v></c><c s="99"><v>7</v></c></row><row><c/><c/><c s="1"/></row>`}},
			s1 + "| x | 46027 | 2026-01-05 | 05.01.2026 | 25.60% | ($5.00) | 7 |\n| --- | --- | --- | --- | --- | --- | --- |\n"},
		{"dates from 1904", workbook{properties: `<workbookPr date1904="1"/>`, formats: `<cellXfs><xf numFmtId="14"/></cellXfs>`, sheets: []string{`<row><c s="0"><v>1</v></c></row>`}}, s1 + "1904-01-02\n"},
		{"title and notes", workbook{sheets: []string{grid("Prices", "A,B", "1,2", "Source: "+strings.Repeat("a long note ", 10))}},
			s1 + "### Prices\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n\nSource: " + strings.TrimSpace(strings.Repeat("a long note ", 10)) + "\n"},
		{"tables below each other", workbook{sheets: []string{grid("A,B", "1,2", "", "3,4", "", "C,D", "5,6", "", "Other", "E,F", "7,8")}},
			s1 + "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 3 | 4 |\n\n| C | D |\n| --- | --- |\n| 5 | 6 |\n\n### Other\n\n| E | F |\n| --- | --- |\n| 7 | 8 |\n"},
		{"blank rows between texts", workbook{sheets: []string{strings.NewReplacer(`"A1"`, `"A1" s="1"`, `"B1"`, `"B1" s="1"`, `"A8"`, `"A8" s="1"`, `"B8"`, `"B8" s="1"`).Replace(grid("A,B", "x,y", "", "z,w", "v,u", "", "", "C,D", "p,q"))}},
			s1 + "| A | B |\n| --- | --- |\n| x | y |\n| z | w |\n| v | u |\n\n| C | D |\n| --- | --- |\n| p | q |\n"},
		{"tables side by side", workbook{sheets: []string{grid("A,B,,A,B", "1,2,,3,4", "5,6,,7,8")}}, s1 + "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 5 | 6 |\n\n| A | B |\n| --- | --- |\n| 3 | 4 |\n| 7 | 8 |\n"},
		{"tables of different height", workbook{sheets: []string{grid("A,B,,C,D", "1,2,,3,4", "5,6")}}, s1 + "| A | B |\n| --- | --- |\n| 1 | 2 |\n| 5 | 6 |\n\n| C | D |\n| --- | --- |\n| 3 | 4 |\n"},
		{"spacer column", workbook{sheets: []string{grid("Title", "A,B,,C", "1,2,,3")}}, s1 + "### Title\n\n| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n"},
		{"one column", workbook{sheets: []string{grid("Name", "Ann", "Bob")}}, s1 + "| Name |\n| --- |\n| Ann |\n| Bob |\n"},
		{"text", workbook{sheets: []string{grid("# Read this first and then all of the other sheets in this file.", "Then do what it says in every one of them.")}},
			s1 + "\\# Read this first and then all of the other sheets in this file.\n\nThen do what it says in every one of them.\n"},
		{"merged cells", workbook{after: `<mergeCells><mergeCell ref="A2:A3"/></mergeCells>`, sheets: []string{grid("A,B", "m,1", ",2")}}, s1 + "| A | B |\n| --- | --- |\n| m | 1 |\n| | 2 |\n"},
		{"links", workbook{after: `<hyperlinks><hyperlink ref="A1" r:id="link"/><hyperlink ref="B1" location="S1!A1"/></hyperlinks>`, sheets: []string{grid("A,B")}}, s1 + "| [A](https://example.com/a%7Cb) | B |\n| --- | --- |\n"},
		{"headers and footers", workbook{sheets: []string{grid("A"), grid("B")}, after: `<headerFooter><oddHeader>&amp;L&amp;"Arial,Bold"&amp;12Acme &amp;&amp; Sons&amp;C&amp;KFF0000Draft&amp;RPage &amp;P of &amp;N</oddHeader><oddFooter>&amp;P</oddFooter></headerFooter>`},
			s1 + "A\n\nAcme & Sons Draft Page of\n\n## S2\n\nB\n"},
		{"comments", workbook{sheets: []string{grid("A")}, comments: `<authors><author>Ann</author></authors><commentList><comment ref="A1" authorId="0"><text><r><t>Ann:</t></r><r><t>&#10;Check</t></r></text></comment></commentList>`},
			s1 + "A\n\n> Comment by Ann on A1: Check\n"},
		{"conversations", workbook{sheets: []string{grid("A")}, persons: `<tc:person id="{1}" displayName="Bob"/>`,
			comments: `<authors><author>tc={X}</author></authors><commentList><comment ref="A1" authorId="0"><text><t>[Threaded comment] Why?</t></text></comment></commentList>`,
			threads:  `<tc:threadedComment ref="A1" personId="{1}"><tc:text>Why?</tc:text></tc:threadedComment><tc:threadedComment ref="A1" personId="{2}" parentId="x"><tc:text>So.</tc:text></tc:threadedComment>`},
			s1 + "A\n\n> Comment by Bob on A1: Why?\n\n> Reply on A1: So.\n"},
		{"drawings", workbook{sheets: []string{grid("A")}, drawing: `<xdr:sp><xdr:nvSpPr><xdr:cNvPr descr="Picture 1"/></xdr:nvSpPr><xdr:txBody><a:p><a:r><a:t>Boxed</a:t></a:r></a:p></xdr:txBody></xdr:sp><xdr:pic><xdr:cNvPr descr="A duck"/></xdr:pic><xdr:graphicFrame><c:chart r:id="chart"/></xdr:graphicFrame>`,
			chart: `<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Ducks</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:pieChart>` + barSeries("n", "", cache("numCache", "1")) + `</c:pieChart></c:plotArea></c:chart>`},
			s1 + "A\n\nBoxed\n\nA duck\n\nChart: Ducks\n"},
		{"chart sheet", workbook{sheets: []string{""}, kind: "chartsheet", drawing: `<c:chart r:id="chart"/>`, chart: `<c:chart><c:plotArea><c:pieChart>` + barSeries("n", "", cache("numCache", "1")) + `</c:pieChart></c:plotArea></c:chart>`},
			s1 + "### Chart\n\n| Category | n |\n| --- | --- |\n| | 1 |\n"},
		{"unordered", workbook{sheets: []string{`<row r="2"><c r="B2"><v>4</v></c><c r="A2"><v>3</v></c></row><row r="1"><c r="A1"><v>1</v></c><c><v>2</v></c></row>`}}, s1 + "| 1 | 2 |\n| --- | --- |\n| 3 | 4 |\n"},
		{"sparse", workbook{sheets: []string{`<row r="1"><c r="A1"><v>1</v></c><c r="XFD1"><v>2</v></c></row><row r="1048576"><c r="A1048576"><v>3</v></c></row>`}}, s1 + "| 1 | 2 |\n| --- | --- |\n\n3\n"},
		{"strict", workbook{strict: true, sheets: []string{grid("A,B", "1,2")}}, s1 + "| A | B |\n| --- | --- |\n| 1 | 2 |\n"},
		{"no text", workbook{sheets: []string{"<row><c/></row>"}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := office.NewXLSX(nil).Convert(t.Context(), convert.Source{Name: "a.xlsx", Data: tc.in.build(t)}, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(doc.Warnings) > 0 {
				t.Errorf("warnings: %q", doc.Warnings)
			}
		})
	}
}

func TestXLSXWarnings(t *testing.T) {
	in := workbook{sheets: []string{`<row r="1"><c r="A1"><v>1</v></c><c r="XFE1"><v>2</v></c><c r="B1"><f>A1</f></c></row><row r="16777217"><c r="A16777217"><v>3</v></c><c><v>4</v></c></row>`}}
	doc, err := office.NewXLSX(nil).Convert(t.Context(), convert.Source{Data: in.build(t)}, convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"cells outside the grid of a sheet were left out", "1 formulas have no stored result and were left empty"}
	if diff := cmp.Diff(want, doc.Warnings); diff != "" || doc.Markdown != "## S1\n\n1\n" {
		t.Errorf("Markdown %q, warnings (-want +got)\n%s", doc.Markdown, diff)
	}
}

func TestXLSXHostile(t *testing.T) {
	bomb := `<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><sst ` + sheetNamespaces + `><si><t>&b;</t></si></sst>`
	// One row over all columns, then rows with a cell at each end: padded, 3000 rows would have 49 million cells.
	comb := `<row r="1">` + strings.Repeat("<c><v>1</v></c>", 16384) + "</row>"
	for i := range 3000 {
		comb += fmt.Sprintf(`<row r="%d"><c r="A%[1]d"><v>2</v></c><c r="XFD%[1]d"><v>3</v></c></row>`, i+2)
	}
	stairs := ""
	for i := range 676 {
		stairs += fmt.Sprintf(`<row><c r="%c%c%d"><v>1</v></c></row>`, 'A'+i/26, 'A'+i%26, i+1)
	}
	for _, tc := range []struct {
		name   string
		in     workbook
		limits convert.Limits
		is     error
		says   string
	}{
		{"no workbook", workbook{more: map[string]string{"xl/workbook.xml": ""}}, convert.Limits{}, convert.ErrDamaged, "no xl/workbook.xml"},
		{"entities", workbook{sheets: []string{""}, more: map[string]string{"xl/sharedStrings.xml": bomb}}, convert.Limits{}, convert.ErrDamaged, "DTD"},
		{"wrong part", workbook{sheets: []string{""}, more: map[string]string{"xl/sharedStrings.xml": "<x/>"}}, convert.Limits{}, convert.ErrDamaged, "is not what its name says"},
		{"cut", workbook{sheets: []string{""}, more: map[string]string{"xl/worksheets/sheet1.xml": "<worksheet " + sheetNamespaces + "><sheetData><row><c>"}}, convert.Limits{}, convert.ErrDamaged, "malformed XML"},
		{"sheets", workbook{sheets: []string{"", "", ""}}, convert.Limits{Pages: 2}, convert.ErrTooLarge, "sheets over 2"},
		{"cells", workbook{sheets: []string{"<row>" + strings.Repeat("<c/>", 11) + "</row>"}}, convert.Limits{Cells: 10}, convert.ErrTooLarge, "cells over 10"},
		{"repeated text", workbook{strings: "<si><t>" + strings.Repeat("x", 10_000) + "</t></si>", sheets: []string{"<row>" + strings.Repeat(`<c t="s"><v>0</v></c>`, 101) + "</row>"}}, convert.Limits{OutputBytes: 1_000_000}, convert.ErrTooLarge, "output size"},
		{"shared texts", workbook{strings: strings.Repeat("<si><t>"+strings.Repeat("x", 1000)+"</t></si>", 101), sheets: []string{""}}, convert.Limits{OutputBytes: 100_000}, convert.ErrTooLarge, "shared texts"},
		{"one long text", workbook{sheets: []string{`<row><c t="str"><v>` + strings.Repeat(" ", 17<<20) + `</v></c></row>`}}, convert.Limits{}, convert.ErrTooLarge, "one XML text"},
		{"comb", workbook{sheets: []string{comb}}, convert.Limits{OutputBytes: 1_000_000}, nil, ""},
		{"outside of the grid", workbook{sheets: []string{`<row r="1"><c r="A1"><v>1</v></c></row><row r="2000000000"><c r="A2000000000"><v>2</v></c><c r="ZZZZZ2000000000"><v>3</v></c></row>`}}, convert.Limits{}, nil, ""},
		{"stairs", workbook{sheets: []string{stairs}}, convert.Limits{OutputBytes: 100_000}, nil, ""},
	} {
		_, err := convert.Guard("xlsx", office.NewXLSX(nil)).Convert(t.Context(), convert.Source{Name: "a.xlsx", Data: tc.in.build(t)}, tc.limits)
		if !errors.Is(err, tc.is) || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v that says %q", tc.name, err, tc.is, tc.says)
		}
	}
}

func TestXLSXContract(t *testing.T) {
	sample := workbook{core: "<dc:title>The sample</dc:title>", strings: "<si><t>Name of the thing</t></si>", sheets: []string{grid("A,B", "1,2", "some text of the sample,another text of the sample"), `<row><c t="s"><v>0</v></c></row>`},
		comments: `<commentList><comment ref="A1"><text><t>Note</t></text></comment></commentList>`}
	converttest.Suite{
		Converter: office.NewXLSX(nil),
		Sample:    convert.Source{Name: "a.xlsx", Data: sample.build(t)},
		Want:      "| 1 | 2 |",
		Deep: func(n int) []byte {
			return workbook{sheets: []string{"<row><c><is>" + strings.Repeat("<r>", n) + strings.Repeat("</r>", n) + "</is></c></row>"}}.build(t)
		},
	}.Run(t)
}

func FuzzXLSX(f *testing.F) {
	f.Add(grid("A,B,,C", "1,2,,3", "", "x,y"), `<numFmts><numFmt numFmtId="164" formatCode="dd.mm.yyyy"/></numFmts><cellXfs><xf numFmtId="164"/></cellXfs>`)
	f.Add(`<row r="5"><c r="XFD5" t="s" s="0"><v>0</v></c><c r="A1" t="b"><v>1</v></c></row>`, `<cellXfs><xf numFmtId="22"/></cellXfs>`)
	f.Fuzz(func(t *testing.T, rows, formats string) {
		in := workbook{sheets: []string{rows}, formats: formats, strings: "<si><t>shared</t></si>"}.build(t)
		doc, err := office.NewXLSX(nil).Convert(t.Context(), convert.Source{Data: in}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*(len(rows)+len(formats))+100_000 {
			t.Errorf("%d bytes became %d", len(rows)+len(formats), len(doc.Markdown))
		}
	})
}
