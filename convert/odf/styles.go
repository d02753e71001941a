package odf

import (
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/xmlread"
)

// A style is what matters of a paragraph or table style.
type style struct {
	parent string
	list   string // list style
	hidden bool   // of a sheet
}

// A listStyle tells the levels that are numbered.
type listStyle struct {
	numbered map[int]bool
	start    map[int]int
}

func (c *conversion) readStyles(n *xmlread.Node) {
	if n == nil {
		return
	}
	for _, s := range n.Children {
		switch name := s.Attr("style:name"); s.Name {
		case "style:style":
			c.styles[name] = style{
				parent: s.Attr("style:parent-style-name"),
				list:   s.Attr("style:list-style-name"),
				hidden: s.Child("style:table-properties").Attr("table:display") == "false",
			}
		case "text:list-style":
			ls := listStyle{map[int]bool{}, map[int]int{}}
			for _, l := range s.Children {
				level, err := strconv.Atoi(l.Attr("text:level"))
				if err != nil || l.Name != "text:list-level-style-number" || l.Attr("style:num-format") == "" {
					continue
				}
				ls.numbered[level] = true
				if v, err := strconv.Atoi(l.Attr("text:start-value")); err == nil && v >= 0 {
					ls.start[level] = v
				}
			}
			c.lists[name] = ls
		}
	}
}

// is reports whether the style called name is, or comes from, one called want.
func (c *conversion) is(name string, want ...string) bool {
	for range 20 { // parents may form a ring
		for _, w := range want {
			if strings.EqualFold(strings.ReplaceAll(name, "_20_", " "), w) {
				return true
			}
		}
		s, ok := c.styles[name]
		if !ok || s.parent == "" {
			return false
		}
		name = s.parent
	}
	return false
}
