package office

import (
	"slices"
	"strings"
)

// regions finds the tables among the cells of a sheet, sorted by row and
// column, and writes them: first blank rows part them, then blank columns, and so on.
func (b *book) regions(cells []cell, sheet string, depth int) {
	for band := range bands(cells) {
		if b.w.Full() || b.ctx.Err() != nil {
			return
		}
		groups := columnGroups(band)
		if len(groups) < 2 || depth > 8 {
			b.region(band, sheet)
			continue
		}
		for _, g := range groups {
			b.regions(g, sheet, depth+1)
		}
	}
}

// bands yields the runs of rows that blank rows part. A blank row inside a
// table does not part it: what follows neither has a title or header of its own nor more columns.
func bands(cells []cell) func(yield func([]cell) bool) {
	return func(yield func([]cell) bool) {
		for start := 0; start < len(cells); {
			end := bandEnd(cells, start)
			low, high := columns(cells[start:end])
			for end < len(cells) {
				next := bandEnd(cells, end)
				if l, h := columns(cells[end:next]); l < low || h > high || !continues(cells[start:end], cells[end:next]) {
					break
				}
				end = next
			}
			if !yield(cells[start:end]) {
				return
			}
			start = end
		}
	}
}

func bandEnd(cells []cell, start int) int {
	end := start + 1
	for end < len(cells) && cells[end].row-cells[end-1].row <= 1 {
		end++
	}
	return end
}

// maxBlank is how many blank rows a table may have at one place.
const maxBlank = 2

// continues reports whether the band after, which has no further columns, belongs to the table of the band before.
func continues(before, after []cell) bool {
	if after[0].row-before[len(before)-1].row > maxBlank+1 {
		return false
	}
	first := rowEnd(after, 0)
	if first == 1 {
		return false // a title, or a note
	}
	numbers := false
	for _, c := range after[:first] {
		numbers = numbers || c.number
	}
	if !numbers && !styledAsData(before, after[:first]) {
		return false // a header
	}
	return true
}

// styledAsData reports whether a row looks like the last of the table before
// it, where that does not look like its header.
func styledAsData(before, row []cell) bool {
	header := before[:rowEnd(before, 0)]
	last := len(before) - 1
	for last > 0 && before[last-1].row == before[last].row {
		last--
	}
	for _, c := range row {
		h, ok1 := inColumn(header, c.col)
		d, ok2 := inColumn(before[last:], c.col)
		if ok1 && ok2 && h.style != d.style {
			return c.style == d.style
		}
	}
	return false
}

func inColumn(row []cell, col int32) (cell, bool) {
	i, ok := slices.BinarySearchFunc(row, col, func(c cell, col int32) int { return int(c.col - col) })
	if !ok {
		return cell{}, false
	}
	return row[i], true
}

// rowEnd returns the index behind the row that begins at start.
func rowEnd(cells []cell, start int) int {
	end := start + 1
	for end < len(cells) && cells[end].row == cells[start].row {
		end++
	}
	return end
}

func columns(cells []cell) (low, high int32) {
	low, high = cells[0].col, cells[0].col
	for _, c := range cells {
		low, high = min(low, c.col), max(high, c.col)
	}
	return low, high
}

// A group is a run of columns without a blank one, or several that belong together.
type group struct {
	low, high   int32
	width       int   // columns
	first, last int32 // rows; first without the titles above a table
	top         int32 // the first row, titles too
	header      string
}

// columnGroups parts cells at blank columns into tables side by side. A blank
// column is often only a spacer: there must be a sign that the sides are tables of their own.
func columnGroups(cells []cell) [][]cell {
	var groups []group
	for _, col := range usedColumns(cells) {
		if last := len(groups) - 1; last >= 0 && groups[last].high == col-1 {
			groups[last].high, groups[last].width = col, groups[last].width+1
		} else {
			groups = append(groups, group{low: col, high: col, width: 1})
		}
	}
	if len(groups) < 2 {
		return nil
	}
	measure(groups, cells)
	parted := groups[:1]
	for _, g := range groups[1:] {
		if last := &parted[len(parted)-1]; apart(*last, g) {
			parted = append(parted, g)
		} else {
			last.high, last.width = g.high, last.width+g.width
			last.first, last.last, last.top = min(last.first, g.first), max(last.last, g.last), min(last.top, g.top)
		}
	}
	if len(parted) < 2 {
		return nil
	}
	out := make([][]cell, len(parted))
	for _, c := range cells {
		i := groupOf(parted, c.col)
		out[i] = append(out[i], c)
	}
	return out
}

