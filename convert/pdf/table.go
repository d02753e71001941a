package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A table is rows of cells, all of the same number.
type table struct {
	rows [][]string
	y    float64 // of its top
}

// markdown returns the table as pipe rows. The first row is its head. Tables of
// the same columns below each other are often one grid: a row of nothing but a title, with the head
// again behind it, parts them. level is that of the heading right above the table, 0 for none, which
// the titles inside of it take.
func (t *table) markdown(level int) string {
	var b strings.Builder
	first := 0
	for i, cells := range t.rows {
		if t.title(i) {
			if b.WriteString("\n\n"); level > 0 {
				b.WriteString(strings.Repeat("#", level) + " " + unlinked(cells[0]))
			} else {
				b.WriteString(escape(cells[0]))
			}
			first = i + 1
			continue
		}
		switch {
		case i > 0 && i == first:
			b.WriteString("\n\n")
		case i > 0:
			b.WriteByte('\n')
		}
		b.WriteByte('|')
		for _, c := range cells {
			b.WriteByte(' ')
			b.WriteString(strings.ReplaceAll(c, "|", `\|`))
			if c != "" {
				b.WriteByte(' ')
			}
			b.WriteByte('|')
		}
		if i == first {
			b.WriteString("\n|" + strings.Repeat(" --- |", len(cells)))
		}
	}
	return b.String()
}

// title reports whether row i is the title of a further table of the same head.
func (t *table) title(i int) bool {
	return i > 1 && i+1 < len(t.rows) && lone(t.rows[i]) && !lone(t.rows[0]) && slices.Equal(t.rows[i+1], t.rows[0])
}

// lone reports whether only the first cell has text.
func lone(cells []string) bool {
	return cells[0] != "" && !slices.ContainsFunc(cells[1:], func(c string) bool { return c != "" })
}

// size returns the length of the texts in bytes.
func (t *table) size() int {
	n := 0
	for _, cells := range t.rows {
		for _, c := range cells {
			n += len(c) + 1
		}
	}
	return n
}

const (
	// tableRows is how many rows an unruled table has at least: two rows line up by chance.
	tableRows = 3
	// longCell is the mean length of a cell in letters from which two columns are text and no table.
	longCell = 40
)

// alignedTable returns the table that begins with the first of rows, made of
// text that lines up, and how many rows it takes; nil when there is none.
func alignedTable(rows []row) (*table, int) {
	if len(rows[0].spans) < 2 || mathPiece(rows[0]) {
		return nil, 0
	}
	n := tableRun(rows)
	// A run may begin or end with rows of another kind.
	for ; n >= tableRows; n-- {
		if len(rows[n-1].spans) < 2 {
			continue
		}
		if cols := columnsOf(rows[:n]); len(cols) >= 2 {
			if cells, ok := fillTable(rows[:n], cols); ok {
				return &table{rows: cells, y: rows[0].box.y1}, n
			}
		}
		if n > 60 { // long runs that fail once fail as a whole
			return nil, 0
		}
	}
	return nil, 0
}

// tableRun returns how many rows from the first may belong to one table: rows
// of several spans, with single ones between them that may be cells.
func tableRun(rows []row) int {
	n, single := 1, 0
	pitch := 0.0
	for i := 1; i < len(rows); i++ {
		size := max(rows[i].spans[0].size, 1)
		gap := rows[i-1].box.y0 - rows[i].box.y1
		if rows[i].spans[0].table > 0 {
			break
		}
		if gap > 2.5*size && (pitch == 0 && gap > 4*size || pitch > 0 && gap > 2.2*pitch) {
			break
		}
		if mathPiece(rows[i]) {
			break
		}
		if len(rows[i].spans) < 2 {
			if s := rows[i].spans[0]; len(s.words) >= 6 && s.box.x1-s.box.x0 > 0.6*(rows[i-1].box.x1-rows[i-1].box.x0) {
				break
			}
			if single++; single > 2 {
				break
			}
			continue
		}
		single = 0
		n = i + 1
		if d := rows[i-1].box.y1 - rows[i].box.y1; d > 0 && (pitch == 0 || d > pitch) {
			pitch = d
		}
	}
	return n
}

// mathPiece reports the pieces from which large brackets are put together.
func mathPiece(r row) bool {
	for _, s := range r.spans {
		for _, w := range s.words {
			if strings.IndexFunc(w.text, func(r rune) bool { return r >= 0x239b && r <= 0x23b3 }) >= 0 {
				return true
			}
		}
	}
	return false
}

