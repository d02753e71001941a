package ooxml_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"io"
	"testing"

	"github.com/minirag/minirag/internal/ooxml"
)

var limits = ooxml.Limits{Entries: 100, Expanded: 1 << 20, Depth: 50, Nodes: 10_000}

func pack(t testing.TB, parts ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for i := 0; i < len(parts); i += 2 {
		w, err := z.Create(parts[i])
		if err != nil {
			t.Fatal(err)
		}
		if _, err := io.WriteString(w, parts[i+1]); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func open(t testing.TB, parts ...string) *ooxml.Package {
	t.Helper()
	p, err := ooxml.Open(pack(t, parts...), limits)
	if err != nil {
		t.Fatal(err)
	}
	return p
}

func TestNames(t *testing.T) {
	p := open(t, `Word\Document.XML`, "a", "../../etc/passwd", "b", "/abs.xml", "c", "word/document.xml", "second")
	for name, want := range map[string]string{"word/document.xml": "second", `Word\document.xml`: "a", "/word/./document.xml": "second", "../abs.xml": "c"} {
		got, err := p.Part(name)
		if err != nil || string(got) != want {
			t.Errorf("Part(%q) = %q, %v; want %q", name, got, err, want)
		}
	}
	for _, name := range []string{"none", "etc/passwd", "../../etc/passwd"} {
		if _, err := p.Part(name); !errors.Is(err, ooxml.ErrMissing) || p.Has(name) {
			t.Errorf("missing part %s: %v", name, err)
		}
	}
}

func TestRels(t *testing.T) {
	p := open(t, "word/_rels/document.xml.rels", `<Relationships xmlns="http://schemas.openxmlformats.org/package/2006/relationships">
<Relationship Id="a" Type="http://purl.oclc.org/ooxml/officeDocument/relationships/styles" Target="styles.xml"/>
<Relationship Id="b" Type="x/header" Target="../word/header1.xml#frag"/>
<Relationship Id="c" Type="x/image" Target="/media/i.png"/>
<Relationship Id="d" Type="x/image" Target="../../../../etc/passwd"/>
<Relationship Id="e" Type="x/hyperlink" Target="../x.html" TargetMode="External"/></Relationships>`)
	rels, err := p.Rels("word/document.xml")
	if err != nil {
		t.Fatal(err)
	}
	for id, want := range map[string]ooxml.Relationship{
		"a": {Type: "styles", Target: "word/styles.xml"},
		"b": {Type: "header", Target: "word/header1.xml"},
		"c": {Type: "image", Target: "media/i.png"},
		"d": {Type: "image", Target: "etc/passwd"},
		"e": {Type: "hyperlink", Target: "../x.html", External: true},
	} {
		if rels[id] != want {
			t.Errorf("%s = %+v, want %+v", id, rels[id], want)
		}
	}
	if rels, err := p.Rels("other.xml"); err != nil || len(rels) != 0 {
		t.Errorf("part without relationships: %v, %v", rels, err)
	}
}

func TestTree(t *testing.T) {
	utf16 := []byte("\xff\xfe")
	for _, c := range `<?xml version="1.0" encoding="UTF-16"?><a>é</a>` {
		utf16 = append(utf16, byte(c), byte(c>>8))
	}
	p := open(t,
		"a.xml", `<?xml version="1.0"?><x:p xmlns:x="http://purl.oclc.org/ooxml/wordprocessingml/main" x:val="v" plain="q"> <x:t> a </x:t><x:b/><x:c x:val="0"/></x:p>`,
		"utf16.xml", string(utf16),
		"latin.xml", "<?xml version=\"1.0\" encoding=\"ISO-8859-1\"?><a>\xe9</a>")
	n, err := p.Tree("a.xml")
	if err != nil {
		t.Fatal(err)
	}
	if n.Name != "w:p" || n.Attr("w:val") != "v" || n.Attr("plain") != "q" || n.HasAttr("none") || n.String() != " a " {
		t.Errorf("root = %q %q %q", n.Name, n.Attr("w:val"), n.String())
	}
	if !n.Flag("w:b") || n.Flag("w:c") || n.Flag("w:none") || n.Val("w:c") != "0" {
		t.Error("flags are wrong")
	}
	for _, part := range []string{"utf16.xml", "latin.xml"} {
		if n, err := p.Tree(part); err != nil || n.String() != "é" {
			t.Errorf("%s: %v, %v", part, n, err)
		}
	}
}

func TestRefuses(t *testing.T) {
	p := open(t, "dtd.xml", `<!DOCTYPE a SYSTEM "file:///etc/passwd"><a/>`, "entity.xml", "<a>&x;</a>", "cut.xml", "<a><b>", "empty.xml", "")
	for _, part := range []string{"dtd.xml", "entity.xml", "cut.xml", "empty.xml"} {
		if _, err := p.Tree(part); !errors.Is(err, ooxml.ErrDamaged) {
			t.Errorf("%s: %v, want ErrDamaged", part, err)
		}
	}
	data := pack(t, "a", "12345", "b", "67890")
	small := limits
	small.Expanded = 7
	q, err := ooxml.Open(data, small)
	if err != nil {
		t.Fatal(err)
	}
	var limit *ooxml.LimitError
	if _, err := q.Part("a"); err != nil {
		t.Errorf("first part: %v", err)
	}
	if _, err := q.Part("b"); !errors.As(err, &limit) {
		t.Errorf("second part: %v, want a LimitError: the limit is for the sum", err)
	}
}

func FuzzOpen(f *testing.F) {
	f.Add(pack(f, "word/document.xml", "<a><b>c</b></a>", "_rels/.rels", `<Relationships><Relationship Id="a" Type="t/officeDocument" Target="word/document.xml"/></Relationships>`))
	f.Add([]byte("PK\x05\x06\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		p, err := ooxml.Open(data, limits)
		if err != nil {
			return
		}
		name, _ := p.First("", "officeDocument")
		n, err := p.Tree(name)
		if err == nil && len(n.String()) > int(limits.Expanded) {
			t.Errorf("text of %d bytes is over the limit", len(n.String()))
		}
	})
}

func FuzzXML(f *testing.F) {
	f.Add(`<w:p xmlns:w="http://purl.oclc.org/ooxml/wordprocessingml/main"><w:t>x</w:t></w:p>`)
	f.Add("\ufeff<a b='&amp;'><![CDATA[x]]></a>")
	f.Fuzz(func(t *testing.T, s string) {
		p := open(t, "a.xml", s)
		n, err := p.Tree("a.xml")
		if err != nil {
			var limit *ooxml.LimitError
			if !errors.Is(err, ooxml.ErrDamaged) && !errors.As(err, &limit) {
				t.Errorf("unexpected kind of error: %v", err)
			}
			return
		}
		if len(n.String()) > 3*len(s) {
			t.Errorf("%q grew to %q", s, n.String())
		}
	})
}
