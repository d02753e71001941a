package office

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/ooxml"
)

// A diagramItem is one point of a SmartArt diagram; levels count from 0.
type diagramItem struct {
	text  string
	level int
}

type connection struct {
	to    string
	order int
}

// readDiagram returns the points with text of a diagram's data part, each
// behind the one it belongs to, in the order in which the diagram shows them.
func readDiagram(p *ooxml.Package, part string) ([]diagramItem, error) {
	root, err := p.Tree(part)
	if err != nil {
		return nil, err
	}
	texts, children := map[string]string{}, map[string][]connection{}
	var ids, tops []string
	root.Find("dgm:pt", func(pt *ooxml.Node) {
		id := pt.Attr("modelId")
		var lines []string
		pt.Find("a:p", func(p *ooxml.Node) {
			text := ""
			p.Find("a:t", func(t *ooxml.Node) { text += t.String() })
			lines = append(lines, text)
		})
		if pt.Attr("type") == "pres" && pt.Child("dgm:prSet").String() == "" && strings.TrimSpace(strings.Join(lines, "")) == "" {
			return
		}
		texts[id] = strings.Join(strings.Fields(unescape(strings.Join(lines, " "))), " ")
		ids = append(ids, id)
		if pt.Attr("type") == "doc" {
			tops = append(tops, id)
		}
	})
	root.Find("dgm:cxn", func(c *ooxml.Node) {
		if typ := c.Attr("type"); typ != "" && typ != "parOf" {
			return
		}
		order, _ := strconv.Atoi(c.Attr("srcOrd"))
		from := c.Attr("srcId")
		children[from] = append(children[from], connection{c.Attr("destId"), order})
	})
	var items []diagramItem
	seen := map[string]bool{}
	var walk func(id string, level int)
	walk = func(id string, level int) {
		if seen[id] || level > 100 {
			return
		}
		seen[id] = true
		next := level
		if texts[id] != "" {
			items = append(items, diagramItem{texts[id], level})
			next++
		}
		below := children[id]
		slices.SortStableFunc(below, func(a, b connection) int { return cmp.Compare(a.order, b.order) })
		for _, c := range below {
			walk(c.to, next)
		}
	}
	for _, id := range append(tops, ids...) {
		walk(id, 0)
	}
	return items, nil
}
