package ooxml

import (
	"bufio"
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/htmlindex"
)

// A Node is an element of a part's XML with the text and elements in it.
type Node struct {
	// Name is the local name behind the customary prefix of its namespace,
	// such as "w:p", whatever prefix the document uses; empty for text.
	Name     string
	Text     string
	attrs    []xml.Attr
	Children []*Node
}

// Attr returns the attribute called name, such as "w:val" or "Target", or "".
func (n *Node) Attr(name string) string {
	for i := range n.attrs {
		if n.attrs[i].Name.Local == name {
			return n.attrs[i].Value
		}
	}
	return ""
}

// HasAttr reports whether n has the attribute.
func (n *Node) HasAttr(name string) bool {
	for i := range n.attrs {
		if n.attrs[i].Name.Local == name {
			return true
		}
	}
	return false
}

// Child returns the first child element called name, or nil.
func (n *Node) Child(name string) *Node {
	if n == nil {
		return nil
	}
	for _, c := range n.Children {
		if c.Name == name {
			return c
		}
	}
	return nil
}

// Val returns the "val" attribute, in n's namespace, of the child called name, or "".
func (n *Node) Val(name string) string {
	c := n.Child(name)
	if c == nil {
		return ""
	}
	return c.Attr(name[:strings.IndexByte(name, ':')+1] + "val")
}

// Flag returns the value of an on/off property: present without a value means on.
func (n *Node) Flag(name string) bool {
	c := n.Child(name)
	if c == nil {
		return false
	}
	switch c.Attr(name[:strings.IndexByte(name, ':')+1] + "val") {
	case "0", "false", "off", "none":
		return false
	}
	return true
}

// String returns all text in n.
func (n *Node) String() string {
	if n == nil {
		return ""
	}
	if n.Name == "" {
		return n.Text
	}
	var b strings.Builder
	n.text(&b)
	return b.String()
}

func (n *Node) text(b *strings.Builder) {
	b.WriteString(n.Text)
	for _, c := range n.Children {
		c.text(b)
	}
}

// Find calls f for each element called name in n, in document order, not
// looking into those it finds.
func (n *Node) Find(name string, f func(*Node)) {
	for _, c := range n.Children {
		if c.Name == name {
			f(c)
		} else {
			c.Find(name, f)
		}
	}
}

// prefixes maps namespaces of both dialects to their customary prefixes.
var prefixes = map[string]string{
	"http://schemas.openxmlformats.org/wordprocessingml/2006/main":            "w:",
	"http://purl.oclc.org/ooxml/wordprocessingml/main":                        "w:",
	"http://schemas.openxmlformats.org/officeDocument/2006/relationships":     "r:",
	"http://purl.oclc.org/ooxml/officeDocument/relationships":                 "r:",
	"http://schemas.openxmlformats.org/officeDocument/2006/math":              "m:",
	"http://purl.oclc.org/ooxml/officeDocument/math":                          "m:",
	"http://schemas.openxmlformats.org/drawingml/2006/main":                   "a:",
	"http://purl.oclc.org/ooxml/drawingml/main":                               "a:",
	"http://schemas.openxmlformats.org/drawingml/2006/wordprocessingDrawing":  "wp:",
	"http://purl.oclc.org/ooxml/drawingml/wordprocessingDrawing":              "wp:",
	"http://schemas.openxmlformats.org/drawingml/2006/picture":                "pic:",
	"http://purl.oclc.org/ooxml/drawingml/picture":                            "pic:",
	"http://schemas.openxmlformats.org/drawingml/2006/diagram":                "dgm:",
	"http://purl.oclc.org/ooxml/drawingml/diagram":                            "dgm:",
	"http://schemas.microsoft.com/office/drawing/2008/diagram":                "dsp:",
	"http://schemas.openxmlformats.org/drawingml/2006/chart":                  "c:",
	"http://purl.oclc.org/ooxml/drawingml/chart":                              "c:",
	"http://schemas.openxmlformats.org/presentationml/2006/main":              "p:",
	"http://purl.oclc.org/ooxml/presentationml/main":                          "p:",
	"http://schemas.openxmlformats.org/spreadsheetml/2006/main":               "s:",
	"http://purl.oclc.org/ooxml/spreadsheetml/main":                           "s:",
	"http://schemas.openxmlformats.org/drawingml/2006/spreadsheetDrawing":     "xdr:",
	"http://purl.oclc.org/ooxml/drawingml/spreadsheetDrawing":                 "xdr:",
	"http://schemas.microsoft.com/office/spreadsheetml/2018/threadedcomments": "tc:",
	"http://schemas.openxmlformats.org/markup-compatibility/2006":             "mc:",
	"http://schemas.microsoft.com/office/drawing/2010/main":                   "a14:",
	"http://schemas.microsoft.com/office/drawing/2014/chartex":                "cx:",
	"http://schemas.microsoft.com/office/powerpoint/2018/8/main":              "p188:",
	"http://schemas.microsoft.com/office/word/2010/wordml":                    "w14:",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingShape":       "wps:",
	"http://schemas.microsoft.com/office/word/2010/wordprocessingGroup":       "wpg:",
	"urn:schemas-microsoft-com:vml":                                           "v:",
	"urn:schemas-microsoft-com:office:office":                                 "o:",
	"http://schemas.openxmlformats.org/package/2006/metadata/core-properties": "cp:",
	"http://purl.org/dc/elements/1.1/":                                        "dc:",
	"http://purl.org/dc/terms/":                                               "dcterms:",
	"http://schemas.openxmlformats.org/package/2006/relationships":            "",
	"http://schemas.openxmlformats.org/package/2006/content-types":            "",
	"http://www.w3.org/XML/1998/namespace":                                    "xml:",
}

