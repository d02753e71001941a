//go:build lite

package pdf

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/ledongthuc/pdf"
)

const (
	// wordGap is the gap between letters in sizes that is taken for a space.
	wordGap = 0.16
	// glyphSize is about the memory that a glyph takes.
	glyphSize = 160
)

// page reads and orders the text of one page.
func (in *instance) page(index int) (text pageText, err error) {
	defer in.catch(&err)
	in.alive()
	if index >= len(in.pages) {
		return pageText{}, errPage
	}
	before := in.memory
	leaf := in.pages[index]
	d := &drawing{in: in, seen: map[seenGlyph]bool{}}
	c := &canvas{drawing: d, resources: leaf.resources, fonts: map[string]*font{}, text: matrix{1, 0, 0, 1}, row: matrix{1, 0, 0, 1}}
	c.state = graphics{ctm: matrix{1, 0, 0, 1}, scale: 1}
	c.run(in.contents(leaf.page.Key("Contents")))
	p := &pageReader{}
	logicalGlyphs(d.glyphs)
	var fields []field
	p.links, fields = in.annotations(leaf.page)
	frames := addFields(p.framesOf(p.stream(d.glyphs)), fields)
	text = layFrames(frames, func(angle int) []rect {
		if angle%90 != 0 {
			return nil
		}
		var out []rect
		for _, r := range d.rules {
			out = boxRules(out, toFrame(r, angle))
		}
		return out
	})
	in.memory = before - int64(text.size)
	return text, nil
}

// contents joins the content streams of a page.
func (in *instance) contents(v pdf.Value) []byte {
	if v.Kind() != pdf.Array {
		return in.unpack(v)
	}
	var out []byte
	for i := range v.Len() {
		out = append(out, in.unpack(v.Index(i))...)
		out = append(out, '\n')
	}
	return out
}

// add keeps a glyph unless it stands where the same one stands already.
func (d *drawing) add(g glyph) {
	if !finite(g.box) || g.style.size <= 0 || math.IsNaN(g.style.size) || math.IsInf(g.style.size, 0) {
		return
	}
	g.space = strings.TrimSpace(g.text) == ""
	if !g.space {
		cell := max(g.style.size*0.15, 0.1)
		key := seenGlyph{g.text, int(math.Round(g.box.x0 / cell)), int(math.Round(g.box.y0 / cell))}
		if d.seen[key] {
			return
		}
		d.seen[key] = true
	}
	d.in.spend(glyphSize)
	d.glyphs = append(d.glyphs, g)
}

// A pageReader gives the letters of one page by their index in its stream of text.
type pageReader struct {
	style  textStyle
	links  []link
	boxes  []rect
	styles []textStyle
}

func (p *pageReader) box(i int) (rect, bool) { return p.boxes[i], true }

func (p *pageReader) readStyle(i int) { p.style = p.styles[i] }

// stream returns the letters of the glyphs, with spaces where glyphs stand
// apart, line ends between lines, and marks for hyphens that cut a word.
func (p *pageReader) stream(glyphs []glyph) []rune {
	var runes []rune
	put := func(r rune, box rect, style textStyle) {
		runes = append(runes, r)
		p.boxes = append(p.boxes, box)
		p.styles = append(p.styles, style)
	}
	var last *glyph
	for i := range glyphs {
		g := &glyphs[i]
		if last != nil {
			switch between(last, g) {
			case '\n':
				if first, _ := utf8.DecodeRuneInString(g.text); unicode.IsLetter(first) && !g.space {
					n := len(runes)
					for n > 0 && runes[n-1] == ' ' {
						n--
					}
					if n > 1 && (runes[n-1] == '-' || runes[n-1] == 0xad || runes[n-1] == '‐') && unicode.IsLetter(runes[n-2]) {
						runes[n-1] = hyphenMark
					}
				}
				put('\n', g.box, g.style)
			case ' ':
				if !g.space && !last.space {
					put(' ', g.box, g.style)
				}
			}
		}
		if g.space {
			put(' ', g.box, g.style)
			last = g
			continue
		}
		n := utf8.RuneCountInString(g.text)
		k := 0
		for _, r := range g.text {
			box := g.box
			if n > 1 { // the letters of a ligature share its width
				at := k
				if direction(g.text) == 1 {
					at = n - 1 - k
				}
				box = part(g.box, g.style.angle, at, n)
			}
			put(r, box, g.style)
			k++
		}
		last = g
	}
	return runes
}

// part returns part k of n of a box along its text.
func part(r rect, angle, k, n int) rect {
	w, h := (r.x1-r.x0)/float64(n), (r.y1-r.y0)/float64(n)
	switch angle {
	case 0:
		return rect{r.x0 + w*float64(k), r.y0, r.x0 + w*float64(k+1), r.y1}
	case 90:
		return rect{r.x0, r.y0 + h*float64(k), r.x1, r.y0 + h*float64(k+1)}
	case 180:
		return rect{r.x1 - w*float64(k+1), r.y0, r.x1 - w*float64(k), r.y1}
	case 270:
		return rect{r.x0, r.y1 - h*float64(k+1), r.x1, r.y1 - h*float64(k)}
	}
	return r
}

// between returns the white space between two glyphs that follow each other, or 0.
func between(a, b *glyph) rune {
	if a.style.angle != b.style.angle {
		return '\n'
	}
	if a.vertical && b.vertical {
		if math.Abs(a.box.x0-b.box.x0) > 0.5*a.style.size {
			return '\n'
		}
		return 0
	}
	x, y := toFrame(a.box, a.style.angle), toFrame(b.box, b.style.angle)
	size := max(min(a.style.size, b.style.size), 0.1)
	if !onLine(x, y) {
		return '\n'
	}
	gap := gapOf(x, y)
	switch {
	case gap > 8*size:
		return '\n'
	case gap > wordGap*size || y.x0 < x.x0-size && gap < -size:
		return ' '
	}
	return 0
}
