package office_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/office"
)

const slideNamespaces = `xmlns:p="http://schemas.openxmlformats.org/presentationml/2006/main" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` +
	`xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:a14="http://schemas.microsoft.com/office/drawing/2010/main" ` +
	`xmlns:cx="http://schemas.microsoft.com/office/drawing/2014/chartex" xmlns:p188="http://schemas.microsoft.com/office/powerpoint/2018/8/main"`

// A deck is the parts of a presentation. All slides share the layout, the
// notes, the comments, the chart and so on.
type deck struct {
	slides                                         []string // the shapes of each
	hidden                                         int      // number of the hidden slide
	layout, master, notes, chart, chartex, diagram string
	comments, authors, core                        string
	more                                           map[string]string
	strict                                         bool
}

func zipped(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		if parts[name] == "" {
			continue
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(parts[name])); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func relations(rels ...string) string {
	var b strings.Builder
	b.WriteString(`<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">`)
	for i := 0; i < len(rels); i += 3 {
		mode := ""
		if strings.HasPrefix(rels[i+2], "https:") {
			mode = ` TargetMode="External"`
		}
		fmt.Fprintf(&b, `<Relationship Id="%s" Type="http://x/%s" Target="%s"%s/>`, rels[i], rels[i+1], rels[i+2], mode)
	}
	return b.String() + `</Relationships>`
}

func coreProperties(s string) string {
	if s == "" {
		return ""
	}
	return `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">` + s + `</cp:coreProperties>`
}

func (d deck) build(t testing.TB) []byte {
	t.Helper()
	frame := func(name, content string) string {
		return "<" + name + " " + slideNamespaces + ">" + content + "</" + name + ">"
	}
	tree := func(name, shapes string) string {
		return frame(name, "<p:cSld><p:spTree>"+shapes+"</p:spTree></p:cSld>")
	}
	parts := map[string]string{
		"_rels/.rels":               relations("r1", "officeDocument", "ppt/presentation.xml", "r2", "metadata/core-properties", "docProps/core.xml"),
		"docProps/core.xml":         coreProperties(d.core),
		"ppt/layout.xml":            tree("p:sldLayout", d.layout),
		"ppt/master.xml":            strings.Replace(tree("p:sldMaster", d.master), "</p:cSld>", `</p:cSld><p:txStyles><p:bodyStyle><a:lvl1pPr><a:buChar char="•"/></a:lvl1pPr><a:lvl2pPr><a:buChar char="–"/></a:lvl2pPr></p:bodyStyle></p:txStyles>`, 1),
		"ppt/_rels/layout.xml.rels": relations("r1", "slideMaster", "master.xml"),
	}
	for name, s := range map[string]string{"chart": d.chart, "chartex": d.chartex, "diagram": d.diagram, "comments": d.comments, "authors": d.authors} {
		root := map[string]string{"chart": "c:chartSpace", "chartex": "cx:chartSpace", "diagram": "dgm:dataModel", "comments": "p:cmLst", "authors": "p:cmAuthorLst"}[name]
		if s != "" {
			parts["ppt/"+name+".xml"] = frame(root, s)
		}
	}
	if d.notes != "" {
		parts["ppt/notes.xml"] = tree("p:notes", d.notes)
	}
	rels, ids := []string{"a", "authors", "authors.xml"}, ""
	for i, s := range d.slides {
		n := fmt.Sprint(len(d.slides) - i) // the parts are numbered the other way round
		content := tree("p:sld", s)
		if i+1 == d.hidden {
			content = strings.Replace(content, "<p:sld ", `<p:sld show="0" `, 1)
		}
		parts["ppt/slides/slide"+n+".xml"] = content
		parts["ppt/slides/_rels/slide"+n+".xml.rels"] = relations("l", "slideLayout", "../layout.xml", "n", "notesSlide", "../notes.xml", "chart", "chart", "../chart.xml",
			"ex", "chartEx", "../chartex.xml", "dm", "diagramData", "/ppt/diagram.xml", "dr", "diagramDrawing", "/ppt/drawing.xml", "cm", "comments", "../comments.xml", "link", "hyperlink", "https://example.com/a")
		rels = append(rels, "s"+n, "slide", "slides/slide"+n+".xml")
		ids += `<p:sldId id="` + n + `" r:id="s` + n + `"/>`
	}
	parts["ppt/presentation.xml"] = frame("p:presentation", "<p:sldIdLst>"+ids+"</p:sldIdLst>")
	parts["ppt/_rels/presentation.xml.rels"] = relations(rels...)
	maps.Copy(parts, d.more)
	if d.strict {
		for name, s := range parts {
			s = strings.ReplaceAll(s, "http://schemas.openxmlformats.org/presentationml/2006/main", "http://purl.oclc.org/ooxml/presentationml/main")
			s = strings.ReplaceAll(s, "http://schemas.openxmlformats.org/drawingml/2006/main", "http://purl.oclc.org/ooxml/drawingml/main")
			parts[name] = strings.ReplaceAll(s, "http://schemas.openxmlformats.org/officeDocument/2006/relationships", "http://purl.oclc.org/ooxml/officeDocument/relationships")
		}
	}
	return zipped(t, parts)
}

func at(x, y int) string {
	return fmt.Sprintf(`<p:spPr><a:xfrm><a:off x="%d" y="%d"/></a:xfrm></p:spPr>`, x*914400, y*914400)
}

// box is a shape; ph are the attributes of its placeholder, or "-" for none.
func box(ph, position string, paragraphs ...string) string {
	if ph != "-" {
		ph = "<p:ph " + ph + "/>"
	} else {
		ph = ""
	}
	s := `<p:sp><p:nvSpPr><p:cNvPr name="x"/><p:nvPr>` + ph + `</p:nvPr></p:nvSpPr>` + position + `<p:txBody>`
	for _, p := range paragraphs {
		if !strings.HasPrefix(p, "<a:p>") {
			p = "<a:p>" + words(p) + "</a:p>"
		}
		s += p
	}
	return s + `</p:txBody></p:sp>`
}

func words(s string) string { return "<a:r><a:t>" + s + "</a:t></a:r>" }

func marked(ppr, s string) string { return "<a:p>" + ppr + words(s) + "</a:p>" }

func graphic(content string) string {
	return `<p:graphicFrame><p:nvGraphicFramePr><p:cNvPr descr="described"/></p:nvGraphicFramePr><a:graphic><a:graphicData>` + content + `</a:graphicData></a:graphic></p:graphicFrame>`
}

func slideCell(attrs, s string) string {
	return "<a:tc " + attrs + "><a:txBody><a:p>" + words(s) + "</a:p></a:txBody></a:tc>"
}

func slideRow(cells ...string) string {
	s := "<a:tr>"
	for _, c := range cells {
		if !strings.HasPrefix(c, "<a:tc") {
			c = slideCell("", c)
		}
		s += c
	}
	return s + "</a:tr>"
}

func cache(kind string, values ...string) string {
	s := "<c:" + kind + "><c:formatCode>General</c:formatCode>"
	for i, v := range values {
		if v != "" {
			s += fmt.Sprintf(`<c:pt idx="%d"><c:v>%s</c:v></c:pt>`, i, v)
		}
	}
	return s + "</c:" + kind + ">"
}

func barSeries(name string, cats, values string) string {
	return `<c:ser><c:tx><c:strRef>` + cache("strCache", name) + `</c:strRef></c:tx><c:cat>` + cats + `</c:cat><c:val><c:numRef>` + values + `</c:numRef></c:val></c:ser>`
}

func TestPPTX(t *testing.T) {
	const one, chart = "<!-- Slide number: 1 -->\n\n", `<c:chart r:id="chart"/>`
	for _, tc := range []struct {
		name string
		in   deck
		want string
	}{
		{"order of slides", deck{slides: []string{box("-", "", "first"), "", box("-", "", "third")}, hidden: 3},
			"<!-- Slide number: 1 -->\n\nfirst\n\n<!-- Slide number: 2 -->\n\n<!-- Slide number: 3 -->\n\n<!-- Hidden slide -->\n\nthird\n"},
		{"order of shapes", deck{slides: []string{box("-", at(1, 5), "low") + box("-", at(5, 2), "right") + box("-", at(1, 2), "left") + box("-", "", "nowhere") + box(`type="title"`, at(0, 9), "Title")}},
			one + "# Title\n\nnowhere\n\nleft\n\nright\n\nlow\n"},
		{"nearly side by side", deck{slides: []string{strings.ReplaceAll(box("-", at(5, 2), "right"), `y="1828800"`, `y="1800000"`) + box("-", at(1, 2), "left")}}, one + "left\n\nright\n"},
		{"inherited position", deck{layout: box(`type="body" idx="7"`, at(1, 8), "boilerplate"), master: box(`type="body"`, at(1, 1), "more boilerplate"),
			slides: []string{box(`idx="7"`, "", "low") + box("-", at(1, 3), "middle") + box(`type="body" idx="9"`, "", "high")}}, one + "- high\n\nmiddle\n\n- low\n"},
		{"two titles", deck{slides: []string{box(`type="ctrTitle"`, at(1, 1), "One", "line") + box(`type="title"`, at(1, 2), "Other")}}, one + "# One line\n\nOther\n"},
		{"groups", deck{slides: []string{`<p:grpSp><p:grpSpPr><a:xfrm><a:off x="0" y="9000000"/></a:xfrm></p:grpSpPr>` + box("-", at(1, 2), "b") + `<p:grpSp>` + box("-", at(1, 1), "a") + `</p:grpSp></p:grpSp>` + box("-", at(1, 1), "above")}}, one + "above\n\na\n\nb\n"},
		{"lists", deck{layout: box(`type="body" idx="2"`, "") + box(`type="body" idx="3"`, `<p:txBody><a:lstStyle><a:lvl1pPr><a:buNone/></a:lvl1pPr></a:lstStyle></p:txBody>`), slides: []string{
			box(`idx="2"`, at(0, 1), "x", marked(`<a:pPr lvl="1"/>`, "y"), marked(`<a:pPr><a:buNone/></a:pPr>`, "plain"), "z") + box(`idx="3"`, at(0, 2), "no bullet") +
				box("-", at(0, 3), marked(`<a:pPr><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr>`, "three"), marked(`<a:pPr lvl="1"><a:buAutoNum type="alphaLcParenBoth"/></a:pPr>`, "sub"), marked(`<a:pPr><a:buAutoNum type="arabicPeriod" startAt="3"/></a:pPr>`, "four"))}},
			one + "- x\n  - y\n\nplain\n\n- z\n\nno bullet\n\n3. three\n   - (a) sub\n4. four\n"},
		{"runs", deck{slides: []string{box("-", "", "<a:p>"+words("a_x000B_b")+"<a:r/><a:r><a:rPr b='1'/><a:t>c</a:t></a:r><a:br/>"+words("10")+`<a:r><a:rPr baseline="30000"/><a:t>6</a:t></a:r><a:r><a:rPr><a:hlinkClick r:id="link"/></a:rPr><a:t> link</a:t></a:r><a:fld type="slidenum"><a:t>7</a:t></a:fld></a:p>`)}},
			one + "a\nbc\n10^6 [link](https://example.com/a)\n"},
		{"footers once", deck{slides: []string{box(`type="ftr"`, "", "Example Ltd") + box(`type="sldNum"`, "", `<a:p><a:fld type="slidenum"><a:t>1</a:t></a:fld></a:p>`) + box("-", "", "a"), box(`type="ftr"`, "", "Example Ltd") + box("-", "", "b")}},
			one + "Example Ltd\n\na\n\n<!-- Slide number: 2 -->\n\nb\n"},
		{"text of the master once", deck{master: box("-", "", "Confidential", "Confidential") + box(`type="title"`, "", "Click to edit"), layout: box("-", "", "Example Ltd"), slides: []string{box("-", "", "a"), box("-", "", "b")}},
			one + "a\n\n<!-- Slide number: 2 -->\n\nb\n\n---\n\nExample Ltd\nConfidential\n"},
		{"table", deck{slides: []string{graphic("<a:tbl>" + slideRow("A", "B", "C") + slideRow(slideCell(`rowSpan="2"`, "v"), slideCell(`gridSpan="2"`, "x|y"), slideCell(`hMerge="1"`, "")) + slideRow(slideCell(`vMerge="1"`, ""), "1", "2") + "</a:tbl>")}},
			one + "| A | B | C |\n| --- | --- | --- |\n| v | x\\|y | |\n| v | 1 | 2 |\n"},
		{"table with a title", deck{slides: []string{graphic("<a:tbl>" + slideRow(slideCell(`gridSpan="2"`, "Prices"), slideCell(`hMerge="1"`, "")) + slideRow("A", "B") + slideRow("1", "2") + "</a:tbl>")}},
			one + "**Prices**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n"},
		{"chart", deck{slides: []string{graphic(chart)}, chart: `<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>By year</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>` +
			barSeries("Sales", "<c:strRef>"+cache("strCache", "2024", "2025", "2026")+"</c:strRef>", cache("numCache", "8.1999999999999993", "#N/A", "12")) +
			barSeries("a|b", "<c:numRef>"+cache("numCache", "2024", "", "2026")+"</c:numRef>", cache("numCache")) + `</c:barChart><c:catAx><c:title><c:tx><c:rich><a:p><a:r><a:t>Year</a:t></a:r></a:p></c:rich></c:tx></c:title></c:catAx></c:plotArea></c:chart>`},
			one + "### Chart: By year\n\n| Year | Sales | a\\|b |\n| --- | --- | --- |\n| 2024 | 8.2 | |\n| 2025 | | |\n| 2026 | 12 | |\n"},
		{"chart with empty caches", deck{slides: []string{graphic(chart)}, chart: `<c:chart><c:plotArea><c:pieChart>` + barSeries("Share", "<c:strRef/>", "") + `</c:pieChart></c:plotArea></c:chart>`},
			one + "### Chart\n\n| Category | Share |\n| --- | --- |\n"},
		{"chart with levels", deck{slides: []string{graphic(chart)}, chart: `<c:chart><c:plotArea><c:lineChart>` +
			barSeries("", "<c:multiLvlStrRef><c:multiLvlStrCache><c:lvl>"+strings.NewReplacer("<c:strCache>", "", "</c:strCache>", "").Replace(cache("strCache", "Q1", "Q2", "Q1"))+"</c:lvl><c:lvl>"+strings.NewReplacer("<c:strCache>", "", "</c:strCache>", "").Replace(cache("strCache", "2024", "", "2025"))+"</c:lvl></c:multiLvlStrCache></c:multiLvlStrRef>", cache("numCache", "1", "2", "3")) + `</c:lineChart></c:plotArea></c:chart>`},
			one + "### Chart\n\n| Category | Series 1 |\n| --- | --- |\n| 2024 Q1 | 1 |\n| 2024 Q2 | 2 |\n| 2025 Q1 | 3 |\n"},
		{"scatter chart", deck{slides: []string{graphic(chart)}, chart: `<c:chart><c:plotArea><c:bubbleChart><c:ser><c:tx><c:v>P</c:v></c:tx><c:xVal><c:numRef>` + cache("numCache", "1", "2") + `</c:numRef></c:xVal><c:yVal><c:numLit><c:pt idx="1"><c:v>5</c:v></c:pt></c:numLit></c:yVal><c:bubbleSize><c:numRef>` + cache("numCache", "", "9") + `</c:numRef></c:bubbleSize></c:ser></c:bubbleChart></c:plotArea></c:chart>`},
			one + "### Chart\n\n| Series | X | Y | Size |\n| --- | --- | --- | --- |\n| P | 1 | | |\n| P | 2 | 5 | 9 |\n"},
		{"newer chart", deck{slides: []string{`<mc:AlternateContent><mc:Choice>` + graphic(`<cx:chart r:id="ex"/>`) + `</mc:Choice><mc:Fallback>` + box("-", "", "This chart isn't available") + `</mc:Fallback></mc:AlternateContent>`},
			chartex: `<cx:chartData><cx:data id="0"><cx:strDim><cx:lvl><cx:pt idx="0">Start</cx:pt><cx:pt idx="1">End</cx:pt></cx:lvl></cx:strDim><cx:numDim><cx:lvl><cx:pt idx="0">3</cx:pt><cx:pt idx="1">4.5</cx:pt></cx:lvl></cx:numDim></cx:data></cx:chartData><cx:chart><cx:title><cx:tx><cx:txData><cx:v>Bridge</cx:v></cx:txData></cx:tx></cx:title><cx:plotArea><cx:series><cx:tx><cx:txData><cx:v>Cash</cx:v></cx:txData></cx:tx><cx:dataId val="0"/></cx:series></cx:plotArea></cx:chart>`},
			one + "### Chart: Bridge\n\n| Category | Cash |\n| --- | --- |\n| Start | 3 |\n| End | 4.5 |\n"},
		{"damaged chart", deck{slides: []string{box("-", "", "kept") + graphic(chart)}, more: map[string]string{"ppt/chart.xml": "<c:chart"}}, one + "kept\n\ndescribed\n"},
		{"diagram", deck{slides: []string{graphic(`<dgm:relIds r:dm="dm"/>`)}, diagram: `<dgm:ptLst><dgm:pt modelId="0" type="doc"/><dgm:pt modelId="2"><dgm:t><a:p><a:r><a:t>Second</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="3"><dgm:t><a:p><a:r><a:t>Below</a:t></a:r></a:p></dgm:t></dgm:pt><dgm:pt modelId="1"><dgm:t><a:p><a:r><a:t>First</a:t></a:r></a:p></dgm:t></dgm:pt></dgm:ptLst>` +
			`<dgm:cxnLst><dgm:cxn srcId="0" destId="2" srcOrd="1"/><dgm:cxn srcId="0" destId="1" srcOrd="0"/><dgm:cxn srcId="1" destId="3"/><dgm:cxn srcId="3" destId="1"/></dgm:cxnLst>`},
			one + "- First\n  - Below\n- Second\n"},
		{"drawing of a diagram", deck{slides: []string{graphic(`<dgm:relIds r:dm="dm"/>`)}, diagram: `<dgm:ptLst><dgm:pt modelId="0" type="doc"/></dgm:ptLst>`,
			more: map[string]string{"ppt/drawing.xml": `<d:drawing xmlns:d="http://schemas.microsoft.com/office/drawing/2008/diagram" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main"><d:spTree><d:sp><d:txBody><a:p><a:r><a:t>Plan</a:t></a:r></a:p></d:txBody></d:sp><d:sp><d:txBody><a:p><a:r><a:t>Do </a:t></a:r></a:p><a:p><a:r><a:t>it</a:t></a:r></a:p></d:txBody></d:sp></d:spTree></d:drawing>`}},
			one + "- Plan\n- Do it\n"},
		{"notes", deck{slides: []string{box("-", "", "text")}, notes: box(`type="sldImg"`, "", "") + box(`type="body"`, "", "Say this", "And that") + box(`type="sldNum"`, "", "3")}, one + "text\n\n### Notes:\n\nSay this\n\nAnd that\n"},
		{"empty notes", deck{slides: []string{box("-", "", "text")}, notes: box(`type="body"`, "", " ") + box(`type="sldNum"`, "", "3")}, one + "text\n"},
		{"comments", deck{slides: []string{box("-", "", "text")}, authors: `<p:cmAuthor id="0" name="Ann"/><p188:author id="{B}" name="Bob"/>`,
			comments: `<p:cm authorId="0"><p:text>Check</p:text></p:cm><p188:cm authorId="{B}"><p188:replyLst><p188:reply><p188:txBody><a:p>` + words("Done") + `</a:p></p188:txBody></p188:reply></p188:replyLst><p188:txBody><a:p>` + words("New") + `</a:p></p188:txBody></p188:cm>`},
			one + "text\n\n> Comment by Ann: Check\n\n> Comment by Bob: New\n\n> Reply: Done\n"},
		{"pictures", deck{slides: []string{`<p:pic><p:nvPicPr><p:cNvPr name="Picture 3" descr="A duck&#10;Description automatically generated"/></p:nvPicPr></p:pic><p:pic><p:nvPicPr><p:cNvPr name="Picture 4"/></p:nvPicPr></p:pic>`}}, one + "A duck\n"},
		{"equation", deck{slides: []string{box("-", "", "<a:p>"+words("so ")+`<mc:AlternateContent><mc:Choice><a14:m><m:oMathPara><m:oMath><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>2</m:t></m:r></m:sup></m:sSup></m:oMath></m:oMathPara></a14:m></mc:Choice><mc:Fallback/></mc:AlternateContent></a:p>`)}}, one + "so $x^2$\n"},
		{"strict", deck{strict: true, slides: []string{box(`type="title"`, "", "Strict")}}, one + "# Strict\n"},
		{"no text", deck{slides: []string{""}}, ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := office.NewPPTX(nil).Convert(t.Context(), convert.Source{Name: "a.pptx", Data: tc.in.build(t)}, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if damaged := strings.HasPrefix(tc.name, "damaged"); damaged != (len(doc.Warnings) > 0) {
				t.Errorf("warnings: %q", doc.Warnings)
			}
		})
	}
}

func TestPPTXTitle(t *testing.T) {
	for _, tc := range []struct{ slide, want string }{
		{box("-", "", "text"), "Yearly report"},
		{box(`type="title"`, "", "Report of 2026"), ""},
	} {
		in := deck{slides: []string{tc.slide}, core: "<dc:title>Yearly report</dc:title><dc:creator>Ann</dc:creator>"}
		doc, err := office.NewPPTX(nil).Convert(t.Context(), convert.Source{Data: in.build(t)}, convert.Limits{})
		if err != nil || doc.Title != tc.want || doc.Metadata["author"] != "Ann" {
			t.Errorf("%+v, %v, want title %q", doc, err, tc.want)
		}
	}
}

func TestPPTXHostile(t *testing.T) {
	bomb := `<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><p:sld ` + slideNamespaces + `>&b;</p:sld>`
	long := strings.Repeat("x", 100_000)
	merged := slideRow("A", "B") + slideRow(slideCell(`rowSpan="9"`, long), "1") + strings.Repeat(slideRow(slideCell(`vMerge="1"`, ""), "2"), 3000)
	for _, tc := range []struct {
		name   string
		in     deck
		limits convert.Limits
		is     error
		says   string
	}{
		{"no presentation", deck{more: map[string]string{"ppt/presentation.xml": ""}}, convert.Limits{}, convert.ErrDamaged, "no ppt/presentation.xml"},
		{"entities", deck{slides: []string{""}, more: map[string]string{"ppt/slides/slide1.xml": bomb}}, convert.Limits{}, convert.ErrDamaged, "DTD"},
		{"deep", deck{slides: []string{strings.Repeat("<p:grpSp>", 5000) + strings.Repeat("</p:grpSp>", 5000)}}, convert.Limits{}, convert.ErrTooLarge, "nesting depth"},
		{"slides", deck{slides: []string{"", "", ""}}, convert.Limits{Pages: 2}, convert.ErrTooLarge, "slides over 2"},
		{"cells", deck{slides: []string{graphic("<a:tbl>" + slideRow("a", "b") + slideRow("c", "d") + "</a:tbl>")}}, convert.Limits{Cells: 3}, convert.ErrTooLarge, "cells"},
		{"points", deck{slides: []string{graphic(`<c:chart r:id="chart"/>`)}, chart: `<c:chart><c:plotArea><c:pieChart>` + barSeries("S", "<c:strRef>"+cache("strCache", "1", "2", "3")+"</c:strRef>", "") + `</c:pieChart></c:plotArea></c:chart>`},
			convert.Limits{Cells: 5}, convert.ErrTooLarge, "cells"},
		{"repeated text", deck{slides: []string{graphic("<a:tbl>" + merged + "</a:tbl>")}}, convert.Limits{OutputBytes: 8 << 20}, nil, ""},
	} {
		doc, err := convert.Guard("pptx", office.NewPPTX(nil)).Convert(t.Context(), convert.Source{Name: "a.pptx", Data: tc.in.build(t)}, tc.limits)
		if !errors.Is(err, tc.is) || err != nil && !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v that says %q", tc.name, err, tc.is, tc.says)
		}
		if err == nil && len(doc.Markdown) < len(long) {
			t.Errorf("%s: only %d bytes", tc.name, len(doc.Markdown))
		}
	}
}

