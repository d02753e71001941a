package pdf_test

import (
	"bytes"
	"compress/zlib"
	"crypto/md5"
	"crypto/rc4"
	"encoding/binary"
	"encoding/hex"
	"fmt"
	"strings"
)

// A builder writes small PDFs. Objects are numbered from 1: the catalog, the
// page tree, the font, then for each page its dictionary and its content.
type builder struct {
	pages    []string          // content streams
	pageKeys string            // more entries of each page's dictionary
	glyphs   map[byte]string   // ToUnicode of single bytes
	info     map[string]string // information dictionary, values as literal strings
	compress bool
	// encrypt turns on RC4 with 40 bits (ISO 32000-1, 7.6.3, revision 2).
	encrypt    bool
	user       string // user password
	pageTree   string // replaces object 2
	countPages int    // replaces /Count when not zero
	outline    []string
	catalog    string   // more entries of the catalog
	more       []string // objects behind those of the pages, with one page from number 6 on
}

// text returns a content stream that shows lines at 12 points, each a given distance below the last.
func text(lines ...string) string {
	var b strings.Builder
	b.WriteString("BT /F1 12 Tf 72 720 Td\n")
	for i, l := range lines {
		down := 14
		if l, ok := strings.CutPrefix(l, "\n"); ok { // one line left out
			down, lines[i] = 32, l
		}
		fmt.Fprintf(&b, "0 -%d Td (%s) Tj\n", down, literal(lines[i]))
	}
	b.WriteString("ET")
	return b.String()
}