func customary(n xml.Name) string {
	if n.Space == "" {
		return n.Local
	}
	if p, ok := prefixes[n.Space]; ok {
		return p + n.Local
	}
	return "?:" + n.Local
}

// A Reader reads the XML of one part element by element, so that a large
// part need not be in memory as one tree.
type Reader struct {
	d      *xml.Decoder
	in     *bounded
	c      io.Closer
	part   string
	limits Limits
	depth  int
}

// Reader opens a part; Close it at the end.
func (p *Package) Reader(part string) (*Reader, error) {
	f, ok := p.parts[partKey(part)]
	if !ok {
		return nil, fmt.Errorf("%w %q", ErrMissing, part)
	}
	r, err := p.open(f)
	if err != nil {
		return nil, err
	}
	buffered := bufio.NewReaderSize(r, 32<<10)
	var in io.Reader = buffered
	if head, _ := buffered.Peek(4); isUTF16(head) {
		data, err := io.ReadAll(buffered)
		if err != nil {
			r.Close()
			return nil, err
		}
		in = strings.NewReader(fromUTF16(data))
	} else if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(3)
	}
	bound := &bounded{Reader: bufio.NewReaderSize(in, 4096)}
	d := xml.NewDecoder(bound)
	d.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf") {
			return input, nil // already UTF-8
		}
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return enc.NewDecoder().Reader(input), nil
	}
	return &Reader{d: d, in: bound, c: r, part: part, limits: p.limits}, nil
}

// Bounds of what is in memory at once, in bytes: of one tag or text, whose
// decoding takes several times as much, and of all in one tree.
const (
	maxToken = 16 << 20
	maxTree  = 128 << 20
)

// bounded is a byte reader that ends a token that is too long. The decoder
// takes single bytes from it, so that it is where the decoder is.
type bounded struct {
	*bufio.Reader
	used int
}

func (b *bounded) ReadByte() (byte, error) {
	if b.used++; b.used > maxToken {
		return 0, &LimitError{"bytes of one XML text", maxToken}
	}
	return b.Reader.ReadByte()
}

// Read serves the decoders of other charsets.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.Reader.Read(p)
	if b.used += n; b.used > maxToken {
		return 0, &LimitError{"bytes of one XML text", maxToken}
	}
	return n, err
}

