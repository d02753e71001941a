//go:build lite

package pdf

import (
	"slices"
	"strings"
	"unicode"
)

// direction is 1 for text that runs to the left, -1 for text that runs to the right, 0 for neither.
func direction(s string) int {
	for _, r := range s {
		switch {
		case unicode.In(r, unicode.Arabic, unicode.Hebrew, unicode.Syriac, unicode.Thaana) && !unicode.IsDigit(r):
			return 1
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			return -1
		}
	}
	return 0
}

// logicalGlyphs puts text that runs to the left, drawn from left to right as it
// is seen, into the order in which it is read, line by line.
func logicalGlyphs(glyphs []glyph) {
	for i := 0; i < len(glyphs); {
		j := i + 1
		for j < len(glyphs) && between(&glyphs[j-1], &glyphs[j]) != '\n' {
			j++
		}
		logicalLine(glyphs[i:j])
		i = j
	}
}

func logicalLine(line []glyph) {
	leftward, rightward := 0, 0 // letters
	seen, read := 0, 0          // pairs drawn as seen, and as read
	for i := range line {
		switch direction(line[i].text) {
		case 1:
			leftward++
			if i == 0 || direction(line[i-1].text) != 1 || line[i].style.angle != 0 {
				continue
			}
			switch d := line[i].box.x0 - line[i-1].box.x0; {
			case d > 0:
				seen++
			case d < 0:
				read++
			}
		case -1:
			rightward++
		}
	}
	if leftward < 2 || seen <= read {
		return
	}
	for i := range line {
		if presentationForm(firstRune(line[i].text)) {
			line[i].text = plain(line[i].text)
		}
	}
	if leftward > rightward {
		slices.Reverse(line)
		reverseRuns(line, -1)
		return
	}
	reverseRuns(line, 1)
}

// reverseRuns turns round the runs of a direction, with what stands between its letters.
func reverseRuns(line []glyph, way int) {
	for i := 0; i < len(line); i++ {
		if direction(line[i].text) != way {
			continue
		}
		end := i + 1
		for k := end; k < len(line); k++ {
			d := direction(line[k].text)
			if d == -way {
				break
			}
			if d == way || strings.ContainsFunc(line[k].text, func(r rune) bool { return unicode.Is(unicode.Mn, r) }) {
				end = k + 1
			}
		}
		slices.Reverse(line[i:end])
		i = end - 1
	}
}
