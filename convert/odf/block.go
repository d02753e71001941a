package odf

import (
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/xmlread"
)

// stream writes the blocks of the element that is open, one at a time.
func (c *conversion) stream(r *xmlread.Reader) error {
	for {
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			c.finish()
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.Fill(n); err != nil {
			return err
		}
		if err := c.block(n); err != nil {
			return err
		}
		if c.w.Full() {
			return nil
		}
	}
}

func (c *conversion) blocks(n *xmlread.Node) error {
	if n == nil {
		return nil
	}
	for _, k := range n.Children {
		if err := c.block(k); err != nil {
			return err
		}
	}
	return nil
}

func (c *conversion) block(n *xmlread.Node) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	switch n.Name {
	case "", "text:tracked-changes", "text:table-of-content", "office:forms", "text:sequence-decls", "text:variable-decls", "text:user-field-decls", "office:annotation-end",
		"draw:glue-point", "office:event-listeners", "svg:title", "svg:desc", "presentation:notes", "table:shapes":
		// Declarations, deleted text, and lists of what stands elsewhere.
	case "text:p":
		return c.paragraph(n)
	case "text:h":
		level, err := strconv.Atoi(n.Attr("text:outline-level"))
		if err != nil {
			level = 1
		}
		return c.heading(n, level)
	case "text:list":
		c.endCode()
		return c.list(n, "", 1)
	case "table:table":
		c.endCode()
		return c.table(n)
	case "draw:frame", "draw:text-box", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:polygon", "draw:polyline", "draw:path", "draw:connector",
		"draw:caption", "draw:g", "draw:a", "draw:object", "draw:object-ole", "draw:image", "draw:measure", "draw:regular-polygon":
		return c.shape(n)
	case "office:annotation":
		c.annotation(n)
		c.notes()
	default: // sections, indexes and what is not known
		return c.blocks(n)
	}
	return nil
}

// finish writes what waits for the end of the text.
func (c *conversion) finish() {
	c.endCode()
	c.notes()
}

func (c *conversion) endCode() {
	if c.code != nil {
		c.w.Code("", strings.Join(c.code, "\n"))
		c.code = nil
	}
}

// notes writes the notes and comments of the last block.
func (c *conversion) notes() {
	for _, s := range c.waiting {
		c.w.Block(s)
	}
	c.waiting = nil
}

func (c *conversion) heading(n *xmlread.Node, level int) error {
	c.endCode()
	text := fold(c.inline(n))
	if c.inList > 0 && level < 1 {
		level = 1
	}
	c.w.Heading(level, text)
	return c.after()
}

func (c *conversion) paragraph(n *xmlread.Node) error {
	name := n.Attr("text:style-name")
	text := c.inline(n)
	switch {
	case c.inList == 0 && !c.inNote && c.is(name, "Preformatted Text", "Source Code", "Code") && len(c.boxes) == 0 && len(c.waiting) == 0:
		c.code = append(c.code, strings.TrimRight(text, " \n"))
		return nil
	case c.inList == 0 && !c.inNote && c.is(name, "Title"):
		c.endCode()
		c.w.Heading(1, fold(text))
	default:
		c.endCode()
		c.w.Paragraph(fold(text))
	}
	return c.after()
}

// after writes the text boxes and notes of a paragraph.
func (c *conversion) after() error {
	boxes := c.boxes
	c.boxes = nil
	for _, b := range boxes {
		if err := c.blocks(b); err != nil {
			return err
		}
	}
	if c.inList == 0 {
		c.notes()
	}
	return nil
}

// fold collapses white space in each line.
func fold(s string) string {
	lines := strings.Split(s, "\n")
	for i, l := range lines {
		lines[i] = strings.Join(strings.FieldsFunc(l, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n ")
}

func (c *conversion) list(n *xmlread.Node, styleName string, level int) error {
	if s := n.Attr("text:style-name"); s != "" {
		styleName = s
	}
	ls := c.lists[styleName]
	number, ok := ls.start[level]
	if !ok {
		number = 1
	}
	if c.inList > 0 {
		c.w.Tight()
	}
	c.inList++
	first := true
	for _, item := range n.Children {
		if item.Name != "text:list-item" && item.Name != "text:list-header" {
			continue
		}
		if onlyHeadings(item) { // numbered headings are wrapped in lists
			for _, k := range item.Children {
				if err := c.listed(k, styleName, level); err != nil {
					return err
				}
			}
			continue
		}
		if !first {
			c.w.Tight()
		}
		first = false
		if v, err := strconv.Atoi(item.Attr("text:start-value")); err == nil && v >= 0 {
			number = v
		}
		marker := "- "
		if ls.numbered[level] && item.Name == "text:list-item" {
			marker = strconv.Itoa(number) + ". "
			number++
		}
		c.w.Item(marker)
		for _, k := range item.Children {
			if err := c.listed(k, styleName, level); err != nil {
				return err
			}
		}
		c.w.Close()
	}
	c.w.Loose()
	if c.inList--; c.inList == 0 {
		c.notes()
	}
	return nil
}

func (c *conversion) listed(k *xmlread.Node, styleName string, level int) error {
	if k.Name == "text:list" {
		return c.list(k, styleName, level+1)
	}
	return c.block(k)
}

// onlyHeadings reports whether the item holds headings, perhaps in further lists, and no text.
func onlyHeadings(item *xmlread.Node) bool {
	found := false
	for _, k := range item.Children {
		switch k.Name {
		case "text:h":
			found = true
		case "text:list":
			for _, i := range k.Children {
				if i.Name == "" {
					continue
				}
				if !onlyHeadings(i) {
					return false
				}
				found = true
			}
		case "":
		default:
			return false
		}
	}
	return found
}

// sub returns a reader for a part of the document with a writer of its own.
func (c *conversion) sub() *conversion {
	s := *c
	s.w = &mdtext.Writer{Max: c.limits.OutputBytes}
	s.boxes, s.waiting, s.code, s.inList = nil, nil, nil, 0
	return &s
}

// margins writes the lines of headers and footers once, at the end.
func (c *conversion) margins(n *xmlread.Node) {
	if n == nil {
		return
	}
	var lines []string
	for _, page := range n.Children {
		for _, m := range page.Children {
			if !strings.HasPrefix(m.Name, "style:header") && !strings.HasPrefix(m.Name, "style:footer") {
				continue
			}
			s := c.sub()
			s.inNote = true
			if s.blocks(m) != nil { // only the context can fail here, and is looked at by the caller
				return
			}
			for line := range strings.Lines(s.w.String()) {
				if line = strings.TrimSpace(line); letters(line) >= 4 && !slices.Contains(lines, line) && len(lines) < 100 {
					lines = append(lines, line)
				}
			}
		}
	}
	if len(lines) > 0 {
		c.w.Block("---")
		c.w.Block(strings.Join(lines, "\n"))
	}
}

func letters(s string) int {
	n := 0
	for _, r := range s {
		if r > 127 || r|0x20 >= 'a' && r|0x20 <= 'z' {
			n++
		}
	}
	return n
}

func (c *conversion) countCells(n int) error {
	if *c.cells += n; *c.cells > c.limits.Cells {
		return &convert.LimitError{What: "cells", Max: int64(c.limits.Cells)}
	}
	return nil
}