// Close frees what the reader holds. It is not needed after an error or the end, but harmless.
func (r *Reader) Close() { _ = r.c.Close() }

func little(b []byte) bool { return b[0] == 0xff && b[1] == 0xfe || b[0] == '<' && b[1] == 0 }

func isUTF16(head []byte) bool {
	return len(head) >= 4 && (little(head) || head[0] == 0xfe && head[1] == 0xff || head[0] == 0 && head[1] == '<')
}

func fromUTF16(data []byte) string {
	swap := little(data)
	units := make([]uint16, len(data)/2)
	for i := range units {
		a, b := uint16(data[2*i]), uint16(data[2*i+1])
		if swap {
			a, b = b, a
		}
		units[i] = a<<8 | b
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff")
}

// token returns the next token that matters, or io.EOF.
func (r *Reader) token() (xml.Token, error) {
	for {
		r.in.used = 0
		t, err := r.d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) && r.depth == 0 {
				return nil, io.EOF
			}
			var limit *LimitError
			if errors.As(err, &limit) {
				return nil, limit
			}
			return nil, fmt.Errorf("%w: malformed XML in %s: %v", ErrDamaged, r.part, err)
		}
		switch t := t.(type) {
		case xml.Directive:
			return nil, fmt.Errorf("%w: %s declares a document type (DTD), which may define entities", ErrDamaged, r.part)
		case xml.StartElement:
			if r.depth++; r.depth > r.limits.Depth {
				return nil, &LimitError{"nesting depth of elements", int64(r.limits.Depth)}
			}
			return t, nil
		case xml.EndElement:
			r.depth--
			return t, nil
		case xml.CharData:
			return t, nil
		}
	}
}

// Next returns the next start element without its content, or io.EOF at the
// end of the element that is open or of the part.
func (r *Reader) Next() (*Node, error) {
	for {
		t, err := r.token()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return element(t), nil
		case xml.EndElement:
			return nil, io.EOF
		}
	}
}

func element(t xml.StartElement) *Node {
	n := &Node{Name: customary(t.Name)}
	if len(t.Attr) > 0 {
		n.attrs = make([]xml.Attr, 0, len(t.Attr))
		for _, a := range t.Attr {
			if a.Name.Space != "xmlns" {
				n.attrs = append(n.attrs, xml.Attr{Name: xml.Name{Local: customary(a.Name)}, Value: a.Value})
			}
		}
	}
	return n
}

// Fill reads the content of n, which Next just returned, into its Children.
func (r *Reader) Fill(n *Node) error {
	count, size := 0, 0
	stack := []*Node{n}
	for len(stack) > 0 {
		t, err := r.token()
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: %s ends early", ErrDamaged, r.part)
		}
		if err != nil {
			return err
		}
		if count++; count > r.limits.Nodes {
			return &LimitError{"XML elements in one block", int64(r.limits.Nodes)}
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			c := element(t)
			for _, a := range c.attrs {
				size += len(a.Value)
			}
			top.Children = append(top.Children, c)
			stack = append(stack, c)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			// White space between elements is layout of the XML file; in leaves it is text.
			if size += len(t); size > maxTree {
				return &LimitError{"bytes of XML in one block", maxTree}
			}
			if s := string(t); strings.TrimSpace(s) != "" || strings.HasSuffix(top.Name, ":t") {
				top.Children = append(top.Children, &Node{Text: s})
			}
		}
	}
	return nil
}

// Skip passes over the content of the element that Next just returned.
func (r *Reader) Skip() error {
	for depth := 1; depth > 0; {
		t, err := r.token()
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: %s ends early", ErrDamaged, r.part)
		}
		if err != nil {
			return err
		}
		switch t.(type) {
		case xml.StartElement:
			depth++
		case xml.EndElement:
			depth--
		}
	}
	return nil
}

// Tree returns the root element of a part with all its content.
func (p *Package) Tree(part string) (*Node, error) {
	r, err := p.Reader(part)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	root, err := r.Next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: %s is empty", ErrDamaged, part)
	}
	if err != nil {
		return nil, err
	}
	return root, r.Fill(root)
}
