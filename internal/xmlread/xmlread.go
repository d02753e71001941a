// Package xmlread reads the XML of documents: as a stream of elements, each of
// which can be read whole, within bounds on depth and number.
//
// Entities that a document defines are never expanded and nothing outside of
// it is looked at. It imports the standard library and golang.org/x/text only.
// A Reader is for one goroutine.
package xmlread

import (
	"bytes"
	"encoding/xml"
	"errors"
	"fmt"
	"io"
	"strings"
	"unicode/utf16"

	"golang.org/x/text/encoding/htmlindex"
)

// ErrDamaged says that the bytes are not well-formed XML.
var ErrDamaged = errors.New("malformed XML")

// A LimitError says which limit was met.
type LimitError struct {
	What string
	Max  int64
}

func (e *LimitError) Error() string { return fmt.Sprintf("%s over %d", e.What, e.Max) }

// Options say how to read. Depth and Nodes must be positive.
type Options struct {
	Depth int // nesting of elements
	Nodes int // elements and texts read into trees between two calls of Next
	// Text bounds the bytes of one text or tag, and of all text in one tree,
	// which is in memory several times. 0 means 64 MiB.
	Text int
	// Prefix gives the prefix for a namespace, such as "text:"; nil means none
	// for all. It must give the same each time: a Reader remembers some names.
	Prefix func(namespace string) string
}

// A Node is an element with what is in it, or a text.
type Node struct {
	// Name is the local name behind the prefix of its namespace; empty for text.
	Name     string
	Text     string
	Attrs    []Attr
	Children []*Node
}

// An Attr is an attribute; Name is like that of a [Node].
type Attr struct{ Name, Value string }

// Attr returns the attribute called name, or "".
func (n *Node) Attr(name string) string {
	if n == nil {
		return ""
	}
	for i := range n.Attrs {
		if n.Attrs[i].Name == name {
			return n.Attrs[i].Value
		}
	}
	return ""
}

// Child returns the first child element called name, or nil. n may be nil.
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

// String returns all text in n, which may be nil.
func (n *Node) String() string {
	if n == nil {
		return ""
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

// Find calls f for each element called name below n, in document order. What
// is inside a found element is looked through, too.
func (n *Node) Find(name string, f func(*Node)) {
	if n == nil {
		return
	}
	for _, c := range n.Children {
		if c.Name == name {
			f(c)
		}
		c.Find(name, f)
	}
}

// A Reader reads one XML document.
type Reader struct {
	d     *xml.Decoder
	o     Options
	depth int
	err   error               // found before reading
	names map[xml.Name]string // what name gave for a few names
}

// New returns a reader of data. UTF-16 is recognised, other character sets
// are taken as declared.
func New(data []byte, o Options) *Reader {
	data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
	if s, ok := fromUTF16(data); ok {
		data = []byte(s)
	}
	d := xml.NewDecoder(bytes.NewReader(data))
	d.Entity = xml.HTMLEntity
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
	if o.Text == 0 {
		o.Text = 64 << 20
	}
	r := &Reader{d: d, o: o}
	if longest(data) > o.Text {
		r.err = &LimitError{"bytes of one text in XML", int64(o.Text)}
	}
	return r
}

// longest returns the length of the longest run without "<".
func longest(data []byte) int {
	n := 0
	for len(data) > n {
		i := bytes.IndexByte(data, '<')
		if i < 0 {
			return max(n, len(data))
		}
		n = max(n, i)
		data = data[i+1:]
	}
	return n
}

func fromUTF16(data []byte) (string, bool) {
	if len(data) < 4 {
		return "", false
	}
	little := data[0] == 0xff && data[1] == 0xfe || data[0] == '<' && data[1] == 0
	big := data[0] == 0xfe && data[1] == 0xff || data[0] == 0 && data[1] == '<'
	if !little && !big {
		return "", false
	}
	units := make([]uint16, len(data)/2)
	for i := range units {
		a, b := uint16(data[2*i]), uint16(data[2*i+1])
		if little {
			a, b = b, a
		}
		units[i] = a<<8 | b
	}
	return strings.TrimPrefix(string(utf16.Decode(units)), "\ufeff"), true
}

func (r *Reader) token() (xml.Token, error) {
	if r.err != nil {
		return nil, r.err
	}
	for {
		t, err := r.d.Token()
		if err != nil {
			if errors.Is(err, io.EOF) && r.depth == 0 {
				return nil, io.EOF
			}
			return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
		}
		switch t := t.(type) {
		case xml.StartElement:
			if r.depth++; r.depth > r.o.Depth {
				return nil, &LimitError{"nesting depth of elements", int64(r.o.Depth)}
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
		t, err := r.token()
		if errors.Is(err, io.EOF) {
			err = fmt.Errorf("%w: it ends early", ErrDamaged)
		}
		if err != nil {
			return err
		}
		if count++; count > r.o.Nodes {
			return &LimitError{"XML elements in one block", int64(r.o.Nodes)}
		}
		top := stack[len(stack)-1]
		switch t := t.(type) {
		case xml.StartElement:
			c := r.element(t)
			top.Children = append(top.Children, c)
			stack = append(stack, c)
		case xml.EndElement:
			stack = stack[:len(stack)-1]
		case xml.CharData:
			if size += len(t); size > r.o.Text {
				return &LimitError{"bytes of text in one block", int64(r.o.Text)}
			}
			top.Children = append(top.Children, &Node{Text: string(t)})
		}
	}
	return nil
}

// Tree returns the root element of data with all its content.
func Tree(data []byte, o Options) (*Node, error) {
	r := New(data, o)
	root, err := r.Next()
	if errors.Is(err, io.EOF) {
		return nil, fmt.Errorf("%w: it is empty", ErrDamaged)
	}
	if err != nil {
		return nil, err
	}
	return root, r.Fill(root)
}
