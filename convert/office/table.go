package office

import (
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/ooxml"
)

// maxGridSpan bounds the columns of one cell; Word has at most 63 columns.
const maxGridSpan = 100

// table writes a table. One of a single column only frames text and is
// written as blocks. The first row is the header; what a row has merged across all columns above it is a title.
func (d *docx) table(n *ooxml.Node) error {
	d.endJoined()
	rows := tableRows(n, nil)
	if single(rows) || d.inCell {
		for _, row := range rows {
			var parts []string
			for _, cell := range rowCells(row, nil) {
				if !d.inCell {
					d.finishBlock()
					if err := d.blocks(cell); err != nil {
						return err
					}
					continue
				}
				text, err := d.cellText(cell)
				if err != nil {
					return err
				}
				if text = strings.TrimSpace(text); text != "" {
					parts = append(parts, text)
				}
			}
			if len(parts) > 0 {
				d.w.Block(strings.Join(parts, " "))
			}
		}
		return nil
	}
	d.finishBlock()
	grid, err := d.grid(rows)
	if err != nil {
		return err
	}
	for i := 0; len(grid) > 2 && titleRow(rows[i], grid[0]); i++ {
		d.w.Block("**" + strings.Trim(strings.ReplaceAll(grid[0][0], `\|`, "|"), "*") + "**")
		grid = grid[1:]
	}
	if grid = filledRows(grid); len(grid) == 0 {
		return nil
	}
	d.w.Table(grid)
	d.endNotes()
	return nil
}

func (d *docx) finishBlock() {
	d.endCode()
	d.endLists()
}

// titleRow reports whether a row is one cell over all columns.
func titleRow(row *ooxml.Node, line []string) bool {
	return len(rowCells(row, nil)) == 1 && len(line) > 1 && line[0] != ""
}

// tableRows appends the rows of a table, through content controls and the
// like; rows that a tracked change deletes are left out.
func tableRows(n *ooxml.Node, rows []*ooxml.Node) []*ooxml.Node {
	for _, c := range n.Children {
		switch c.Name {
		case "w:tr":
			if c.Child("w:trPr").Child("w:del") == nil {
				rows = append(rows, c)
			}
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			rows = tableRows(c, rows)
		}
	}
	return rows
}

func rowCells(n *ooxml.Node, cells []*ooxml.Node) []*ooxml.Node {
	for _, c := range n.Children {
		switch c.Name {
		case "w:tc":
			cells = append(cells, c)
		case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			cells = rowCells(c, cells)
		}
	}
	return cells
}

func single(rows []*ooxml.Node) bool {
	for _, row := range rows {
		if len(rowCells(row, nil)) > 1 {
			return false
		}
	}
	return true
}

// grid lays the cells out. A vertically merged cell is repeated in each of
// its rows, so that every row is complete by itself; of a horizontally merged one the further columns stay empty.
func (d *docx) grid(rows []*ooxml.Node) ([][]string, error) {
	var grid [][]string
	above := map[int]string{} // text of the merged cell that may go on, by column
	for _, row := range rows {
		if err := d.ctx.Err(); err != nil {
			return nil, err
		}
		line := make([]string, gridCount(row.Child("w:trPr").Val("w:gridBefore")))
		for _, cell := range rowCells(row, nil) {
			tcpr := cell.Child("w:tcPr")
			span := max(1, gridCount(tcpr.Val("w:gridSpan")))
			if *d.cells += span; *d.cells > d.limits.Cells {
				return nil, &convert.LimitError{What: "cells", Max: int64(d.limits.Cells)}
			}
			column := len(line)
			merge := tcpr.Child("w:vMerge")
			text := ""
			switch {
			case merge != nil && merge.Attr("w:val") != "restart":
				text = d.repeats.again(above[column])
			case tcpr.Val("w:hMerge") == "continue":
			default:
				var err error
				if text, err = d.cell(cell); err != nil {
					return nil, err
				}
			}
			if merge != nil {
				above[column] = text
			} else {
				delete(above, column)
			}
			line = append(line, text)
			for range span - 1 {
				line = append(line, "")
			}
		}
		grid = append(grid, line)
	}
	return grid, nil
}

// filledRows drops the rows without any text.
func filledRows(grid [][]string) [][]string {
	return slices.DeleteFunc(grid, func(line []string) bool { return strings.Join(line, "") == "" })
}

func gridCount(s string) int {
	n, err := strconv.Atoi(s)
	if err != nil || n < 0 {
		return 0
	}
	return min(n, maxGridSpan)
}

// cell renders the blocks of a cell as one line.
func (d *docx) cell(n *ooxml.Node) (string, error) {
	text, err := d.cellText(n)
	return mdtext.Cell(text), err
}

// cellText renders the blocks of a cell. A table in them has no cells of its
// own in the end: its pipes are escaped with the others of the outer cell.
func (d *docx) cellText(n *ooxml.Node) (string, error) {
	sub := d.sub()
	sub.waiting = nil
	if err := sub.blocks(n); err != nil {
		return "", err
	}
	sub.endJoined()
	for range sub.items {
		sub.w.Close()
	}
	d.waiting = append(d.waiting, sub.waiting...)
	d.label, d.warnings = sub.label, sub.warnings
	return sub.w.String(), nil
}
