package ooxml

import (
	"errors"
	"fmt"
	"io"
	"strings"

	"github.com/minirag/minirag/internal/xmlread"
)

// A Node is an element of a part's XML with the text and elements in it. Its
// name is the local name behind the customary prefix of its namespace, such as "w:p", whatever prefix
// the document uses; empty for text.
type Node = xmlread.Node

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

func prefix(namespace string) string {
	if p, ok := prefixes[namespace]; ok {
		return p
	}
	return "?:"
}

// Bounds of what is in memory at once, in bytes: of one tag or text, and of all in one tree.
const (
	maxToken = 16 << 20
	maxTree  = 128 << 20
)

// A Reader reads the XML of one part element by element, so that a large
// part need not be in memory as one tree.
type Reader struct {
	r    *xmlread.Reader
	c    io.Closer
	part string
}

// Reader opens a part; Close it at the end.
func (p *Package) Reader(part string) (*Reader, error) {
	c, err := p.z.Open(part)
	if err != nil {
		return nil, own(err)
	}
	return &Reader{part: part, c: c, r: xmlread.New(c, xmlread.Options{
		Depth: p.limits.Depth, Nodes: p.limits.Nodes, Text: maxToken, Tree: maxTree, Prefix: prefix, NoDoctype: true,
		// White space between elements is layout of the XML file; in leaves it is text.
		Blank: func(name string) bool { return strings.HasSuffix(name, ":t") },
	})}, nil
}

// Close frees what the reader holds. It is not needed after an error or the end, but harmless.
func (r *Reader) Close() { _ = r.c.Close() }

func (r *Reader) own(err error) error {
	if errors.Is(err, xmlread.ErrDamaged) {
		return fmt.Errorf("%w: %s: %v", ErrDamaged, r.part, err)
	}
	return own(err)
}

// Next returns the next start element without its content, or io.EOF at the
// end of the element that is open or of the part.
func (r *Reader) Next() (*Node, error) {
	n, err := r.r.Next()
	return n, r.own(err)
}

// Fill reads the content of n, which Next just returned, into its Children.
func (r *Reader) Fill(n *Node) error { return r.own(r.r.Fill(n)) }

// Skip passes over the content of the element that Next just returned.
func (r *Reader) Skip() error { return r.own(r.r.Skip()) }

// Tree returns the root element of a part with all its content.
func (p *Package) Tree(part string) (*Node, error) {
	r, err := p.Reader(part)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	root, err := r.r.Root()
	return root, r.own(err)
}
