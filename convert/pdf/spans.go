package pdf

import (
	"cmp"
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// splitGap is the gap in font sizes at which words stand apart: justified
	// text seldom has spaces over half a letter's height, cells of a table stand farther apart.
	splitGap = 0.75
	// sameLine is how much of the lower of two boxes' heights must be at the
	// same height for them to be on one line: enough for raised figures.
	sameLine = 0.5
)

// A span is a piece of a line without a wide gap.
type span struct {
	words []word
	box   rect
	size  float64
	order int
	table int // the number from 1 of the ruled table that stands for words
}

func newSpan(w word) span { return span{words: []word{w}, box: w.box, size: w.size, order: w.order} }

func (s *span) add(w word) {
	s.words = append(s.words, w)
	s.box = s.box.union(w.box)
	s.size = max(s.size, w.size)
}

// onLine reports whether two boxes stand on one line.
func onLine(a, b rect) bool {
	shared := min(a.y1, b.y1) - max(a.y0, b.y0)
	low := min(a.y1-a.y0, b.y1-b.y0)
	return low > 0 && shared > sameLine*low || low <= 0 && math.Abs(a.y0-b.y0) < 1
}

// gapOf is the room between two boxes on one line, negative where they overlap.
func gapOf(a, b rect) float64 { return max(b.x0-a.x1, a.x0-b.x1) }

// spansOf joins words to spans in the order of the page's text.
func spansOf(words []word) []span {
	var spans []span
	for _, w := range words {
		if n := len(spans); n > 0 {
			s := &spans[n-1]
			prev := s.words[len(s.words)-1]
			gap := gapOf(prev.box, w.box)
			size := max(min(s.size, w.size), 1)
			if onLine(prev.box, w.box) && gap < splitGap*size && gap > -0.6*size && !prev.hyphen {
				s.add(w)
				continue
			}
		}
		spans = append(spans, newSpan(w))
	}
	for i := range spans {
		spans[i].words = joinSpaced(spans[i].words)
	}
	return spans
}

// joinSpaced mends words between whose letters PDFium saw spaces because they
// were drawn apart for looks: when most words of a span are one or two letters,
// the gaps that are plainly wider than the usual one are the spaces.
func joinSpaced(words []word) []word {
	const least = 4 // words
	letters := 0
	for _, w := range words {
		letters += w.letter
		if len(w.xs) != 2*utf8.RuneCountInString(w.text) || unspaced(firstRune(w.text)) || strings.IndexFunc(w.text, unicode.IsLetter) < 0 {
			return words
		}
	}
	if len(words) < least || 10*letters > 22*len(words) {
		return words
	}
	var gaps []float64
	var xs []float64
	for _, w := range words {
		xs = append(xs, w.xs...)
	}
	for i := 2; i < len(xs); i += 2 {
		gaps = append(gaps, xs[i]-xs[i-1])
	}
	slices.Sort(gaps)
	usual := gaps[len(gaps)/2]
	var out []word
	lastX := 0.0
	for _, w := range words {
		for i, r := range []rune(w.text) {
			x0, x1 := w.xs[2*i], w.xs[2*i+1]
			if len(out) == 0 || x0-lastX > usual+0.2*max(w.size, 1) {
				out = append(out, word{size: w.size, bold: w.bold, order: w.order, link: w.link, spaced: true, box: rect{x0, w.box.y0, x1, w.box.y1}})
			}
			o := &out[len(out)-1]
			o.text += string(r)
			o.letter++
			o.xs = append(o.xs, x0, x1)
			o.box = o.box.union(rect{x0, w.box.y0, x1, w.box.y1})
			o.hyphen = w.hyphen && 2*i+2 == len(w.xs)
			lastX = x1
		}
	}
	if len(out) == letters { // an enumeration of letters
		return words
	}
	return out
}

func firstRune(s string) rune {
	s = strings.TrimLeftFunc(s, isMark)
	r, _ := utf8.DecodeRuneInString(s)
	return r
}

func lastRune(s string) rune {
	s = strings.TrimRightFunc(s, isMark)
	r, _ := utf8.DecodeLastRuneInString(s)
	return r
}

// A row is the spans on one line of a region, from left to right.
type row struct {
	spans []span
	box   rect
}

