package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

const (
	// maxObjects bounds the objects of a page that are looked at for rules:
	// drawings and maps have more, tables fewer.
	maxObjects = 20000
	// ruleWidth is how thick a rule may be in points, and ruleLength how long it is at least.
	ruleWidth  = 3
	ruleLength = 6
	// ruleSlack is how far rules that meet may be apart in points.
	ruleSlack = 2.5
	// maxRules bounds the rules of a page that are made into grids.
	maxRules = 6000
)

func lineRule(out []rect, x0, y0, x1, y1 float64, angle int) []rect {
	r := rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	if !finite(r) || min(r.x1-r.x0, r.y1-r.y0) > ruleWidth {
		return out
	}
	return boxRules(out, toFrame(r, angle))
}

// boxRules appends a thin box as a rule, and of a wide one its four edges.
func boxRules(out []rect, r rect) []rect {
	w, h := r.x1-r.x0, r.y1-r.y0
	switch {
	case max(w, h) < ruleLength:
	case min(w, h) <= ruleWidth:
		out = append(out, r)
	case min(w, h) >= ruleLength:
		out = append(out, rect{r.x0, r.y0, r.x1, r.y0}, rect{r.x0, r.y1, r.x1, r.y1},
			rect{r.x0, r.y0, r.x0, r.y1}, rect{r.x1, r.y0, r.x1, r.y1})
	}
	return out
}

// A grid is the cells between rules that hang together.
type grid struct {
	xs, ys      []float64 // edges, ascending
	across, low []rect    // its rules: those that run along x, and along y
}

func (g *grid) box() rect {
	return rect{g.xs[0], g.ys[0], g.xs[len(g.xs)-1], g.ys[len(g.ys)-1]}
}

// gridsOf finds the ruled tables: at least two columns and two rows.
func gridsOf(rules []rect) []*grid {
	if len(rules) < 4 || len(rules) > maxRules {
		return nil
	}
	rules = mergeRules(rules)
	parent := make([]int, len(rules))
	for i := range parent {
		parent[i] = i
	}
	find := func(i int) int {
		for parent[i] != i {
			parent[i] = parent[parent[i]]
			i = parent[i]
		}
		return i
	}
	// Rules sorted by their left edge meet only those that begin before they end.
	slices.SortFunc(rules, func(a, b rect) int { return cmp.Compare(a.x0, b.x0) })
	for i, a := range rules {
		for j := i + 1; j < len(rules) && rules[j].x0 <= a.x1+ruleSlack; j++ {
			b := rules[j]
			if b.y0 <= a.y1+ruleSlack && a.y0 <= b.y1+ruleSlack {
				parent[find(j)] = find(i)
			}
		}
	}
	groups := map[int]*grid{}
	var order []int
	for i, r := range rules {
		root := find(i)
		g := groups[root]
		if g == nil {
			g = &grid{}
			groups[root] = g
			order = append(order, root)
		}
		if r.x1-r.x0 >= r.y1-r.y0 {
			g.across = append(g.across, r)
		} else {
			g.low = append(g.low, r)
		}
	}
	var grids []*grid
	for _, root := range order {
		g := groups[root]
		for _, r := range g.low {
			g.xs = append(g.xs, (r.x0+r.x1)/2)
		}
		for _, r := range g.across {
			g.ys = append(g.ys, (r.y0+r.y1)/2)
		}
		g.xs, g.ys = distinct(g.xs), distinct(g.ys)
		// Outer edges are often left out: rows and columns are open there.
		if len(g.xs) > 0 && len(g.ys) > 0 {
			hull := rect{math.Inf(1), math.Inf(1), math.Inf(-1), math.Inf(-1)}
			for _, r := range g.across {
				hull = hull.union(r)
			}
			for _, r := range g.low {
				hull = hull.union(r)
			}
			g.xs = distinct(append(g.xs, hull.x0, hull.x1))
			g.ys = distinct(append(g.ys, hull.y0, hull.y1))
		}
		if len(g.xs) >= 3 && len(g.ys) >= 3 && len(g.xs) <= 100 && len(g.ys) <= 1000 {
			grids = append(grids, g)
		}
	}
	return grids
}

// mergeRules joins pieces of rules that go on in the same line.
func mergeRules(rules []rect) []rect {
	var out []rect
	for _, across := range []bool{true, false} {
		var part []rect
		for _, r := range rules {
			if (r.x1-r.x0 >= r.y1-r.y0) == across {
				if !across {
					r = rect{r.y0, r.x0, r.y1, r.x1}
				}
				part = append(part, r)
			}
		}
		slices.SortFunc(part, func(a, b rect) int {
			return cmp.Or(cmp.Compare(math.Round(a.y0+a.y1), math.Round(b.y0+b.y1)), cmp.Compare(a.x0, b.x0))
		})
		start := len(out)
		for _, r := range part {
			if n := len(out); n > start && math.Abs(out[n-1].y0-r.y0) < 1 && r.x0 <= out[n-1].x1+1 {
				out[n-1] = out[n-1].union(r)
				continue
			}
			out = append(out, r)
		}
		if !across {
			for i, r := range out[start:] {
				out[start+i] = rect{r.y0, r.x0, r.y1, r.x1}
			}
		}
	}
	return out
}

