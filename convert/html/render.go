package html

import (
	"context"
	"net/url"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
)

// A renderer walks one tree. The parser bounds the tree's depth, so that
// recursion is safe.
type renderer struct {
	ctx    context.Context
	page   bool
	base   *url.URL
	limits convert.Limits
	cells  *int // table cells so far, shared with the renderers of cells
	err    error
	steps  int

	w      mdtext.Writer
	inline []byte // the paragraph being gathered
	inCell bool   // the node is in a cell of a data table
	inLink bool   // the node is in a link: a picture is its alternative text
	lists  int    // lists around the node
	bold   int    // headings and header cells around the node: no bold inside bold
}

func (r *renderer) stop() bool {
	r.steps++
	return r.err != nil || r.w.Full() || r.steps%1024 == 0 && r.ctx.Err() != nil
}

// flush writes the gathered paragraph.
func (r *renderer) flush() {
	if len(r.inline) == 0 {
		return
	}
	text := collapse(string(r.inline))
	r.inline = r.inline[:0]
	r.w.Paragraph(text)
}

func (r *renderer) write(s string) { r.inline = append(r.inline, s...) }

// hardBreak stands for a br element until white space has been collapsed.
const hardBreak = '\x00'

// collapse folds white space as a browser does and turns hard breaks into line ends.
func collapse(s string) string {
	var b strings.Builder
	b.Grow(len(s))
	space := false
	for _, c := range s {
		switch {
		case c == hardBreak:
			b.WriteByte('\n')
			space = false
		case c == ' ' || c == '\n' || c == '\t' || c == '\r' || c == '\f':
			space = true
		default:
			if space && b.Len() > 0 {
				b.WriteByte(' ')
			}
			space = false
			b.WriteRune(c)
		}
	}
	return strings.Trim(b.String(), "\n ")
}

func (r *renderer) blocks(n *html.Node) {
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		r.node(c)
	}
}

func (r *renderer) node(n *html.Node) {
	if r.stop() {
		return
	}
	switch n.Type {
	case html.TextNode:
		r.write(strings.ReplaceAll(n.Data, string(hardBreak), ""))
	case html.DocumentNode:
		r.blocks(n)
	case html.ElementNode:
		if !r.skip(n) {
			r.element(n)
		}
	}
}

// skip reports whether n is not for reading.
func (r *renderer) skip(n *html.Node) bool {
	switch n.DataAtom {
	case atom.Script, atom.Style, atom.Template, atom.Noscript, atom.Iframe, atom.Object, atom.Embed, atom.Canvas, atom.Audio, atom.Video,
		atom.Head, atom.Datalist, atom.Applet, atom.Noframes, atom.Map:
		return true
	case atom.Nav, atom.Footer, atom.Aside:
		return r.page
	}
	if r.page && (hasAttr(n, "hidden") || strings.Contains(strings.ReplaceAll(strings.ToLower(attr(n, "style")), " ", ""), "display:none")) {
		return true
	}
	return false
}

func (r *renderer) element(n *html.Node) {
	switch n.DataAtom {
	case atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6:
		r.heading(n, int(n.Data[1]-'0'))
	case atom.Br:
		r.write(string(hardBreak))
	case atom.Hr:
		r.flush()
		if !r.inCell {
			r.w.Block("---")
		}
	case atom.Ul, atom.Ol, atom.Menu, atom.Dir:
		r.list(n)
	case atom.Li:
		r.item(n, "- ")
	case atom.Dt:
		r.flush()
		r.w.Block(strong(r.span(n, true)))
	case atom.Dd:
		r.flush()
		r.w.Tight()
		r.item(n, ": ")
		r.w.Loose()
	case atom.Blockquote:
		r.flush()
		r.w.Quote()
		r.blocks(n)
		r.flush()
		r.w.Close()
	case atom.Pre, atom.Listing, atom.Xmp, atom.Plaintext:
		r.flush()
		r.w.Code(language(n), preText(n))
	case atom.Table:
		r.table(n)
	case atom.P, atom.Div, atom.Section, atom.Article, atom.Main, atom.Header, atom.Footer, atom.Nav, atom.Aside, atom.Address,
		atom.Figure, atom.Figcaption, atom.Form, atom.Fieldset, atom.Legend, atom.Dl, atom.Details, atom.Summary, atom.Center,
		atom.Body, atom.Html, atom.Hgroup, atom.Dialog, atom.Caption, atom.Tr, atom.Option, atom.Optgroup, atom.Select:
		r.flush()
		r.blocks(n)
		r.flush()
	case atom.Td, atom.Th:
		r.blocks(n)
		r.write(" ")
	default:
		r.phrase(n)
	}
}