// A column is a range of x.
type column struct{ x0, x1 float64 }

// columnsOf returns the ranges of x between which (nearly) no row has text.
func columnsOf(rows []row) []column {
	type edge struct {
		x     float64
		delta int
	}
	var edges []edge
	sizes := 0.0
	multi := 0
	for _, r := range rows {
		sizes += r.spans[0].size
		if len(r.spans) < 2 {
			continue
		}
		multi++
		for _, s := range r.spans {
			edges = append(edges, edge{s.box.x0, 1}, edge{s.box.x1, -1})
		}
	}
	if multi == 0 {
		return nil
	}
	size := max(sizes/float64(len(rows)), 1)
	slices.SortFunc(edges, func(a, b edge) int {
		switch {
		case a.x < b.x || a.x == b.x && a.delta < b.delta:
			return -1
		case a.x == b.x && a.delta == b.delta:
			return 0
		}
		return 1
	})
	allowed := multi / 12 // rows whose text may cross
	var cols []column
	depth := 0
	inside := false
	for _, e := range edges {
		depth += e.delta
		switch {
		case !inside && depth > allowed:
			inside = true
			if n := len(cols); n > 0 && e.x-cols[n-1].x1 < 0.35*size {
				continue // too narrow a corridor
			}
			cols = append(cols, column{x0: e.x})
		case inside && depth <= allowed:
			inside = false
			cols[len(cols)-1].x1 = e.x
		}
	}
	return cols
}

// fillTable puts the rows' texts into columns, and reports whether they are a table.
func fillTable(rows []row, cols []column) ([][]string, bool) {
	type cell struct {
		words []word
		box   rect
	}
	grid := make([][]cell, len(rows))
	crossing, multi := 0, 0
	for i, r := range rows {
		grid[i] = make([]cell, len(cols))
		if len(r.spans) > 1 {
			multi++
		}
		crossed := false
		for _, s := range cutSpans(r.spans, cols) {
			c := columnAt(cols, s.box)
			if c+1 < len(cols) && s.box.x1 > cols[c+1].x0+1 {
				crossed = true
			}
			if len(grid[i][c].words) == 0 {
				grid[i][c].box = s.box
			}
			grid[i][c].box = grid[i][c].box.union(s.box)
			grid[i][c].words = append(grid[i][c].words, s.words...)
		}
		if crossed {
			crossing++
		}
	}
	if multi < tableRows || 5*crossing > len(rows) || 3*multi < 2*len(rows) && len(cols) < 3 {
		return nil, false
	}
	texts := make([][]string, len(rows))
	for i := range grid {
		texts[i] = make([]string, len(cols))
		for c, cell := range grid[i] {
			if len(cell.words) > 0 {
				texts[i][c] = newLine(cell.words).text
			}
		}
	}
	filled, aligned, marks, leaders := 0, 0, 0, 0
	long := 0
	for c := range cols {
		var left, right, middle []float64
		letters := 0
		size := 1.0
		for i := range grid {
			if len(grid[i][c].words) == 0 {
				continue
			}
			filled++
			b := grid[i][c].box
			size = max(size, grid[i][c].words[0].size)
			left, right, middle = append(left, b.x0), append(right, b.x1), append(middle, (b.x0+b.x1)/2)
			letters += weight(texts[i][c])
			if c == 0 && listMark(texts[i][c]) {
				marks++
			}
			if strings.Contains(texts[i][c], "....") || strings.Contains(texts[i][c], ". . . .") || strings.Contains(texts[i][c], "……") {
				leaders++
			}
		}
		if len(left) == 0 {
			return nil, false
		}
		if best := max(lined(left, size), lined(right, size), lined(middle, size)); best >= max(2, (6*len(left)+9)/10) || len(left) == 1 {
			aligned++
		}
		if letters > longCell*len(left) {
			long++
		}
	}
	switch {
	case 2*marks > len(rows), 3*leaders > len(rows):
		return nil, false
	case long*2 >= len(cols) && long > 0 && len(cols) <= 3:
		return nil, false
	case aligned*4 < len(cols)*3:
		return nil, false
	case 100*filled < 40*len(rows)*len(cols):
		return nil, false
	}
	return mergeWrapped(rows, texts), true
}

