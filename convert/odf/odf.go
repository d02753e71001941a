// Package odf converts OpenDocument files (ODF 1.0 to 1.4: texts, spreadsheets
// and presentations) to Markdown.
//
// The reader is our own and streams the content: blocks of a text, rows of a
// sheet and slides are read one at a time. It imports convert and
// internal/{mdtext,xmlread,zipfile}.
package odf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"regexp"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/xmlread"
	"github.com/minirag/minirag/internal/zipfile"
)

// Formats returns the formats of this package: texts, spreadsheets and presentations.
func Formats() []convert.Format {
	const media = "application/vnd.oasis.opendocument."
	format := func(name, kind string) convert.Format {
		return convert.Format{Name: name, Extensions: []string{"." + name}, MediaTypes: []string{media + kind}, Content: convert.Zip, Sync: true, Converter: ODF{}}
	}
	return []convert.Format{format("odt", "text"), format("ods", "spreadsheet"), format("odp", "presentation")}
}

// ODF is a [convert.Converter] for OpenDocument files. What a file holds is
// found from its content. It is safe for concurrent use.
type ODF struct{}

var _ convert.Converter = ODF{}

// maxNodes bounds the elements of one block, which is in memory as a tree.
const maxNodes = 2_000_000

// Convert writes the body of the document. The title and the metadata are
// those of meta.xml. Deleted text that tracked changes keep is left out, comments are marked.
func (ODF) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	z, err := zipfile.Open(src.Data, limits.Entries, limits.ExpandedBytes)
	if err != nil {
		return nil, wrap(err)
	}
	c := &conversion{ctx: ctx, z: z, limits: limits, cells: new(int), label: new(int), styles: map[string]style{}, lists: map[string]listStyle{}}
	c.w = &mdtext.Writer{Max: limits.OutputBytes}
	doc := &convert.Document{}
	if err := c.read(doc); err != nil {
		return nil, wrap(err)
	}
	if c.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	doc.Markdown = convert.Normalize(c.w.String())
	doc.Warnings = c.warnings
	return doc, nil
}

// wrap turns errors of the internal packages into those of package convert.
func wrap(err error) error {
	var zl *zipfile.LimitError
	var xl *xmlread.LimitError
	switch {
	case errors.As(err, &zl):
		return &convert.LimitError{What: zl.What, Max: zl.Max}
	case errors.As(err, &xl):
		return &convert.LimitError{What: xl.What, Max: xl.Max}
	case errors.Is(err, zipfile.ErrEncrypted):
		return fmt.Errorf("%w: %v", convert.ErrEncrypted, err)
	case errors.Is(err, zipfile.ErrDamaged), errors.Is(err, zipfile.ErrMissing), errors.Is(err, xmlread.ErrDamaged):
		return fmt.Errorf("%w: read OpenDocument: %v", convert.ErrDamaged, err)
	}
	return err
}

// A conversion is one run. Readers of notes and text boxes share all but the writer.
type conversion struct {
	ctx      context.Context
	z        *zipfile.Archive
	limits   convert.Limits
	styles   map[string]style
	lists    map[string]listStyle
	cells    *int // table cells so far
	label    *int // of the last note
	warnings []string

	w       *mdtext.Writer
	boxes   []*xmlread.Node // text boxes of the paragraph being read
	waiting []string        // notes and comments to be written after the block
	code    []string        // lines of the code block being gathered
	inNote  bool
	inList  int
}

var namespace = regexp.MustCompile(`^urn:oasis:names:tc:opendocument:xmlns:(?:xsl-fo-compatible|svg-compatible|([a-z]+)):\d`)

// prefix gives the customary prefix of a namespace.
func prefix(space string) string {
	switch {
	case strings.HasPrefix(space, "http://purl.org/dc/elements/"):
		return "dc:"
	case space == "http://www.w3.org/1999/xlink":
		return "xlink:"
	case space == "http://www.w3.org/1998/Math/MathML":
		return "math:"
	case strings.HasPrefix(space, "urn:oasis:names:tc:opendocument:xmlns:xsl-fo-compatible:"):
		return "fo:"
	case strings.HasPrefix(space, "urn:oasis:names:tc:opendocument:xmlns:svg-compatible:"):
		return "svg:"
	case strings.HasPrefix(space, "http://openoffice.org/2000/"): // before the standard
		return space[len("http://openoffice.org/2000/"):] + ":"
	}
	if m := namespace.FindStringSubmatch(space); m != nil && m[1] != "" {
		if m[1] == "drawing" {
			return "draw:"
		}
		return m[1] + ":"
	}
	return "?:"
}

func (c *conversion) reader(name string) (*xmlread.Reader, error) {
	in, err := c.z.Open(name)
	if err != nil {
		return nil, err
	}
	// It needs no closing: the archive is in memory.
	return xmlread.New(in, xmlread.Options{Depth: c.limits.Depth, Nodes: maxNodes, Prefix: prefix}), nil
}

