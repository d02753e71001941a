package html

import (
	"mime"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/minirag/minirag/convert"
)

// isXHTML reports whether text is meant for an XML parser, by its type, its
// name or its declaration.
func isXHTML(src convert.Source, text string) bool {
	media, _, err := mime.ParseMediaType(src.MediaType)
	return err == nil && media == "application/xhtml+xml" || convert.Extension(src.Name) == ".xhtml" ||
		strings.HasPrefix(strings.TrimLeft(text, "\ufeff \t\r\n"), "<?xml")
}

// expandEmpty writes <a/> as <a></a>: to the HTML parser the first is a start
// tag, and an empty script or title would take in all that follows.
func expandEmpty(text string) string {
	var b strings.Builder
	b.Grow(len(text))
	z := html.NewTokenizer(strings.NewReader(text))
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			return b.String()
		}
		raw := z.Raw()
		if tt != html.SelfClosingTagToken {
			b.Write(raw)
			continue
		}
		b.Write(raw)
		z.NextIsNotRawText()
		if name, _ := z.TagName(); !void(atom.Lookup(name)) {
			b.WriteString("</" + string(name) + ">")
		}
	}
}

func void(a atom.Atom) bool {
	switch a {
	case atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param, atom.Source,
		atom.Track, atom.Wbr:
		return true
	}
	return false
}
