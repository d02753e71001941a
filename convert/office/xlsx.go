package office

import (
	"context"
	"errors"
	"fmt"
	"io"
	"strconv"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/numfmt"
	"github.com/minirag/minirag/internal/ooxml"
)

// XLSX is a [convert.Converter] for Excel workbooks. It is safe for concurrent use.
type XLSX struct{}

var _ convert.Converter = (*XLSX)(nil)

// NewXLSX returns a converter; opts may be nil.
func NewXLSX(_ *Options) *XLSX { return &XLSX{} }

// Convert reads the sheets in the order of the workbook, each under a heading
// with its name; a hidden one says so in a comment. Memory and time are in
// proportion to the cells that have content, not to the range that a sheet declares.
func (*XLSX) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	p, err := open(src, limits)
	if err != nil {
		return nil, err
	}
	b := &book{ctx: ctx, p: p, limits: limits, w: &mdtext.Writer{Max: limits.OutputBytes}, persons: map[string]string{}, margins: map[string]bool{}}
	doc := &convert.Document{Format: "xlsx"}
	if err := wrap(b.read(doc)); err != nil {
		return nil, err
	}
	if b.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	doc.Markdown = convert.Normalize(b.w.String())
	if b.outside {
		b.warnings = append(b.warnings, "cells outside the grid of a sheet were left out")
	}
	if b.uncalculated > 0 {
		b.warnings = append(b.warnings, strconv.Itoa(b.uncalculated)+" formulas have no stored result and were left empty")
	}
	doc.Warnings = b.warnings
	return doc, nil
}

// book is one conversion.
type book struct {
	ctx      context.Context
	p        *ooxml.Package
	limits   convert.Limits
	w        *mdtext.Writer
	strings  []string
	formats  []*numfmt.Format // by cell style; nil is General
	date1904 bool
	persons  map[string]string // of threaded comments, by id
	warnings []string

	seen         int   // cells so far, empty ones too
	bytes        int64 // of text in cells so far
	outside      bool  // cells outside the grid were left out
	uncalculated int   // formulas without a result
	repeats      repeater
	margins      map[string]bool // page headers and footers that were written
}

func (b *book) warn(what string, err error) {
	b.warnings = append(b.warnings, what+" could not be read: "+err.Error())
}

func (b *book) read(doc *convert.Document) error {
	main, err := mainPart(b.p, "xl/workbook.xml")
	if err != nil {
		return err
	}
	if err := properties(b.p, doc); err != nil {
		b.warn("document properties", err)
	}
	root, err := b.p.Tree(main)
	if err != nil {
		return err
	}
	rels, err := b.p.Rels(main)
	if err != nil {
		return err
	}
	if pr := root.Child("s:workbookPr"); pr != nil {
		b.date1904 = on(pr, "date1904")
	}
	for _, r := range rels {
		if r.External || !b.p.Has(r.Target) {
			continue
		}
		switch r.Type {
		case "sharedStrings":
			err = b.readStrings(r.Target)
		case "styles":
			err = b.readStyles(r.Target)
		case "person":
			err = b.readPersons(r.Target)
		}
		if err != nil {
			return err
		}
	}
	number := 0
	for _, s := range orEmpty(root.Child("s:sheets")).Children {
		if s.Name != "s:sheet" {
			continue
		}
		if number++; number > b.limits.Pages {
			return &convert.LimitError{What: "sheets", Max: int64(b.limits.Pages)}
		}
		name := convert.OneLine(unescape(s.Attr("name")))
		rel := rels[s.Attr("r:id")]
		if rel.External || !b.p.Has(rel.Target) {
			b.warnings = append(b.warnings, "sheet "+strconv.Quote(name)+" is not in the file")
			continue
		}
		state := s.Attr("state")
		if err := b.sheet(name, state == "hidden" || state == "veryHidden", rel); err != nil || b.w.Full() {
			return err
		}
	}
	return nil
}

// readStrings reads the texts that cells refer to by number.
func (b *book) readStrings(part string) error {
	total := int64(0)
	return b.each(part, "s:sst", func(r *ooxml.Reader, n *ooxml.Node) error {
		if n.Name != "s:si" {
			return r.Skip()
		}
		if len(b.strings) >= b.limits.Cells {
			return &convert.LimitError{What: "shared texts", Max: int64(b.limits.Cells)}
		}
		if err := r.Fill(n); err != nil {
			return err
		}
		text := cellString(n)
		if total += int64(len(text)); total > b.limits.OutputBytes {
			return &convert.LimitError{What: "shared texts in bytes", Max: b.limits.OutputBytes}
		}
		b.strings = append(b.strings, text)
		return nil
	})
}

