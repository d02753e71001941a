package pdf

import (
	"math"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"golang.org/x/text/unicode/norm"
)

// A line is a line of a page. x and xEnd are its left and right edges, y is its
// bottom, in points, y upwards, in the frame of its text; size is the font's. end is
// y of the last line that a hyphen has joined to it. They are valid only when placed is set.
type line struct {
	text         string
	x, xEnd      float64
	y, end, size float64
	placed       bool
	bold         bool // all of it
	hyphen       bool // a word goes on in the next line
	running      bool // a header or footer, or a title that slides repeat
	order        int
}

// PDFium's mark of a hyphen that cut a word at the end of a line, now and in older versions.
const (
	hyphenMark    = '\x02'
	hyphenMarkOld = '\ufffe'
)

// plain returns s as a search wants it: hyphen marks dropped (the words are
// already joined), ligatures and presentation forms as letters, one space for each run of white space, and
// no character that stands for nothing.
func plain(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, r := range s {
		if unicode.IsSpace(r) || r == '\u200b' {
			space = true
			continue
		}
		if bullet(r) {
			r = '•'
		}
		if meaningless(r) {
			continue
		}
		if space && b.Len() > 0 {
			b.WriteByte(' ')
		}
		space = false
		if presentationForm(r) {
			b.WriteString(strings.TrimSpace(norm.NFKC.String(string(r)))) // a mark alone stands on a space there
			continue
		}
		b.WriteRune(r)
	}
	return b.String()
}

// bullet reports the private codes under which Symbol and Wingdings, the
// office programs' fonts for lists, have their bullets.
func bullet(r rune) bool {
	switch r {
	case 0xf0a7, 0xf0b7, 0xf0d8, 0xf076, 0xf0fc, 0xf06e, 0xf0a8, 0xf071:
		return true
	}
	return false
}

// meaningless reports control and formatting characters, noncharacters
// (with them the hyphen marks) and codes that have a meaning in one font only.
func meaningless(r rune) bool {
	switch {
	case unicode.IsControl(r), r == '\u00ad', r == '\ufeff', r == '\u2060', r == unicode.ReplacementChar:
		return true
	case r >= 0x200e && r <= 0x200f, r >= 0x202a && r <= 0x202e, r >= 0x2066 && r <= 0x2069: // direction marks
		return true
	case r&0xfffe == 0xfffe, r >= 0xfdd0 && r <= 0xfdef:
		return true
	}
	return unicode.Is(unicode.Co, r)
}

// presentationForm reports shapes of letters that fonts' Unicode maps often
// give in place of the letters: Latin ligatures, Arabic forms, Kangxi radicals.
func presentationForm(r rune) bool {
	return r >= 0xfb00 && r <= 0xfb06 || r >= 0xfb50 && r <= 0xfdff || r >= 0xfe70 && r <= 0xfeff || r >= 0x2e80 && r <= 0x2fd5
}

const (
	// wideGap is how much more than the page's usual distance between lines
	// separates paragraphs. Usual paragraph spacing begins at half a line;
	// superscripts and mixed fonts move a line by less than a quarter.
	wideGap = 1.3
	// usualLeading is the distance in font sizes of the typographic default,
	// used when a page has too few lines to tell.
	usualLeading = 1.2
	// sizeStep is the ratio of font sizes from which one begins another
	// paragraph: 14 over 12 points, a small heading.
	sizeStep = 1.12
)

// layOut writes lines as Markdown, one below the other, with a blank
// line between paragraphs and around headings.
func layOut(lines []line, scale headingScale) string {
	lines = joinCut(lines, scale.words)
	usual := leading(lines)
	var b strings.Builder
	for i := 0; i < len(lines); {
		level, end := scale.extent(lines, i, usual)
		if i > 0 {
			b.WriteString("\n\n")
		}
		between := "\n"
		if level > 0 {
			b.WriteString(strings.Repeat("#", level) + " ")
			between = " "
		}
		for k, l := range lines[i:end] {
			if k > 0 && !(unspaced(lastRune(lines[i+k-1].text)) && unspaced(firstRune(l.text))) {
				b.WriteString(between)
			}
			if level > 0 {
				b.WriteString(unlinked(l.text))
			} else {
				b.WriteString(escape(l.text))
			}
		}
		i = end
	}
	return b.String()
}

// extent returns where the paragraph or heading that begins at line i ends, and its level, 0 for a paragraph.
func (h headingScale) extent(lines []line, i int, usual float64) (level, end int) {
	level = h.level(lines[i])
	end = i + 1
	for end < len(lines) && h.level(lines[end]) == level && !newParagraph(lines[end-1], lines[end], usual) {
		if level == 0 && lines[end-1].bold != lines[end].bold && h.titleLevel(lines[i:end]) > 0 {
			break // a bold line on top of its text
		}
		end++
	}
	switch {
	case end-i > headingLines:
		return 0, end
	case level == 0:
		return h.titleLevel(lines[i:end]), end
	}
	return level, end
}

// joinCut joins lines between which a word was cut.
func joinCut(lines []line, words lexicon) []line {
	var out []line
	for _, l := range lines {
		n := len(out)
		if n == 0 || !out[n-1].hyphen {
			out = append(out, l)
			continue
		}
		out[n-1].text = joinHyphen(out[n-1].text, l.text, words)
		out[n-1].hyphen, out[n-1].end = l.hyphen, l.y
	}
	if n := len(out); n > 0 && out[n-1].hyphen {
		out[n-1].text += "-"
	}
	return out
}

// leading returns the median distance of neighbouring lines in font sizes.
func leading(lines []line) float64 {
	var gaps []float64
	for i := 1; i < len(lines); i++ {
		if gap, ok := gap(lines[i-1], lines[i]); ok && gap > 0.5 && gap < 4 {
			gaps = append(gaps, gap)
		}
	}
	if len(gaps) < 3 {
		return usualLeading
	}
	slices.Sort(gaps)
	return gaps[(len(gaps)-1)/2]
}

// gap returns how far b stands below a, in font sizes; false when that is not known.
func gap(a, b line) (float64, bool) {
	size := max(a.size, b.size)
	if !a.placed || !b.placed || !(size > 0) || math.IsInf(size, 0) {
		return 0, false
	}
	g := (a.end - b.y) / size
	return g, !math.IsNaN(g) && !math.IsInf(g, 0)
}

func newParagraph(a, b line, usual float64) bool {
	if a.placed != b.placed {
		return true
	}
	gap, ok := gap(a, b)
	if !ok {
		return false
	}
	if small := min(a.size, b.size); small > 0 && max(a.size, b.size)/small >= sizeStep && math.Abs(gap) > 0.5 {
		return true
	}
	return gap > usual*wideGap || gap < -0.5
}

// structural matches the beginnings of lines that Markdown would take for a
// heading, a fence, a rule or the underline of a heading.
var structural = regexp.MustCompile("^(#{1,6}( |$)|```|~~~|=+$|-+$|([-*_] ?){3,}$)")

// escape keeps the text of a line from becoming structure.
func escape(s string) string {
	if structural.MatchString(s) {
		return `\` + s
	}
	return s
}