func (c *conversion) tree(name string) (*xmlread.Node, error) {
	r, err := c.reader(name)
	if err != nil {
		return nil, err
	}
	root, err := r.Next()
	if err != nil {
		return nil, fmt.Errorf("%s: %w", name, noEOF(err))
	}
	if err := r.Fill(root); err != nil {
		return nil, fmt.Errorf("%s: %w", name, err)
	}
	return root, nil
}

// noEOF makes the end of the data, where an element was due, an error of its own.
func noEOF(err error) error {
	if errors.Is(err, io.EOF) {
		return fmt.Errorf("%w: it is empty", xmlread.ErrDamaged)
	}
	return err
}

func (c *conversion) read(doc *convert.Document) error {
	if err := c.encrypted(); err != nil {
		return err
	}
	// Broken properties and styles are no reason to lose the text.
	if c.z.Has("meta.xml") {
		if root, err := c.tree("meta.xml"); err == nil {
			properties(root, doc)
		} else {
			c.warnings = append(c.warnings, fmt.Sprintf("document properties could not be read: %v", err))
		}
	}
	var margins *xmlread.Node
	if c.z.Has("styles.xml") {
		if root, err := c.tree("styles.xml"); err == nil {
			c.readStyles(root.Child("office:styles"))
			c.readStyles(root.Child("office:automatic-styles"))
			margins = root.Child("office:master-styles")
		} else {
			c.warnings = append(c.warnings, fmt.Sprintf("styles could not be read: %v", err))
		}
	}
	r, err := c.reader("content.xml")
	if err != nil {
		return err
	}
	if _, err := r.Next(); err != nil {
		return noEOF(err)
	}
	for {
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			return fmt.Errorf("%w: content.xml has no body", xmlread.ErrDamaged)
		}
		if err != nil {
			return err
		}
		if n.Name == "office:body" {
			return c.body(r, doc, margins)
		}
		if err := r.Fill(n); err != nil {
			return err
		}
		if n.Name == "office:automatic-styles" {
			c.readStyles(n)
		}
	}
}

func (c *conversion) body(r *xmlread.Reader, doc *convert.Document, margins *xmlread.Node) error {
	n, err := r.Next()
	if err != nil {
		return noEOF(err)
	}
	switch n.Name {
	case "office:spreadsheet":
		doc.Format = "ods"
		return c.sheets(r)
	case "office:presentation", "office:drawing":
		doc.Format = "odp"
		return c.slides(r)
	}
	doc.Format = "odt"
	if err := c.stream(r); err != nil {
		return err
	}
	c.margins(margins)
	return nil
}

// encrypted looks for encryption in the manifest.
func (c *conversion) encrypted() error {
	const manifest = "META-INF/manifest.xml"
	sealed := c.z.Has("encrypted-package")
	if c.z.Has(manifest) && !sealed {
		root, err := c.tree(manifest)
		if err != nil {
			return nil // the content tells more
		}
		root.Find("manifest:file-entry", func(n *xmlread.Node) {
			sealed = sealed || n.Child("manifest:encryption-data") != nil && n.Attr("manifest:full-path") == "content.xml"
		})
	}
	if sealed {
		return fmt.Errorf("%w: it is protected by a password", convert.ErrEncrypted)
	}
	return nil
}

func properties(root *xmlread.Node, doc *convert.Document) {
	meta := root.Child("office:meta")
	if meta == nil {
		return
	}
	values := map[string]string{}
	for _, n := range meta.Children {
		key := map[string]string{
			"dc:creator": "author", "meta:initial-creator": "author", "dc:subject": "subject", "dc:description": "description", "meta:keyword": "keywords",
			"dc:language": "language", "meta:creation-date": "created", "dc:date": "modified",
		}[n.Name]
		v := convert.OneLine(convert.Normalize(n.String()))
		switch {
		case v == "":
		case n.Name == "dc:title":
			if realTitle(v) {
				doc.Title = v
			}
		case key == "keywords" && values[key] != "":
			values[key] += ", " + v
		case key == "author" && n.Name == "dc:creator" && values[key] != "": // the last editor, not the author
		case key != "":
			values[key] = v
		}
	}
	if len(values) > 0 {
		doc.Metadata = values
	}
}

// noTitle is what programs put there when nobody wrote a title.
var noTitle = regexp.MustCompile(`(?i)^(untitled|title|document|presentation|powerpoint presentation|slide|документ|без названия|презентация)?\W*\d*$|\.(docx?|pptx?|xlsx?|rtf|od[tsp])$`)

func realTitle(s string) bool { return len(s) <= 300 && !noTitle.MatchString(s) }
