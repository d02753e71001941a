// Package xmlread reads the XML of documents: as a stream of elements, each of
// which can be read whole, within bounds on depth, number and size.
//
// Entities that a document defines are never expanded and nothing outside of
// it is looked at. It imports the standard library, internal/limit and golang.org/x/text only.
// A Reader is for one goroutine.
package xmlread

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

	"github.com/minirag/minirag/internal/limit"
)

// ErrDamaged says that the bytes are not well-formed XML.
var ErrDamaged = errors.New("malformed XML")

// A LimitError says which limit was met.
type LimitError = limit.Error

// Options say how to read. Depth and Nodes must be positive.
type Options struct {
	Depth int // nesting of elements
	Nodes int // elements and texts read into trees between two calls of Next
	// Text bounds the bytes of one text or tag, whose decoding takes several times as much. 0 means 64 MiB.
	Text int
	// Tree bounds the bytes of all texts and attributes in one tree. 0 means as Text.
	Tree int
	// Prefix gives the prefix for a namespace, such as "text:"; nil means none
	// for all. It must give the same each time: a Reader remembers some names.
	Prefix func(namespace string) string
	// Blank reports whether white space alone is text in the element called
	// name, and not layout of the XML; nil means that it is in all.
	Blank func(name string) bool
	// NoDoctype refuses documents that declare a document type.
	NoDoctype bool
}

// A Reader reads one XML document.
type Reader struct {
	d     *xml.Decoder
	in    *bounded
	o     Options
	depth int
	err   error               // found before reading
	names map[xml.Name]string // what name gave for a few names
}

// New returns a reader of what r gives. UTF-16 is recognised, other character
// sets are taken as declared. Errors of r are returned as they are.
func New(r io.Reader, o Options) *Reader {
	if o.Text == 0 {
		o.Text = 64 << 20
	}
	if o.Tree == 0 {
		o.Tree = o.Text
	}
	buffered := bufio.NewReaderSize(r, 32<<10)
	x := &Reader{in: &bounded{r: buffered, max: o.Text}, o: o}
	if head, _ := buffered.Peek(4); isUTF16(head) {
		data, err := io.ReadAll(buffered)
		x.err = err
		x.in.r = bufio.NewReader(strings.NewReader(fromUTF16(data)))
	} else if bytes.HasPrefix(head, []byte("\xef\xbb\xbf")) {
		_, _ = buffered.Discard(3)
	}
	x.d = xml.NewDecoder(x.in)
	x.d.Entity = xml.HTMLEntity
	x.d.CharsetReader = func(label string, input io.Reader) (io.Reader, error) {
		if strings.HasPrefix(strings.ToLower(label), "utf") {
			return input, nil // already UTF-8
		}
		enc, err := htmlindex.Get(label)
		if err != nil {
			return nil, err
		}
		return enc.NewDecoder().Reader(input), nil
	}
	return x
}

// bounded is a byte reader that ends a token that is too long. The decoder
// takes single bytes from it, so that it is where the decoder is.
type bounded struct {
	r         *bufio.Reader
	used, max int
	err       error // of the source, or the limit
}

func (b *bounded) ReadByte() (byte, error) {
	if b.used++; b.used > b.max {
		return 0, b.over()
	}
	c, err := b.r.ReadByte()
	if err != nil && err != io.EOF {
		b.err = err
	}
	return c, err
}

// Read serves the decoders of other charsets.
func (b *bounded) Read(p []byte) (int, error) {
	n, err := b.r.Read(p)
	if b.used += n; b.used > b.max {
		return 0, b.over()
	}
	if err != nil && err != io.EOF {
		b.err = err
	}
	return n, err
}

func (b *bounded) over() error {
	b.err = &LimitError{What: "bytes of one XML text", Max: int64(b.max)}
	return b.err
}

func little(b []byte) bool { return b[0] == 0xff && b[1] == 0xfe || b[0] == '<' && b[1] == 0 }

func isUTF16(head []byte) bool {
	return len(head) >= 4 && (little(head) || head[0] == 0xfe && head[1] == 0xff || head[0] == 0 && head[1] == '<')
}

func fromUTF16(data []byte) string {
	if len(data) < 2 {
		return ""
	}
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
	if r.err != nil {
		return nil, r.err
	}
	for {
		r.in.used = 0
		t, err := r.d.Token()
		switch {
		case err == nil:
		case r.in.err != nil:
			return nil, r.in.err
		case errors.Is(err, io.EOF) && r.depth == 0:
			return nil, io.EOF
		default:
			return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
		}
		switch t := t.(type) {
		case xml.Directive:
			if r.o.NoDoctype {
				return nil, fmt.Errorf("%w: it declares a document type (DTD), which may define entities", ErrDamaged)
			}
		case xml.StartElement:
			if r.depth++; r.depth > r.o.Depth {
				return nil, &LimitError{What: "nesting depth of elements", Max: int64(r.o.Depth)}
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
// end of the element that is open or of the document. Text in between is skipped.
func (r *Reader) Next() (*Node, error) {
	for {
		t, err := r.token()
		if err != nil {
			return nil, err
		}
		switch t := t.(type) {
		case xml.StartElement:
			return r.element(t), nil
		case xml.EndElement:
			return nil, io.EOF
		}
	}
}

func (r *Reader) name(n xml.Name) string {
	if r.o.Prefix == nil || n.Space == "" {
		return n.Local
	}
	if name, ok := r.names[n]; ok {
		return name
	}
	name := r.o.Prefix(n.Space) + n.Local
	if len(r.names) < maxNames && len(n.Space)+len(n.Local) < 200 {
		if r.names == nil {
			r.names = map[xml.Name]string{}
		}
		r.names[n] = name
	}
	return name
}

// maxNames bounds the names that are remembered. The formats have some hundred.
const maxNames = 1000

func (r *Reader) element(t xml.StartElement) *Node {
	n := &Node{Name: r.name(t.Name)}
	if len(t.Attr) > 0 {
		n.Attrs = make([]Attr, 0, len(t.Attr))
		for _, a := range t.Attr {
			if a.Name.Space != "xmlns" && (a.Name.Space != "" || a.Name.Local != "xmlns") {
				n.Attrs = append(n.Attrs, Attr{r.name(a.Name), a.Value})
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
		t, err := r.inside()
		if err != nil {
			return err
		}
		if count++; count > r.o.Nodes {
			return &LimitError{What: "XML elements in one block", Max: int64(r.o.Nodes)}
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			c := r.element(t)
			for _, a := range c.Attrs {
				size += len(a.Value)
			}
			top.Children = append(top.Children, c)
			stack = append(stack, c)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			size += len(t)
			if s := string(t); r.o.Blank == nil || strings.TrimSpace(s) != "" || r.o.Blank(top.Name) {
				top.Children = append(top.Children, &Node{Text: s})
			}
		}
		if size > r.o.Tree {
			return &LimitError{What: "bytes of XML in one block", Max: int64(r.o.Tree)}
		}
	}
	return nil
}

// inside is token within an element, where the end of the data is damage.
func (r *Reader) inside() (xml.Token, error) {
	t, err := r.token()
	if errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: it ends early", ErrDamaged)
	}
	return t, err
}

// Skip passes over the content of the element that Next just returned.
func (r *Reader) Skip() error {
	for depth := 1; depth > 0; {
		t, err := r.inside()
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

// Root returns the root element with all its content.
func (r *Reader) Root() (*Node, error) {
	root, err := r.Next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return root, r.Fill(root)
}

// Tree returns the root element of data with all its content.
func Tree(data []byte, o Options) (*Node, error) { return New(bytes.NewReader(data), o).Root() }
