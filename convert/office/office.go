// Package office converts Office Open XML documents to Markdown: Word
// (DOCX), PowerPoint (PPTX) and Excel (XLSX).
//
// It reads the parts itself, on internal/ooxml, in the order in which a person
// reads the document: headings by style and outline level, automatic numbers
// as Word shows them, lists, tables, text boxes, content controls, notes and comments where
// they are referred to, tracked changes as accepted, equations as LaTeX, and
// headers and footers once at the end; slides with their shapes from the top
// and from the left, charts as tables and notes; sheets with their tables as
// displayed. It imports convert, internal/ooxml, internal/numfmt and internal/mdtext.
package office

import (
	"context"
	"errors"
	"fmt"
	"regexp"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/ooxml"
)

// Options configures the converters of this package. The zero value of each
// field is its default.
type Options struct {
	// Embedded converts documents that are embedded as text, such as the HTML
	// parts of a DOCX ("altChunk"). Default: none, and a warning says what was left out.
	Embedded convert.Converter
}

// Formats returns the formats of this package; opts may be nil.
func Formats(opts *Options) []convert.Format {
	const vendor, macro = "application/vnd.openxmlformats-officedocument.", "application/vnd.ms-"
	format := func(name string, c convert.Converter, sync bool, media []string, extensions ...string) convert.Format {
		return convert.Format{Name: name, Extensions: extensions, MediaTypes: media, Content: convert.Zip, Sync: sync, Converter: c}
	}
	docx, pptx, xlsx := NewDOCX(opts), NewPPTX(opts), NewXLSX(opts)
	return []convert.Format{
		format("docx", docx, true, []string{vendor + "wordprocessingml.document"}, ".docx"),
		format("pptx", pptx, true, []string{vendor + "presentationml.presentation"}, ".pptx"),
		format("xlsx", xlsx, true, []string{vendor + "spreadsheetml.sheet"}, ".xlsx"),
		// The same with macros, and templates: read when they are named.
		format("docx", docx, false, []string{macro + "word.document.macroenabled.12", vendor + "wordprocessingml.template"}, ".docm", ".dotx", ".dotm"),
		format("pptx", pptx, false, []string{macro + "powerpoint.presentation.macroenabled.12", vendor + "presentationml.slideshow", vendor + "presentationml.template"},
			".pptm", ".ppsx", ".ppsm", ".potx", ".potm"),
		format("xlsx", xlsx, false, []string{macro + "excel.sheet.macroenabled.12", vendor + "spreadsheetml.template"}, ".xlsm", ".xltx", ".xltm"),
	}
}

// maxNodes bounds the XML elements of one block or small part: about 100 MB of memory.
const maxNodes = 1_000_000

func open(src convert.Source, limits convert.Limits) (*ooxml.Package, error) {
	p, err := ooxml.Open(src.Data, ooxml.Limits{
		Entries:  limits.Entries,
		Expanded: limits.ExpandedBytes,
		Depth:    limits.Depth,
		Nodes:    maxNodes,
	})
	return p, wrap(err)
}

// maxRepeated bounds the bytes that one conversion may write again: the text of
// merged cells and of outer categories, which a small file can ask for any number of times.
const maxRepeated = 4 << 20

// A repeater counts them.
type repeater struct{ used int }

// again returns text, or nothing once the bound is met.
func (r *repeater) again(text string) string {
	if r.used+len(text) > maxRepeated {
		return ""
	}
	r.used += len(text)
	return text
}

// wrap turns an error of internal/ooxml into one of package convert.
func wrap(err error) error {
	var limit *ooxml.LimitError
	switch {
	case err == nil, errors.Is(err, context.Canceled), errors.Is(err, context.DeadlineExceeded):
		return err
	case errors.As(err, &limit):
		return &convert.LimitError{What: limit.What, Max: limit.Max}
	case errors.Is(err, ooxml.ErrEncrypted):
		return fmt.Errorf("%w: it is protected by a password", convert.ErrEncrypted)
	case errors.Is(err, ooxml.ErrDamaged), errors.Is(err, ooxml.ErrMissing):
		return fmt.Errorf("%w: %v", convert.ErrDamaged, err)
	}
	return err
}

// properties reads docProps/core.xml into doc.
func properties(p *ooxml.Package, doc *convert.Document) error {
	part, err := p.First("", "core-properties")
	if err != nil || part == "" || !p.Has(part) {
		return err
	}
	root, err := p.Tree(part)
	if err != nil {
		return err
	}
	meta := map[string]string{}
	for key, name := range map[string]string{
		"author": "dc:creator", "subject": "dc:subject", "description": "dc:description", "keywords": "cp:keywords",
		"category": "cp:category", "language": "dc:language", "created": "dcterms:created", "modified": "dcterms:modified",
	} {
		if v := strings.TrimSpace(convert.Normalize(root.Child(name).String())); v != "" {
			meta[key] = v
		}
	}
	if title := convert.OneLine(convert.Normalize(root.Child("dc:title").String())); realTitle(title) {
		doc.Title = title
	}
	if len(meta) > 0 {
		doc.Metadata = meta
	}
	return nil
}

// What programs put into the title when nobody wrote one: a file name, or the name of the program.
var noTitle = regexp.MustCompile(`(?i)^(untitled|title|document|documento|dokument|документ|без названия|название|microsoft word( document)?|word document|powerpoint presentation|презентация powerpoint|slide \d+|\w*\d*)\s*\d*$` +
	`|^microsoft (word|powerpoint|excel) - |\.(docx?|dotx?|pptx?|xlsx?|rtf|odt|tmp|pdf)$|^https?://|^[A-Z]:\\`)

// realTitle reports whether a person could have meant s as the title: it has
// letters, more than one word or one of some length.
func realTitle(s string) bool {
	letters := 0
	for _, r := range s {
		if r > 127 || r|0x20 >= 'a' && r|0x20 <= 'z' {
			letters++
		}
	}
	if letters < 3 || len(s) > 300 {
		return false
	}
	// A single plain word is a title only without digits: "Handbook", not "form12".
	if m := noTitle.FindString(s); m != "" {
		return letters == len([]rune(s)) && !noTitleWord[strings.ToLower(s)]
	}
	return true
}

var noTitleWord = map[string]bool{
	"untitled": true, "title": true, "document": true, "documento": true, "dokument": true, "документ": true, "название": true,
}

// mainPart returns the part that the package declares as its document, or the
// one where programs usually put it.
func mainPart(p *ooxml.Package, usual string) (string, error) {
	main, err := p.First("", "officeDocument")
	if err != nil || main != "" && p.Has(main) {
		return main, err
	}
	if !p.Has(usual) {
		return "", fmt.Errorf("%w: the archive has no %s", ooxml.ErrMissing, usual)
	}
	return usual, nil
}
