package epub

import (
	"errors"
	"io"
	"regexp"
	"slices"
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"

	"github.com/minirag/minirag/convert"
)

var encodingDecl = regexp.MustCompile(`^\s*<\?xml[^>]{1,100}?encoding\s*=\s*["']([\w.:-]+)|(?i:<meta[^>]{1,300}?charset\s*=\s*["']?\s*([\w.:-]+))`)

// declared returns the character set that the document says it is in.
func declared(data []byte) string {
	m := encodingDecl.FindSubmatch(data[:min(len(data), 4096)])
	if m == nil {
		return ""
	}
	return string(m[1]) + string(m[2])
}

var doctype = regexp.MustCompile(`(?i)<!doctype\s`)

// void elements have no end tag in HTML.
var void = []atom.Atom{atom.Area, atom.Base, atom.Br, atom.Col, atom.Embed, atom.Hr, atom.Img, atom.Input, atom.Link, atom.Meta, atom.Param, atom.Source, atom.Track, atom.Wbr}

// plainHTML turns XHTML into what an HTML parser reads the same way: empty
// elements get end tags, character data sections become text, document type
// declarations go. Targets inside the book are dropped, since they lead
// nowhere outside of it. With nav the lists of contents and pages go, too.
func plainHTML(text string, nav bool) (string, error) {
	var b strings.Builder
	b.Grow(len(text))
	text = dropDoctype(text)
	z := html.NewTokenizer(strings.NewReader(text))
	z.AllowCDATA(true)
	navDepth := 0
	for {
		tt := z.Next()
		if tt == html.ErrorToken {
			if err := z.Err(); !errors.Is(err, io.EOF) {
				return "", errors.Join(convert.ErrDamaged, err)
			}
			return b.String(), nil
		}
		raw := z.Raw()
		switch tt {
		case html.CommentToken, html.DoctypeToken:
			continue
		case html.TextToken:
			if navDepth > 0 {
				continue
			}
			if s, ok := strings.CutPrefix(string(raw), "<![CDATA["); ok {
				b.WriteString(html.EscapeString(strings.TrimSuffix(s, "]]>")))
				continue
			}
			b.Write(raw)
			continue
		}
		rawText := string(raw)
		name, hasAttr := z.TagName()
		tag := string(name)
		a := atom.Lookup(name)
		if nav && a == atom.Nav {
			switch tt {
			case html.StartTagToken:
				navDepth++
			case html.EndTagToken:
				navDepth = max(navDepth-1, 0)
			}
			continue
		}
		if navDepth > 0 {
			continue
		}
		if tt == html.EndTagToken {
			b.WriteString(rawText)
			continue
		}
		selfClosing := tt == html.SelfClosingTagToken
		if selfClosing {
			z.NextIsNotRawText()
		}
		if !selfClosing && a != atom.A && a != atom.Img {
			b.WriteString(rawText)
			continue
		}
		b.WriteString("<" + tag)
		for hasAttr {
			var k, v []byte
			k, v, hasAttr = z.TagAttr()
			if key := string(k); !inside(a, key, string(v)) {
				b.WriteString(" " + key + `="` + html.EscapeString(string(v)) + `"`)
			}
		}
		b.WriteByte('>')
		if selfClosing && !slices.Contains(void, a) {
			b.WriteString("</" + tag + ">")
		}
	}
}

// inside reports whether an attribute is a target in the book.
func inside(a atom.Atom, key, value string) bool {
	if a == atom.A && key == "href" || a == atom.Img && key == "src" {
		value = strings.ToLower(strings.TrimSpace(value))
		return !strings.HasPrefix(value, "http://") && !strings.HasPrefix(value, "https://") && !strings.HasPrefix(value, "mailto:")
	}
	return false
}

// dropDoctype removes a document type declaration with the definitions in it,
// of which an HTML parser would make text.
func dropDoctype(text string) string {
	at := doctype.FindStringIndex(text[:min(len(text), 4096)])
	if at == nil {
		return text
	}
	i := at[0]
	quote, inner := byte(0), false
	for j := i; j < len(text); j++ {
		switch c := text[j]; {
		case quote != 0:
			if c == quote {
				quote = 0
			}
		case c == '"' || c == '\'':
			quote = c
		case c == '[':
			inner = true
		case c == ']':
			inner = false
		case c == '>' && !inner:
			return text[:i] + text[j+1:]
		}
	}
	return text
}
