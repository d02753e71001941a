package odf

import (
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/xmlread"
)

// maxSpaces bounds one run of spaces that an attribute counts; only code shows them.
const maxSpaces = 80

// blanks are spaces in the text of a paragraph (ODF 1.3, 6.1.2).
var blanks = strings.NewReplacer("\n", " ", "\t", " ", "\r", " ")

// inline returns the text in n, with line ends where the text has breaks.
func (c *conversion) inline(n *xmlread.Node) string {
	var b strings.Builder
	c.runs(&b, n)
	return b.String()
}

func (c *conversion) runs(b *strings.Builder, n *xmlread.Node) {
	for _, k := range n.Children {
		c.run(b, k)
	}
}

func (c *conversion) run(b *strings.Builder, n *xmlread.Node) {
	switch n.Name {
	case "":
		b.WriteString(blanks.Replace(n.Text))
	case "text:s":
		count := 1
		if v, err := strconv.Atoi(n.Attr("text:c")); err == nil {
			count = min(max(v, 1), maxSpaces)
		}
		b.WriteString(strings.Repeat(" ", count))
	case "text:tab":
		b.WriteByte('\t')
	case "text:line-break":
		b.WriteByte('\n')
	case "text:a":
		text := fold(strings.ReplaceAll(c.inline(n), "\n", " "))
		b.WriteString(mdtext.Link(text, n.Attr("xlink:href")))
	case "text:note":
		c.note(b, n)
	case "office:annotation":
		c.annotation(n)
	case "text:ruby":
		c.runs(b, child(n, "text:ruby-base"))
		if s := strings.TrimSpace(n.Child("text:ruby-text").String()); s != "" {
			b.WriteString("(" + s + ")")
		}
	case "draw:frame":
		c.frame(b, n)
	case "draw:g", "draw:custom-shape", "draw:rect", "draw:ellipse", "draw:circle", "draw:line", "draw:polygon", "draw:polyline", "draw:path", "draw:connector", "draw:caption":
		c.boxes = append(c.boxes, &xmlread.Node{Name: "box", Children: []*xmlread.Node{n}})
	case "text:tracked-changes", "office:annotation-end", "svg:title", "svg:desc", "text:script", "office:event-listeners":
	case "text:p", "text:h": // in fields with content of their own
		c.runs(b, n)
		b.WriteByte(' ')
	default:
		c.runs(b, n)
	}
}

func child(n *xmlread.Node, name string) *xmlread.Node {
	if k := n.Child(name); k != nil {
		return k
	}
	return &xmlread.Node{}
}

// frame writes what a frame in a paragraph stands for: the alternative text
// of a picture, a formula, or later the blocks of a text box.
func (c *conversion) frame(b *strings.Builder, n *xmlread.Node) {
	for _, k := range n.Children {
		switch k.Name {
		case "draw:text-box":
			c.boxes = append(c.boxes, k)
		case "draw:object":
			root := c.object(k)
			if root == nil {
				continue
			}
			if root.Name == "math:math" {
				b.WriteString(formula(root))
			} else {
				c.boxes = append(c.boxes, root)
			}
			return // the picture beside it shows the same
		case "table:table":
			c.boxes = append(c.boxes, &xmlread.Node{Name: "box", Children: []*xmlread.Node{k}})
		}
	}
	if alt := alternative(n); alt != "" {
		b.WriteString(" " + alt + " ")
	}
}

// alternative is the text that stands for a picture.
func alternative(n *xmlread.Node) string {
	title, desc := fold(n.Child("svg:title").String()), fold(n.Child("svg:desc").String())
	if title == "" || strings.Contains(desc, title) {
		return desc
	}
	if desc == "" {
		return title
	}
	return title + ": " + desc
}

// object opens an embedded document and returns its formula or the tables of
// its chart, or nil. Nothing inside of it is opened further.
func (c *conversion) object(n *xmlread.Node) *xmlread.Node {
	if m := n.Child("math:math"); m != nil {
		return m
	}
	href := strings.TrimPrefix(n.Attr("xlink:href"), "./")
	if href == "" || !c.z.Has(href+"/content.xml") {
		return nil
	}
	root, err := c.tree(href + "/content.xml")
	if err != nil {
		c.warnings = append(c.warnings, "an embedded object could not be read: "+err.Error())
		return nil
	}
	if root.Name == "math:math" {
		return root
	}
	prune(root)
	box := &xmlread.Node{Name: "box"}
	root.Find("chart:title", func(t *xmlread.Node) {
		box.Children = append(box.Children, &xmlread.Node{Name: "text:p", Children: t.Children})
	})
	root.Find("table:table", func(t *xmlread.Node) { box.Children = append(box.Children, t) })
	return box
}

// prune drops the objects in n, which might lead back to where n is embedded.
func prune(n *xmlread.Node) {
	n.Children = slices.DeleteFunc(n.Children, func(k *xmlread.Node) bool { return k.Name == "draw:object" })
	for _, k := range n.Children {
		prune(k)
	}
}

// formula is the source of a formula as its editor keeps it, or its symbols.
func formula(n *xmlread.Node) string {
	source := ""
	n.Find("math:annotation", func(a *xmlread.Node) { source = fold(strings.ReplaceAll(a.String(), "\n", " ")) })
	if source == "" {
		source = fold(strings.ReplaceAll(n.String(), "\n", " "))
	}
	if source == "" {
		return ""
	}
	return "$" + source + "$"
}

// note puts a mark into the text and the note behind the block.
func (c *conversion) note(b *strings.Builder, n *xmlread.Node) {
	s := c.sub()
	s.inNote = true
	if s.blocks(n.Child("text:note-body")) != nil {
		return
	}
	text := fold(strings.ReplaceAll(s.w.String(), "\n", " "))
	if text == "" {
		return
	}
	*c.label++
	mark := "[^" + strconv.Itoa(*c.label) + "]"
	b.WriteString(mark)
	c.waiting = append(c.waiting, mark+": "+text)
	c.waiting = append(c.waiting, s.waiting...)
}

// annotation keeps a comment until the block is written.
func (c *conversion) annotation(n *xmlread.Node) {
	var parts []string
	for _, k := range n.Children {
		if k.Name == "text:p" || k.Name == "text:list" {
			if s := fold(strings.ReplaceAll(c.flat(k), "\n", " ")); s != "" {
				parts = append(parts, s)
			}
		}
	}
	if len(parts) == 0 {
		return
	}
	by := ""
	if who := fold(n.Child("dc:creator").String()); who != "" {
		by = " by " + who
	}
	c.waiting = append(c.waiting, "> Comment"+by+": "+strings.Join(parts, " "))
}

// flat returns the text of all paragraphs in n, with spaces between them.
func (c *conversion) flat(n *xmlread.Node) string {
	switch n.Name {
	case "text:p", "text:h":
		return c.inline(n)
	case "", "office:annotation", "svg:title", "svg:desc":
		if n.Name == "office:annotation" {
			c.annotation(n)
		}
		return ""
	}
	var b strings.Builder
	for _, k := range n.Children {
		if s := c.flat(k); s != "" {
			b.WriteString(s)
			b.WriteByte(' ')
		}
	}
	return b.String()
}
