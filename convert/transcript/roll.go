package transcript

import (
	"slices"
	"strings"
)

// unroll drops from captions that roll up what the cue before has shown
// already: each cue repeats the last lines of the one before it and adds some. Captions are taken to roll
// when at least half of the cues do so, of four or more: people do say a line twice.
func unroll(parts []part) []part {
	cues, rolling := 0, 0
	var before []string
	lines := make([][]string, len(parts))
	for i, p := range parts {
		if p.note {
			continue
		}
		if p.speaker != "" {
			return parts
		}
		for l := range strings.SplitSeq(p.text, "\n") {
			if l = strings.Join(strings.Fields(l), " "); l != "" {
				lines[i] = append(lines[i], l)
			}
		}
		cues++
		if overlap(before, lines[i]) > 0 {
			rolling++
		}
		before = lines[i]
	}
	if cues < 4 || 2*rolling < cues {
		return parts
	}
	before = nil
	out := parts[:0]
	for i, p := range parts {
		if p.note {
			out = append(out, p)
			continue
		}
		fresh := lines[i][overlap(before, lines[i]):]
		before = lines[i]
		if len(fresh) > 0 {
			p.text = strings.Join(fresh, "\n")
			out = append(out, p)
		}
	}
	return out
}

// maxRolled bounds the lines that a cue repeats; captions show up to four.
const maxRolled = 10

// overlap returns how many lines at the begin of b are the last ones of a.
func overlap(a, b []string) int {
	for n := min(len(a), len(b), maxRolled); n > 0; n-- {
		if slices.Equal(a[len(a)-n:], b[:n]) {
			return n
		}
	}
	return 0
}