func TestPPTXContract(t *testing.T) {
	sample := deck{core: "<dc:title>The sample</dc:title>", slides: []string{box(`type="title"`, "", "Sample") + box("-", "", strings.Repeat("More words. ", 8)) + graphic("<a:tbl>"+slideRow("A", "B")+slideRow("1", "2")+"</a:tbl>"), box("-", "", "second slide")},
		notes: box(`type="body"`, "", "Notes of the sample")}
	converttest.Suite{
		Converter: office.NewPPTX(nil),
		Sample:    convert.Source{Name: "a.pptx", Data: sample.build(t)},
		Want:      "# Sample",
		Deep: func(n int) []byte {
			return deck{slides: []string{strings.Repeat("<p:grpSp>", n) + box("-", "", "inner") + strings.Repeat("</p:grpSp>", n)}}.build(t)
		},
	}.Run(t)
}

func FuzzPPTX(f *testing.F) {
	f.Add(box(`type="title"`, at(1, 2), "a")+graphic("<a:tbl>"+slideRow(slideCell(`rowSpan="2"`, "v"))+slideRow(slideCell(`vMerge="1"`, ""))+"</a:tbl>"), "")
	f.Add(graphic(`<c:chart r:id="chart"/>`), `<c:chart><c:plotArea><c:barChart>`+barSeries("Sales", "<c:strRef>"+cache("strCache", "2024")+"</c:strRef>", cache("numCache", "1"))+`</c:barChart></c:plotArea></c:chart>`)
	f.Add(box("-", "", marked(`<a:pPr lvl="3"><a:buAutoNum type="romanUcPeriod" startAt="3"/></a:pPr>`, "_x000B_")), `<c:chart/>`)
	f.Fuzz(func(t *testing.T, shapes, chart string) {
		in := deck{slides: []string{shapes}, chart: chart, layout: box(`type="body" idx="1"`, at(1, 1), "x"), diagram: chart}.build(t)
		doc, err := office.NewPPTX(nil).Convert(t.Context(), convert.Source{Data: in}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*(len(shapes)+len(chart))+100_000 {
			t.Errorf("%d bytes became %d", len(shapes)+len(chart), len(doc.Markdown))
		}
	})
}
