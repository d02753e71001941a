package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// A rect is a box with y upwards.
type rect struct{ x0, y0, x1, y1 float64 }

func (r rect) union(o rect) rect {
	return rect{min(r.x0, o.x0), min(r.y0, o.y0), max(r.x1, o.x1), max(r.y1, o.y1)}
}

// A word is a run of letters without a space or a jump between them, in the
// frame of its text: x to where the text runs, y upwards, in points.
type word struct {
	text   string
	box    rect
	size   float64 // of the font, as scaled
	bold   bool
	hyphen bool // ends in a hyphen that PDFium took for a cut word's
	spaced bool // PDFium saw a space before it
	order  int  // in the page's stream of text
	letter int  // number of letters
	// xs are the left and right edges of each letter, as long as text has as many.
	xs []float64
}

// A frame is all the text of a page that runs in one direction.
type frame struct {
	angle   int // in degrees, counter-clockwise
	words   []word
	letters int
}

// toFrame returns r as seen when the page is turned back by angle degrees.
func toFrame(r rect, angle int) rect {
	switch angle {
	case 0:
		return r
	case 90:
		return rect{r.y0, -r.x1, r.y1, -r.x0}
	case 180:
		return rect{-r.x1, -r.y1, -r.x0, -r.y0}
	case 270:
		return rect{-r.y1, r.x0, -r.y0, r.x1}
	}
	// The hull of a turned letter says only where its middle is.
	sin, cos := math.Sincos(float64(-angle) * math.Pi / 180)
	x, y := (r.x0+r.x1)/2, (r.y0+r.y1)/2
	x, y = x*cos-y*sin, x*sin+y*cos
	half := min(r.x1-r.x0, r.y1-r.y0) / 4
	return rect{x - half, y - half, x + half, y + half}
}

// A textStyle is what the letters of one text object share.
type textStyle struct {
	size  float64
	angle int
	bold  bool
}

// A pageReader reads the text of one page.
type pageReader struct {
	*sandbox
	text   uint64 // FPDF_TEXTPAGE
	fonts  map[uint64]bool
	object uint64 // whose style is:
	style  textStyle
}

// frames returns the words of the page by the direction in which they run,
// the direction of most letters first.
func (p *pageReader) frames() []*frame {
	count := p.number("FPDFText_CountChars", p.text)
	if count <= 0 || p.err != nil {
		return nil
	}
	runes := p.runes(count)
	frames, downward := p.words(runes, false)
	if downward {
		frames, _ = p.words(runes, true)
	}
	// The main direction first; the others keep their order.
	for i, f := range frames {
		if f.letters > frames[0].letters {
			frames[0], frames[i] = f, frames[0]
		}
	}
	return frames
}

// words returns the words of the page by direction, and whether most letters
// stand below the one before, as in vertical writing. When vertical is set, upright
// text is taken to run downwards, in lines from right to left.
func (p *pageReader) words(runes []rune, vertical bool) ([]*frame, bool) {
	p.object = 0
	var frames []*frame
	var cur *word
	var at *frame
	var b strings.Builder
	var last rect // of the previous letter, in its frame
	below, beside := 0, 0
	height := 0.0 // of the letter whose style was read
	end := func(hyphen bool) {
		if cur == nil {
			return
		}
		cur.hyphen = hyphen
		raw := b.String()
		if cur.text = plain(raw); cur.text != "" {
			if cur.text != raw {
				cur.xs = nil
			}
			logicalOrder(cur)
			at.words = append(at.words, *cur)
			at.letters += cur.letter
		}
		b.Reset()
		cur = nil
	}
	spaced := true
	for i, r := range runes {
		switch {
		case r == hyphenMark || r == hyphenMarkOld:
			end(true)
			spaced = true
			continue
		case unicode.IsSpace(r) || r == 0:
			end(false)
			spaced = true
			continue
		}
		if p.number("FPDFText_GetLooseCharBox", p.text, uint64(i), p.scratch) == 0 {
			continue
		}
		var f [4]float64 // left, top, right, bottom
		p.floats(f[:])
		raw := rect{min(f[0], f[2]), min(f[1], f[3]), max(f[0], f[2]), max(f[1], f[3])}
		if cur == nil || math.Abs((raw.y1-raw.y0)-height) > 0.1*height {
			p.readStyle(i)
		}
		height = raw.y1 - raw.y0
		style := p.style
		if vertical && style.angle == 0 {
			style.angle = 270
		}
		box := toFrame(raw, style.angle)
		if !finite(box) || math.IsNaN(style.size) || math.IsInf(style.size, 0) {
			continue
		}
		if tall := max(box.y1-box.y0, 1); at != nil && at.angle == style.angle {
			switch drop := last.y0 - box.y0; {
			case math.Abs(box.x0-last.x0) < 0.3*tall && drop > 0.5*tall && drop < 2*tall:
				below++
			case math.Abs(drop) < 0.5*tall:
				beside++
			}
		}
		if cur != nil {
			tall := max(last.y1-last.y0, box.y1-box.y0, 1)
			if at.angle != style.angle || math.Abs((box.y0+box.y1)-(last.y0+last.y1))/2 > 0.6*tall ||
				gapOf(last, box) > splitGap*max(cur.size, style.size) {
				end(false)
				spaced = false
			}
		}
		if cur == nil {
			at = frameOf(&frames, style.angle)
			cur = &word{box: box, size: style.size, bold: style.bold, spaced: spaced, order: i}
			spaced = false
		} else {
			cur.box = cur.box.union(box)
			cur.bold = cur.bold && style.bold
			if style.size > cur.size {
				cur.size = style.size
			}
		}
		last = box
		b.WriteRune(r)
		cur.letter++
		cur.xs = append(cur.xs, box.x0, box.x1)
	}
	end(false)
	return frames, below > 8 && below > 2*beside
}

