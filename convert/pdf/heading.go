package pdf

import (
	"math"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// headingStep is how much larger than the body text a heading is at least:
	// the common smallest pairs are 12 over 10 and 14 over 12 points.
	headingStep = 1.15
	// headingRunes and headingLines bound one heading: more is large print.
	headingRunes = 200
	headingLines = 3
	// headingShare is the part of a document's letters that headings may be.
	// Above it the document is a poster or slides, where size does not order text.
	headingShare = 0.25
	// headingLevels is how many sizes become levels of their own.
	headingLevels = 4
	// runningPages is on how many pages a text makes it a running title.
	runningPages = 3
)

// A headingScale gives lines their level by font size. The zero value finds no headings.
type headingScale struct {
	sizes   []float64 // of level 1, 2, ...
	running map[string]int
}

// newHeadingScale learns a document's sizes. The body is the size of most letters.
func newHeadingScale(pages [][]line) headingScale {
	letters := map[float64]int{}
	running := map[string]int{}
	total := 0
	for _, lines := range pages {
		seen := map[string]bool{}
		for _, l := range lines {
			if n := utf8.RuneCountInString(l.text); l.placed && l.size > 0 {
				letters[roundSize(l.size)] += n
				total += n
			}
			if !seen[l.text] {
				seen[l.text] = true
				running[l.text]++
			}
		}
	}
	var body float64
	for size, n := range letters {
		if n > letters[body] || n == letters[body] && size < body {
			body = size
		}
	}
	var sizes []float64
	large := 0
	for size, n := range letters {
		if size >= body*headingStep {
			sizes = append(sizes, size)
			large += n
		}
	}
	if float64(large) > headingShare*float64(total) {
		return headingScale{}
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	return headingScale{sizes: sizes, running: running}
}

// level returns 1 to headingLevels for a line that can be a heading, or 0.
func (h headingScale) level(l line) int {
	if !l.placed || len(h.sizes) == 0 || h.running[l.text] >= runningPages || utf8.RuneCountInString(l.text) > headingRunes {
		return 0
	}
	letters := 0
	for _, r := range l.text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 2 && !(letters == 1 && isIdeographic(l.text)) {
		return 0
	}
	i := slices.Index(h.sizes, roundSize(l.size))
	if i < 0 {
		return 0
	}
	return min(i+1, headingLevels)
}

// roundSize takes sizes for equal that differ by scaling only.
func roundSize(size float64) float64 { return math.Round(size*2) / 2 }

func isIdeographic(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}
