package office

import (
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/ooxml"
)

// table writes a table. A cell merged over rows is repeated in each of them, so
// that every row is complete by itself; of one merged over columns the further columns stay empty.
func (s *slides) table(n *ooxml.Node) error {
	var grid [][]string
	title := false
	for _, tr := range n.Children {
		if tr.Name != "a:tr" {
			continue
		}
		if err := s.ctx.Err(); err != nil {
			return err
		}
		var line []string
		for _, tc := range tr.Children {
			if tc.Name != "a:tc" {
				continue
			}
			if s.cells++; s.cells > s.limits.Cells {
				return &convert.LimitError{What: "cells", Max: int64(s.limits.Cells)}
			}
			text := ""
			switch {
			case on(tc, "hMerge"):
			case on(tc, "vMerge"):
				if up := len(grid) - 1; up >= 0 && len(line) < len(grid[up]) {
					text = s.repeats.again(grid[up][len(line)])
				}
			default:
				text = cellText(s.text(tc.Child("a:txBody")))
			}
			line = append(line, text)
			if len(grid) == 0 && len(line) == 1 {
				title = tc.Attr("gridSpan") != "" && text != ""
			}
		}
		if len(grid) == 0 {
			title = title && len(line) > 1 && strings.Join(line[1:], "") == "" && oneCell(tr)
		}
		grid = append(grid, line)
	}
	if title && len(grid) > 2 {
		s.w.Block("**" + strings.Trim(strings.ReplaceAll(grid[0][0], `\|`, "|"), "*") + "**")
		grid = grid[1:]
	}
	if grid = filledRows(grid); len(grid) == 1 && len(grid[0]) == 1 {
		s.w.Paragraph(strings.ReplaceAll(grid[0][0], `\|`, "|"))
		return nil
	}
	s.w.Table(grid)
	return nil
}

func on(n *ooxml.Node, name string) bool {
	v := n.Attr(name)
	return v == "1" || v == "true"
}

// oneCell reports whether all cells of a row but the first are parts of it.
func oneCell(tr *ooxml.Node) bool {
	first := true
	for _, tc := range tr.Children {
		if tc.Name != "a:tc" {
			continue
		}
		if !first && !on(tc, "hMerge") {
			return false
		}
		first = false
	}
	return true
}
