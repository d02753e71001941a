package chunk

import (
	"iter"
	"regexp"
	"slices"
	"strings"
)

// slides makes a section of each slide.
type slides struct{}

// slideMarkersNeeded is how many markers make a document a slide deck.
const slideMarkersNeeded = 2

var slideMarker = regexp.MustCompile(`^ {0,3}<!--\s*Slide number:\s*(\d+)\s*-->$`)

func (slides) category() Category { return Slides }

func (slides) parts(o *outline) iter.Seq[part] {
	type marker struct {
		line   int
		number string
	}
	var markers []marker
	for i := range o.lines {
		text := o.text(i)
		if len(text) > maxMarker || o.inCode(i) || !strings.Contains(text, "<!--") {
			continue
		}
		if m := slideMarker.FindStringSubmatch(text); m != nil {
			markers = append(markers, marker{i, m[1]})
		}
	}
	if len(markers) < slideMarkersNeeded {
		return nil
	}
	var parts []part
	if n := markers[0].line; n > 0 {
		parts = append(parts, part{start: o.lines[0].start, first: 0, last: n})
	}
	start := -1 // of the marker of an empty slide before
	for k, m := range markers {
		p := part{start: o.lines[m.line].start, first: m.line + 1, last: len(o.lines)}
		if k+1 < len(markers) {
			p.last = markers[k+1].line
		}
		if start >= 0 {
			p.start = start
		}
		if start = p.start; p.first < p.last {
			start = -1
			p.label = "[Slide " + m.number + "]"
			p.prefixes = []string{p.label}
			parts = append(parts, p)
		}
	}
	if len(parts) == 0 {
		return nil // nothing but markers
	}
	if start >= 0 {
		// Markers of empty slides at the end belong to the last section.
		parts[len(parts)-1].end = o.lines[len(o.lines)-1].end
	}
	return slices.Values(parts)
}

// maxMarker bounds the lines that are compared with a marker's pattern.
const maxMarker = 200
