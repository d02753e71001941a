package pdf

import (
	"errors"
)

// A pageText is what stands on a page, in reading order.
type pageText struct {
	blocks []block
	size   int // of the text in bytes
}

// errPage says that a page could not be loaded.
var errPage = errors.New("page cannot be loaded")

// layFrames orders the words of a page. rules gives the lines drawn on it as
// seen by text of an angle.
func layFrames(frames []*frame, rules func(angle int) []rect) pageText {
	var out pageText
	for i, f := range frames {
		var drawn []rect
		if i == 0 {
			drawn = rules(f.angle)
		}
		blocks := layFrame(f, drawn)
		if i > 0 {
			// Stamps and axes of charts have no place in the order of the rest.
			for _, b := range blocks {
				for k := range b.lines {
					b.lines[k].placed = false
				}
			}
		}
		out.blocks = append(out.blocks, blocks...)
	}
	for _, b := range out.blocks {
		if b.table != nil {
			out.size += b.table.size()
		}
		for _, l := range b.lines {
			out.size += len(l.text) + 1
		}
	}
	return out
}

// layFrame orders the words of one direction. Ruled tables stand among the
// rest as if each was one large word.
func layFrame(f *frame, rules []rect) []block {
	words := f.words
	var tables []*table
	var places []span
	for _, g := range gridsOf(rules) {
		t, rest := g.fill(words)
		if t == nil {
			continue
		}
		order := firstMissing(words, rest)
		words = rest
		places = append(places, span{box: g.box(), order: order, size: 10, table: len(tables) + 1})
		tables = append(tables, t)
	}
	if len(tables) == 0 {
		return layRegion(spansOf(words), 0, nil)
	}
	return layRegion(append(spansOf(words), places...), 0, tables)
}

// firstMissing returns the order of the first of all words that is not in rest.
func firstMissing(all, rest []word) int {
	for i, w := range all {
		if i >= len(rest) || rest[i].order != w.order {
			return w.order
		}
	}
	return 0
}
