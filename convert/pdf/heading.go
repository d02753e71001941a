package pdf

import (
	"iter"
	"math"
	"regexp"
	"slices"
	"strconv"
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
	// boldShare is the same for bold print.
	boldShare = 0.25
	// boldRunes is how long a heading in the size of the body may be.
	boldRunes = 120
	// markdownLevels is how many levels Markdown has.
	markdownLevels = 6
	// headingLevels is how many sizes become levels of their own.
	headingLevels = 4
	// runningPages is on how many pages a text makes it a running title.
	runningPages = 3
)

// A headingScale gives lines their level by font size. The zero value finds no headings.
type headingScale struct {
	sizes   []float64 // of level 1, 2, ...
	body    float64   // size
	strong  bool      // bold print is rare enough to make headings
	running map[string]int
	outline map[string]int // level by folded title
	words   lexicon
}

// newHeadingScale learns a document's sizes. The body is the size of most letters.
func newHeadingScale(pages []pageText, outline map[string]int) headingScale {
	letters := map[float64]int{}
	bold := 0
	running := map[string]int{}
	words := lexicon{}
	total := 0
	for _, page := range pages {
		seen := map[string]bool{}
		for l := range page.lines() {
			words.learn(l.text)
			if n := utf8.RuneCountInString(l.text); l.placed && l.size > 0 {
				letters[roundSize(l.size)] += n
				total += n
				if l.bold {
					bold += n
				}
			}
			if key := runningKey(l); !seen[key] {
				seen[key] = true
				running[key]++
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
		sizes = nil
	}
	slices.Sort(sizes)
	slices.Reverse(sizes)
	return headingScale{
		sizes: sizes, body: body, running: running, outline: outline, words: words,
		strong: float64(bold) < boldShare*float64(total),
	}
}

// lines yields the lines of a page outside of tables.
func (p pageText) lines() iter.Seq[line] {
	return func(yield func(line) bool) {
		for _, b := range p.blocks {
			for _, l := range b.lines {
				if !yield(l) {
					return
				}
			}
		}
	}
}

// level returns 1 to headingLevels for a line that can be a heading, or 0.
func (h headingScale) level(l line) int {
	if !l.placed || h.running[runningKey(l)] >= runningPages || utf8.RuneCountInString(l.text) > headingRunes {
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
	if level := h.outline[foldTitle(l.text)]; level > 0 {
		return level
	}
	return min(i+1, headingLevels)
}

// titleLevel returns the level of a paragraph of a few lines that is a heading by other signs than
// its size: it stands in the outline, is bold, or has a number and capitals. 0 when it is none.
func (h headingScale) titleLevel(lines []line) int {
	if len(lines) > headingLines || !lines[0].placed {
		return 0
	}
	text := ""
	bold := true
	for _, l := range lines {
		text = joinTexts(text, unlinked(l.text))
		bold = bold && l.bold && l.size >= 0.93*h.body
	}
	if lines[0].running || h.running[runningKey(lines[0])] >= runningPages {
		return 0
	}
	if level := h.outline[foldTitle(text)]; level > 0 {
		return level
	}
	depth := numberDepth(text)
	if !(bold && h.strong) && !(depth > 0 && allCaps(text)) || utf8.RuneCountInString(text) > boldRunes || len(lines) > 2 {
		return 0
	}
	letters := 0
	for _, r := range text {
		if unicode.IsLetter(r) {
			letters++
		}
	}
	if letters < 3 && !isIdeographic(text) || 2*letters < utf8.RuneCountInString(text) || strings.ContainsRune(".,;:!?。、", lastRune(text)) && depth == 0 {
		return 0
	}
	return min(len(h.sizes), headingLevels-1) + 1 + max(depth-1, 0)
}

var numbering = regexp.MustCompile(`^(\d{1,3}(?:\.\d{1,3}){0,5})\.?\s+\p{L}|^(?:[IVXLC]{1,6}|[A-ZА-Я])\.\s+\p{Lu}`)

// numberDepth returns of how many parts the number before a heading is, or 0.
func numberDepth(s string) int {
	m := numbering.FindStringSubmatch(s)
	if m == nil {
		return 0
	}
	return 1 + strings.Count(m[1], ".")
}

func allCaps(s string) bool {
	n := 0
	for _, r := range s {
		if unicode.IsLower(r) {
			return false
		}
		if unicode.IsUpper(r) {
			n++
		}
	}
	return n >= 3
}

// foldTitle makes titles comparable that differ in case, spaces and signs.
func foldTitle(s string) string {
	return strings.Map(func(r rune) rune {
		if !unicode.IsLetter(r) && !unicode.IsDigit(r) {
			return -1
		}
		return unicode.ToLower(r)
	}, s)
}

// runningKey is by what lines of several pages are the same: a title page may
// have the running title in larger print.
func runningKey(l line) string {
	return l.text + "\x00" + strconv.FormatFloat(roundSize(l.size), 'f', 1, 64)
}

// roundSize takes sizes for equal that differ by scaling only.
func roundSize(size float64) float64 { return math.Round(size*2) / 2 }

func isIdeographic(s string) bool {
	return strings.IndexFunc(s, func(r rune) bool { return unicode.Is(unicode.Han, r) }) >= 0
}