// each calls f for the elements in the root of a part, which must read their content.
func (b *book) each(part, root string, f func(*ooxml.Reader, *ooxml.Node) error) error {
	r, err := b.p.Reader(part)
	if err != nil {
		return err
	}
	defer r.Close()
	n, err := r.Next()
	if errors.Is(err, io.EOF) || err == nil && n.Name != root {
		return fmt.Errorf("%w: %s is not what its name says", ooxml.ErrDamaged, part)
	}
	for count := 0; err == nil; count++ {
		if count%1000 == 0 {
			if err := b.ctx.Err(); err != nil {
				return err
			}
		}
		if n, err = r.Next(); err == nil {
			err = f(r, n)
		}
	}
	if errors.Is(err, io.EOF) {
		return nil
	}
	return err
}

// cellString returns a text with all its runs, without its phonetic guide.
func cellString(n *ooxml.Node) string {
	var s strings.Builder
	for _, c := range orEmpty(n).Children {
		switch c.Name {
		case "s:t":
			s.WriteString(c.String())
		case "s:r":
			for _, t := range c.Children {
				if t.Name == "s:t" {
					s.WriteString(t.String())
				}
			}
		}
	}
	return unescape(s.String())
}

// readStyles reads the number formats of the cell styles.
func (b *book) readStyles(part string) error {
	codes := map[string]*numfmt.Format{}
	return b.each(part, "s:styleSheet", func(r *ooxml.Reader, n *ooxml.Node) error {
		if n.Name != "s:numFmts" && n.Name != "s:cellXfs" {
			return r.Skip()
		}
		if err := r.Fill(n); err != nil {
			return err
		}
		for _, c := range n.Children {
			switch {
			case n.Name == "s:numFmts" && c.Name == "s:numFmt":
				codes[c.Attr("numFmtId")] = numfmt.Parse(c.Attr("formatCode"))
			case n.Name == "s:cellXfs" && c.Name == "s:xf":
				b.formats = append(b.formats, format(codes, c.Attr("numFmtId")))
			}
		}
		return nil
	})
}

// format returns the format with an id, nil for General. Files repeat some
// built-in ones with their code; those of dates that depend on the reader's locale stay built-in.
func format(codes map[string]*numfmt.Format, id string) *numfmt.Format {
	n, err := strconv.Atoi(id)
	if err == nil && (n == 14 || n == 22) {
		return numfmt.Builtin(n)
	}
	if f := codes[id]; f != nil {
		return f
	}
	if err != nil || n == 0 {
		return nil
	}
	f := numfmt.Builtin(n)
	codes[id] = f
	return f
}

func (b *book) readPersons(part string) error {
	root, err := b.p.Tree(part)
	if err != nil {
		return err
	}
	for _, n := range root.Children {
		b.persons[n.Attr("id")] = convert.OneLine(n.Attr("displayName"))
	}
	return nil
}

// value returns what a cell shows, and whether it is data that no header is: a number, date or truth value.
func (b *book) value(c *ooxml.Node) (text string, isNumber bool) {
	v := c.Child("s:v").String()
	var f *numfmt.Format
	if s, err := strconv.Atoi(c.Attr("s")); err == nil && s >= 0 && s < len(b.formats) {
		f = b.formats[s]
	}
	switch c.Attr("t") {
	case "s":
		if i, err := strconv.Atoi(strings.TrimSpace(v)); err == nil && i >= 0 && i < len(b.strings) {
			text = b.strings[i]
		}
	case "inlineStr":
		text = cellString(c.Child("s:is"))
	case "str":
		text = unescape(v)
	case "b":
		switch strings.TrimSpace(v) {
		case "1", "true":
			return "TRUE", true
		case "0", "false":
			return "FALSE", true
		}
		return "", false
	case "e":
		return v, false
	case "d":
		return strings.Replace(strings.TrimSuffix(strings.TrimSuffix(v, "Z"), "T00:00:00"), "T", " ", 1), true
	default:
		if v = strings.TrimSpace(v); v == "" {
			if c.Child("s:f") != nil {
				b.uncalculated++
			}
			return "", false
		}
		number, err := strconv.ParseFloat(v, 64)
		if err != nil {
			return v, false
		}
		if f == nil {
			return numfmt.General(number), true
		}
		return f.Number(number, b.date1904), true
	}
	if f != nil && text != "" {
		text = f.Text(text)
	}
	return text, false
}
