package odf

import (
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/xmlread"
)

// maxColumns is the number of columns that a sheet has in the programs that
// write them; wider repeats only fill the sheet up to its edge.
const maxColumns = 16384

// repeat reads an attribute that counts, which is 1 when it is not there.
func repeat(n *xmlread.Node, key string) int {
	v, err := strconv.Atoi(n.Attr(key))
	if err != nil || v < 1 {
		return 1
	}
	return v
}

// A grid lays out the cells of a table row by row. A cell that spans rows is
// repeated in each of them, so that every row is complete by itself; one that
// spans columns leaves the others empty.
type grid struct {
	c    *conversion
	down map[int]hanging
}

type hanging struct {
	text string
	rows int
}

// row returns the texts of a row's cells without empty ones at the end.
func (g *grid) row(n *xmlread.Node) ([]string, error) {
	var line []string
	empty := 0 // cells that only count when a full one follows
	put := func(text string, times int) error {
		if text == "" {
			empty += times
			return nil
		}
		times = min(times, maxColumns-min(len(line)+empty, maxColumns))
		if times == 0 {
			return nil
		}
		if err := g.c.countCells(empty + times); err != nil {
			return err
		}
		line = append(line, make([]string, empty)...)
		empty = 0
		for range times {
			line = append(line, text)
		}
		return nil
	}
	for _, cell := range n.Children {
		times := repeat(cell, "table:number-columns-repeated")
		at := len(line) + empty
		switch cell.Name {
		case "table:table-cell":
			text := mdtext.Cell(g.c.cellText(cell))
			if rows := repeat(cell, "table:number-rows-spanned"); rows > 1 && text != "" && at < maxColumns {
				g.down[at] = hanging{text, rows - 1}
			}
			if err := put(text, times); err != nil {
				return nil, err
			}
		case "table:covered-table-cell":
			if len(g.down) == 0 {
				empty += times
				continue
			}
			for i := range min(times, maxColumns) {
				h, ok := g.down[at+i]
				if ok {
					if h.rows--; h.rows == 0 {
						delete(g.down, at+i)
					} else {
						g.down[at+i] = h
					}
				}
				if err := put(h.text, 1); err != nil {
					return nil, err
				}
			}
		}
	}
	return line, nil
}

// cellText is what a cell shows: its paragraphs, else its value.
func (c *conversion) cellText(n *xmlread.Node) string {
	if len(n.Children) == 0 {
		return value(n)
	}
	if s := strings.TrimSpace(c.flat(n)); s != "" {
		return s
	}
	return value(n)
}

func value(n *xmlread.Node) string {
	for _, key := range []string{"office:string-value", "office:date-value", "office:time-value", "office:boolean-value", "office:value"} {
		if v := n.Attr(key); v != "" {
			return v
		}
	}
	return ""
}

// table writes a table of a text or slide. One of a single column arranges
// blocks, which are written as they are.
func (c *conversion) table(n *xmlread.Node) error {
	var rows []*xmlread.Node
	collectRows(n, &rows)
	single := true
	for _, r := range rows {
		cells := 0
		for _, k := range r.Children {
			if k.Name == "table:table-cell" {
				cells += repeat(k, "table:number-columns-repeated")
			}
		}
		single = single && cells <= 1
	}
	if single {
		for _, r := range rows {
			for _, k := range r.Children {
				if err := c.blocks(k); err != nil {
					return err
				}
			}
		}
		return nil
	}
	g := &grid{c: c, down: map[int]hanging{}}
	var lines [][]string
	for _, r := range rows {
		if err := c.ctx.Err(); err != nil {
			return err
		}
		line, err := g.row(r)
		if err != nil {
			return err
		}
		if len(line) == 0 {
			continue
		}
		for range min(repeat(r, "table:number-rows-repeated"), 1000) {
			lines = append(lines, line)
			if err := c.countCells(len(line)); err != nil {
				return err
			}
		}
	}
	c.w.Table(lines)
	return c.after()
}

// collectRows appends the rows of table n, not those of tables inside.
func collectRows(n *xmlread.Node, rows *[]*xmlread.Node) {
	for _, k := range n.Children {
		switch k.Name {
		case "table:table-row":
			*rows = append(*rows, k)
		case "table:table-header-rows", "table:table-rows", "table:table-row-group":
			collectRows(k, rows)
		}
	}
}
