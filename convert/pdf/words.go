package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
)

// A wordBuilder puts letters together to words.
type wordBuilder struct {
	*pageReader
	vertical      bool
	frames        []*frame
	cur           *word
	at            *frame // of cur
	text          strings.Builder
	last          rect // of the previous letter, in its frame
	lastRune      rune // the previous letter
	height        float64
	spaced        bool
	below, beside int // letters under, and next to, the one before
	short         int // words of few letters in a row: perhaps one word drawn apart
}

// words returns the words of the page by direction, and whether most letters
// stand below the one before, as in vertical writing. When vertical is set, upright
// text is taken to run downwards, in lines from right to left.
func (p *pageReader) words(runes []rune, vertical bool) ([]*frame, bool) {
	b := &wordBuilder{pageReader: p, vertical: vertical, spaced: true}
	for i := 0; i < len(runes); {
		switch r := runes[i]; {
		case r == hyphenMark || r == hyphenMarkOld:
			b.end(true)
			b.spaced = true
			i++
			continue
		case unicode.IsSpace(r) || r == 0:
			b.end(false)
			b.spaced = true
			i++
			continue
		}
		if n := plainRun(runes[i:]); b.cur == nil && len(b.links) == 0 && n >= 2 && n <= plainRunes && (b.short < 2 || n > 4) && b.whole(i, runes[i:i+n]) {
			i += n
			continue
		}
		b.letter(i, runes[i])
		i++
	}
	b.end(false)
	return b.frames, b.below > 8 && b.below > 2*b.beside
}

// plainRunes bounds the words of which only the first and last letter's boxes
// are asked for. Longer ones may be cells that touch.
const plainRunes = 11

// plainRun returns how many of runes are letters of an alphabet that runs to
// the right, figures or ASCII signs, when a space or the end comes next, or 0.
func plainRun(runes []rune) int {
	for i, r := range runes {
		switch {
		case unicode.IsSpace(r) || r == hyphenMark || r == hyphenMarkOld:
			return i
		case i == plainRunes, r <= ' ', r == 0x7f, r > 0x52f, r == 0xad:
			return 0
		}
	}
	return len(runes)
}

// whole adds a word by its first and last letter. It does nothing and returns
// false when these do not stand as in one word.
func (b *wordBuilder) whole(i int, runes []rune) bool {
	n := len(runes)
	first, ok1 := b.box(i)
	last, ok2 := b.box(i + n - 1)
	if !ok1 || !ok2 {
		return false
	}
	b.readStyle(i)
	angle, size := b.style.angle, b.style.size
	if angle != 0 && angle != 90 && angle != 270 || angle == 0 && b.vertical {
		return false
	}
	first, last = toFrame(first, angle), toFrame(last, angle)
	tall := first.y1 - first.y0
	step := (last.x0 - first.x0) / (size * float64(n-1)) // of a letter, in sizes
	if !finite(first) || !finite(last) || !(size > 0) || !(step > 0.1 && step < 0.95) ||
		math.Abs(first.y0-last.y0) > 0.2*tall || math.Abs(first.y1-last.y1) > 0.2*tall {
		return false
	}
	b.at = frameOf(&b.frames, angle)
	w := word{box: first.union(last), size: size, bold: b.style.bold, spaced: b.spaced, order: i, letter: n}
	if n == 2 {
		w.xs = []float64{first.x0, first.x1, last.x0, last.x1}
	}
	b.cur = &w
	b.text.WriteString(string(runes))
	b.height = tall
	b.last = last
	b.spaced = false
	b.beside += n
	return true
}

// end ends the word, if any is begun.
func (b *wordBuilder) end(hyphen bool) {
	if b.cur == nil {
		return
	}
	b.cur.hyphen = hyphen
	raw := b.text.String()
	if b.cur.text = plain(raw); b.cur.text != "" {
		if b.cur.text != raw {
			b.cur.xs = nil
		}
		if b.short++; b.cur.letter > 3 {
			b.short = 0
		}
		logicalOrder(b.cur)
		b.at.words = append(b.at.words, *b.cur)
		b.at.letters += b.cur.letter
	}
	b.text.Reset()
	b.cur = nil
}

// letter adds letter i, to the word before it unless it stands apart.
func (b *wordBuilder) letter(i int, r rune) {
	raw, ok := b.box(i)
	if !ok {
		return
	}
	if b.cur == nil || math.Abs((raw.y1-raw.y0)-b.height) > 0.1*b.height {
		b.readStyle(i)
	}
	b.height = raw.y1 - raw.y0
	style, url := b.style, linkAt(b.links, raw)
	if b.vertical && style.angle == 0 {
		style.angle = 270
	}
	box := toFrame(raw, style.angle)
	if !finite(box) || math.IsNaN(style.size) || math.IsInf(style.size, 0) {
		return
	}
	if tall := max(box.y1-box.y0, 1); b.at != nil && b.at.angle == style.angle {
		switch drop := b.last.y0 - box.y0; {
		case math.Abs(box.x0-b.last.x0) < 0.3*tall && drop > 0.5*tall && drop < 2*tall:
			b.below++
		case math.Abs(drop) < 0.5*tall:
			b.beside++
		}
	}
	if b.cur != nil && b.cur.link != url && isAlphanumeric(r) && isAlphanumeric(b.lastRune) {
		url = b.cur.link // the edge of a link cuts no word
	}
	b.lastRune = r
	if b.cur != nil {
		tall := max(b.last.y1-b.last.y0, box.y1-box.y0, 1)
		if b.at.angle != style.angle || b.cur.link != url || math.Abs((box.y0+box.y1)-(b.last.y0+b.last.y1))/2 > 0.6*tall ||
			gapOf(b.last, box) > splitGap*max(b.cur.size, style.size) {
			b.end(false)
			b.spaced = false
		}
	}
	if b.cur == nil {
		b.at = frameOf(&b.frames, style.angle)
		b.cur = &word{box: box, size: style.size, bold: style.bold, spaced: b.spaced, order: i, link: url}
		b.spaced = false
	} else {
		b.cur.box = b.cur.box.union(box)
		b.cur.bold = b.cur.bold && style.bold
		b.cur.size = max(b.cur.size, style.size)
	}
	b.last = box
	b.text.WriteRune(r)
	b.cur.letter++
	b.cur.xs = append(b.cur.xs, box.x0, box.x1)
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
