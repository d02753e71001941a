// Package html converts HTML to Markdown.
//
// The renderer is our own, over the parser of golang.org/x/net/html: headings, lists,
// definition lists, quotations, code with its language, tables and links keep
// their structure, text is not escaped where Markdown does not need it, and
// work and output stay linear in the input. Of a page fetched by its address
// navigation and boilerplate go, unless too much would go with them. It imports convert,
// internal/charset, internal/mdtext, golang.org/x/net/html and go-readability.
package html

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"mime"
	"net/url"
	"regexp"
	"strings"
	"sync"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/mdtext"
)

// Formats returns the format of this package.
func Formats() []convert.Format {
	return []convert.Format{{
		Name: "html", Extensions: []string{".html", ".htm", ".xhtml"}, MediaTypes: []string{"text/html", "application/xhtml+xml"},
		Content: convert.HTML, Sync: true, Converter: HTML{},
	}}
}

// HTML is a [convert.Converter] for HTML and XHTML. It is safe for concurrent use.
type HTML struct{}

var _ convert.Converter = HTML{}

// Convert renders the body, or of a fetched page ([convert.Source].Page) the
// main content. The title element gives the title; the language,
// author, description and keywords of the head go into the metadata.
func (HTML) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	text, _, err := charset.Decode(src.Data, declared(src))
	if err != nil {
		return nil, fmt.Errorf("%w: decode HTML: %v", convert.ErrDamaged, err)
	}
	if isXHTML(src, text) {
		text = expandEmpty(Unprefix(text))
	}
	root, err := parse(ctx, text)
	if err != nil {
		return nil, err
	}
	r := &renderer{ctx: ctx, page: src.Page, limits: limits, cells: new(int)}
	if u, err := url.Parse(src.Name); err == nil && u.IsAbs() && u.Host != "" {
		r.base = u
	}
	doc := &convert.Document{Format: "html"}
	r.head(root, doc)
	r.w.Max = limits.OutputBytes
	r.body(root)
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case r.err != nil:
		return nil, r.err
	case r.w.Full():
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	doc.Markdown = convert.Normalize(r.w.String())
	doc.Title = convert.OneLine(convert.Normalize(doc.Title))
	for k, v := range doc.Metadata {
		doc.Metadata[k] = convert.Normalize(v)
	}
	return doc, nil
}

// body renders the page: of one fetched by its address the main content, where that is safe to tell.
func (r *renderer) body(root *html.Node) {
	if r.page {
		if main := r.article(root); main != nil {
			if h := r.heading1(root, main); h != nil {
				r.heading(h, 1)
			}
			root = main
		}
	}
	r.blocks(root)
	r.flush()
}

// Compiling it takes milliseconds, which a program that converts nothing need not wait for.
var metaCharset = sync.OnceValue(func() *regexp.Regexp {
	return regexp.MustCompile(`(?i)<meta[^>]{1,500}?charset\s*=\s*["']?\s*([\w.:-]+)|^\s*<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.:-]+)`)
})

// declared returns the charset of the media type, else that of a meta element
// or XML declaration near the top (HTML asks for the first 1024 bytes; pages do not keep to it).
func declared(src convert.Source) string {
	if _, params, err := mime.ParseMediaType(src.MediaType); err == nil && params["charset"] != "" {
		return params["charset"]
	}
	m := metaCharset().FindSubmatch(src.Data[:min(len(src.Data), 16<<10)])
	if m == nil {
		return ""
	}
	return string(bytes.Join(m[1:], nil))
}

type ctxReader struct {
	ctx context.Context
	s   *strings.Reader
}

func (r ctxReader) Read(p []byte) (int, error) {
	if err := r.ctx.Err(); err != nil {
		return 0, err
	}
	return r.s.Read(p)
}

// parse parses text; nesting beyond what the parser takes is flattened first.
func parse(ctx context.Context, text string) (*html.Node, error) {
	// The parser refuses more than 512 open elements.
	for _, depth := range []int{0, 100, 30} {
		s := text
		if depth > 0 {
			s = flatten(text, depth)
		}
		root, err := html.Parse(ctxReader{ctx, strings.NewReader(s)})
		if err == nil {
			return root, nil
		}
		if ctx.Err() != nil {
			return nil, ctx.Err()
		}
		if errors.Is(err, html.ErrBufferExceeded) {
			break
		}
	}
	return nil, fmt.Errorf("%w: elements are nested too deep", convert.ErrDamaged)
}

