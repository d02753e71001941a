package chunk

import "context"

// A Heading is a heading of a document and what it stands above.
type Heading struct {
	Level int    // from 1
	Text  string // without markup
	// Start is where its line begins, and End where the next heading of the
	// same or a higher level begins, or the length of the document.
	Start, End int
}

// Outline returns the headings of a Markdown text in order. Lines in closed
// code fences are none.
func Outline(markdown string) []Heading {
	o, err := scan(context.Background(), Document{Markdown: markdown})
	if err != nil {
		return nil // only a context that is done is an error
	}
	headings := []Heading{}
	var open []int // headings without an end, levels rising
	for i := range o.lines {
		level := int(o.lines[i].level)
		if level == 0 {
			continue
		}
		for len(open) > 0 && headings[open[len(open)-1]].Level >= level {
			headings[open[len(open)-1]].End = o.lines[i].start
			open = open[:len(open)-1]
		}
		open = append(open, len(headings))
		headings = append(headings, Heading{Level: level, Text: o.heading(i), Start: o.lines[i].start, End: len(markdown)})
	}
	return headings
}
