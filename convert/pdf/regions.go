package pdf

import (
	"cmp"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// A block is a table, or lines that stand one below the other.
type block struct {
	lines []line
	table *table
}

const (
	// minGutter is the least room between columns, in font sizes.
	minGutter = 0.6
	// columnRows is how many lines each of two columns has at least.
	columnRows = 3
	// maxDepth bounds how often a region is cut.
	maxDepth = 12
	// gutterTries bounds how many gaps of a region are tried as gutters.
	gutterTries = 400
)

// layRegion orders the spans of a region: columns from left to right, tables
// row by row, and all else from top to bottom. It cuts at the tallest gutter,
// and goes on with what is above, left, right and below of it (Nagy's XY-cut, with
// bands in place of full cuts).
func layRegion(spans []span, depth int, tables []*table) []block {
	if len(spans) == 0 {
		return nil
	}
	rows := rowsOf(spans)
	if depth < maxDepth {
		if g, ok := findGutter(rows); ok {
			var left, right []span
			leftward := 0
			for _, r := range rows[g.from:g.to] {
				for _, s := range r.spans {
					if s.box.x1 <= g.x1 {
						left = append(left, s)
					} else {
						right = append(right, s)
					}
					if rightToLeft([]span{s}) {
						leftward++
					}
				}
			}
			if 2*leftward > len(left)+len(right) {
				left, right = right, left
			}
			blocks := layRegion(spansIn(rows[:g.from]), depth+1, tables)
			blocks = append(blocks, layRegion(left, depth+1, tables)...)
			blocks = append(blocks, layRegion(right, depth+1, tables)...)
			return append(blocks, layRegion(spansIn(rows[g.to:]), depth+1, tables)...)
		}
	}
	return layRows(rows, tables)
}

func spansIn(rows []row) []span {
	var spans []span
	for _, r := range rows {
		spans = append(spans, r.spans...)
	}
	return spans
}

// layRows writes rows as tables and lines.
func layRows(rows []row, tables []*table) []block {
	var blocks []block
	var lines []line
	flush := func() {
		if len(lines) > 0 {
			blocks = append(blocks, block{lines: lines})
			lines = nil
		}
	}
	for i := 0; i < len(rows); {
		if n := rows[i].spans[0].table; n > 0 {
			flush()
			blocks = append(blocks, block{table: tables[n-1]})
			i++
			continue
		}
		if t, n := alignedTable(rows[i:]); t != nil {
			flush()
			blocks = append(blocks, block{table: t})
			i += n
			continue
		}
		lines = append(lines, rows[i].line())
		i++
	}
	flush()
	return blocks
}

// A gutter is the room between two columns in a band of rows.
type gutter struct {
	x0, x1   float64
	from, to int // rows
}

// findGutter returns the gutter with the most rows that parts columns of text.
func findGutter(rows []row) (gutter, bool) {
	var found []gutter
	tries := 0
	for i, r := range rows {
		for k := 1; k < len(r.spans) && tries < gutterTries; k++ {
			x0, x1 := r.spans[k-1].box.x1, r.spans[k].box.x0
			room := minGutter * max(r.spans[k].size, 1)
			if x1-x0 < room || slices.ContainsFunc(found, func(g gutter) bool {
				return i >= g.from && i < g.to && x0 < g.x1 && g.x0 < x1
			}) {
				continue
			}
			tries++
			g := gutter{x0: x0, x1: x1, from: i, to: i + 1}
			for g.from > 0 && g.narrow(rows[g.from-1], room) {
				g.from--
			}
			for g.to < len(rows) && g.narrow(rows[g.to], room) {
				g.to++
			}
			found = append(found, g)
		}
	}
	slices.SortStableFunc(found, func(a, b gutter) int { return cmp.Compare(b.to-b.from, a.to-a.from) })
	for _, g := range found {
		if g.trim(rows); g.to-g.from >= columnRows && g.partsColumns(rows[g.from:g.to]) {
			return g, true
		}
	}
	return gutter{}, false
}

// narrow makes g leave out the row's spans, unless too little of it would be left.
func (g *gutter) narrow(r row, room float64) bool {
	x0, x1 := g.x0, g.x1
	for _, s := range r.spans {
		switch {
		case s.box.x1 <= x0 || s.box.x0 >= x1:
		case s.box.x1 <= x1-room && s.box.x0 < x0:
			x0 = s.box.x1
		case s.box.x0 >= x0+room && s.box.x1 > x1:
			x1 = s.box.x0
		default:
			return false
		}
	}
	if x1-x0 < room {
		return false
	}
	g.x0, g.x1 = x0, x1
	return true
}

// trim leaves out rows at the top and bottom that have text on the one side
// only and stand apart from the others.
func (g *gutter) trim(rows []row) {
	for g.from < g.to && !g.both(rows[g.from]) && g.to-g.from > 1 &&
		rows[g.from].box.y0-rows[g.from+1].box.y1 > 0.8*(rows[g.from].box.y1-rows[g.from].box.y0) {
		g.from++
	}
}

func (g *gutter) both(r row) bool {
	return r.spans[0].box.x1 <= g.x1 && r.spans[len(r.spans)-1].box.x0 >= g.x0
}

// A side is what stands on one side of a gutter.
type side struct {
	rows, letters, words, digits int
	spans                        int
	full                         int // rows that fill most of the width
	box                          rect
	orders                       []int
	marks                        int // rows that are a mark of a list
}

func (g *gutter) side(rows []row, left bool) side {
	var s side
	var widths []float64
	for _, r := range rows {
		var box rect
		letters, words := 0, 0
		var text string
		for _, sp := range r.spans {
			if (sp.box.x1 <= g.x1) != left {
				continue
			}
			if s.spans++; words == 0 {
				box = sp.box
			}
			box = box.union(sp.box)
			s.orders = append(s.orders, sp.order)
			for _, w := range sp.words {
				words++
				if unspaced(firstRune(w.text)) {
					words += utf8.RuneCountInString(w.text) / 2
				}
				letters += weight(w.text)
				text += w.text
				if strings.IndexFunc(w.text, unicode.IsDigit) >= 0 && strings.IndexFunc(w.text, unicode.IsLetter) < 0 {
					s.digits++
				}
			}
		}
		if words == 0 {
			continue
		}
		if s.rows == 0 {
			s.box = box
		}
		s.rows++
		s.letters += letters
		s.words += words
		if listMark(text) {
			s.marks++
		}
		s.box = s.box.union(box)
		widths = append(widths, box.x1-box.x0)
	}
	for _, w := range widths {
		if w > 0.7*(s.box.x1-s.box.x0) {
			s.full++
		}
	}
	slices.Sort(s.orders)
	return s
}

// prose reports lines that run from edge to edge and have several words each.
func (s side) prose() bool {
	return s.rows >= columnRows && s.letters >= 16*s.rows && 10*s.full >= 5*s.rows && s.words >= 2*s.rows && 4*s.digits < s.words
}

// numeric reports a side of figures.
func (s side) numeric() bool { return 3*s.digits > s.words }

// partsColumns reports whether text is meant to be read down the one side and
// then down the other. That is so for prose on both sides, and where the
// producer wrote the one side after the other and neither is a list's marks or a table's figures.
func (g *gutter) partsColumns(rows []row) bool {
	left, right := g.side(rows, true), g.side(rows, false)
	if left.rows < columnRows || right.rows < columnRows {
		return false
	}
	if 2*left.marks > left.rows || left.letters < 3*left.rows {
		return false
	}
	figures := figured(rows)
	if left.prose() && right.prose() && (!figures || left.letters+right.letters > 20*(left.spans+right.spans)) {
		return true
	}
	if left.numeric() || right.numeric() {
		return false
	}
	apart := left.orders[len(left.orders)-1] < right.orders[0] || right.orders[len(right.orders)-1] < left.orders[0]
	return apart && !figures && left.words >= 2*left.rows && right.words >= 2*right.rows
}

// figured reports whether most rows have a span of figures alone, as tables do.
func figured(rows []row) bool {
	n := 0
	for _, r := range rows {
		if slices.ContainsFunc(r.spans, func(s span) bool {
			digits := 0
			for _, w := range s.words {
				if strings.IndexFunc(w.text, unicode.IsLetter) >= 0 {
					return false
				}
				if strings.IndexFunc(w.text, unicode.IsDigit) >= 0 {
					digits++
				}
			}
			return digits > 0 && len(r.spans) > 1
		}) {
			n++
		}
	}
	return 2*n > len(rows)
}

// listMark reports a bullet or number that begins an item of a list.
func listMark(s string) bool {
	s = strings.TrimSpace(unlinked(s))
	n := utf8.RuneCountInString(s)
	switch {
	case n == 0 || n > 6:
		return false
	case n == 1:
		r := firstRune(s)
		return !unicode.IsLetter(r) && !unicode.IsDigit(r)
	}
	last := lastRune(s)
	if last != '.' && last != ')' && last != ']' {
		return false
	}
	return strings.IndexFunc(strings.Trim(s, "().[]"), func(r rune) bool { return !unicode.IsLetter(r) && !unicode.IsDigit(r) && r != '.' }) < 0
}