func (r *renderer) heading(n *html.Node, level int) {
	r.flush()
	r.w.Heading(level, r.span(n, true))
}

// span renders the content of n on its own, on one line. plain leaves out bold.
func (r *renderer) span(n *html.Node, plain bool) string {
	sub := r.child()
	if plain {
		sub.bold++
	}
	sub.blocks(n)
	sub.flush()
	r.err = sub.err
	return strings.Join(strings.Fields(sub.w.String()), " ")
}

func (r *renderer) child() *renderer {
	return &renderer{ctx: r.ctx, page: r.page, base: r.base, limits: r.limits, cells: r.cells, steps: r.steps,
		inCell: r.inCell, inLink: r.inLink, lists: r.lists, bold: r.bold, w: mdtext.Writer{Max: r.limits.OutputBytes}}
}

func (r *renderer) list(n *html.Node) {
	r.flush()
	if r.lists > 0 {
		r.w.Tight()
	}
	r.lists++
	number := 1
	if v, err := strconv.Atoi(attr(n, "start")); err == nil && v >= 0 {
		number = v
	}
	first := true
	for c := n.FirstChild; c != nil; c = c.NextSibling {
		if c.Type != html.ElementNode || c.DataAtom != atom.Li {
			r.node(c)
			continue
		}
		if !first {
			r.flush()
			r.w.Tight()
		}
		first = false
		marker := "- "
		if n.DataAtom == atom.Ol {
			if v, err := strconv.Atoi(attr(c, "value")); err == nil && v >= 0 {
				number = v
			}
			marker = strconv.Itoa(number) + ". "
			number++
		}
		r.item(c, marker)
	}
	r.flush()
	r.w.Loose()
	r.lists--
}

func (r *renderer) item(n *html.Node, marker string) {
	if r.stop() || r.skip(n) {
		return
	}
	r.flush()
	r.w.Item(marker)
	r.blocks(n)
	r.flush()
	r.w.Close()
}

// phrase renders an inline element.
func (r *renderer) phrase(n *html.Node) {
	switch n.DataAtom {
	case atom.Strong, atom.B:
		r.mark(n, "**", r.bold > 0)
	case atom.Em, atom.I:
		r.mark(n, "*", false)
	case atom.Del, atom.S, atom.Strike:
		r.mark(n, "~~", false)
	case atom.Code, atom.Kbd, atom.Samp, atom.Tt:
		if code := mdtext.CodeSpan(textOf(n)); code != "" {
			r.write(code)
		}
	case atom.A:
		r.link(n)
	case atom.Img:
		r.image(n)
	case atom.Input:
		if attr(n, "type") == "checkbox" || attr(n, "type") == "radio" {
			box := "[ ] "
			if hasAttr(n, "checked") {
				box = "[x] "
			}
			r.write(box)
		}
	case atom.Sup:
		r.superscript(n)
	case atom.Q:
		r.write(`"`)
		r.blocks(n)
		r.write(`"`)
	case atom.Math:
		r.math(n)
	case atom.Svg:
		r.svg(n)
	case atom.Ruby:
		r.ruby(n)
	case atom.Button, atom.Textarea, atom.Label, atom.Output:
		r.write(" ")
		r.blocks(n)
		r.write(" ")
	default:
		r.blocks(n)
	}
}

