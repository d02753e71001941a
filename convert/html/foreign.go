package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// math writes the TeX that a formula carries, or its text.
func (r *renderer) math(n *html.Node) {
	tex := attr(n, "alttext")
	for d := range n.Descendants() {
		if d.Data == "annotation" && strings.Contains(attr(d, "encoding"), "tex") {
			tex = textOf(d)
		}
	}
	if tex = strings.TrimSpace(tex); tex != "" {
		r.write("$" + tex + "$")
		return
	}
	r.blocks(n)
}

// svg writes the labels of a drawing. One without any is mostly an icon, and its name noise.
func (r *renderer) svg(n *html.Node) {
	var labels []string
	var walk func(n *html.Node)
	walk = func(n *html.Node) {
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if c.Type != html.ElementNode {
				continue
			}
			switch c.Data {
			case "text":
				labels = append(labels, strings.Join(strings.Fields(textOf(c)), " "))
			case "foreignObject":
				labels = append(labels, r.span(c, true))
			case "title", "style", "script", "desc", "metadata":
			default:
				walk(c)
			}
		}
	}
	walk(n)
	if len(labels) > 0 {
		r.write(" " + strings.Join(labels, " ") + " ")
	}
}

// ruby writes the text, then its reading in parentheses: "漢字(kanji)". A
// reading behind each character would cut the word.
func (r *renderer) ruby(n *html.Node) {
	reading := ""
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		switch c.DataAtom {
		case atom.Rp:
		case atom.Rt, atom.Rtc:
			reading += strings.TrimSpace(textOf(c))
		default:
			r.node(c)
		}
	}
	if reading != "" {
		r.write("(" + reading + ")")
	}
}