// logicalOrder turns round a word of a script that runs to the left when its
// letters are given from left to right.
func logicalOrder(w *word) {
	if len(w.xs) < 4 || !rightToLeft([]span{{words: []word{*w}}}) {
		return
	}
	runes := []rune(w.text)
	if len(w.xs) != 2*len(runes) {
		return
	}
	rightward, leftward := 0, 0
	for i := 2; i < len(w.xs); i += 2 {
		switch {
		case unicode.IsDigit(runes[i/2]) || unicode.Is(unicode.Mn, runes[i/2]) || unicode.Is(unicode.Mn, runes[i/2-1]):
		case w.xs[i] > w.xs[i-2]:
			rightward++
		case w.xs[i] < w.xs[i-2]:
			leftward++
		}
	}
	if rightward <= leftward {
		return
	}
	slices.Reverse(runes)
	for i := 0; i < len(runes); { // figures run to the right
		j := i
		for j < len(runes) && unicode.IsDigit(runes[j]) {
			j++
		}
		slices.Reverse(runes[i:j])
		i = max(j, i+1)
	}
	w.text = string(runes)
	w.xs = nil
}

func frameOf(frames *[]*frame, angle int) *frame {
	for _, f := range *frames {
		if f.angle == angle {
			return f
		}
	}
	f := &frame{angle: angle}
	*frames = append(*frames, f)
	return f
}

// runes returns the page's letters by their index.
func (p *pageReader) runes(count int) []rune {
	at := p.alloc(2 * (count + 1) * 2)
	n := p.number("FPDFText_GetText", p.text, 0, uint64(count), at)
	text := decode16(p.bytes(at, 2*n))
	p.free(at)
	runes := []rune(text)
	if len(runes) == count {
		return runes
	}
	// PDFium leaves letters out of the text that it counts.
	runes = make([]rune, count)
	for i := range runes {
		runes[i] = rune(uint32(p.call("FPDFText_GetUnicode", p.text, uint64(i))))
	}
	return runes
}

// readStyle makes p.style that of a letter.
func (p *pageReader) readStyle(i int) {
	object := uint64(uint32(p.call("FPDFText_GetTextObject", p.text, uint64(i))))
	if object == p.object && object != 0 {
		return
	}
	p.object = object
	size := math.Float64frombits(p.call("FPDFText_GetFontSize", p.text, uint64(i)))
	var m [6]float64 // a, b, c, d, e, f
	if p.number("FPDFText_GetMatrix", p.text, uint64(i), p.scratch) != 0 {
		p.floats(m[:])
	} else {
		m = [6]float64{1, 0, 0, 1}
	}
	p.style = textStyle{size: size * math.Hypot(m[2], m[3])}
	if degrees := math.Round(math.Atan2(m[1], m[0]) * 180 / math.Pi); !math.IsNaN(degrees) {
		p.style.angle = (int(degrees) + 360) % 360
		// Slightly crooked text, as under a scan, is meant straight.
		if near := (p.style.angle + 2) / 90 * 90; p.style.angle-near <= 2 {
			p.style.angle = near % 360
		}
	}
	if object == 0 {
		return
	}
	font := uint64(uint32(p.call("FPDFTextObj_GetFont", object)))
	bold, ok := p.fonts[font]
	if !ok && font != 0 {
		bold = p.boldFont(font)
		p.fonts[font] = bold
	}
	p.style.bold = bold
}

// boldFont goes by the font's name: the flags and weights in files are often not set.
func (p *pageReader) boldFont(font uint64) bool {
	name := strings.ToLower(strings.TrimRight(string(p.buffer("FPDFFont_GetBaseFontName", font)), "\x00"))
	for _, mark := range []string{"bold", "black", "heavy", "semibold", "demi", "cmbx", "-bd", "bx1", "medi"} {
		if strings.Contains(name, mark) && !strings.Contains(name, "medium") {
			return true
		}
	}
	const forceBold = 1 << 18 // ISO 32000-1, table 123
	return p.number("FPDFFont_GetFlags", font)&forceBold != 0
}

func finite(r rect) bool {
	for _, v := range []float64{r.x0, r.y0, r.x1, r.y1} {
		if math.IsNaN(v) || math.Abs(v) > 1e7 {
			return false
		}
	}
	return true
}
