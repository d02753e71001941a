package html

import (
	"mime"
	"regexp"
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

var prefixDecl = regexp.MustCompile(`\sxmlns:([\w.-]{1,30})\s*=\s*["']http://www\.w3\.org/1999/xhtml["']`)

// Unprefix writes the elements of XHTML without the prefix that a document
// declares for them: to an HTML parser <h:p> is no paragraph. Text without such a declaration in
// its first 4 KiB is returned as it is.
func Unprefix(text string) string {
	m := prefixDecl.FindStringSubmatch(text[:min(len(text), 4096)])
	if m == nil {
		return text
	}
	return strings.NewReplacer("<"+m[1]+":", "<", "</"+m[1]+":", "</").Replace(text)
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
