// Package rtf converts Rich Text Format (version 1.9.1 and before) to Markdown.
//
// The reader is our own: one pass over the tokens with a stack of groups,
// linear in the input. It imports convert, internal/mdtext and
// golang.org/x/text/encoding.
package rtf

import (
	"bytes"
	"context"
	"fmt"
	"slices"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
)

// Formats returns the format of this package.
func Formats() []convert.Format {
	return []convert.Format{{
		Name: "rtf", Extensions: []string{".rtf"}, MediaTypes: []string{"application/rtf", "text/rtf"},
		Content: convert.RTF, Sync: true, Converter: RTF{},
	}}
}

// RTF is a [convert.Converter] for Rich Text Format. It is safe for concurrent use.
type RTF struct{}

var _ convert.Converter = RTF{}

// Convert writes the text with its headings, lists and tables. Notes,
// comments and text boxes stand behind their paragraph, lines of headers and footers once at the end.
func (RTF) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	data := bytes.TrimLeft(bytes.TrimPrefix(src.Data, []byte("\xef\xbb\xbf")), " \t\r\n\x00")
	if !bytes.HasPrefix(data, []byte(`{\rtf`)) {
		return nil, fmt.Errorf("%w: the content does not begin as RTF does", convert.ErrDamaged)
	}
	r := newReader(ctx, data, limits)
	if err := r.read(); err != nil {
		return nil, err
	}
	if r.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	doc := &convert.Document{Markdown: convert.Normalize(r.w.String()), Format: "rtf", Warnings: r.warnings}
	doc.Title = convert.OneLine(convert.Normalize(r.info["title"]))
	for key, v := range r.info {
		if v = convert.OneLine(convert.Normalize(v)); key != "title" && v != "" {
			if doc.Metadata == nil {
				doc.Metadata = map[string]string{}
			}
			doc.Metadata[key] = v
		}
	}
	return doc, nil
}

// read runs over all tokens.
func (r *reader) read() error {
	for steps := 0; r.next(); steps++ {
		switch {
		case steps%4096 == 0 && r.ctx.Err() != nil:
			return r.ctx.Err()
		case r.err != nil:
			return r.err
		case r.w.Full():
			return nil
		}
	}
	if len(r.stack) > 1 {
		r.warnings = append(r.warnings, "the document ends early, so that its last part may be missing")
	}
	for len(r.stack) > 0 {
		r.close()
	}
	r.paragraph()
	r.cur.table = false
	r.endTable()
	r.endList()
	r.notes()
	if len(r.margins) > 0 {
		r.w.Block("---")
		r.w.Block(strings.Join(r.margins, "\n"))
	}
	return r.err
}

// paragraph ends the paragraph of the body that is being gathered.
func (r *reader) paragraph() {
	text := fold(r.body.take())
	marker := r.marker
	r.marker = ""
	if r.cur.table {
		if text != "" {
			r.cell = append(r.cell, text)
		}
		return
	}
	if text == "" {
		r.notes()
		return
	}
	r.endTable()
	level := r.cur.outline
	if s, ok := r.styles[r.cur.style]; ok && level < 0 {
		level = s
	}
	switch {
	case level >= 0 && level < 9:
		r.endList()
		if listNumber(marker) || strings.Contains(marker, ".") {
			text = marker + " " + text
		}
		r.w.Heading(level+1, text)
	case marker != "":
		r.item(marker, text)
	default:
		r.endList()
		r.w.Paragraph(text)
	}
	if len(r.items) == 0 {
		r.notes()
	}
}

// item writes a paragraph that is a list item.
func (r *reader) item(marker, text string) {
	level := r.cur.level
	if len(r.items) > 0 {
		r.w.Tight()
	}
	for n := len(r.items); n > 0 && r.items[n-1] >= level; n-- {
		r.w.Close()
		r.items = r.items[:n-1]
	}
	switch {
	case listNumber(marker):
		marker += " "
	case strings.ContainsFunc(marker, alnum):
		text = marker + " " + text // numbers that Markdown has no list for
		marker = "- "
	default:
		marker = "- "
	}
	r.w.Item(marker)
	r.items = append(r.items, level)
	r.w.Paragraph(text)
}

func (r *reader) endList() {
	if len(r.items) == 0 {
		return
	}
	for range r.items {
		r.w.Close()
	}
	r.items = r.items[:0]
	r.w.Loose()
	r.notes()
}

// notes writes the text boxes, notes and comments of what was written last.
func (r *reader) notes() {
	if r.cur.table || len(r.rows) > 0 {
		return
	}
	for _, s := range r.waiting {
		r.w.Block(s)
	}
	r.waiting = nil
}

func (r *reader) endCell() {
	table := r.cur.table
	r.cur.table = true
	r.paragraph()
	r.cur.table = table
	if len(r.row) >= maxRow {
		return
	}
	r.row = append(r.row, mdtext.Cell(strings.Join(r.cell, " ")))
	r.cell = nil
	if r.cells++; r.cells > r.limits.Cells {
		r.err = &convert.LimitError{What: "cells", Max: int64(r.limits.Cells)}
	}
}

// maxRow bounds the cells of a row; Word has 63.
const maxRow = 4096

func (r *reader) endRow() {
	if len(r.body.b) > 0 || len(r.cell) > 0 {
		r.endCell()
	}
	// A cell that is merged with the one above repeats its text, so that the row is complete.
	if n := len(r.rows); n > 0 {
		above := r.rows[n-1]
		for i := range min(len(r.row), len(r.merged), len(above)) {
			if r.merged[i] && r.row[i] == "" {
				r.row[i] = above[i]
			}
		}
	}
	if slices.ContainsFunc(r.row, func(s string) bool { return s != "" }) {
		r.endList()
		r.rows = append(r.rows, r.row)
	}
	r.row = nil
}

func (r *reader) endTable() {
	if len(r.row) > 0 || len(r.cell) > 0 {
		r.endRow()
	}
	if len(r.rows) == 0 {
		return
	}
	width := 0
	for _, row := range r.rows {
		width = max(width, len(row))
	}
	if width == 1 {
		for _, row := range r.rows {
			r.w.Paragraph(strings.ReplaceAll(row[0], `\|`, "|"))
		}
	} else {
		r.w.Table(r.rows)
	}
	r.rows = nil
	r.notes()
}

// fold collapses white space in each line.
func fold(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.FieldsFunc(l, func(c rune) bool { return c == ' ' || c == '\t' || c == '\r' }), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n ")
}

func alnum(c rune) bool {
	return c >= '0' && c <= '9' || c|0x20 >= 'a' && c|0x20 <= 'z' || c > 0x400 && c < 0x2000
}

// listNumber reports whether s is a number as Markdown's lists have it: "12." or "12)".
func listNumber(s string) bool {
	n := strings.TrimRight(s, ".)")
	return len(s)-len(n) == 1 && n != "" && len(n) < 9 && strings.Trim(n, "0123456789") == ""
}
