package office

import (
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/ooxml"
)

// A background is what a slide inherits from its layout and master.
type background struct {
	layout, master []*ooxml.Node // placeholder shapes
	styles         *ooxml.Node   // p:txStyles
	fixed          []string      // lines that stand on every slide
}

// background returns that of a slide.
func (s *slides) background(slide string) (*background, error) {
	layout := s.related("slideLayout")
	if b, ok := s.backgrounds[layout]; ok {
		return b, nil
	}
	b := &background{}
	s.backgrounds[layout] = b
	if layout == "" {
		return b, nil
	}
	root, err := s.p.Tree(layout)
	if err != nil {
		return nil, err
	}
	b.layout, b.fixed = placeholders(root), fixedText(root)
	master, err := s.p.First(layout, "slideMaster")
	if err != nil {
		return nil, err
	}
	if master == "" || !s.p.Has(master) {
		return b, nil
	}
	// Layouts share their master: it is read once.
	if m, ok := s.backgrounds[master]; ok {
		b.master, b.styles, b.fixed = m.master, m.styles, append(b.fixed, m.fixed...)
		return b, nil
	}
	if root, err = s.p.Tree(master); err != nil {
		return nil, err
	}
	b.master, b.styles = placeholders(root), root.Child("p:txStyles")
	fixed := fixedText(root)
	s.backgrounds[master] = &background{master: b.master, styles: b.styles, fixed: fixed}
	b.fixed = append(b.fixed, fixed...)
	return b, nil
}

// fixedText returns the text of the shapes of a layout or master that are no placeholders.
func fixedText(root *ooxml.Node) []string {
	var lines []string
	root.Find("p:sp", func(sp *ooxml.Node) {
		if placeholder(sp).Name != "" {
			return
		}
		for line := range strings.Lines(unescape(runs(sp.Child("p:txBody")))) {
			if line = convert.OneLine(line); countLetters(line) >= 4 {
				lines = append(lines, line)
			}
		}
	})
	return lines
}

// maxPlaceholders bounds those of a layout; PowerPoint's own have up to twenty.
const maxPlaceholders = 100

func placeholders(root *ooxml.Node) []*ooxml.Node {
	var list []*ooxml.Node
	root.Find("p:sp", func(sp *ooxml.Node) {
		if len(placeholder(sp).Children) > 0 || placeholder(sp).Name != "" {
			list = append(list, sp)
		}
	})
	// Each placeholder of a slide is looked up among them.
	if len(list) > maxPlaceholders {
		list = list[:maxPlaceholders]
	}
	return list
}

// placeholder returns the p:ph of a shape, or an empty node.
func placeholder(sp *ooxml.Node) *ooxml.Node {
	for _, c := range sp.Children {
		if ph := c.Child("p:nvPr").Child("p:ph"); ph != nil {
			return ph
		}
	}
	return &ooxml.Node{}
}

// kind folds the types of placeholders to those that a master has.
func kind(typ string) string {
	switch typ {
	case "title", "ctrTitle":
		return "title"
	case "sldNum", "dt", "ftr", "hdr":
		return typ
	}
	return "body"
}

// inherited returns the placeholders that a placeholder gets from its layout and master, nearest first.
func (b *background) inherited(ph *ooxml.Node) []*ooxml.Node {
	if ph.Name == "" {
		return nil
	}
	var chain []*ooxml.Node
	typ, idx := ph.Attr("type"), ph.Attr("idx")
	best := 0
	var found *ooxml.Node
	for _, l := range b.layout {
		lp := placeholder(l)
		score := 0
		if lp.Attr("idx") == idx {
			score += 2
		}
		if kind(lp.Attr("type")) == kind(typ) {
			score++
			if kind(typ) == "title" {
				score += 2
			}
		}
		if score > best && score != 1 {
			best, found = score, l
		}
	}
	if found != nil {
		chain = append(chain, found)
		if typ == "" {
			typ = placeholder(found).Attr("type")
		}
	}
	for _, m := range b.master {
		if kind(placeholder(m).Attr("type")) == kind(typ) {
			return append(chain, m)
		}
	}
	return chain
}
