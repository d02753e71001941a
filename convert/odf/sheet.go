package odf

import (
	"errors"
	"io"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/xmlread"
)

// maxRepeat bounds the copies of one row that has text: a sheet that is filled
// down to its last row says nothing more often than that.
const maxRepeat = 1000

// sheets writes each sheet as a heading and its tables, row by row. Empty rows
// part tables.
func (c *conversion) sheets(r *xmlread.Reader) error {
	count := 0
	for {
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n.Name != "table:table" {
			if err := r.Fill(n); err != nil {
				return err
			}
			continue
		}
		if count++; count > c.limits.Pages {
			return &convert.LimitError{What: "sheets", Max: int64(c.limits.Pages)}
		}
		name := n.Attr("table:name")
		if c.styles[n.Attr("table:style-name")].hidden {
			name += " (hidden)"
		}
		s := &sheet{c: c, g: &grid{c: c, down: map[int]hanging{}}, name: name}
		if err := s.rows(r); err != nil {
			return err
		}
		if err := s.flush(); err != nil {
			return err
		}
		if c.w.Full() {
			return nil
		}
	}
}

// A sheet is one sheet that is being read.
type sheet struct {
	c     *conversion
	g     *grid
	name  string
	named bool // the heading is written
	table [][]string
}

// rows reads the rows of the element that is open.
func (s *sheet) rows(r *xmlread.Reader) error {
	for {
		if err := s.c.ctx.Err(); err != nil {
			return err
		}
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch n.Name {
		case "table:table-header-rows", "table:table-rows", "table:table-row-group":
			if err := s.rows(r); err != nil {
				return err
			}
			continue
		}
		if err := r.Fill(n); err != nil {
			return err
		}
		switch n.Name {
		case "table:table-row":
			if err := s.row(n); err != nil {
				return err
			}
		case "table:shapes":
			if err := s.flush(); err != nil {
				return err
			}
			s.heading()
			if err := s.c.blocks(n); err != nil {
				return err
			}
			s.c.finish()
		}
	}
}

func (s *sheet) row(n *xmlread.Node) error {
	line, err := s.g.row(n)
	if err != nil {
		return err
	}
	if len(line) == 0 {
		return s.flush()
	}
	times := min(repeat(n, "table:number-rows-repeated"), maxRepeat)
	if err := s.c.countCells((times - 1) * len(line)); err != nil {
		return err
	}
	for range times {
		s.table = append(s.table, line)
	}
	return nil
}

func (s *sheet) heading() {
	if !s.named {
		s.c.w.Heading(2, s.name)
		s.named = true
	}
}

// flush writes the rows so far. Rows of a single value above a table are its title.
func (s *sheet) flush() error {
	if len(s.table) > 0 {
		s.heading()
		titles := 0
		for titles < len(s.table) && titles < 5 && values(s.table[titles]) == 1 {
			titles++
		}
		if titles == len(s.table) && titles > 1 {
			titles = 0 // a table of one column
		}
		for _, row := range s.table[:titles] {
			for _, cell := range row {
				s.c.w.Paragraph(cell)
			}
		}
		s.c.w.Table(dropEmptyColumns(s.table[titles:]))
		s.table = nil
	}
	if err := s.c.after(); err != nil {
		return err
	}
	return nil
}

func values(row []string) int {
	n := 0
	for _, c := range row {
		if c != "" {
			n++
		}
	}
	return n
}

// dropEmptyColumns removes the columns at the left that no row uses.
func dropEmptyColumns(rows [][]string) [][]string {
	first := maxColumns
	for _, r := range rows {
		for i, c := range r[:min(len(r), first)] {
			if c != "" {
				first = i
				break
			}
		}
	}
	if first == 0 {
		return rows
	}
	out := make([][]string, len(rows))
	for i, r := range rows {
		out[i] = r[min(first, len(r)):]
	}
	return out
}