// cutSpans cuts spans that run from one column into the next where a letter
// begins exactly with the column: cells that are so full that they touch.
func cutSpans(spans []span, cols []column) []span {
	var out []span
	for _, s := range spans {
		cur := s
		cur.words = nil
		cut := false
		for _, w := range s.words {
			at := -1
			for _, c := range cols {
				if math.Abs(s.box.x0-columnStart(cols, s.box.x0)) > 0.1*w.size {
					break
				}
				if w.box.x0 < c.x0-w.size && w.box.x1 > c.x0+w.size && len(w.xs) == 2*utf8.RuneCountInString(w.text) {
					for k := 2; k < len(w.xs); k += 2 {
						if math.Abs(w.xs[k]-c.x0) < 0.05*w.size {
							at = k
						}
					}
				} else if math.Abs(w.box.x0-c.x0) < 0.1*w.size && len(cur.words) > 0 {
					at = 0
				}
			}
			if at < 0 {
				cur.words = append(cur.words, w)
				continue
			}
			cut = true
			head, tail := w, w
			if at > 0 {
				runes := []rune(w.text)
				head.text, tail.text = string(runes[:at/2]), string(runes[at/2:])
				head.xs, tail.xs = w.xs[:at], w.xs[at:]
				head.box.x1, tail.box.x0 = w.xs[at-1], w.xs[at]
				cur.words = append(cur.words, head)
			}
			out = append(out, boxed(cur))
			cur.words = []word{tail}
		}
		if !cut {
			out = append(out, s)
			continue
		}
		out = append(out, boxed(cur))
	}
	return out
}

// columnStart returns the beginning of the last column that begins before or at x.
func columnStart(cols []column, x float64) float64 {
	start := math.Inf(-1)
	for _, c := range cols {
		if c.x0 <= x+1 {
			start = c.x0
		}
	}
	return start
}

// boxed returns s with the box of its words.
func boxed(s span) span {
	s.box = s.words[0].box
	for _, w := range s.words {
		s.box = s.box.union(w.box)
	}
	return s
}

// lined returns how many of xs agree.
func lined(xs []float64, size float64) int {
	slices.Sort(xs)
	best := 0
	for i, j := 0, 0; i < len(xs); i++ {
		for xs[i]-xs[j] > 0.6*size {
			j++
		}
		best = max(best, i-j+1)
	}
	return best
}

// weight returns the length of a text in letters of an alphabet: a Chinese or
// Japanese letter says as much as two and a half.
func weight(s string) int {
	n := 0
	for _, r := range s {
		if n += 2; unspaced(r) {
			n += 3
		}
	}
	return n / 2
}

// columnAt returns the column in which most of b's beginning stands.
func columnAt(cols []column, b rect) int {
	best, most := 0, math.Inf(-1)
	for c, col := range cols {
		shared := min(col.x1, b.x1) - max(col.x0, b.x0)
		if shared > most+0.01 && (most <= 0 || shared > 3*most) {
			best, most = c, shared
		}
	}
	return best
}

// mergeWrapped puts lines that continue cells of the row above into it: those
// without a first cell that stand closer than the rows do.
func mergeWrapped(rows []row, texts [][]string) [][]string {
	var out [][]string
	var starts []float64
	for i := 1; i < len(rows); i++ {
		if texts[i][0] != "" {
			starts = append(starts, rows[i-1].box.y1-rows[i].box.y1)
		}
	}
	slices.Sort(starts)
	for i, cells := range texts {
		if i > 0 && cells[0] == "" && len(out) > 0 && continues(out[len(out)-1], cells) {
			pitch := rows[i-1].box.y1 - rows[i].box.y1
			if len(starts) == 0 || pitch < 0.85*starts[len(starts)/2] {
				above := out[len(out)-1]
				for c, s := range cells {
					above[c] = joinTexts(above[c], s)
				}
				continue
			}
		}
		out = append(out, cells)
	}
	return out
}

// continues reports whether every text of cells stands below one, and none is a figure.
func continues(above, cells []string) bool {
	n := 0
	for c, s := range cells {
		if s == "" {
			continue
		}
		n++
		if above[c] == "" || strings.IndexFunc(s, unicode.IsLetter) < 0 {
			return false
		}
	}
	return n > 0
}

// joinTexts joins two lines of one text.
func joinTexts(a, b string) string {
	switch {
	case a == "":
		return b
	case b == "":
		return a
	case unspaced(lastRune(a)) && unspaced(firstRune(b)):
		return a + b
	}
	return a + " " + b
}
