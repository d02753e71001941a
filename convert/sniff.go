package convert

import (
	"archive/zip"
	"bytes"
	"slices"
	"strings"
	"unicode/utf8"
)

// Content is what bytes look like, judged by signatures and a sample of the text.
type Content int

// The kinds of content that are told apart. Markup other than HTML is Text.
const (
	Any    Content = iota // in a [Format]: no check
	Empty                 // no bytes at all
	Text                  // text in some charset
	HTML                  // text that begins as an HTML document does
	RTF                   // Rich Text Format
	PDF                   // Portable Document Format
	Zip                   // a zip archive: OOXML, OpenDocument, EPUB
	OLE                   // a compound file: old or encrypted Office documents
	Image                 // a picture
	Binary                // anything else
)

func (c Content) describe() string {
	return [...]string{"anything", "an empty file", "plain text", "an HTML page", "an RTF document", "a PDF document",
		"a zip archive", "an old or encrypted Office document", "a picture", "binary data"}[c]
}

// accepts reports whether found is content that a converter of kind c should
// see. An empty text is one; a compound file may be an encrypted OOXML
// document, which the converter words better.
func (c Content) accepts(found Content) bool {
	switch c {
	case Any:
		return true
	case Text, HTML:
		return found == Text || found == HTML || found == Empty
	case Zip:
		return found == Zip || found == OLE
	case Image:
		return found == Image
	}
	return found == c
}

var signatures = []struct {
	prefix  string
	content Content
}{
	{"PK\x03\x04", Zip}, {"PK\x05\x06", Zip}, {"PK\x07\x08", Zip},
	{"\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", OLE},
	{"{\\rtf", RTF},
	{"\x89PNG\r\n\x1a\n", Image}, {"\xff\xd8\xff", Image}, {"GIF87a", Image}, {"GIF89a", Image}, {"II*\x00", Image}, {"MM\x00*", Image},
	{"\x1f\x8b", Binary}, {"BZh", Binary}, {"\xfd7zXZ\x00", Binary}, {"7z\xbc\xaf\x27\x1c", Binary}, {"Rar!\x1a\x07", Binary},
	{"\x7fELF", Binary}, {"SQLite format 3\x00", Binary},
}

// sample is how much of the content the judgement of text reads: enough to
// pass a leading text comment in a binary format, and quick.
const sample = 64 << 10

// Sniff says what data looks like. It is a judgement by the first 64 KiB;
// whether text can be decoded is for a converter to find out.
func Sniff(data []byte) Content {
	if len(data) == 0 {
		return Empty
	}
	for _, s := range signatures {
		if bytes.HasPrefix(data, []byte(s.prefix)) {
			return s.content
		}
	}
	head := data[:min(len(data), sample)]
	if bytes.HasPrefix(head, []byte("RIFF")) && len(head) >= 12 {
		if string(head[8:12]) == "WEBP" {
			return Image
		}
		return Binary
	}
	// The header may stand anywhere in the first kilobyte (ISO 32000, annex H);
	// a text that only mentions it has no object behind.
	if i := bytes.Index(head[:min(len(head), 1024)], []byte("%PDF-")); i == 0 || i > 0 && bytes.Contains(head, []byte(" obj")) {
		return PDF
	}
	if looksHTML(head) {
		return HTML
	}
	if looksText(head) {
		return Text
	}
	return Binary
}

func looksHTML(head []byte) bool {
	start := strings.ToLower(string(bytes.ReplaceAll(head[:min(len(head), 2048)], []byte{0}, nil)))
	for _, mark := range []string{"\ufeff", "\xff\xfe", "\xfe\xff"} {
		start = strings.TrimPrefix(start, mark)
	}
	start = strings.TrimLeft(start, " \t\r\n")
	for strings.HasPrefix(start, "<!--") || strings.HasPrefix(start, "<?xml") {
		_, rest, ok := strings.Cut(start, ">")
		if !ok {
			return false
		}
		start = strings.TrimLeft(rest, " \t\r\n")
	}
	return slices.ContainsFunc([]string{"<!doctype html", "<html", "<head>", "<body"}, func(p string) bool { return strings.HasPrefix(start, p) })
}

// looksText reports whether head can be text in any charset. UTF-16 and
// UTF-32 show as zero bytes in a regular place; other text has hardly any control characters.
func looksText(head []byte) bool {
	for _, bom := range []string{"\xff\xfe", "\xfe\xff", "\xef\xbb\xbf", "\x00\x00\xfe\xff"} {
		if bytes.HasPrefix(head, []byte(bom)) {
			return true
		}
	}
	var zeros [4]int
	var controls [2]int // by place: in UTF-16 the high bytes of most alphabets are control characters
	for i, c := range head {
		switch {
		case c == 0:
			zeros[i%4]++
		case c < ' ' && !strings.ContainsRune("\t\n\v\f\r\x1a\x1b", rune(c)):
			controls[i%2]++
		}
	}
	total := zeros[0] + zeros[1] + zeros[2] + zeros[3]
	for high := range 2 {
		low := 1 - high
		if n := zeros[high] + zeros[high+2]; n > 0 && 20*(zeros[low]+zeros[low+2]) < n && (n+controls[high])*10 >= len(head)/2*8 && controls[low]*5 <= len(head) { // capitals of Cyrillic end in one, too
			return true
		}
	}
	if (controls[0]+controls[1])*50 > len(head)+50 {
		return false
	}
	if total*50 <= len(head)+50 {
		return true
	}
	even, odd := zeros[0]+zeros[2], zeros[1]+zeros[3]
	return even*20 < odd || odd*20 < even || total*2 > len(head) && len(head)%4 == 0 && utf8.Valid(bytes.ReplaceAll(head, []byte{0}, nil))
}

// zipExtension says by its members which document format an archive holds:
// an extension, or "" for a plain archive or a broken one.
func zipExtension(data []byte) string {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return ""
	}
	for _, f := range z.File {
		name := strings.TrimPrefix(strings.ReplaceAll(f.Name, `\`, "/"), "/")
		switch {
		case strings.HasPrefix(name, "word/"):
			return ".docx"
		case strings.HasPrefix(name, "xl/"):
			return ".xlsx"
		case strings.HasPrefix(name, "ppt/"):
			return ".pptx"
		case name == "META-INF/container.xml":
			return ".epub"
		case name == "mimetype" && f.UncompressedSize64 < 200:
			if ext := mimetypeExtension(f); ext != "" {
				return ext
			}
		}
	}
	return ""
}

func mimetypeExtension(f *zip.File) string {
	rc, err := f.Open()
	if err != nil {
		return ""
	}
	defer rc.Close()
	buf := make([]byte, 200)
	n, _ := rc.Read(buf)
	switch strings.TrimSpace(string(buf[:n])) {
	case "application/epub+zip":
		return ".epub"
	case "application/vnd.oasis.opendocument.text":
		return ".odt"
	case "application/vnd.oasis.opendocument.spreadsheet":
		return ".ods"
	case "application/vnd.oasis.opendocument.presentation":
		return ".odp"
	}
	return ""
}