// mark renders n between marks, when its content is one line of words.
func (r *renderer) mark(n *html.Node, mark string, plain bool) {
	if plain || hasBlock(n) {
		r.blocks(n)
		return
	}
	start := len(r.inline)
	last, _ := utf8.DecodeLastRune(r.inline)
	r.blocks(n)
	if len(r.inline) <= start {
		return
	}
	text := string(r.inline[start:])
	left := strings.TrimLeftFunc(text, unicode.IsSpace)
	core := strings.TrimRightFunc(left, unicode.IsSpace)
	if core == "" || strings.ContainsAny(core[:1]+core[len(core)-1:], "*\x00~") {
		return
	}
	// Emphasis of a part of a word only hides the word.
	if start > 0 && wordRune(last) && left == text || wordRune(nextRune(n)) && strings.HasSuffix(text, core) {
		return
	}
	r.inline = r.inline[:start]
	r.write(text[:len(text)-len(left)] + mark + core + mark + left[len(core):])
}

func strong(s string) string {
	if s == "" {
		return ""
	}
	return "**" + s + "**"
}

func wordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

// nextRune returns the first character of the text right behind n, or 0.
func nextRune(n *html.Node) rune {
	if n.NextSibling == nil || n.NextSibling.Type != html.TextNode {
		return 0
	}
	c, _ := utf8.DecodeRuneInString(n.NextSibling.Data)
	return c
}

func hasBlock(n *html.Node) bool {
	for d := range n.Descendants() {
		if d.Type == html.ElementNode {
			switch d.DataAtom {
			case atom.P, atom.Div, atom.Ul, atom.Ol, atom.Dl, atom.Table, atom.Pre, atom.Blockquote, atom.H1, atom.H2, atom.H3, atom.H4, atom.H5, atom.H6, atom.Br, atom.Hr,
				atom.Strong, atom.B, atom.Em, atom.I, atom.Del, atom.S, atom.Strike:
				return true
			}
		}
	}
	return false
}

func (r *renderer) link(n *html.Node) {
	if hasBlock(n) {
		r.blocks(n)
		return
	}
	r.inLink = true
	text := r.span(n, r.bold > 0)
	r.inLink = false
	target := attr(n, "href")
	if r.base != nil && target != "" && target[0] != '#' {
		if u, err := r.base.Parse(target); err == nil {
			target = u.String()
		}
	}
	r.write(edge(n, true) + mdtext.Link(text, target) + edge(n, false))
}

// edge returns a space when n's text begins or ends with one.
func edge(n *html.Node, start bool) string {
	c := n.FirstChild
	if !start {
		c = n.LastChild
	}
	if c == nil || c.Type != html.TextNode || c.Data == "" {
		return ""
	}
	if start && strings.TrimLeft(c.Data, " \n\t") != c.Data || !start && strings.TrimRight(c.Data, " \n\t") != c.Data {
		return " "
	}
	return ""
}

func (r *renderer) image(n *html.Node) {
	alt := strings.Join(strings.Fields(attr(n, "alt")), " ")
	if alt == "" {
		return
	}
	src := attr(n, "src")
	if r.base != nil && src != "" {
		if u, err := r.base.Parse(src); err == nil {
			src = u.String()
		}
	}
	if link := mdtext.Link(alt, src); !r.inLink && strings.HasPrefix(link, "[") && link != alt {
		r.write("!" + link)
		return
	}
	r.write(" " + alt + " ")
}

// superscript writes an exponent as 10^6, so that it does not become 106.
func (r *renderer) superscript(n *html.Node) {
	if c := n.FirstChild; c != nil && c == n.LastChild && c.Type == html.TextNode {
		text := strings.TrimSpace(c.Data)
		before, _ := utf8.DecodeLastRune(r.inline)
		if text != "" && strings.Trim(text, "0123456789+-−") == "" && unicode.IsDigit(before) {
			r.write("^" + text)
			return
		}
	}
	r.blocks(n)
}
