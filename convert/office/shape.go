package office

import (
	"cmp"
	"regexp"
	"slices"
	"strconv"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/ooxml"
)

// sameLine is how far apart, in English Metric Units, the upper edges of
// shapes may be that a reader sees side by side: an eighth of an inch.
const sameLine = 914400 / 8

type placed struct {
	shape     *ooxml.Node
	top, left int64
	known     bool
}

// shapes returns the shapes of a slide or group in reading order: the title,
// then those without a position, then from the top and from the left.
func (s *slides) shapes(tree *ooxml.Node) []*ooxml.Node {
	var list []placed
	s.gather(orEmpty(tree), &list)
	slices.SortStableFunc(list, func(a, b placed) int {
		switch {
		case a.known != b.known:
			if a.known {
				return 1
			}
			return -1
		default:
			return cmp.Compare(a.top, b.top)
		}
	})
	for i := 0; i < len(list); {
		j := i + 1
		for j < len(list) && list[j].known == list[i].known && list[j].top-list[i].top < sameLine {
			j++
		}
		slices.SortStableFunc(list[i:j], func(a, b placed) int { return cmp.Compare(a.left, b.left) })
		i = j
	}
	shapes := make([]*ooxml.Node, 0, len(list))
	for _, title := range []bool{true, false} {
		for _, p := range list {
			if isTitle(p.shape) == title {
				shapes = append(shapes, p.shape)
			}
		}
	}
	return shapes
}

func isTitle(sp *ooxml.Node) bool {
	typ := placeholder(sp).Attr("type")
	return typ == "title" || typ == "ctrTitle"
}

func (s *slides) gather(tree *ooxml.Node, list *[]placed) {
	for _, c := range tree.Children {
		switch c.Name {
		case "mc:AlternateContent":
			s.gather(readable(c), list)
		case "p:sp", "p:pic", "p:grpSp", "p:graphicFrame", "p:cxnSp":
			p := placed{shape: c}
			p.left, p.top, p.known = position(c)
			if !p.known {
				for _, from := range s.back.inherited(placeholder(c)) {
					if p.left, p.top, p.known = position(from); p.known {
						break
					}
				}
			}
			*list = append(*list, p)
		}
	}
}

func position(sp *ooxml.Node) (left, top int64, ok bool) {
	xfrm := sp.Child("p:xfrm")
	for _, name := range []string{"p:spPr", "p:grpSpPr"} {
		if x := sp.Child(name).Child("a:xfrm"); x != nil {
			xfrm = x
		}
	}
	off := xfrm.Child("a:off")
	if off == nil {
		return 0, 0, false
	}
	left, err1 := strconv.ParseInt(off.Attr("x"), 10, 64)
	top, err2 := strconv.ParseInt(off.Attr("y"), 10, 64)
	const far = 1 << 50 // keeps differences of positions in range
	if err1 != nil || err2 != nil || max(left, top) > far || min(left, top) < -far {
		return 0, 0, false
	}
	return left, top, true
}

// readable chooses the variant of content stored twice that has something to
// read: the modern one, if it has text or refers to a part that has.
func readable(n *ooxml.Node) *ooxml.Node {
	for _, c := range n.Children {
		if c.Name == "mc:Choice" && hasContent(c) {
			return c
		}
	}
	if f := n.Child("mc:Fallback"); f != nil {
		return f
	}
	return orEmpty(n.Child("mc:Choice"))
}

func hasContent(n *ooxml.Node) bool {
	for _, c := range n.Children {
		switch c.Name {
		case "a:t", "m:t", "c:chart", "cx:chart", "dgm:relIds":
			return true
		}
		if hasContent(c) {
			return true
		}
	}
	return false
}

// tree writes the shapes of a slide or group, and reports whether the slide has its title by now.
func (s *slides) tree(tree *ooxml.Node, titled bool) (bool, error) {
	for _, sp := range s.shapes(tree) {
		err := s.ctx.Err()
		if err != nil {
			return titled, err
		}
		switch sp.Name {
		case "p:grpSp":
			before := s.w.Len()
			if titled, err = s.tree(sp, titled); err == nil && s.w.Len() == before {
				s.alternative(sp)
			}
		case "p:graphicFrame":
			err = s.frame(sp)
		case "p:sp":
			titled = s.shape(sp, titled)
		default:
			s.alternative(sp)
		}
		if err != nil || s.w.Full() {
			return titled, err
		}
	}
	return titled, nil
}

