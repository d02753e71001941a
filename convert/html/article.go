package html

import (
	"net/url"
	"strings"

	readability "codeberg.org/readeck/go-readability/v2"
	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

const (
	// maxArticleNodes and maxArticleWork bound the pages whose main content is
	// looked for: the search cannot be interrupted, and it reads the text of
	// each element again for each one around it. The work is the sum over the texts of their
	// bytes times their depth: a page of 1 MB at depth 30 is at the bound and takes about a second.
	maxArticleNodes = 20_000
	maxArticleWork  = 30_000_000
	// minArticleText is the length in bytes below which a page is short enough to keep whole.
	minArticleText = 500
)

// article returns the main content of a fetched page, or nil when the whole
// body serves better: the page is tiny or huge, nothing stands out, or too
// much would be lost. It leaves root as it is.
func (r *renderer) article(root *html.Node) (found *html.Node) {
	if !searchable(root) {
		return nil
	}
	whole := r.measure(root)
	if whole.text < minArticleText {
		return nil
	}
	// Every page can be kept whole, so a page that the search cannot stand is.
	defer func() {
		if recover() != nil {
			found = nil
		}
	}()
	p := readability.NewParser()
	p.KeepClasses = true // the language of code
	p.DisableJSONLD = true
	base := r.base
	if base == nil {
		base = &url.URL{}
	}
	got, err := p.ParseDocument(root, base)
	if err != nil || got.Node == nil || r.measure(got.Node).lacks(whole) {
		return nil
	}
	return got.Node
}

func searchable(root *html.Node) bool {
	nodes, work := 0, 0
	var walk func(n *html.Node, depth int) bool
	walk = func(n *html.Node, depth int) bool {
		nodes++
		if n.Type == html.TextNode {
			work += len(n.Data) * depth
		}
		if nodes > maxArticleNodes || work > maxArticleWork {
			return false
		}
		for c := n.FirstChild; c != nil; c = c.NextSibling {
			if !walk(c, depth+1) {
				return false
			}
		}
		return true
	}
	return walk(root, 0)
}

// content is how much a tree holds of what must not get lost.
type content struct {
	text  int // bytes of text
	prose int // bytes of text outside links
	rows  int // table rows of two cells at least
	items int // list items, terms and definitions that are more than a link
	code  int // bytes of preformatted text
}

// lacks reports whether an article with c is too little of a page with whole.
func (c content) lacks(whole content) bool {
	short := func(part, all, tolerated int) bool { return all > tolerated && part*10 < all*8 }
	return c.text*4 < whole.text || c.prose*2 < whole.prose ||
		short(c.rows, whole.rows, 2) || short(c.items, whole.items, 3) || short(c.code, whole.code, 40)
}

func (r *renderer) measure(root *html.Node) content {
	var c content
	var walk func(n *html.Node, link, pre bool) int
	// walk returns the bytes of prose in n.
	walk = func(n *html.Node, link, pre bool) int {
		if n.Type == html.TextNode {
			size := 0
			for word := range strings.FieldsSeq(n.Data) {
				size += len(word) + 1
			}
			c.text += size
			if pre {
				c.code += size
			}
			if link {
				return 0
			}
			c.prose += size
			return size
		}
		if n.Type == html.ElementNode && r.skip(n) {
			return 0
		}
		link = link || n.DataAtom == atom.A || n.DataAtom == atom.Select || n.DataAtom == atom.Button
		pre = pre || n.DataAtom == atom.Pre
		prose, cells := 0, 0
		for child := n.FirstChild; child != nil; child = child.NextSibling {
			size := walk(child, link, pre)
			prose += size
			if size > 0 && (child.DataAtom == atom.Td || child.DataAtom == atom.Th) {
				cells++
			}
		}
		switch {
		case n.DataAtom == atom.Tr && cells > 1:
			c.rows++
		case prose > 20 && (n.DataAtom == atom.Li || n.DataAtom == atom.Dt || n.DataAtom == atom.Dd):
			c.items++
		}
		return prose
	}
	walk(root, false, false)
	return c
}

// heading1 returns the only first-level heading of the page when the article
// has lost it, or nil.
func (r *renderer) heading1(root, article *html.Node) *html.Node {
	if first(article, atom.H1) != nil {
		return nil
	}
	h := first(root, atom.H1)
	if h == nil {
		return nil
	}
	text := strings.Join(strings.Fields(textOf(h)), " ")
	for n := range article.Descendants() {
		if n.DataAtom == atom.H2 && strings.Join(strings.Fields(textOf(n)), " ") == text {
			return nil
		}
	}
	return h
}

func first(root *html.Node, a atom.Atom) *html.Node {
	for n := range root.Descendants() {
		if n.Type == html.ElementNode && n.DataAtom == a {
			return n
		}
	}
	return nil
}
