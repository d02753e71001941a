package office

import (
	"cmp"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/mdtext"
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

// readDiagram returns the points with text of the diagram whose data part has
// the id, each behind the one it belongs to, in the order in which the diagram shows them. A diagram
// whose data say nothing is read from the drawing that programs keep with it.
func readDiagram(p *ooxml.Package, rels map[string]ooxml.Relationship, id string) ([]diagramItem, error) {
	var root *ooxml.Node
	var err error
	if data := rels[id]; !data.External && p.Has(data.Target) {
		if root, err = p.Tree(data.Target); err == nil {
			if items := modelItems(root); len(items) > 0 {
				return items, nil
			}
		}
	}
	drawing := rels[drawingID(root, rels)]
	if fatal(err) || drawing.External || !p.Has(drawing.Target) {
		return nil, err
	}
	tree, err := p.Tree(drawing.Target)
	if err != nil {
		return nil, err
	}
	var items []diagramItem
	tree.Find("dsp:txBody", func(body *ooxml.Node) {
		if text := strings.Join(strings.Fields(unescape(runs(body))), " "); text != "" {
			items = append(items, diagramItem{text: text})
		}
	})
	return items, nil
}

// drawingID returns the id of the drawing of a diagram: the one that its data
// name, or the only one that there is.
func drawingID(data *ooxml.Node, rels map[string]ooxml.Relationship) string {
	id := ""
	orEmpty(data).Find("dsp:dataModelExt", func(ext *ooxml.Node) { id = ext.Attr("relId") })
	if id != "" {
		return id
	}
	count := 0
	for key, r := range rels {
		if r.Type == "diagramDrawing" {
			id = key
			count++
		}
	}
	if count > 1 {
		return ""
	}
	return id
}

// writeDiagram writes the points as a list.
func writeDiagram(w *mdtext.Writer, items []diagramItem) {
	for i, item := range items {
		if i > 0 {
			w.Tight()
		}
		w.Item(strings.Repeat("  ", min(item.level, 8)) + "- ")
		w.Block(item.text)
		w.Close()
	}
}

func modelItems(root *ooxml.Node) []diagramItem {
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
	return items
}