// shape writes the text of a shape, as heading if it is the first title.
func (s *slides) shape(sp *ooxml.Node, titled bool) bool {
	ph := placeholder(sp)
	body := sp.Child("p:txBody")
	typ := ph.Attr("type")
	switch typ {
	case "sldNum", "dt", "ftr", "hdr":
		// What stands on every slide is written once.
		text := convert.OneLine(plainText(s.text(body)))
		if countLetters(text) > 1 && !s.margins[text] {
			s.margins[text] = true
			s.w.Paragraph(text)
		}
		return titled
	}
	if (typ == "title" || typ == "ctrTitle") && !titled {
		if text := convert.OneLine(markdown(s.text(body), true)); text != "" {
			s.w.Heading(1, text)
			return true
		}
		return titled
	}
	before := s.w.Len()
	s.paragraphs(body, s.listStyles(sp, ph))
	if s.w.Len() == before {
		s.alternative(sp)
	}
	return titled
}

// listStyles returns the styles that say whether the paragraphs of a shape have bullets, nearest first.
func (s *slides) listStyles(sp, ph *ooxml.Node) []*ooxml.Node {
	list := []*ooxml.Node{sp.Child("p:txBody").Child("a:lstStyle")}
	if ph.Name == "" {
		return list
	}
	typ := ph.Attr("type")
	for _, from := range s.back.inherited(ph) {
		list = append(list, from.Child("p:txBody").Child("a:lstStyle"))
		if typ == "" {
			typ = placeholder(from).Attr("type")
		}
	}
	style := "p:bodyStyle"
	if kind(typ) == "title" {
		style = "p:titleStyle"
	}
	return append(list, s.back.styles.Child(style))
}

// alternative writes the alternative text of a picture or of a shape without text.
func (s *slides) alternative(sp *ooxml.Node) {
	if text := description(sp); text != "" {
		s.w.Paragraph(text)
	}
}

func description(sp *ooxml.Node) string {
	for _, c := range sp.Children {
		pr := c.Child("p:cNvPr")
		if pr == nil {
			continue
		}
		if text := altText(pr); text != "" {
			return text
		}
	}
	return ""
}

// placeholderAlt matches the names that programs give to pictures and put in the place of a description.
var placeholderAlt = regexp.MustCompile(`(?i)^(?:picture|image|graphic|chart|shape|diagram|object|рисунок|изображение|диаграмма|объект|bild|grafik|imagen|immagine)\s*\d*$`)

// altText returns the description that properties of a drawing hold, if a person or program wrote a real one.
func altText(pr *ooxml.Node) string {
	for _, key := range []string{"descr", "title"} {
		text := convert.OneLine(generated.ReplaceAllString(unescape(pr.Attr(key)), ""))
		if countLetters(text) > 0 && !placeholderAlt.MatchString(text) {
			return text
		}
	}
	return ""
}

// frame writes a table, chart, diagram or embedded object.
func (s *slides) frame(n *ooxml.Node) error {
	before := s.w.Len()
	data := orEmpty(n.Child("a:graphic").Child("a:graphicData"))
	var err error
	do := func(name string, f func(*ooxml.Node) error) {
		data.Find(name, func(c *ooxml.Node) {
			if err == nil {
				err = f(c)
			}
		})
	}
	do("a:tbl", s.table)
	for _, name := range []string{"c:chart", "cx:chart"} {
		do(name, func(c *ooxml.Node) error { return s.chart(c.Attr("r:id")) })
	}
	do("dgm:relIds", func(c *ooxml.Node) error { return s.diagram(c.Attr("r:dm")) })
	if err != nil {
		return err
	}
	if s.w.Len() == before {
		s.alternative(n)
	}
	if s.w.Len() == before {
		data.Find("p:pic", s.alternative)
	}
	return nil
}

// part returns the part that a relationship of the slide leads to, or "".
func (s *slides) part(id string) string {
	if r, ok := s.rels[id]; ok && !r.External && s.p.Has(r.Target) {
		return r.Target
	}
	return ""
}

func (s *slides) chart(id string) error {
	part := s.part(id)
	if part == "" {
		return nil
	}
	c, err := readChart(s.p, part, &s.cells, s.limits.Cells, &s.repeats)
	if fatal(err) {
		return err
	}
	if err != nil {
		s.warn("a chart", err)
		return nil
	}
	c.write(s.w, 3)
	return nil
}

func (s *slides) diagram(id string) error {
	items, err := readDiagram(s.p, s.rels, id)
	if fatal(err) {
		return err
	}
	if err != nil {
		s.warn("a diagram", err)
	}
	writeDiagram(s.w, items)
	return nil
}