// distinct returns xs ascending, those within the slack as one.
func distinct(xs []float64) []float64 {
	slices.Sort(xs)
	var out []float64
	for _, x := range xs {
		if n := len(out); n > 0 && x-out[n-1] <= 2*ruleSlack {
			continue
		}
		out = append(out, x)
	}
	return out
}

// slot returns between which edges x stands, or -1.
func slot(edges []float64, x float64) int {
	i, _ := slices.BinarySearch(edges, x)
	if i == 0 || i == len(edges) {
		return -1
	}
	return i - 1
}

// fill takes the words that stand in the grid and returns the table, or nil
// and no change when the grid is none: a frame around text, a drawing.
func (g *grid) fill(words []word) (*table, []word) {
	cols, lines := len(g.xs)-1, len(g.ys)-1
	cells := make([][]word, cols*lines)
	var rest []word
	inside := 0
	for _, w := range words {
		c, l := slot(g.xs, (w.box.x0+w.box.x1)/2), slot(g.ys, (w.box.y0+w.box.y1)/2)
		if c < 0 || l < 0 {
			rest = append(rest, w)
			continue
		}
		inside++
		at := g.whole(c, l, cols)
		cells[at] = append(cells[at], w)
	}
	if inside < 2 {
		return nil, words
	}
	t := &table{y: g.ys[lines]}
	n, longest := 0, 0
	for l := lines - 1; l >= 0; l-- {
		for _, texts := range splitRow(cells[l*cols : (l+1)*cols]) {
			used := false
			for _, s := range texts {
				if s != "" {
					n++
					used = true
				}
				longest = max(longest, len(s))
			}
			if used {
				t.rows = append(t.rows, texts)
			}
		}
	}
	t.mergeColumns()
	if len(t.rows) == 0 || len(t.rows[0]) < 2 || len(t.rows) < 2 || n < 3 || longest > 3000 {
		return nil, words
	}
	return t, rest
}

// splitRow returns the texts of a ruled row. A row in which several cells have
// the same number of figures below one another is as many rows, ruled in groups.
func splitRow(cells [][]word) [][]string {
	rows := make([][]row, len(cells))
	most, figures := 0, 0
	for c, ws := range cells {
		if rows[c] = rowsOf(spansOf(ws)); len(rows[c]) > most {
			most, figures = len(rows[c]), 0
		}
		if len(rows[c]) == most && most > 1 && !slices.ContainsFunc(rows[c], func(r row) bool { return strings.IndexFunc(r.line().text, unicode.IsLetter) >= 0 }) {
			figures++
		}
	}
	if most < 2 || figures < 2 {
		texts := make([]string, len(cells))
		for c, r := range rows {
			texts[c] = cellText(r)
		}
		return [][]string{texts}
	}
	// The lines of the cell with the most are the rows; others go to the nearest.
	var lead []row
	for _, r := range rows {
		if len(r) == most {
			lead = r
			break
		}
	}
	out := make([][]string, most)
	for i := range out {
		out[i] = make([]string, len(cells))
	}
	for c, lines := range rows {
		for _, r := range lines {
			best := 0
			for i := range lead {
				if math.Abs(lead[i].box.y0-r.box.y0) < math.Abs(lead[best].box.y0-r.box.y0) {
					best = i
				}
			}
			out[best][c] = joinTexts(out[best][c], r.line().text)
		}
	}
	return out
}

// mergeColumns drops columns without text and joins neighbours that no row
// needs both of: boxes of different rows whose edges do not meet.
func (t *table) mergeColumns() {
	if len(t.rows) == 0 {
		return
	}
	for c := 0; c+1 < len(t.rows[0]); {
		both := slices.ContainsFunc(t.rows, func(r []string) bool { return r[c] != "" && r[c+1] != "" })
		if both {
			c++
			continue
		}
		for i, r := range t.rows {
			r[c] += r[c+1]
			t.rows[i] = slices.Delete(r, c+1, c+2)
		}
	}
}

// whole returns the index of the cell that is the upper left of those merged
// with column c of line l. cells go by lines from the bottom.
func (g *grid) whole(c, l, cols int) int {
	y := (g.ys[l] + g.ys[l+1]) / 2
	for c > 0 && !covered(g.low, g.xs[c], y, false) {
		c--
	}
	x := (g.xs[c] + g.xs[c+1]) / 2
	for l+2 < len(g.ys) && !covered(g.across, g.ys[l+1], x, true) {
		l++
	}
	return l*cols + c
}

// covered reports whether a rule at an edge runs past a place.
func covered(rules []rect, edge, place float64, across bool) bool {
	for _, r := range rules {
		if !across {
			r = rect{r.y0, r.x0, r.y1, r.x1}
		}
		if math.Abs((r.y0+r.y1)/2-edge) <= 2*ruleSlack && r.x0-ruleSlack <= place && place <= r.x1+ruleSlack {
			return true
		}
	}
	return false
}

// cellText returns the lines of a cell as one.
func cellText(rows []row) string {
	text := ""
	hyphen := false
	for _, r := range rows {
		l := r.line()
		if hyphen {
			text = joinHyphen(text, l.text, nil)
		} else {
			text = joinTexts(text, l.text)
		}
		hyphen = l.hyphen
	}
	if hyphen {
		text += "-"
	}
	return text
}
