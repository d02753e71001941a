package epub_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/epub"
)

// A file is a member of an archive.
type file struct{ name, content string }

func archive(t testing.TB, files ...file) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, f := range files {
		w, err := z.Create(f.name)
		if err != nil {
			t.Fatal(err)
		}
		if _, err := w.Write([]byte(f.content)); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

const container = `<?xml version="1.0"?><container xmlns="urn:oasis:names:tc:opendocument:xmlns:container"><rootfiles>` +
	`<rootfile full-path="OEBPS/book.opf" media-type="application/oebps-package+xml"/></rootfiles></container>`

// opf is a package document; each item is "id href" with "nav" or a media type behind.
func opf(metadata string, spine string, items ...string) string {
	var b strings.Builder
	b.WriteString(`<package xmlns="http://www.idpf.org/2007/opf" version="3.0"><metadata xmlns:dc="http://purl.org/dc/elements/1.1/">` + metadata + `</metadata><manifest>`)
	for _, it := range items {
		f := strings.Fields(it)
		media, properties := "application/xhtml+xml", ""
		if len(f) > 2 {
			if f[2] == "nav" {
				properties = "nav"
			} else {
				media = f[2]
			}
		}
		fmt.Fprintf(&b, `<item id="%s" href="%s" media-type="%s" properties="%s"/>`, f[0], f[1], media, properties)
	}
	b.WriteString(`</manifest><spine>`)
	for _, id := range strings.Fields(spine) {
		b.WriteString(`<itemref idref="` + id + `"/>`)
	}
	return b.String() + `</spine></package>`
}

func page(body string) string {
	return `<?xml version="1.0" encoding="utf-8"?><!DOCTYPE html><html xmlns="http://www.w3.org/1999/xhtml"><head><title/><style>p{color:red}</style></head><body>` + body + `</body></html>`
}

func run(t *testing.T, files ...file) *convert.Document {
	t.Helper()
	doc, err := epub.EPUB{}.Convert(t.Context(), convert.Source{Name: "a.epub", Data: archive(t, files...)}, convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	return doc
}

// text is the Markdown without metadata lines for a book with the given parts.
func text(t *testing.T, package_ string, files ...file) (string, []string) {
	t.Helper()
	doc := run(t, append([]file{{"mimetype", "application/epub+zip"}, {"META-INF/container.xml", container}, {"OEBPS/book.opf", package_}}, files...)...)
	return doc.Markdown, doc.Warnings
}

func TestContract(t *testing.T) {
	pack := func(body string) []byte {
		return archive(t, file{"META-INF/container.xml", container}, file{"OEBPS/book.opf", opf("<dc:title>T</dc:title>", "a", "a a.xhtml")}, file{"OEBPS/a.xhtml", page(body)})
	}
	converttest.Suite{
		Converter: epub.EPUB{},
		Sample:    convert.Source{Name: "a.epub", Data: pack("<h1>Head</h1><p>" + strings.Repeat("Some words of a book. ", 10) + "</p>")},
		Want:      "# Head\n\nSome words",
		Deep:      func(n int) []byte { return pack(strings.Repeat("<div>", n) + "innermost") },
	}.Run(t)
}

func TestSpine(t *testing.T) {
	for _, tc := range []struct {
		name, opf, want string
		files           []file
		warnings        int
	}{
		{"order of the spine", opf("", "b a", "a a.xhtml", "b sub/b.xhtml", "c c.xhtml"), "B\n\nA\n", []file{{"OEBPS/a.xhtml", page("A")}, {"OEBPS/sub/b.xhtml", page("B")}, {"OEBPS/c.xhtml", page("C")}}, 0},
		{"percent escapes", opf("", "a b c d", "a a%20b.xhtml", "b %D0%B3.xhtml", "c с.xhtml", "d ../up.xhtml"), "A\n\nB\n\nC\n\nD\n",
			[]file{{"OEBPS/a b.xhtml", page("A")}, {"OEBPS/г.xhtml", page("B")}, {"OEBPS/%D1%81.xhtml", page("C")}, {"up.xhtml", page("D")}}, 0},
		{"case and composition", opf("", "a b", "a A.XHTML", "b й.xhtml"), "A\n\nB\n", []file{{"oebps/a.xhtml", page("A")}, {"OEBPS/и\u0306.xhtml", page("B")}}, 0},
		{"missing and outside", opf("", "a b c x", "a a.xhtml", "b gone.xhtml", "c ../../c.xhtml"), "A\n", []file{{"OEBPS/a.xhtml", page("A")}, {"../c.xhtml", page("C")}}, 3},
		{"pictures and twice", opf("", "a p a", "a a.xhtml", "p p.jpg image/jpeg"), "A\n", []file{{"OEBPS/a.xhtml", page("A")}, {"OEBPS/p.jpg", "x"}}, 0},
		{"no spine", opf("", "", "a a.xhtml", "b b.xhtml"), "A\n\nB\n", []file{{"OEBPS/a.xhtml", page("A")}, {"OEBPS/b.xhtml", page("B")}}, 0},
		{"navigation", opf("", "n a", "n nav.xhtml nav", "a a.xhtml"), "A\n", []file{{"OEBPS/nav.xhtml", page("<h1>Contents</h1><nav><ol><li><a href='a.xhtml'>A</a></li></ol></nav>")}, {"OEBPS/a.xhtml", page("A")}}, 0},
		{"navigation with text", opf("", "n", "n nav.xhtml nav"), "# Preface\n\nText.\n", []file{{"OEBPS/nav.xhtml", page("<h1>Preface</h1><p>Text.</p><nav><ol><li>A</li></ol></nav>")}}, 0},
		{"prefixes", strings.NewReplacer("</", "</o:", "<", "<o:", "xmlns=", "xmlns:o=").Replace(opf("", "a", "a a.xhtml")), "A\n", []file{{"OEBPS/a.xhtml", page("A")}}, 0},
		{"document type", `<!DOCTYPE package PUBLIC "x" "y">` + opf("", "a", "a a.xhtml"), "A\n", []file{{"OEBPS/a.xhtml", page("A")}}, 0},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, warnings := text(t, tc.opf, tc.files...)
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
			if len(warnings) != tc.warnings {
				t.Errorf("Warnings = %q, want %d", warnings, tc.warnings)
			}
		})
	}
}

