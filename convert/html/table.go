package html

import (
	"strconv"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
)

// maxSpan bounds rowspan and colspan; HTML allows 65534 and 1000.
const maxSpan = 1000

// table writes a data table as a pipe table and a table that only arranges
// other blocks as those blocks.
func (r *renderer) table(n *html.Node) {
	r.flush()
	rows := rowsOf(n, nil)
	r.captions(n)
	if !r.inCell && !layout(rows) {
		if grid := r.grid(rows); r.err == nil {
			r.w.Table(grid)
		}
		return
	}
	for _, row := range rows {
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if r.stop() {
				return
			}
			if c.Type == html.ElementNode {
				r.element(c)
			}
			if !r.inCell { // in a cell, a row of an inner table is one line
				r.flush()
			}
		}
		r.flush()
	}
}

func (r *renderer) captions(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Caption {
			r.element(c)
		}
	}
}

// rowsOf appends the rows of table n, not those of tables inside.
func rowsOf(n *html.Node, rows []*html.Node) []*html.Node {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Tr:
			rows = append(rows, c)
		case atom.Thead, atom.Tbody, atom.Tfoot:
			rows = rowsOf(c, rows)
		}
	}
	return rows
}

// layout reports whether a table arranges the page: no header cells, and
// either a single column or blocks that no cell of data has.
func layout(rows []*html.Node) bool {
	width, blocks := 0, false
	for _, row := range rows {
		n := 0
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			n++
			if c.DataAtom == atom.Th {
				return false
			}
		}
		width = max(width, n)
		blocks = blocks || !blocks && arranges(row)
	}
	return width <= 1 || blocks
}

// arranges looks for blocks that a table of data does not hold.
func arranges(row *html.Node) bool {
	paragraphs := 0
	for d := range row.Descendants() {
		switch d.DataAtom {
		case atom.Table, atom.H1, atom.H2, atom.H3, atom.Form, atom.Pre, atom.Article, atom.Section, atom.Blockquote, atom.Hr:
			return true
		case atom.P:
			if paragraphs++; paragraphs > 6 {
				return true
			}
		}
	}
	return false
}

// grid lays the cells out. A cell that spans rows is repeated in each of
// them, so that every row is complete by itself; one that spans columns leaves the others empty.
func (r *renderer) grid(rows []*html.Node) [][]string {
	type hanging struct {
		text string
		rows int
	}
	var grid [][]string
	down := map[int]hanging{}
	for _, row := range rows {
		var line []string
		fill := func() {
			for h, ok := down[len(line)]; ok; h, ok = down[len(line)] {
				if h.rows--; h.rows == 0 {
					delete(down, len(line))
				} else {
					down[len(line)] = h
				}
				line = append(line, h.text)
			}
		}
		for c := row.FirstChild; c != nil; c = c.NextSibling {
			if c.DataAtom != atom.Td && c.DataAtom != atom.Th || r.stop() {
				continue
			}
			fill()
			text := mdtext.Cell(r.cell(c))
			cols, span := spanOf(c, "colspan"), spanOf(c, "rowspan")
			for i := range cols {
				if span > 1 {
					down[len(line)] = hanging{text, span - 1}
				}
				line = append(line, text)
				if i == 0 {
					text = ""
				}
			}
			if *r.cells += cols; *r.cells > r.limits.Cells {
				r.err = &convert.LimitError{What: "cells", Max: int64(r.limits.Cells)}
				return nil
			}
		}
		fill()
		if strings.Join(line, "") != "" {
			grid = append(grid, line)
		}
	}
	return grid
}

func (r *renderer) cell(n *html.Node) string {
	r.inCell = true
	defer func() { r.inCell = false }()
	return r.span(n, n.DataAtom == atom.Th)
}

func spanOf(n *html.Node, key string) int {
	v, err := strconv.Atoi(strings.TrimSpace(attr(n, key)))
	if err != nil || v < 1 {
		return 1
	}
	return min(v, maxSpan)
}
