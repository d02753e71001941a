// Package markup converts texts in other light markups (reStructuredText, Org
// and AsciiDoc) to Markdown: headings, lists, tables and code take its form,
// comments and instructions to processors are dropped, other text stays.
//
// It imports convert and internal/{charset,mdtext}.
package markup

import (
	"context"
	"fmt"
	"mime"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/mdtext"
)

// Formats returns the formats of this package: reStructuredText, Org and AsciiDoc.
func Formats() []convert.Format {
	return []convert.Format{
		{Name: "rst", Extensions: []string{".rst"}, MediaTypes: []string{"text/x-rst"}, Content: convert.Text, Sync: true, Converter: RST{}},
		{Name: "org", Extensions: []string{".org"}, MediaTypes: []string{"text/org"}, Content: convert.Text, Sync: true, Converter: Org{}},
		{Name: "adoc", Extensions: []string{".adoc", ".asciidoc"}, MediaTypes: []string{"text/asciidoc"}, Content: convert.Text, Sync: true, Converter: AsciiDoc{}},
	}
}

// RST is a [convert.Converter] for reStructuredText. It is safe for concurrent use.
type RST struct{}

// Org is a [convert.Converter] for Org. It is safe for concurrent use.
type Org struct{}

// AsciiDoc is a [convert.Converter] for AsciiDoc. It is safe for concurrent use.
type AsciiDoc struct{}

var (
	_ convert.Converter = RST{}
	_ convert.Converter = Org{}
	_ convert.Converter = AsciiDoc{}
)

// Convert writes the text with the levels of headings in the order in which their marks appear.
func (RST) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	return run(ctx, src, limits, "rst", func(c *conversion, lines []string) error {
		r := &rst{conversion: c, substitutions: map[string]string{}}
		r.define(lines)
		return r.blocks(lines, 0)
	})
}

// Convert writes the text; the title and author lines go into title and metadata.
func (Org) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	return run(ctx, src, limits, "org", func(c *conversion, lines []string) error {
		return (&org{conversion: c}).blocks(lines)
	})
}

// Convert writes the text; attributes of the header go into the metadata.
func (AsciiDoc) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	return run(ctx, src, limits, "adoc", func(c *conversion, lines []string) error {
		return (&adoc{conversion: c, attributes: map[string]string{}}).document(lines)
	})
}

// A conversion is one run.
type conversion struct {
	ctx    context.Context
	limits convert.Limits
	w      mdtext.Writer
	doc    *convert.Document
	cells  int
	steps  int
	// missing are the ends that the rest of the lines being read does not
	// have, so that each is looked for once.
	missing map[string]bool
}

// lost remembers that an end is missing.
func (c *conversion) lost(end string) {
	if c.missing == nil {
		c.missing = map[string]bool{}
	}
	c.missing[end] = true
}

// scope begins lines of their own and returns what ends them.
func (c *conversion) scope() func() {
	outer := c.missing
	c.missing = nil
	return func() { c.missing = outer }
}

func run(ctx context.Context, src convert.Source, limits convert.Limits, format string, read func(*conversion, []string) error) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	_, params, _ := mime.ParseMediaType(src.MediaType)
	text, _, err := charset.Decode(src.Data, params["charset"])
	if err != nil {
		return nil, fmt.Errorf("%w: decode %s: %v", convert.ErrDamaged, format, err)
	}
	c := &conversion{ctx: ctx, limits: limits, doc: &convert.Document{Format: format}}
	c.w.Max = limits.OutputBytes
	lines := strings.Split(strings.TrimRight(convert.Normalize(text), "\n"), "\n")
	for i, l := range lines {
		lines[i] = strings.TrimRight(expand(l), " \t\f")
	}
	if err := read(c, lines); err != nil {
		return nil, err
	}
	if c.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	c.doc.Markdown = convert.Normalize(c.w.String())
	c.doc.Title = convert.OneLine(c.doc.Title)
	return c.doc, nil
}

// expand replaces tabs at the start of a line, where indentation has a meaning.
func expand(l string) string {
	n := len(l) - len(strings.TrimLeft(l, " \t"))
	if n > 200 || !strings.Contains(l[:n], "\t") {
		return l
	}
	col := 0
	for _, c := range l[:n] {
		if c == '\t' {
			col += 8 - col%8
		} else {
			col++
		}
	}
	return strings.Repeat(" ", col) + l[n:]
}

// stop looks at the context now and then.
func (c *conversion) stop() error {
	if c.steps++; c.steps%256 == 0 {
		return c.ctx.Err()
	}
	return nil
}

func (c *conversion) meta(key, value string) {
	if key, value = strings.ToLower(strings.TrimSpace(key)), convert.OneLine(value); key != "" && value != "" && len(c.doc.Metadata) < 100 {
		if c.doc.Metadata == nil {
			c.doc.Metadata = map[string]string{}
		}
		c.doc.Metadata[key] = value
	}
}

func (c *conversion) table(rows [][]string) error {
	for _, r := range rows {
		if c.cells += len(r); c.cells > c.limits.Cells {
			return &convert.LimitError{What: "cells", Max: int64(c.limits.Cells)}
		}
		for i := range r {
			r[i] = mdtext.Cell(r[i])
		}
	}
	c.w.Table(rows)
	return nil
}

func indent(l string) int { return len(l) - len(strings.TrimLeft(l, " ")) }

// indented returns the number of lines from the first that are blank or
// indented by at least n, without blank ones at the end.
func indented(lines []string, n int) int {
	end := 0
	for i, l := range lines {
		if l == "" {
			continue
		}
		if indent(l) < n {
			break
		}
		end = i + 1
	}
	return end
}

// dedent removes the indentation that all lines share.
func dedent(lines []string) []string {
	least := -1
	for _, l := range lines {
		if l != "" && (least < 0 || indent(l) < least) {
			least = indent(l)
		}
	}
	out := make([]string, len(lines))
	for i, l := range lines {
		out[i] = l[min(max(least, 0), len(l)):]
	}
	return out
}