// rowsOf sorts spans into rows from top to bottom.
func rowsOf(spans []span) []row {
	sorted := slices.Clone(spans)
	slices.SortStableFunc(sorted, func(a, b span) int {
		if c := cmp.Compare(b.box.y0+b.box.y1, a.box.y0+a.box.y1); c != 0 {
			return c
		}
		return cmp.Compare(a.box.x0, b.box.x0)
	})
	var rows []row
	var core rect // of the row's largest span, against which others are held
	for _, s := range sorted {
		if n := len(rows); n > 0 && s.table == 0 && rows[n-1].spans[0].table == 0 && onLine(core, s.box) && !overlaps(rows[n-1], s) {
			r := &rows[n-1]
			r.spans = append(r.spans, s)
			r.box = r.box.union(s.box)
			if s.box.y1-s.box.y0 < core.y1-core.y0 {
				core.x0, core.x1 = r.box.x0, r.box.x1
			}
			continue
		}
		rows = append(rows, row{spans: []span{s}, box: s.box})
		core = s.box
	}
	for i := range rows {
		slices.SortStableFunc(rows[i].spans, func(a, b span) int { return cmp.Compare(a.box.x0, b.box.x0) })
	}
	return rows
}

// overlaps reports whether s covers a good part of a span of the row, so that
// they are lines set tightly and not pieces of one.
func overlaps(r row, s span) bool {
	for _, o := range r.spans {
		shared := min(o.box.x1, s.box.x1) - max(o.box.x0, s.box.x0)
		if shared > 0.5*min(o.box.x1-o.box.x0, s.box.x1-s.box.x0) && math.Abs(o.box.y0-s.box.y0) > 0.2*max(min(o.size, s.size), 1) {
			return true
		}
	}
	return false
}

// line returns the row as a line of text.
func (r row) line() line {
	spans := r.spans
	if rightToLeft(spans) {
		spans = slices.Clone(spans)
		slices.Reverse(spans)
	} else if inOrder := sortedByOrder(spans); len(spans) > 1 && !inOrder && tight(spans) {
		spans = slices.Clone(spans)
		slices.SortStableFunc(spans, func(a, b span) int { return cmp.Compare(a.order, b.order) })
	}
	var words []word
	for _, s := range spans {
		words = append(words, s.words...)
	}
	return newLine(words)
}

func sortedByOrder(spans []span) bool {
	return slices.IsSortedFunc(spans, func(a, b span) int { return cmp.Compare(a.order, b.order) })
}

// tight reports spans of which some overlap: their x says nothing about their order.
func tight(spans []span) bool {
	for i := 1; i < len(spans); i++ {
		if spans[i].box.x0 < spans[i-1].box.x1-0.5*spans[i].size {
			return true
		}
	}
	return false
}

func rightToLeft(spans []span) bool {
	right, left := 0, 0
	for _, s := range spans {
		for _, w := range s.words {
			for _, r := range w.text {
				switch {
				case r < 0x590:
					if r > ' ' {
						left++
					}
				case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana):
					right++
				case unicode.IsLetter(r):
					left++
				}
			}
		}
	}
	return right > left
}

// newLine makes one line of words in their order.
func newLine(words []word) line {
	l := line{placed: true, bold: true}
	var b strings.Builder
	box := words[0].box
	sizes := map[float64]int{}
	url := 0
	for i, w := range words {
		if url != 0 && w.link != url {
			b.WriteRune(linkEnd)
		}
		if i > 0 && needsSpace(words[i-1], w) {
			b.WriteByte(' ')
		}
		if w.link != 0 && w.link != url {
			b.WriteRune(linkBegin + rune(w.link))
		}
		url = w.link
		b.WriteString(w.text)
		box = box.union(w.box)
		sizes[w.size] += w.letter
		l.bold = l.bold && (w.bold || strings.IndexFunc(w.text, unicode.IsLetter) < 0)
	}
	if url != 0 {
		b.WriteRune(linkEnd)
	}
	for size, n := range sizes {
		if n > sizes[l.size] || n == sizes[l.size] && size > l.size {
			l.size = size
		}
	}
	l.text = b.String()
	l.hyphen = words[len(words)-1].hyphen
	l.bold = l.bold && strings.IndexFunc(l.text, unicode.IsLetter) >= 0
	l.x, l.xEnd, l.y, l.end = box.x0, box.x1, words[0].box.y0, words[0].box.y0
	for _, w := range words {
		if w.size == l.size {
			l.y, l.end = w.box.y0, w.box.y0
			break
		}
	}
	l.order = words[0].order
	return l
}

// needsSpace reports whether a space goes between two words of a line.
func needsSpace(a, b word) bool {
	gap := gapOf(a.box, b.box)
	size := max(min(a.size, b.size), 1)
	x, y := lastRune(a.text), firstRune(b.text)
	if unspaced(x) && unspaced(y) {
		return gap > splitGap*size
	}
	return b.spaced || gap > 0.15*size || gap < -0.6*size
}

// unspaced reports letters of scripts that have no spaces between words, and
// the signs of their punctuation.
func unspaced(r rune) bool {
	return unicode.In(r, unicode.Han, unicode.Hiragana, unicode.Katakana, unicode.Bopomofo) ||
		r >= 0x3000 && r <= 0x303f || r >= 0xff01 && r <= 0xff0f || r >= 0xff1a && r <= 0xff20 || r == 'ー'
}
