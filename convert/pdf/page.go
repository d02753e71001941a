package pdf

import (
	"errors"
)

// A pageText is what stands on a page, in reading order.
type pageText struct {
	blocks []block
	size   int // of the text in bytes
}

// errPage says that PDFium could not load a page.
var errPage = errors.New("page cannot be loaded")

// page reads and orders the text of one page.
func (in *instance) page(doc uint64, index int, fonts map[uint64]bool) (pageText, error) {
	page := uint64(uint32(in.call("FPDF_LoadPage", doc, uint64(index))))
	if in.err != nil {
		return pageText{}, in.err
	}
	if page == 0 {
		return pageText{}, errPage
	}
	text := uint64(uint32(in.call("FPDFText_LoadPage", page)))
	if text == 0 {
		in.call("FPDF_ClosePage", page)
		if in.err != nil {
			return pageText{}, in.err
		}
		return pageText{}, errPage
	}
	p := &pageReader{sandbox: in.sandbox, text: text, fonts: fonts}
	var out pageText
	for i, f := range p.frames() {
		var rules []rect
		if i == 0 {
			rules = p.rules(page, f.angle)
		}
		blocks := layFrame(f, rules)
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
	in.call("FPDFText_ClosePage", text)
	in.call("FPDF_ClosePage", page)
	for _, b := range out.blocks {
		if b.table != nil {
			out.size += b.table.size()
		}
		for _, l := range b.lines {
			out.size += len(l.text) + 1
		}
	}
	return out, in.err
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
