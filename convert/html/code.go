package html

import (
	"strings"

	"golang.org/x/net/html"
	"golang.org/x/net/html/atom"
)

// preText returns the text of n as it is, with br as line end.
func preText(n *html.Node) string {
	var b strings.Builder
	for d := range n.Descendants() {
		switch {
		case d.Type == html.TextNode:
			b.WriteString(d.Data)
		case d.DataAtom == atom.Br:
			b.WriteByte('\n')
		}
	}
	return strings.ReplaceAll(strings.ReplaceAll(b.String(), "\r\n", "\n"), "\r", "\n")
}

// language finds the language of a code block in the classes that
// highlighters leave on the block, on the code in it and on what wraps it.
func language(pre *html.Node) string {
	nodes := []*html.Node{pre}
	for c := pre.FirstChild; c != nil; c = c.NextSibling {
		if c.DataAtom == atom.Code {
			nodes = append(nodes, c)
		}
	}
	for p, i := pre.Parent, 0; p != nil && i < 2; p, i = p.Parent, i+1 {
		nodes = append(nodes, p)
	}
	for i, n := range nodes {
		for _, key := range []string{"data-lang", "data-language", "lang"} {
			if v := attr(n, key); v != "" && (key != "lang" || n.DataAtom == atom.Pre) && identifier(v) {
				return strings.ToLower(v)
			}
		}
		classes := strings.Fields(strings.ReplaceAll(attr(n, "class"), "brush: ", "brush:"))
		for _, c := range classes {
			for _, prefix := range []string{"language-", "lang-", "highlight-source-", "highlight-text-", "brush:", "sourceCode-"} {
				if v, ok := strings.CutPrefix(c, prefix); ok && identifier(strings.TrimSuffix(v, ";")) {
					return strings.ToLower(strings.TrimSuffix(v, ";"))
				}
			}
			if i < 2 && c == "sourceCode" && len(classes) == 2 {
				if other := classes[0] + classes[1]; identifier(strings.Replace(other, c, "", 1)) {
					return strings.ToLower(strings.Replace(other, c, "", 1))
				}
			}
		}
	}
	return ""
}

func identifier(s string) bool {
	return s != "" && len(s) < 25 && strings.Trim(strings.ToLower(s), "abcdefghijklmnopqrstuvwxyz0123456789+-#._") == ""
}
