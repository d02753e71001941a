package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
)

const (
	// edgeLines is how many lines from the top and the bottom of a page may be running ones.
	edgeLines = 3
	// runningShare is on how many of the pages a line stands that runs: two
	// titles that take turns on left and right pages, and some pages without.
	runningShare = 0.4
	// runningSlack is how much its height on the page differs at most, in points.
	runningSlack = 4
)

// A place is where a line of a document stands.
type place struct {
	page, block, line int
	y                 float64
}

// dropRunning removes headers, footers and page numbers: lines at the edge of
// most pages, at the same height, that differ in figures only. The
// first of those with words stays, as it may stand nowhere else.
func dropRunning(pages []pageText) {
	if len(pages) < runningPages {
		return
	}
	groups := map[string][]place{}
	var keys []string
	for i, p := range pages {
		top, bottom := p.edges(i)
		for k, at := range slices.Concat(top, bottom) {
			key := foldFigures(p.blocks[at.block].lines[at.line].text)
			if k < len(top) {
				key = "^" + key
			}
			if groups[key] == nil {
				keys = append(keys, key)
			}
			groups[key] = append(groups[key], at)
		}
	}
	runs := map[place]bool{}
	keep := map[place]bool{}
	for _, key := range keys {
		places := sameHeight(groups[key])
		if len(places) < runningPages || float64(len(places)) < runningShare*float64(len(pages)) {
			continue
		}
		for i, at := range places {
			runs[at] = true
			keep[at] = i == 0 && hasWords(key)
		}
	}
	for i := range pages {
		// Inwards from the edge, until the first line that does not run.
		drop := map[place]bool{}
		top, bottom := pages[i].edges(i)
		slices.Reverse(bottom)
		for _, edge := range [][]place{top, bottom} {
			for _, at := range edge {
				if !runs[at] {
					break
				}
				drop[at] = !keep[at]
				pages[i].blocks[at.block].lines[at.line].running = true
			}
		}
		pages[i].without(i, drop)
	}
}

// edges returns the places of the page's first and last lines.
func (p pageText) edges(page int) (top, bottom []place) {
	var all []place
	for b, block := range p.blocks {
		for l, line := range block.lines {
			if line.placed {
				all = append(all, place{page, b, l, line.y})
			}
		}
	}
	slices.SortStableFunc(all, func(a, b place) int { return cmp.Compare(b.y, a.y) })
	n := min(edgeLines, (len(all)+1)/2)
	return all[:n], all[max(n, len(all)-edgeLines):]
}

// sameHeight returns one place for each page, those near the usual height.
func sameHeight(places []place) []place {
	ys := make([]float64, len(places))
	for i, at := range places {
		ys[i] = at.y
	}
	slices.Sort(ys)
	usual := ys[len(ys)/2]
	var out []place
	for _, at := range places {
		if math.Abs(at.y-usual) <= runningSlack && (len(out) == 0 || out[len(out)-1].page != at.page) {
			out = append(out, at)
		}
	}
	return out
}

// without removes lines, unless nothing would be left of the page.
func (p *pageText) without(page int, drop map[place]bool) {
	left, gone := 0, 0
	for b, block := range p.blocks {
		if block.table != nil {
			left++
		}
		for l, line := range block.lines {
			if drop[place{page, b, l, line.y}] {
				gone++
			} else {
				left++
			}
		}
	}
	if gone == 0 || left == 0 {
		return
	}
	for b := range p.blocks {
		l := -1
		p.blocks[b].lines = slices.DeleteFunc(p.blocks[b].lines, func(line line) bool {
			l++
			return drop[place{page, b, l, line.y}]
		})
	}
}

// foldFigures makes lines equal that differ in figures, as with the number of the page.
func foldFigures(s string) string {
	var b strings.Builder
	figure := false
	for _, r := range s {
		if unicode.IsDigit(r) {
			if !figure {
				b.WriteByte('#')
			}
			figure = true
			continue
		}
		figure = false
		b.WriteRune(r)
	}
	if roman(s) {
		return "#"
	}
	return b.String()
}

// roman reports a small Roman number, as pages of a preface have.
func roman(s string) bool {
	return s != "" && len(s) <= 6 && strings.Trim(s, "ivxlc") == ""
}

// hasWords reports whether a folded line says more than which page it is on.
func hasWords(key string) bool {
	n := 0
	for _, w := range strings.FieldsFunc(key, func(r rune) bool { return !unicode.IsLetter(r) }) {
		switch strings.ToLower(w) {
		case "page", "of", "p", "pp", "pg", "стр", "страница", "с", "из", "seite", "von", "página", "pagina", "de", "di", "第", "页", "頁", "共":
		default:
			n += len(w)
		}
	}
	return n >= 3
}