func literal(s string) string {
	return strings.NewReplacer(`\`, `\\`, "(", `\(`, ")", `\)`).Replace(s)
}

func (b builder) bytes() []byte {
	var objects []string
	add := func(o string) int {
		objects = append(objects, o)
		return len(objects)
	}
	add("") // catalog
	add("") // page tree
	add("") // font
	font := "<</Type/Font/Subtype/Type1/BaseFont/Helvetica/Encoding/WinAnsiEncoding"
	var streams []int
	if b.glyphs != nil {
		n := add(b.toUnicode())
		streams = append(streams, n)
		font += fmt.Sprintf("/ToUnicode %d 0 R", n)
	}
	objects[2] = font + ">>"
	var kids strings.Builder
	for _, content := range b.pages {
		page := add("")
		n := add(content)
		streams = append(streams, n)
		objects[page-1] = fmt.Sprintf("<</Type/Page/Parent 2 0 R/MediaBox[0 0 612 792]/Resources<</Font<</F1 3 0 R/F2<</Type/Font/Subtype/Type1/BaseFont/Helvetica-Bold/Encoding/WinAnsiEncoding>>>>>>/Contents %d 0 R%s>>", n, b.pageKeys)
		fmt.Fprintf(&kids, "%d 0 R ", page)
	}
	for _, o := range b.more {
		add(o)
	}
	count := len(b.pages)
	if b.countPages != 0 {
		count = b.countPages
	}
	objects[1] = fmt.Sprintf("<</Type/Pages/Kids[%s]/Count %d>>", kids.String(), count)
	if b.pageTree != "" {
		objects[1] = b.pageTree
	}
	catalog := "<</Type/Catalog/Pages 2 0 R" + b.catalog
	if len(b.outline) > 0 {
		first := len(objects) + 1
		last := first + len(b.outline) - 1
		for i, title := range b.outline {
			next := ""
			if first+i < last {
				next = fmt.Sprintf("/Next %d 0 R", first+i+1)
			}
			add(fmt.Sprintf("<</Title(%s)/Parent %d 0 R%s>>", literal(title), last+1, next))
		}
		catalog += fmt.Sprintf("/Outlines %d 0 R", add(fmt.Sprintf("<</Type/Outlines/First %d 0 R/Last %d 0 R/Count %d>>", first, last, len(b.outline))))
	}
	objects[0] = catalog + ">>"
	trailer := "/Root 1 0 R"
	if b.info != nil {
		var d strings.Builder
		for k, v := range b.info {
			fmt.Fprintf(&d, "/%s(%s)", k, literal(v))
		}
		trailer += fmt.Sprintf("/Info %d 0 R", add("<<"+d.String()+">>"))
	}
	var key []byte
	if b.encrypt {
		id := []byte("0123456789abcdef")
		var dict string
		dict, key = encryption(b.user, id)
		trailer += fmt.Sprintf("/Encrypt %d 0 R/ID[<%x><%x>]", add(dict), id, id)
	}
	for _, n := range streams {
		objects[n-1] = b.stream(n, objects[n-1], key)
	}

	var out bytes.Buffer
	out.WriteString("%PDF-1.4\n%\xe2\xe3\xcf\xd3\n")
	offsets := make([]int, len(objects))
	for i, o := range objects {
		offsets[i] = out.Len()
		fmt.Fprintf(&out, "%d 0 obj\n%s\nendobj\n", i+1, o)
	}
	start := out.Len()
	fmt.Fprintf(&out, "xref\n0 %d\n0000000000 65535 f \n", len(objects)+1)
	for _, o := range offsets {
		fmt.Fprintf(&out, "%010d 00000 n \n", o)
	}
	fmt.Fprintf(&out, "trailer\n<</Size %d%s>>\nstartxref\n%d\n%%%%EOF\n", len(objects)+1, trailer, start)
	return out.Bytes()
}

func (b builder) stream(number int, content string, key []byte) string {
	data, filter := []byte(content), ""
	if b.compress {
		var z bytes.Buffer
		w := zlib.NewWriter(&z)
		_, _ = w.Write(data)
		_ = w.Close()
		data, filter = z.Bytes(), "/Filter/FlateDecode"
	}
	if key != nil {
		salted := md5.Sum(append(bytes.Clone(key), byte(number), byte(number>>8), byte(number>>16), 0, 0))
		c, _ := rc4.NewCipher(salted[:len(key)+5])
		c.XORKeyStream(data, data)
	}
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(data), filter, data)
}

func (b builder) toUnicode() string {
	var d strings.Builder
	fmt.Fprintf(&d, "/CIDInit /ProcSet findresource begin 12 dict begin begincmap /CMapName /T def /CMapType 2 def\n"+
		"1 begincodespacerange <00> <FF> endcodespacerange\n%d beginbfchar\n", len(b.glyphs))
	for code, s := range b.glyphs {
		fmt.Fprintf(&d, "<%02X> <", code)
		for _, r := range s {
			fmt.Fprintf(&d, "%04X", r)
		}
		d.WriteString(">\n")
	}
	d.WriteString("endbfchar endcmap end end")
	return d.String()
}

// encryption returns the encryption dictionary and key of revision 2 (ISO
// 32000-1, algorithms 2 to 4) with the owner password "owner".
func encryption(user string, id []byte) (dict string, key []byte) {
	pad, _ := hex.DecodeString("28bf4e5e4e758a4164004e56fffa01082e2e00b6d0683e802f0ca9fe6453697a")
	padded := func(s string) []byte { return append([]byte(s), pad...)[:32] }
	crypt := func(key, data []byte) []byte {
		c, _ := rc4.NewCipher(key)
		out := make([]byte, len(data))
		c.XORKeyStream(out, data)
		return out
	}
	owner := md5.Sum(padded("owner"))
	o := crypt(owner[:5], padded(user))
	const permissions = -44 // no copying, no changes
	h := md5.New()
	h.Write(padded(user))
	h.Write(o)
	_ = binary.Write(h, binary.LittleEndian, int32(permissions))
	h.Write(id)
	key = h.Sum(nil)[:5]
	return fmt.Sprintf("<</Filter/Standard/V 1/R 2/O<%x>/U<%x>/P %d>>", o, crypt(key, pad), permissions), key
}
