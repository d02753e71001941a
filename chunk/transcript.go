package chunk

import (
	"fmt"
	"iter"
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

// transcripts makes a section of each stretch of two minutes.
//
// A section is a range of the text, so that a window to which a transcript
// returns later is a section of its own with the same label.
type transcripts struct{}

const (
	// stampsNeeded and stampShare say how many lines must be timestamps: at
	// least 5, and 15 of 100 lines that have text.
	stampsNeeded = 5
	stampShare   = 15
	// window is the length of a section in seconds.
	window = 120
)

func (transcripts) category() Category { return Transcript }

// A stamp is a line that says when the text below it was spoken.
type stamp struct {
	line, seconds int
	named         bool
}

func (transcripts) parts(o *outline) iter.Seq[part] {
	var stamps []stamp
	for i := range o.lines {
		text := o.text(i)
		if len(text) > 2*maxMarker || text[len(text)-1] < '0' || text[len(text)-1] > '9' || o.inCode(i) {
			continue
		}
		if s, ok := parseStamp(text); ok {
			s.line = i
			stamps = append(stamps, s)
		}
	}
	if len(stamps) < stampsNeeded || len(stamps)*100 < stampShare*len(o.lines) {
		return nil
	}
	if stamps = o.turns(stamps); len(stamps) < stampsNeeded {
		return nil
	}
	var parts []part
	open := func(first int, label string) {
		if n := len(parts); n > 0 {
			parts[n-1].last = first
		}
		p := part{start: o.lines[first].start, first: first, last: len(o.lines), label: label}
		if label != "" {
			p.prefixes = []string{label}
			if o.title != "" && len(o.title) <= maxHeading {
				p.prefixes = []string{label + " " + o.title, label}
			}
		}
		parts = append(parts, p)
	}
	if stamps[0].line > 0 {
		open(0, "")
	}
	current := -1
	for _, s := range stamps {
		if w := s.seconds / window; w != current {
			current = w
			open(s.line, windowLabel(w*window))
		}
	}
	return slices.Values(parts)
}

// turns leaves out times that somebody mentions ("we meet at / 14:30"): they
// have no name, and go back in time, run ahead of what follows, or stand inside
// a paragraph where most of the others begin one.
func (o *outline) turns(stamps []stamp) []stamp {
	begin := 0
	for _, s := range stamps {
		if s.named || o.lines[s.line].afterBlank {
			begin++
		}
	}
	out := stamps[:0:0]
	latest := 0
	for k, s := range stamps {
		inside := !o.lines[s.line].afterBlank && 2*begin >= len(stamps)
		ahead := k+1 < len(stamps) && stamps[k+1].seconds < s.seconds && stamps[k+1].seconds >= latest
		if !s.named && (inside || ahead || s.seconds < latest) {
			continue
		}
		latest = s.seconds
		out = append(out, s)
	}
	return out
}

// windowLabel renders the window that begins at start seconds.
func windowLabel(start int) string {
	return "[" + clockText(start) + "–" + clockText(start+window) + "]"
}

func clockText(seconds int) string {
	h, m, s := seconds/3600, seconds/60%60, seconds%60
	if h == 0 {
		return fmt.Sprintf("%02d:%02d", m, s)
	}
	return fmt.Sprintf("%d:%02d:%02d", h, m, s)
}

// maxName is the length in characters of the longest name before a timestamp.
const maxName = 80

// parseStamp reads a line of a time, H:MM:SS or M:SS, hours and minutes of one
// digit or two, with a name between double asterisks before it or not.
func parseStamp(text string) (s stamp, ok bool) {
	text = strings.TrimSpace(text)
	if rest, bold := strings.CutPrefix(text, "**"); bold {
		n := strings.IndexByte(rest, '*')
		if n <= 0 || !strings.HasPrefix(rest[n:], "**") || utf8.RuneCountInString(rest[:n]) > maxName {
			return s, false
		}
		text = strings.TrimLeftFunc(rest[n+2:], unicode.IsSpace)
		if len(text) == len(rest)-n-2 {
			return s, false
		}
		s.named = true
	}
	parts := 0
	for {
		n, value := 0, 0
		for n < len(text) && text[n] >= '0' && text[n] <= '9' {
			value = value*10 + int(text[n]-'0')
			if n++; n > 2 {
				return s, false
			}
		}
		if n == 0 || parts > 0 && n != 2 {
			return s, false
		}
		s.seconds = s.seconds*60 + value
		parts++
		if n == len(text) {
			return s, parts == 2 || parts == 3
		}
		if text[n] != ':' || parts == 3 {
			return s, false
		}
		text = text[n+1:]
	}
}
