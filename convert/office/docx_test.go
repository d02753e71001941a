package office_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"maps"
	"slices"
	"strconv"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/office"
)

const namespaces = `xmlns:w="http://schemas.openxmlformats.org/wordprocessingml/2006/main" xmlns:r="http://schemas.openxmlformats.org/officeDocument/2006/relationships" ` +
	`xmlns:m="http://schemas.openxmlformats.org/officeDocument/2006/math" xmlns:mc="http://schemas.openxmlformats.org/markup-compatibility/2006" ` +
	`xmlns:wp="http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing" xmlns:a="http://schemas.openxmlformats.org/drawingml/2006/main" ` +
	`xmlns:dgm="http://schemas.openxmlformats.org/drawingml/2006/diagram" xmlns:v="urn:schemas-microsoft-com:vml"`

// A pack is the parts of a document; body, styles and so on get their frames in build.
type pack struct {
	body, styles, numbering, footnotes, endnotes, comments, core string
	header, footer, diagram, chart, chunk                        string
	more                                                         map[string]string // raw parts; an empty one is left out
	strict                                                       bool
}

func (p pack) build(t testing.TB) []byte {
	t.Helper()
	parts := map[string]string{
		"[Content_Types].xml": `<Types xmlns="http://schemas.openxmlformats.org/package/2006/content-types"/>`,
		"word/document.xml":   `<w:document ` + namespaces + `><w:body>` + p.body + `</w:body></w:document>`,
	}
	rels := `<Relationship Id="link" Type="http://x/hyperlink" Target="https://example.com/a" TargetMode="External"/>`
	for name, content := range map[string]string{
		"styles": p.styles, "numbering": p.numbering, "footnotes": p.footnotes, "endnotes": p.endnotes, "comments": p.comments,
		"header": p.header, "footer": p.footer,
	} {
		if content != "" {
			parts["word/"+name+".xml"] = "<w:" + name + " " + namespaces + ">" + content + "</w:" + name + ">"
			rels += `<Relationship Id="` + name + `" Type="http://x/` + name + `" Target="` + name + `.xml"/>`
		}
	}
	if p.diagram != "" {
		parts["word/diagrams/data1.xml"] = `<dgm:dataModel ` + namespaces + `>` + p.diagram + `</dgm:dataModel>`
		rels += `<Relationship Id="dm" Type="http://x/diagramData" Target="diagrams/data1.xml"/>`
	}
	if p.chart != "" {
		parts["word/charts/chart1.xml"] = `<c:chartSpace xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" ` + namespaces + `>` + p.chart + `</c:chartSpace>`
		rels += `<Relationship Id="chart" Type="http://x/chart" Target="charts/chart1.xml"/>`
	}
	if p.chunk != "" {
		parts["word/chunk.html"] = p.chunk
		rels += `<Relationship Id="chunk" Type="http://x/aFChunk" Target="/word/chunk.html"/>`
	}
	root := `<Relationship Id="r1" Type="http://x/officeDocument" Target="word/document.xml"/>`
	if p.core != "" {
		parts["docProps/core.xml"] = `<cp:coreProperties xmlns:cp="http://schemas.openxmlformats.org/package/2006/metadata/core-properties" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:dcterms="http://purl.org/dc/terms/">` + p.core + `</cp:coreProperties>`
		root += `<Relationship Id="r2" Type="http://x/metadata/core-properties" Target="docProps/core.xml"/>`
	}
	frame := func(s string) string {
		return `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">` + s + `</Relationships>`
	}
	parts["_rels/.rels"], parts["word/_rels/document.xml.rels"] = frame(root), frame(rels)
	maps.Copy(parts, p.more)
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
		content := parts[name]
		if content == "" {
			continue
		}
		if p.strict {
			content = strings.ReplaceAll(content, "http://schemas.openxmlformats.org/wordprocessingml/2006/main", "http://purl.oclc.org/ooxml/wordprocessingml/main")
		}
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

// para is a paragraph with properties and one run of text.
func para(props, text string) string {
	return "<w:p><w:pPr>" + props + "</w:pPr>" + run("", text) + "</w:p>"
}

func run(props, text string) string {
	return "<w:r><w:rPr>" + props + `</w:rPr><w:t xml:space="preserve">` + text + "</w:t></w:r>"
}

func styled(id, text string) string { return para(`<w:pStyle w:val="`+id+`"/>`, text) }

func listed(num, level, text string) string {
	return para(`<w:numPr><w:ilvl w:val="`+level+`"/><w:numId w:val="`+num+`"/></w:numPr>`, text)
}

func row(cells ...string) string {
	s := "<w:tr>"
	for _, c := range cells {
		if !strings.HasPrefix(c, "<") {
			c = para("", c)
		}
		s += "<w:tc>" + c + "</w:tc>"
	}
	return s + "</w:tr>"
}

func table(rows ...string) string { return "<w:tbl>" + strings.Join(rows, "") + "</w:tbl>" }

const testStyles = `<w:style w:type="paragraph" w:styleId="H1"><w:name w:val="heading 1"/></w:style>
<w:style w:type="paragraph" w:styleId="Z2"><w:name w:val="Заголовок 2"/></w:style>
<w:style w:type="paragraph" w:styleId="Mine"><w:name w:val="My heads"/><w:basedOn w:val="H1"/></w:style>
<w:style w:type="paragraph" w:styleId="Loop"><w:name w:val="Loop"/><w:basedOn w:val="Loop"/></w:style>
<w:style w:type="paragraph" w:styleId="T"><w:name w:val="Title"/></w:style>
<w:style w:type="paragraph" w:styleId="Lvl"><w:name w:val="Clause"/><w:pPr><w:outlineLvl w:val="2"/></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="Code"><w:name w:val="Source Code"/></w:style>
<w:style w:type="paragraph" w:styleId="LB"><w:name w:val="List Bullet"/><w:pPr><w:numPr><w:numId w:val="1"/></w:numPr></w:pPr></w:style>
<w:style w:type="paragraph" w:styleId="N2"><w:name w:val="heading 2"/><w:pPr><w:numPr><w:numId w:val="3"/></w:numPr></w:pPr></w:style>`

const testNumbering = `<w:abstractNum w:abstractNumId="10"><w:lvl w:ilvl="0"><w:numFmt w:val="bullet"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="bullet"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="11"><w:lvl w:ilvl="0"><w:start w:val="1"/><w:numFmt w:val="decimal"/><w:lvlText w:val="%1."/></w:lvl><w:lvl w:ilvl="1"><w:start w:val="1"/><w:numFmt w:val="lowerLetter"/><w:lvlText w:val="%1-%2"/></w:lvl></w:abstractNum>
<w:abstractNum w:abstractNumId="12"><w:lvl w:ilvl="0"><w:numFmt w:val="upperRoman"/><w:lvlText w:val="%1"/></w:lvl><w:lvl w:ilvl="1"><w:numFmt w:val="decimal"/><w:lvlText w:val="%1.%2"/><w:pStyle w:val="N2"/><w:isLgl/></w:lvl></w:abstractNum>
<w:num w:numId="1"><w:abstractNumId w:val="10"/></w:num><w:num w:numId="2"><w:abstractNumId w:val="11"/></w:num><w:num w:numId="3"><w:abstractNumId w:val="12"/></w:num>
<w:num w:numId="4"><w:abstractNumId w:val="11"/><w:lvlOverride w:ilvl="0"><w:startOverride w:val="7"/></w:lvlOverride></w:num>`

// kindsOfNumbers defines a list that begins at 12 for each format, with the ids "0k", "1k" and so on.
func kindsOfNumbers(formats ...string) string {
	abstract, nums := "", ""
	for i, f := range formats {
		id := strconv.Itoa(i) + "k"
		abstract += `<w:abstractNum w:abstractNumId="` + id + `"><w:lvl w:ilvl="0"><w:start w:val="12"/><w:numFmt w:val="` + f + `"/><w:lvlText w:val="%1"/></w:lvl></w:abstractNum>`
		nums += `<w:num w:numId="` + id + `"><w:abstractNumId w:val="` + id + `"/></w:num>`
	}
	return abstract + nums
}

func fraction(kind string) string {
	return `<m:f><m:fPr><m:type m:val="` + kind + `"/></m:fPr><m:num><m:r><m:t>n</m:t></m:r></m:num><m:den><m:r><m:t>k</m:t></m:r></m:den></m:f>`
}

func TestDOCX(t *testing.T) {
	box := `<w:txbxContent>` + para("", "Boxed") + `</w:txbxContent>`
	for _, tc := range []struct {
		name string
		in   pack
		want string
	}{
		{"headings", pack{styles: testStyles, body: styled("T", "Title") + styled("H1", "One") + styled("Z2", "Два") + styled("Mine", "Based") + styled("Lvl", "Three") +
			styled("Heading4", "Undefined") + styled("Loop", "Text") + para(`<w:outlineLvl w:val="4"/>`, "Direct") + para(`<w:pStyle w:val="H1"/><w:outlineLvl w:val="9"/>`, "Body")},
			"# Title\n\n# One\n\n## Два\n\n# Based\n\n### Three\n\n#### Undefined\n\nText\n\n##### Direct\n\nBody\n"},
		{"bold headings", pack{styles: testStyles, body: `<w:p><w:pPr><w:pStyle w:val="H1"/></w:pPr>` + run("<w:b/>", "Bold") + run("<w:i/>", " slanted") + `</w:p>`}, "# Bold *slanted*\n"},
		{"runs", pack{body: `<w:p>` + run("<w:b/>", "bo") + run("<w:b/>", "ld ") + run("<w:i/>", "it") + run("", " ") + run("<w:strike/>", "gone") + run(`<w:b w:val="0"/>`, " W") + run("<w:b/>", "ord") + run("<w:vanish/>", "hidden") + `</w:p>`},
			"**bold** *it* ~~gone~~ Word\n"},
		{"no escapes", pack{body: para("", "apply_secrets *.tmp [x] a|b &lt;c&gt;") + para("", "# text")}, "apply_secrets *.tmp [x] a|b <c>\n\n\\# text\n"},
		{"breaks", pack{body: `<w:p><w:r><w:t>a</w:t><w:tab/><w:t>b</w:t><w:br/><w:t>c</w:t><w:noBreakHyphen/><w:t>d</w:t><w:softHyphen/><w:t>e</w:t></w:r></w:p>`}, "a b\nc-de\n"},
		{"symbols", pack{body: `<w:p><w:r><w:sym w:font="Symbol" w:char="F061"/><w:sym w:font="Wingdings" w:char="F0FC"/><w:sym w:font="X" w:char="F001"/><w:sym w:font="Symbol" w:char="62"/><w:sym w:font="Wingdings 2" w:char="F0A3"/><w:sym w:font="Wingdings 3" w:char="F07D"/><w:sym w:font="Segoe UI Symbol" w:char="2714"/></w:r></w:p>`}, "α✓β☐✔\n"},
		{"exponent", pack{body: `<w:p>` + run("", "10") + run(`<w:vertAlign w:val="superscript"/>`, "6") + run("", " x") + run(`<w:vertAlign w:val="superscript"/>`, "2") + `</w:p>`}, "10^6 x2\n"},
		{"bullets", pack{styles: testStyles, numbering: testNumbering, body: listed("1", "0", "a") + listed("1", "1", "b") + styled("LB", "c") + para("", "end")}, "- a\n  - b\n- c\n\nend\n"},
		{"numbers", pack{numbering: testNumbering, body: listed("2", "0", "a") + listed("2", "1", "b") + listed("2", "1", "c") + listed("2", "0", "d") + para("", "text") + listed("2", "0", "e") + listed("4", "0", "f") + listed("4", "0", "g")},
			"1. a\n   - 1-a b\n   - 1-b c\n2. d\n\ntext\n\n3. e\n7. f\n8. g\n"},
		{"numbered headings", pack{styles: testStyles, numbering: testNumbering, body: listed("3", "0", "Part") + styled("N2", "First") + styled("N2", "Second")}, "- I Part\n\n## 1.1 First\n\n## 1.2 Second\n"},
		{"list number zero", pack{numbering: testNumbering, body: listed("0", "0", "plain")}, "plain\n"},
		{"code", pack{styles: testStyles, body: styled("Code", "x = 1") + styled("Code", "  y") + para("", "end")}, "```\nx = 1\n  y\n```\n\nend\n"},
		{"table", pack{body: table(row("A", "B"), row("x|y", para("", "p1")+para("", "p2")), row("", ""))}, "| A | B |\n| --- | --- |\n| x\\|y | p1 p2 |\n"},
		{"pipes of tables in cells", pack{body: table(row("A", "B"), row("x|y", table(row("in|ner", table(row("most|ly", "z"), row("2", "3"))))+para("", "q|r")))},
			"| A | B |\n| --- | --- |\n| x\\|y | in\\|ner most\\|ly z 2 3 q\\|r |\n"},
		{"merged cells", pack{body: table(row("A", "B", "C"),
			row(`<w:tcPr><w:vMerge w:val="restart"/></w:tcPr>`+para("", "v"), `<w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`+para("", "h")),
			row(`<w:tcPr><w:vMerge/></w:tcPr>`+para("", ""), "1", "2"),
			`<w:tr><w:trPr><w:gridBefore w:val="1"/></w:trPr><w:tc>`+para("", "g")+`</w:tc></w:tr>`)},
			"| A | B | C |\n| --- | --- | --- |\n| v | h | |\n| v | 1 | 2 |\n| | g | |\n"},
		{"title row", pack{body: table(`<w:tr><w:tc><w:tcPr><w:gridSpan w:val="2"/></w:tcPr>`+para("", "Prices")+`</w:tc></w:tr>`, row("A", "B"), row("1", "2"))}, "**Prices**\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n"},
		{"frame of one cell", pack{styles: testStyles, body: table(row(styled("H1", "In a frame") + para("", "text")))}, "# In a frame\n\ntext\n"},
		{"table and list in a cell", pack{numbering: testNumbering, body: table(row("A", "B"), row(listed("1", "0", "i")+listed("1", "0", "j"), table(row("n1", "n2"))+para("", "after")))},
			"| A | B |\n| --- | --- |\n| - i - j | n1 n2 after |\n"},
		{"text box stored twice", pack{body: `<w:p>` + run("", "Before") + `<w:r><mc:AlternateContent><mc:Choice><w:drawing>` + box + `</w:drawing></mc:Choice><mc:Fallback><w:pict>` + box + `</w:pict></mc:Fallback></mc:AlternateContent></w:r></w:p>`}, "Before\n\nBoxed\n"},
		{"content controls", pack{body: `<w:sdt><w:sdtContent>` + para("", "Block") + `<w:p><w:sdt><w:sdtContent>` + run("", "Inline") + `</w:sdtContent></w:sdt></w:p></w:sdtContent></w:sdt>`}, "Block\n\nInline\n"},
		{"notes", pack{footnotes: `<w:footnote w:id="0" w:type="separator">` + para("", "sep") + `</w:footnote><w:footnote w:id="2">` + para("", "Foot") + `</w:footnote>`, endnotes: `<w:endnote w:id="2">` + para("", "End") + `</w:endnote>`,
			body: `<w:p>` + run("", "a") + `<w:r><w:footnoteReference w:id="2"/></w:r>` + run("", " b") + `<w:r><w:endnoteReference w:id="2"/></w:r></w:p>` + para("", "c")}, "a[^1] b[^2]\n\n[^1]: Foot\n\n[^2]: End\n\nc\n"},
		{"comments", pack{comments: `<w:comment w:id="1" w:author="Ann">` + para("", "Check this") + `</w:comment>`,
			body: `<w:p>` + run("", "text") + `<w:r><w:commentReference w:id="1"/></w:r></w:p>`}, "text\n\n> Comment by Ann: Check this\n"},
		{"notes in tables", pack{footnotes: `<w:footnote w:id="2">` + para("", "Foot") + `</w:footnote>`,
			body: table(row("A", "B"), row("1", `<w:p>`+run("", "x")+`<w:r><w:footnoteReference w:id="2"/></w:r></w:p>`))}, "| A | B |\n| --- | --- |\n| 1 | x[^1] |\n\n[^1]: Foot\n"},
		{"tracked changes", pack{body: `<w:p>` + run("", "a ") + `<w:ins>` + run("", "new ") + `</w:ins><w:del><w:r><w:delText>old</w:delText></w:r></w:del><w:moveFrom>` + run("", "moved ") + `</w:moveFrom>` + run("", "b") + `</w:p>` +
			table(row("A", "B"), row("1", "2"), `<w:tr><w:trPr><w:del/></w:trPr><w:tc>`+para("", "gone")+`</w:tc></w:tr>`)}, "a new b\n\n| A | B |\n| --- | --- |\n| 1 | 2 |\n"},
		{"links", pack{body: `<w:p><w:hyperlink r:id="link">` + run("", "ext") + run("<w:b/>", " bold") + `</w:hyperlink><w:hyperlink w:anchor="_Toc1">` + run("", " int") + `</w:hyperlink></w:p>` +
			`<w:p><w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> HYPERLINK "https://example.com/f" </w:instrText></w:r><w:r><w:fldChar w:fldCharType="separate"/></w:r>` + run("", "field") + `<w:r><w:fldChar w:fldCharType="end"/></w:r>` + run("", " after") + `</w:p>`},
			"[ext **bold**](https://example.com/a) int\n\n[field](https://example.com/f) after\n"},
		{"fields", pack{body: `<w:p>` + run("", "Page ") + `<w:fldSimple w:instr=" PAGE "><w:r><w:t>3</w:t></w:r></w:fldSimple>` + `<w:r><w:fldChar w:fldCharType="begin"/></w:r><w:r><w:instrText> DATE </w:instrText></w:r></w:p>` + para("", "Next")}, "Page\n\nNext\n"},
		{"equation", pack{body: `<w:p>` + run("", "so ") + `<m:oMath><m:f><m:num><m:r><m:t>a</m:t></m:r></m:num><m:den><m:r><m:t>θ</m:t></m:r></m:den></m:f><m:sSup><m:e><m:r><m:t>x</m:t></m:r></m:e><m:sup><m:r><m:t>10</m:t></m:r></m:sup></m:sSup></m:oMath></w:p>`}, "so $\\frac{a}{θ}x^{10}$\n"},
		{"pictures", pack{body: `<w:p><w:r><w:drawing><wp:inline><wp:docPr descr="A duck&#10;Description automatically generated"/></wp:inline></w:drawing></w:r></w:p>`}, "A duck\n"},
		{"diagram", pack{diagram: `<dgm:pt><a:p><a:r><a:t>Step </a:t></a:r><a:r><a:t>one</a:t></a:r></a:p></dgm:pt>`, body: `<w:p><w:r><w:drawing><dgm:relIds r:dm="dm"/></w:drawing></w:r></w:p>`}, "- Step one\n"},
		{"diagram with levels", pack{diagram: `<dgm:pt modelId="0" type="doc"/><dgm:pt modelId="2"><a:p><a:r><a:t>Below</a:t></a:r></a:p></dgm:pt><dgm:pt modelId="1"><a:p><a:r><a:t>First</a:t></a:r></a:p></dgm:pt><dgm:cxn srcId="0" destId="1"/><dgm:cxn srcId="1" destId="2"/>`,
			body: para("", "Before") + `<w:p><w:r><w:drawing><dgm:relIds r:dm="dm"/></w:drawing></w:r></w:p>`}, "Before\n\n- First\n  - Below\n"},
		{"deleted paragraph marks", pack{body: para(`<w:rPr><w:del/></w:rPr>`, "one ") + para(`<w:rPr><w:del/></w:rPr>`, "two ") + para("", "three") + para(`<w:rPr><w:del/></w:rPr>`, "last") + table(row("A", "B"), row(para(`<w:rPr><w:moveFrom/></w:rPr>`, "c "), "d"))},
			"one two three\n\nlast\n\n| A | B |\n| --- | --- |\n| c | d |\n"},
		{"link with spaces", pack{body: `<w:p><w:fldSimple w:instr="HYPERLINK &quot;https://example.com/a b&quot; \l &quot;part&quot; \o &quot;a tip&quot;"><w:r><w:t>x</w:t></w:r></w:fldSimple></w:p>`}, "[x](https://example.com/a%20b#part)\n"},
		{"boxes of forms", pack{body: `<w:p><w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/><w:checked/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:instrText> FORMCHECKBOX </w:instrText></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>` + run("", " yes") +
			`<w:r><w:fldChar w:fldCharType="begin"><w:ffData><w:checkBox><w:default w:val="0"/></w:checkBox></w:ffData></w:fldChar></w:r><w:r><w:fldChar w:fldCharType="end"/></w:r>` + run("", " no") + `</w:p>`}, "☒ yes☐ no\n"},
		{"kinds of numbers", pack{numbering: kindsOfNumbers("ordinal", "chineseCounting", "hebrew2", "decimalEnclosedCircle", "arabicAbjad", "russianUpper"),
			body: listed("0k", "0", "a") + listed("1k", "0", "b") + listed("2k", "0", "c") + listed("3k", "0", "d") + listed("4k", "0", "e") + listed("5k", "0", "f")},
			"- 12th a\n- 十二 b\n- ל c\n- ⑫ d\n- ل e\n- М f\n"},
		{"forms of fractions", pack{body: `<w:p><m:oMath>` + fraction("lin") + fraction("") + `<m:d><m:e>` + fraction("noBar") + `</m:e></m:d><m:d><m:dPr><m:begChr m:val="{"/><m:endChr m:val=""/></m:dPr><m:e><m:r><m:t>x</m:t></m:r></m:e></m:d>` +
			`<m:groupChr><m:e><m:r><m:t>y</m:t></m:r></m:e></m:groupChr></m:oMath></w:p>`}, `$n/k\frac{n}{k}\binom{n}{k}\{x\underbrace{y}$` + "\n"},
		{"header and footer", pack{header: para("", "Confidential") + para("", "1"), footer: para("", "Confidential") + para("", "Example Ltd"), body: para("", "Body")}, "Body\n\n---\n\nConfidential\nExample Ltd\n"},
		{"chart", pack{body: `<w:p>` + run("", "Before") + `<w:r><w:drawing><wp:inline><wp:docPr descr="Bars"/><c:chart xmlns:c="http://schemas.openxmlformats.org/drawingml/2006/chart" r:id="chart"/></wp:inline></w:drawing></w:r></w:p>` + para("", "After"),
			chart: `<c:chart><c:title><c:tx><c:rich><a:p><a:r><a:t>Sales</a:t></a:r></a:p></c:rich></c:tx></c:title><c:plotArea><c:barChart>` + barSeries("2026", cache("strLit", "Q1", "Q2"), cache("numCache", "0.5", "#N/A")) + `</c:barChart></c:plotArea></c:chart>`},
			"Before Bars\n\n**Chart: Sales**\n\n| Category | 2026 |\n| --- | --- |\n| Q1 | 0.5 |\n| Q2 | |\n\nAfter\n"},
		{"strict", pack{strict: true, styles: testStyles, body: styled("H1", "Strict")}, "# Strict\n"},
		{"other prefix", pack{more: map[string]string{"word/document.xml": "\ufeff" + `<d:document xmlns:d="http://schemas.openxmlformats.org/wordprocessingml/2006/main"><d:body><d:p><d:r><d:t>Text</d:t></d:r></d:p></d:body></d:document>`}}, "Text\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := office.NewDOCX(nil).Convert(t.Context(), convert.Source{Name: "a.docx", Data: tc.in.build(t)}, convert.Limits{})
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

func TestProperties(t *testing.T) {
	for title, want := range map[string]string{
		"Interface Specification": "Interface Specification", "Handbook": "Handbook", "Устав": "Устав", " two\nlines ": "two lines",
		"Document1": "", "untitled": "", "Microsoft Word - a.doc": "", "report.docx": "", "12": "", "": "", "Без названия": "", "form12": "",
	} {
		in := pack{body: para("", "x"), core: "<dc:title>" + title + "</dc:title><dc:creator>Ann</dc:creator><dcterms:created>2026-01-02T03:04:05Z</dcterms:created>"}
		doc, err := office.NewDOCX(nil).Convert(t.Context(), convert.Source{Data: in.build(t)}, convert.Limits{})
		if err != nil {
			t.Fatal(err)
		}
		if doc.Title != want {
			t.Errorf("title %q became %q, want %q", title, doc.Title, want)
		}
		if diff := cmp.Diff(map[string]string{"author": "Ann", "created": "2026-01-02T03:04:05Z"}, doc.Metadata); diff != "" {
			t.Errorf("metadata (-want +got)\n%s", diff)
		}
	}
}

func TestEmbedded(t *testing.T) {
	in := pack{body: para("", "Before") + `<w:altChunk r:id="chunk"/>`, chunk: "<p>chunk"}
	seen := convert.ConverterFunc(func(_ context.Context, src convert.Source, _ convert.Limits) (*convert.Document, error) {
		return &convert.Document{Markdown: src.Name + " " + string(src.Data)}, nil
	})
	doc, err := office.NewDOCX(&office.Options{Embedded: seen}).Convert(t.Context(), convert.Source{Data: in.build(t)}, convert.Limits{})
	if err != nil || doc.Markdown != "Before\n\nword/chunk.html <p>chunk\n" {
		t.Errorf("with a converter: %+v, %v", doc, err)
	}
	doc, err = office.NewDOCX(nil).Convert(t.Context(), convert.Source{Data: in.build(t)}, convert.Limits{})
	if err != nil || doc.Markdown != "Before\n" || len(doc.Warnings) != 1 {
		t.Errorf("without: %+v, %v", doc, err)
	}
}

func TestHostile(t *testing.T) {
	bomb := `<!DOCTYPE x [<!ENTITY a "lol"><!ENTITY b "&a;&a;">]><w:document ` + namespaces + `><w:body>` + para("", "&b;") + `</w:body></w:document>`
	deep := strings.Repeat("<w:tbl><w:tr><w:tc>", 5000) + strings.Repeat("</w:tc></w:tr></w:tbl>", 5000)
	for _, tc := range []struct {
		name   string
		data   []byte
		limits convert.Limits
		is     error
		says   string
	}{
		{"empty", nil, convert.Limits{}, convert.ErrDamaged, "empty"},
		{"text", []byte("plain text"), convert.Limits{}, convert.ErrDamaged, "zip"},
		{"no document", pack{more: map[string]string{"word/document.xml": ""}}.build(t), convert.Limits{}, convert.ErrDamaged, "no word/document.xml"},
		{"entities", pack{more: map[string]string{"word/document.xml": bomb}}.build(t), convert.Limits{}, convert.ErrDamaged, "DTD"},
		{"cut XML", pack{more: map[string]string{"word/document.xml": "<w:document " + namespaces + "><w:body><w:p>"}}.build(t), convert.Limits{}, convert.ErrDamaged, "word/document.xml: malformed XML"},
		{"encrypted", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1....E\x00n\x00c\x00r\x00y\x00p\x00t\x00e\x00d\x00P\x00a\x00c\x00k\x00a\x00g\x00e\x00"), convert.Limits{}, convert.ErrEncrypted, "password"},
		{"old binary", []byte("\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1...."), convert.Limits{}, convert.ErrDamaged, "old binary Office"},
		{"deep", pack{body: deep}.build(t), convert.Limits{}, convert.ErrTooLarge, "nesting depth"},
		{"expanded", pack{body: strings.Repeat(para("", "same"), 10_000)}.build(t), convert.Limits{ExpandedBytes: 100_000}, convert.ErrTooLarge, "expanded size"},
		{"entries", pack{body: "x"}.build(t), convert.Limits{Entries: 2}, convert.ErrTooLarge, "members"},
		{"cells", pack{body: table(row("a", "b"), row("c", "d"))}.build(t), convert.Limits{Cells: 3}, convert.ErrTooLarge, "cells"},
	} {
		_, err := convert.Guard("docx", office.NewDOCX(nil)).Convert(t.Context(), convert.Source{Name: "a.docx", Data: tc.data}, tc.limits)
		if !errors.Is(err, tc.is) || !strings.Contains(err.Error(), tc.says) {
			t.Errorf("%s: %v, want %v that says %q", tc.name, err, tc.is, tc.says)
		}
	}
}

func TestContract(t *testing.T) {
	sample := pack{styles: testStyles, numbering: testNumbering, core: "<dc:title>The sample</dc:title>",
		body: styled("H1", "Sample") + para("", "A paragraph of the sample document.") + listed("1", "0", "item") + table(row("A", "B"), row("1", "2")) + para("", strings.Repeat("More words. ", 8))}
	converttest.Suite{
		Converter: office.NewDOCX(nil),
		Sample:    convert.Source{Name: "a.docx", Data: sample.build(t)},
		Want:      "- item",
		Deep: func(n int) []byte {
			return pack{body: strings.Repeat("<w:sdt><w:sdtContent>", n) + para("", "inner") + strings.Repeat("</w:sdtContent></w:sdt>", n)}.build(t)
		},
	}.Run(t)
}

func FuzzDOCX(f *testing.F) {
	f.Add(styled("H1", "a")+listed("2", "1", "b"), testNumbering)
	f.Add(table(row("a", "b"), row(`<w:tcPr><w:vMerge/></w:tcPr>`, table(row("x", "y")))), "")
	f.Add(`<w:p><w:r><w:fldChar w:fldCharType="begin"/><w:instrText>PAGE</w:instrText></w:r><m:oMath><m:rad/></m:oMath></w:p>`, "")
	f.Fuzz(func(t *testing.T, body, numbering string) {
		in := pack{body: body, styles: testStyles, numbering: numbering}.build(t)
		doc, err := office.NewDOCX(nil).Convert(t.Context(), convert.Source{Data: in}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*(len(body)+len(numbering))+100_000 {
			t.Errorf("%d bytes became %d", len(body), len(doc.Markdown))
		}
	})
}
