package epub

import (
	"strings"

	"golang.org/x/net/html"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/xmlread"
)

// maxMeta bounds the text of one metadata line.
const maxMeta = 20_000

// metadata reads the Dublin Core elements into the document's metadata and
// writes them as the first lines of the text.
func (b *book) metadata(root *xmlread.Node) {
	values := map[string][]string{}
	var titles []*xmlread.Node
	collect := func(n *xmlread.Node) {
		name, ok := strings.CutPrefix(n.Name, "dc:")
		v := oneLine(n.String())
		if !ok || v == "" || len(v) > maxMeta {
			return
		}
		name = strings.ToLower(name)
		values[name] = append(values[name], v)
		if name == "title" {
			titles = append(titles, n)
		}
	}
	meta := root.Child("metadata")
	if meta == nil {
		return
	}
	for _, n := range meta.Children {
		collect(n)
		if n.Name == "dc-metadata" || n.Name == "x-metadata" { // EPUB 2 as older tools write it
			for _, c := range n.Children {
				collect(c)
			}
		}
	}
	title := mainTitle(meta, titles)
	b.doc.Title = title
	var lines []string
	for _, f := range []struct{ label, key, value string }{
		{"Title", "", title},
		{"Authors", "author", strings.Join(values["creator"], ", ")},
		{"Language", "language", strings.Join(values["language"], ", ")},
		{"Publisher", "publisher", strings.Join(values["publisher"], ", ")},
		{"Date", "date", first(values["date"])},
		{"Description", "description", first(values["description"])},
		{"Identifier", "identifier", first(values["identifier"])},
	} {
		if f.value == "" {
			continue
		}
		lines = append(lines, "**"+f.label+":** "+f.value)
		if f.key != "" {
			if b.doc.Metadata == nil {
				b.doc.Metadata = map[string]string{}
			}
			b.doc.Metadata[f.key] = f.value
		}
	}
	if len(lines) > 0 {
		b.doc.Markdown = strings.Join(lines, "\n") + "\n"
	}
}

func first(s []string) string {
	if len(s) == 0 {
		return ""
	}
	return s[0]
}

// mainTitle returns the title that is marked as the main one, else the first.
func mainTitle(meta *xmlread.Node, titles []*xmlread.Node) string {
	if len(titles) == 0 {
		return ""
	}
	for _, m := range meta.Children {
		if m.Name == "meta" && m.Attr("property") == "title-type" && strings.TrimSpace(m.String()) == "main" {
			for _, t := range titles {
				if id := t.Attr("id"); id != "" && "#"+id == m.Attr("refines") {
					return oneLine(t.String())
				}
			}
		}
	}
	return oneLine(titles[0].String())
}

// oneLine returns the text of a metadata value, which may be escaped HTML.
func oneLine(s string) string {
	if strings.Contains(s, "</") || strings.Contains(s, "/>") || strings.Contains(s, "<p>") || strings.Contains(s, "<br>") {
		var b strings.Builder
		for z := html.NewTokenizer(strings.NewReader(s)); ; {
			switch z.Next() {
			case html.ErrorToken:
				return convert.OneLine(convert.Normalize(b.String()))
			case html.TextToken:
				b.Write(z.Text())
			default:
				b.WriteByte(' ')
			}
		}
	}
	return convert.OneLine(convert.Normalize(s))
}
