package odf_test

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
	"github.com/minirag/minirag/convert/odf"
)

var namespaces = func() string {
	var b strings.Builder
	for prefix, space := range map[string]string{
		"office": "office", "text": "text", "table": "table", "draw": "drawing", "style": "style", "meta": "meta", "svg": "svg-compatible",
		"presentation": "presentation", "manifest": "manifest", "chart": "chart", "fo": "xsl-fo-compatible",
	} {
		fmt.Fprintf(&b, ` xmlns:%s="urn:oasis:names:tc:opendocument:xmlns:%s:1.0"`, prefix, space)
	}
	return b.String() + ` xmlns:xlink="http://www.w3.org/1999/xlink" xmlns:dc="http://purl.org/dc/elements/1.1/" xmlns:m="http://www.w3.org/1998/Math/MathML"`
}()

func archive(t testing.TB, parts map[string]string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range slices.Sorted(maps.Keys(parts)) {
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

// content is a content.xml with a body of the given kind, such as "text".
func content(kind, styles, body string) string {
	return `<?xml version="1.0"?><office:document-content` + namespaces + `><office:automatic-styles>` + styles + `</office:automatic-styles>` +
		`<office:body><office:` + kind + `>` + body + `</office:` + kind + `></office:body></office:document-content>`
}

func run(t *testing.T, parts map[string]string) *convert.Document {
	t.Helper()
	doc, err := odf.ODF{}.Convert(t.Context(), convert.Source{Data: archive(t, parts)}, convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

func TestContract(t *testing.T) {
	for _, kind := range []string{"text", "spreadsheet", "presentation"} {
		body := "<text:h text:outline-level='1'>Head</text:h><text:p>" + strings.Repeat("Some words. ", 20) + "</text:p>"
		switch kind {
		case "spreadsheet":
			body = "<table:table table:name='S'><table:table-row><table:table-cell>" + body + "</table:table-cell></table:table-row></table:table>"
		case "presentation":
			body = "<draw:page><draw:frame><draw:text-box>" + body + "</draw:text-box></draw:frame></draw:page>"
		}
		t.Run(kind, converttest.Suite{
			Converter: odf.ODF{},
			Sample:    convert.Source{Data: archive(t, map[string]string{"content.xml": content(kind, "", body)})},
			Want:      "Some words. Some",
			Deep: func(n int) []byte {
				return archive(t, map[string]string{"content.xml": content(kind, "", strings.Repeat("<text:list><text:list-item>", n)+"<text:p>x</text:p>"+strings.Repeat("</text:list-item></text:list>", n))})
			},
		}.Run)
	}
}

const numbered = `<text:list-style style:name="N"><text:list-level-style-number text:level="1" style:num-format="1"/><text:list-level-style-bullet text:level="2"/></text:list-style>`

func row(cells ...string) string {
	var b strings.Builder
	b.WriteString("<table:table-row>")
	for _, c := range cells {
		if !strings.HasPrefix(c, "<") {
			c = "<table:table-cell><text:p>" + c + "</text:p></table:table-cell>"
		}
		b.WriteString(c)
	}
	return b.String() + "</table:table-row>"
}

func TestText(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"blocks", `<text:sequence-decls/><text:h text:outline-level="2">A <text:span>b</text:span></text:h><text:p>one
   two<text:s text:c="3"/>three<text:tab/>four<text:line-break/>five</text:p><text:p/><text:section><text:p># six</text:p></text:section>`, "## A b\n\none two three four\nfive\n\n\\# six\n"},
		{"title and code", `<text:p text:style-name="P1">Big</text:p><text:p text:style-name="Preformatted_20_Text">if x:</text:p><text:p text:style-name="Preformatted_20_Text"><text:s text:c="2"/>y</text:p><text:p>end</text:p>`,
			"# Big\n\n```\nif x:\n  y\n```\n\nend\n"},
		{"lists", `<text:list text:style-name="N"><text:list-item><text:p>a</text:p><text:list><text:list-item><text:p>b</text:p></text:list-item></text:list></text:list-item><text:list-item text:start-value="5"><text:p>c</text:p></text:list-item></text:list><text:p>d</text:p>`,
			"1. a\n   - b\n5. c\n\nd\n"},
		{"headings in lists", `<text:list text:style-name="N"><text:list-item><text:list><text:list-item><text:h text:outline-level="2">H</text:h></text:list-item></text:list></text:list-item></text:list>`, "## H\n"},
		{"links", `<text:p><text:a xlink:href="https://example.com/">site</text:a> <text:a xlink:href="#x">here</text:a></text:p>`, "[site](https://example.com/) here\n"},
		{"notes and comments", `<text:p>a<text:note><text:note-citation>1</text:note-citation><text:note-body><text:p>the note</text:p></text:note-body></text:note> b<office:annotation><dc:creator>Ann</dc:creator><dc:date>2020</dc:date><text:p>look</text:p></office:annotation></text:p><text:p>c</text:p>`,
			"a[^1] b\n\n[^1]: the note\n\n> Comment by Ann: look\n\nc\n"},
		{"deleted text", `<text:tracked-changes><text:changed-region><text:deletion><text:p>gone</text:p></text:deletion></text:changed-region></text:tracked-changes><text:p>kept <text:change-start/>new<text:change-end/></text:p>`, "kept new\n"},
		{"frames", `<text:p>before <draw:frame><draw:text-box><text:p>boxed</text:p></draw:text-box></draw:frame><draw:frame><draw:image xlink:href="a.png"/><svg:title>logo</svg:title><svg:desc>a tree</svg:desc></draw:frame></text:p>`,
			"before logo: a tree\n\nboxed\n"},
		{"contents", `<text:table-of-content><text:index-body><text:p>H 1</text:p></text:index-body></text:table-of-content><text:p>x</text:p>`, "x\n"},
		{"table", `<table:table><table:table-header-rows>` + row("A", "B|C") + `</table:table-header-rows>` + row("1", `<table:table-cell><text:p>x</text:p><text:list><text:list-item><text:p>y</text:p></text:list-item></text:list></table:table-cell>`) + `</table:table>`,
			"| A | B\\|C |\n| --- | --- |\n| 1 | x y |\n"},
		{"spans", `<table:table>` + row("a", "b", "c") + row(`<table:table-cell table:number-rows-spanned="2"><text:p>x</text:p></table:table-cell>`, "1", "2") +
			row(`<table:covered-table-cell/>`, `<table:table-cell table:number-columns-spanned="2"><text:p>3</text:p></table:table-cell>`, `<table:covered-table-cell/>`) + `</table:table>`,
			"| a | b | c |\n| --- | --- | --- |\n| x | 1 | 2 |\n| x | 3 | |\n"},
		{"layout table", `<table:table>` + row(`<table:table-cell><text:h text:outline-level="1">H</text:h><text:p>p</text:p></table:table-cell>`) + `</table:table>`, "# H\n\np\n"},
		{"formula", `<text:p>E <draw:frame><draw:object><m:math><m:semantics><m:mi>x</m:mi><m:annotation>x^2</m:annotation></m:semantics></m:math></draw:object></draw:frame></text:p>`, "E $x^2$\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			styles := numbered + `<style:style style:name="P1" style:parent-style-name="Title"/>`
			if diff := cmp.Diff(tc.want, run(t, map[string]string{"content.xml": content("text", styles, tc.in)}).Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestSheets(t *testing.T) {
	const blankRows = `<table:table-row table:number-rows-repeated="1048000"><table:table-cell table:number-columns-repeated="16384"/></table:table-row>`
	body := `<table:table table:name="Stock">` + row("Report", `<table:table-cell table:number-columns-repeated="16383"/>`) + row("name", "qty") +
		row("bolt", `<table:table-cell office:value-type="float" office:value="1.5"><text:p>1,50 €</text:p></table:table-cell>`) +
		`<table:table-row-group>` + row(`<table:table-cell table:number-columns-repeated="2"><text:p>nut</text:p></table:table-cell>`) + `</table:table-row-group>` + blankRows +
		row(`<table:table-cell table:number-columns-repeated="3"/>`, "p", "q") + row(`<table:table-cell table:number-columns-repeated="3"/>`, "1", `<table:table-cell office:value="2"><office:annotation><dc:creator>Ann</dc:creator><text:p>why</text:p></office:annotation></table:table-cell>`) + blankRows + `</table:table>` +
		`<table:table table:name="Empty">` + blankRows + `</table:table>` +
		`<table:table table:name="Old" table:style-name="ta2">` + row("a", "b") + row("c", "d") + `</table:table>`
	doc := run(t, map[string]string{"content.xml": content("spreadsheet", `<style:style style:name="ta2"><style:table-properties table:display="false"/></style:style>`, body)})
	want := "## Stock\n\nReport\n\n| name | qty |\n| --- | --- |\n| bolt | 1,50 € |\n| nut | nut |\n\n| p | q |\n| --- | --- |\n| 1 | 2 |\n\n> Comment by Ann: why\n\n## Old (hidden)\n\n| a | b |\n| --- | --- |\n| c | d |\n"
	if diff := cmp.Diff(want, doc.Markdown); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if doc.Format != "ods" {
		t.Errorf("Format = %q", doc.Format)
	}
}

func TestSlides(t *testing.T) {
	frame := func(class, inner string) string {
		return `<draw:frame presentation:class="` + class + `"><draw:text-box>` + inner + `</draw:text-box></draw:frame>`
	}
	body := `<draw:page draw:name="p1">` + frame("outline", `<text:list><text:list-item><text:p>point</text:p></text:list-item></text:list>`) + frame("title", `<text:p>First</text:p>`) +
		`<draw:g><draw:custom-shape><text:p>shape</text:p></draw:custom-shape></draw:g><draw:frame><table:table>` + row("a", "b") + row("c", "d") + `</table:table><draw:image/></draw:frame>` +
		`<presentation:notes><draw:page-thumbnail/>` + frame("notes", `<text:p>say this</text:p>`) + frame("page-number", `<text:p>1</text:p>`) + `</presentation:notes></draw:page>` +
		`<draw:page><draw:frame presentation:placeholder="true" presentation:class="title"><draw:text-box><text:p>Click to add</text:p></draw:text-box></draw:frame><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></draw:page>`
	chart := `<office:document-content` + namespaces + `><office:body><office:chart><chart:chart><chart:title><text:p>Sales</text:p></chart:title><table:table>` + row("", "2020") +
		row("x", `<table:table-cell><text:p>7</text:p><draw:frame><draw:object xlink:href="./Object 1"/></draw:frame></table:table-cell>`) + `</table:table></chart:chart></office:chart></office:body></office:document-content>`
	doc := run(t, map[string]string{"content.xml": content("presentation", "", body), "Object 1/content.xml": chart})
	want := "<!-- Slide number: 1 -->\n\n# First\n\n- point\n\nshape\n\n| a | b |\n| --- | --- |\n| c | d |\n\n### Notes:\n\nsay this\n\n<!-- Slide number: 2 -->\n\nSales\n\n| | 2020 |\n| --- | --- |\n| x | 7 |\n"
	if diff := cmp.Diff(want, doc.Markdown); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

func TestProperties(t *testing.T) {
	meta := `<office:document-meta` + namespaces + `><office:meta><dc:title> The  title </dc:title><meta:initial-creator>Ann</meta:initial-creator><dc:creator>Bob</dc:creator><meta:keyword>a</meta:keyword><meta:keyword>b</meta:keyword></office:meta></office:document-meta>`
	styles := `<office:document-styles` + namespaces + `><office:master-styles><style:master-page><style:header><text:p>Acme Robotics</text:p></style:header><style:footer><text:p>7</text:p></style:footer></style:master-page></office:master-styles></office:document-styles>`
	doc := run(t, map[string]string{"meta.xml": meta, "styles.xml": styles, "content.xml": content("text", "", "<text:p>x</text:p>")})
	if doc.Title != "The title" || doc.Format != "odt" {
		t.Errorf("Title %q, Format %q", doc.Title, doc.Format)
	}
	if diff := cmp.Diff(map[string]string{"author": "Ann", "keywords": "a, b"}, doc.Metadata); diff != "" {
		t.Errorf("Metadata (-want +got)\n%s", diff)
	}
	if want := "x\n\n---\n\nAcme Robotics\n"; doc.Markdown != want {
		t.Errorf("got %q, want %q", doc.Markdown, want)
	}
}

func TestErrors(t *testing.T) {
	sealed := `<manifest:manifest` + namespaces + `><manifest:file-entry manifest:full-path="content.xml"><manifest:encryption-data/></manifest:file-entry></manifest:manifest>`
	good := content("text", "", "<text:p>x</text:p>")
	wide := content("spreadsheet", "", `<table:table table:name="S">`+strings.Repeat(`<table:table-row table:number-rows-repeated="1000000"><table:table-cell table:number-columns-repeated="16384"><text:p>x</text:p></table:table-cell></table:table-row>`, 50)+`</table:table>`)
	for _, tc := range []struct {
		name   string
		data   []byte
		limits convert.Limits
		want   error
	}{
		{"no archive", []byte("PK\x03\x04"), convert.Limits{}, convert.ErrDamaged},
		{"no content", archive(t, map[string]string{"a": "b"}), convert.Limits{}, convert.ErrDamaged},
		{"cut content", archive(t, map[string]string{"content.xml": good[:len(good)-70]}), convert.Limits{}, convert.ErrDamaged},
		{"password", archive(t, map[string]string{"content.xml": "\x01\x02", "META-INF/manifest.xml": sealed}), convert.Limits{}, convert.ErrEncrypted},
		{"expanded size", archive(t, map[string]string{"content.xml": good + strings.Repeat(" ", 1<<20)}), convert.Limits{ExpandedBytes: 1 << 19}, convert.ErrTooLarge},
		{"one long text", archive(t, map[string]string{"content.xml": content("text", "", "<text:p>"+strings.Repeat(" ", 65<<20)+"</text:p>")}), convert.Limits{}, convert.ErrTooLarge},
		{"cells", archive(t, map[string]string{"content.xml": wide}), convert.Limits{}, convert.ErrTooLarge},
		{"depth", archive(t, map[string]string{"content.xml": content("text", "", strings.Repeat("<text:section>", 500)+strings.Repeat("</text:section>", 500))}), convert.Limits{}, convert.ErrTooLarge},
	} {
		doc, err := odf.ODF{}.Convert(t.Context(), convert.Source{Data: tc.data}, tc.limits)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, %v; want %v", tc.name, doc, err, tc.want)
		}
	}
}

func FuzzContent(f *testing.F) {
	f.Add("text", `<text:p>a<text:s text:c="9"/></text:p><text:list><text:list-item><text:h text:outline-level="3">b</text:h></text:list-item></text:list>`)
	f.Add("spreadsheet", `<table:table table:name="S"><table:table-row table:number-rows-repeated="3"><table:table-cell table:number-rows-spanned="2"><text:p>x</text:p></table:table-cell></table:table-row></table:table>`)
	f.Add("presentation", `<draw:page><draw:frame presentation:class="title"><draw:text-box><text:p>x</text:p></draw:text-box></draw:frame></draw:page>`)
	f.Fuzz(func(t *testing.T, kind, body string) {
		doc, err := odf.ODF{}.Convert(t.Context(), convert.Source{Data: archive(t, map[string]string{"content.xml": content(kind, "", body)})}, convert.Limits{Cells: 1000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 2000*len(body)+10_000 {
			t.Errorf("%d bytes became %d: %.200q", len(body), len(doc.Markdown), doc.Markdown)
		}
	})
}