func TestXHTML(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"empty elements", page(`<a id="x"/><h1>Head</h1><script src="a.js"/><p>one<br/>two</p><div/><p>three<span/></p><textarea/>four`), "# Head\n\none\ntwo\n\nthree\n\nfour\n"},
		{"character data", page(`<p><![CDATA[a < b & c]]></p><style><![CDATA[p{}]]></style>`), "a < b & c\n"},
		{"targets in the book", page(`<p><a href="b.xhtml#n">see <i>b</i></a> <img src="c.png" alt="pic"/> <a href="https://example.com/">out</a></p>`), "see *b* pic [out](https://example.com/)\n"},
		{"entities", `<!DOCTYPE html [<!ENTITY x SYSTEM "file:///etc/passwd"> <!ENTITY y ">]">]><html><body><p>a&nbsp;&mdash; b</p></body></html>`, "a\u00a0— b\n"},
		{"prefixes", strings.NewReplacer("</", "</h:", "<h", "<h:h", "<body", "<h:body", "<style", "<h:style", "<p>", "<h:p>", "<br", "<h:br", "xmlns=", "xmlns:h=").Replace(page("<h1>Head</h1><p>a<br/>b</p>")), "# Head\n\na\nb\n"},
		{"utf-16", "\xff\xfe" + wide(`<?xml version="1.0" encoding="utf-16"?><html><body><p>wide</p></body></html>`), "wide\n"},
		{"latin-1", `<?xml version="1.0" encoding="iso-8859-1"?><html><body><p>caf` + "\xe9 cr\xe8me br\xfbl\xe9e" + `</p></body></html>`, "café crème brûlée\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, _ := text(t, opf("", "a", "a a.xhtml"), file{"OEBPS/a.xhtml", tc.in})
			if diff := cmp.Diff(tc.want, got); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func wide(s string) string {
	var b strings.Builder
	for i := range len(s) {
		b.WriteByte(s[i])
		b.WriteByte(0)
	}
	return b.String()
}

func TestMetadata(t *testing.T) {
	meta := `<dc:title id="s">Sub</dc:title><dc:title id="m">The  Book</dc:title><meta refines="#m" property="title-type">main</meta>` +
		`<dc:creator>Ann</dc:creator><dc:creator>Bob</dc:creator><dc:language>ru</dc:language><dc:publisher>P</dc:publisher><dc:date>2020</dc:date>` +
		`<dc:description>&lt;p&gt;About &amp;amp; more&lt;/p&gt;</dc:description><dc:identifier>urn:1</dc:identifier>`
	doc := run(t, file{"META-INF/container.xml", container}, file{"OEBPS/book.opf", opf(meta, "a", "a a.xhtml")}, file{"OEBPS/a.xhtml", page("A")})
	want := "**Title:** The Book\n**Authors:** Ann, Bob\n**Language:** ru\n**Publisher:** P\n**Date:** 2020\n**Description:** About & more\n**Identifier:** urn:1\n\nA\n"
	if diff := cmp.Diff(want, doc.Markdown); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if doc.Title != "The Book" || doc.Metadata["author"] != "Ann, Bob" || doc.Metadata["language"] != "ru" {
		t.Errorf("Title %q, Metadata %q", doc.Title, doc.Metadata)
	}
	// Older books have the elements one level deeper, in a namespace of upper-case names.
	old := opf(`<dc-metadata><dc:Title>Old</dc:Title></dc-metadata>`, "a", "a a.html text/x-oeb1-document")
	doc = run(t, file{"book.opf", strings.ReplaceAll(old, "elements/1.1", "elements/1.0")}, file{"a.html", "A"})
	if doc.Title != "Old" || doc.Markdown != "**Title:** Old\n\nA\n" {
		t.Errorf("old book: %q, %q", doc.Title, doc.Markdown)
	}
}

func TestEncryption(t *testing.T) {
	sealed := func(method, uri string) []byte {
		return archive(t, file{"META-INF/container.xml", container}, file{"META-INF/encryption.xml", `<encryption xmlns="urn:oasis:names:tc:opendocument:xmlns:container" xmlns:e="http://www.w3.org/2001/04/xmlenc#">` +
			`<e:EncryptedData><e:EncryptionMethod Algorithm="` + method + `"/><e:CipherData><e:CipherReference URI="` + uri + `"/></e:CipherData></e:EncryptedData></encryption>`},
			file{"OEBPS/book.opf", opf("", "a", "a a.xhtml")}, file{"OEBPS/a.xhtml", page("A")}, file{"OEBPS/f.otf", "x"})
	}
	for _, tc := range []struct {
		method, uri string
		want        error
	}{
		{"http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/a.xhtml", convert.ErrEncrypted},
		{"http://www.w3.org/2001/04/xmlenc#aes128-cbc", "OEBPS/f.otf", nil},
		{"http://www.idpf.org/2008/embedding", "OEBPS/f.otf", nil},
	} {
		_, err := epub.EPUB{}.Convert(t.Context(), convert.Source{Data: sealed(tc.method, tc.uri)}, convert.Limits{})
		if !errors.Is(err, tc.want) {
			t.Errorf("%s of %s: %v, want %v", tc.method, tc.uri, err, tc.want)
		}
	}
}

func TestErrors(t *testing.T) {
	for name, data := range map[string][]byte{
		"no archive":  []byte("PK\x03\x04 and no more"),
		"no package":  archive(t, file{"a.xhtml", page("A")}),
		"cut package": archive(t, file{"book.opf", opf("", "a", "a a.xhtml")[:100]}),
		"no text":     archive(t, file{"book.opf", opf("", "p", "p p.jpg image/jpeg")}, file{"p.jpg", "x"}),
		"all missing": archive(t, file{"book.opf", opf("", "a", "a a.xhtml")}),
	} {
		doc, err := epub.EPUB{}.Convert(t.Context(), convert.Source{Data: data}, convert.Limits{})
		if !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("%s: %v, %v; want ErrDamaged", name, doc, err)
		}
	}
	bomb := archive(t, file{"book.opf", opf("", "a b", "a a.xhtml", "b b.xhtml")}, file{"a.xhtml", page("A")}, file{"b.xhtml", strings.Repeat(" ", 5<<20)})
	for name, l := range map[string]convert.Limits{"expanded": {ExpandedBytes: 1 << 20}, "entries": {Entries: 2}} {
		if _, err := (epub.EPUB{}).Convert(t.Context(), convert.Source{Data: bomb}, l); !errors.Is(err, convert.ErrTooLarge) {
			t.Errorf("%s: %v, want ErrTooLarge", name, err)
		}
	}
}

func FuzzChapter(f *testing.F) {
	f.Add(`<a/><p>x<![CDATA[y]]><nav><ol/></nav>`, true)
	f.Add(`<!DOCTYPE x [<!ENTITY y "z">]><title/><img src="a"/>`, false)
	f.Fuzz(func(t *testing.T, s string, nav bool) {
		items := []string{"a a.xhtml"}
		if nav {
			items[0] += " nav"
		}
		data := archive(t, file{"book.opf", opf("<dc:title>T</dc:title>", "a", items...)}, file{"a.xhtml", s})
		doc, err := epub.EPUB{}.Convert(t.Context(), convert.Source{Data: data}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*len(s)+100_000 || !strings.HasPrefix(doc.Markdown, "**Title:** T\n") {
			t.Errorf("%d bytes became %d: %.200q", len(s), len(doc.Markdown), doc.Markdown)
		}
	})
}