// weight is how many open elements one start tag stands for: the parser adds
// table sections and rows, and items are not counted on their own.
func weight(a atom.Atom) int {
	switch a {
	case atom.Table:
		return 4
	case atom.Ul, atom.Ol, atom.Dl, atom.Menu, atom.Select:
		return 2
	case atom.Li, atom.Dt, atom.Dd, atom.P, atom.Td, atom.Th, atom.Tr, atom.Tbody, atom.Thead, atom.Tfoot, atom.Option, atom.Caption, atom.Colgroup,
		atom.Br, atom.Hr, atom.Img, atom.Input, atom.Meta, atom.Link, atom.Base, atom.Area, atom.Col, atom.Embed, atom.Param, atom.Source, atom.Track, atom.Wbr:
		return 0
	}
	return 1
}

// flatten drops the tags of elements nested deeper than depth and keeps their text.
func flatten(text string, depth int) string {
	type open struct {
		tag     string
		dropped bool
		times   int // equal neighbours are one entry, so that a deep page needs little memory
	}
	var (
		b     strings.Builder
		stack []open
		total int
		count = map[string]int{} // open elements by tag, so that a stray end tag costs nothing
	)
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return b.String()
		}
		raw := string(z.Raw())
		if tt != html.StartTagToken && tt != html.EndTagToken {
			b.WriteString(raw)
			continue
		}
		name, _ := z.TagName()
		tag := string(name)
		n := weight(atom.Lookup(name))
		if n == 0 {
			// Items and rows of a flattened container still end a line.
			if total < depth || tt == html.StartTagToken {
				b.WriteString(raw)
			}
			continue
		}
		if tt == html.StartTagToken {
			drop := total+n > depth
			if !drop {
				b.WriteString(raw)
				total += n
			} else {
				b.WriteByte(' ')
			}
			if top := len(stack) - 1; top >= 0 && stack[top].tag == tag && stack[top].dropped == drop {
				stack[top].times++
			} else {
				stack = append(stack, open{tag, drop, 1})
			}
			count[tag]++
			continue
		}
		if count[tag] == 0 {
			continue
		}
		for {
			top := &stack[len(stack)-1]
			if top.times--; top.times == 0 {
				stack = stack[:len(stack)-1]
			}
			count[top.tag]--
			if !top.dropped {
				total -= weight(atom.Lookup([]byte(top.tag)))
				b.WriteString("</" + top.tag + ">")
			}
			if top.tag == tag {
				break
			}
		}
	}
}

// head reads the title and the metadata.
func (r *renderer) head(root *html.Node, doc *convert.Document) {
	meta := map[string]string{}
	for n := range root.Descendants() {
		if n.Type != html.ElementNode {
			continue
		}
		switch n.DataAtom {
		case atom.Html:
			if lang := attr(n, "lang"); lang != "" {
				meta["language"] = lang
			}
		case atom.Title:
			if doc.Title == "" && n.Namespace == "" {
				doc.Title = mdtext.Cell(textOf(n))
				doc.Title = strings.ReplaceAll(doc.Title, `\|`, "|")
			}
		case atom.Meta:
			name, content := strings.ToLower(attr(n, "name")), strings.TrimSpace(attr(n, "content"))
			switch name {
			case "author", "description", "keywords":
				if content != "" && meta[name] == "" {
					meta[name] = content
				}
			}
		case atom.Base:
			if u, err := url.Parse(attr(n, "href")); err == nil && r.base != nil {
				r.base = r.base.ResolveReference(u)
			}
		case atom.Body:
			if len(meta) > 0 {
				doc.Metadata = meta
			}
			return
		}
	}
}

func attr(n *html.Node, key string) string {
	for _, a := range n.Attr {
		if a.Key == key {
			return a.Val
		}
	}
	return ""
}

func hasAttr(n *html.Node, key string) bool {
	for _, a := range n.Attr {
		if a.Key == key {
			return true
		}
	}
	return false
}

func textOf(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		if d.Type == html.TextNode {
			b.WriteString(d.Data)
		}
	}
	return b.String()
}