// usedColumns returns the columns that have cells, sorted.
func usedColumns(cells []cell) []int32 {
	var cols []int32
	if len(cells) > maxColumn {
		var used [maxColumn + 1]bool
		for _, c := range cells {
			used[c.col] = true
		}
		for col, ok := range used {
			if ok {
				cols = append(cols, int32(col))
			}
		}
		return cols
	}
	for _, c := range cells {
		cols = append(cols, c.col)
	}
	slices.Sort(cols)
	return slices.Compact(cols)
}

func groupOf(groups []group, col int32) int {
	i, _ := slices.BinarySearchFunc(groups, col, func(g group, col int32) int { return int(g.high - col) })
	return i
}

// measure finds the rows of each group.
func measure(groups []group, cells []cell) {
	for start := 0; start < len(cells); {
		end := rowEnd(cells, start)
		for i := start; i < end; {
			g := &groups[groupOf(groups, cells[i].col)]
			j := i
			for j < end && cells[j].col <= g.high {
				j++
			}
			row := cells[i].row
			if g.top == 0 {
				g.top = row
			}
			if g.first == 0 && (j-i > 1 || g.width == 1) {
				g.first = row
				for _, c := range cells[i:min(j, i+20)] {
					g.header += c.text + "|"
				}
			}
			g.last = row
			i = j
		}
		start = end
	}
	for i := range groups {
		if groups[i].first == 0 {
			groups[i].first = groups[i].top
		}
	}
}

// apart reports whether two groups side by side are two tables.
func apart(a, b group) bool {
	gap := b.low - a.high - 1
	switch {
	case a.last < b.top || b.last < a.top:
		return true
	case a.width == 1 || b.width == 1:
		return gap > 1 && (a.first != b.first || a.last != b.last)
	}
	return gap > 1 || a.first != b.first || a.last != b.last || a.header == b.header
}

// longTitle bounds the bytes of a line that can be a heading; longNote is what the last lines need to be notes and not rows.
const (
	longTitle = 120
	longNote  = 80
)

// region writes one table: rows of a single cell above it are its title, long ones below it notes.
func (b *book) region(cells []cell, sheet string) {
	var rows [][]cell
	widest := 0
	for start := 0; start < len(cells); {
		end := rowEnd(cells, start)
		rows = append(rows, cells[start:end])
		widest = max(widest, end-start)
		start = end
	}
	if widest == 1 && prose(rows) {
		for _, row := range rows {
			b.w.Paragraph(plainCell(row[0].text))
		}
		return
	}
	if widest > 1 {
		titled := false
		for len(rows[0]) == 1 {
			switch text := plainCell(rows[0][0].text); {
			case text == sheet:
			case !titled && len(text) <= longTitle:
				b.w.Heading(3, text)
				titled = true
			default:
				b.w.Paragraph(text)
			}
			rows = rows[1:]
		}
	}
	last := len(rows)
	for last > 1 && len(rows[last-1]) == 1 && !rows[last-1][0].number && len(rows[last-1][0].text) > longNote && widest > 1 {
		last--
	}
	b.table(rows[:last])
	for _, row := range rows[last:] {
		b.w.Paragraph(plainCell(row[0].text))
	}
}

func plainCell(s string) string { return strings.ReplaceAll(s, `\|`, "|") }

// prose reports whether rows of a single cell are text and not a column of values.
func prose(rows [][]cell) bool {
	bytes, column := 0, rows[0][0].col
	for _, row := range rows {
		if row[0].number && len(rows) > 1 {
			return false
		}
		if row[0].col != column {
			return true
		}
		bytes += len(row[0].text)
	}
	return len(rows) == 1 || bytes > 40*len(rows)
}

// table writes rows as a pipe table without the columns that are blank, or,
// when the table would be mostly holes, as a list.
func (b *book) table(rows [][]cell) {
	var used []int32
	count := 0
	for _, row := range rows {
		count += len(row)
		for _, c := range row {
			used = append(used, c.col)
		}
	}
	slices.Sort(used)
	used = slices.Compact(used)
	index := make(map[int32]int, len(used))
	for i, col := range used {
		index[col] = i
	}
	area := 0
	for _, row := range rows {
		area += index[row[len(row)-1].col] + 1
	}
	if area > 8*count+20_000 {
		b.list(rows)
		return
	}
	grid := make([][]string, 0, len(rows))
	for _, row := range rows {
		line := make([]string, index[row[len(row)-1].col]+1)
		for _, c := range row {
			line[index[c.col]] = c.text
		}
		grid = append(grid, line)
	}
	b.w.Table(grid)
}

// list writes each row as an item with the names of its columns.
func (b *book) list(rows [][]cell) {
	var out strings.Builder
	for _, row := range rows {
		out.WriteString("- ")
		for i, c := range row {
			if i > 0 {
				out.WriteString("; ")
			}
			out.WriteString(columnName(c.col) + ": " + plainCell(c.text))
		}
		out.WriteByte('\n')
	}
	b.w.Block(out.String())
}
