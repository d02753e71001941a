package markup

import (
	"regexp"
	"strconv"
	"strings"
)

// adoc is one AsciiDoc document.
type adoc struct {
	*conversion
	attributes map[string]string
	style      []string // of the attribute line above the next block
}

var (
	adocHeading   = regexp.MustCompile(`^(={1,6}|#{1,6})\s+(\S.*?)(?:\s+=+)?$`)
	adocAttribute = regexp.MustCompile(`^:(!?[\w-]+!?):(?:\s+(.*))?$`)
	adocBlock     = regexp.MustCompile(`^\[([^\[\]]*(?:\[[^\]]*\])?[^\[\]]*)\]$`)
	adocItem      = regexp.MustCompile(`^\s*(\*{1,5}|-|\.{1,5}|\d{1,9}\.|<(?:\d+|\.)>)\s+(\S.*)$`)
	adocTerm      = regexp.MustCompile(`^\s*(\S.*?)(?:::{1,3}|;;)(?:\s+(.*))?$`)
	adocMacro     = regexp.MustCompile(`^(include|ifdef|ifndef|ifeval|endif|toc|image|video|audio)::([^\[]*)\[(.*)\]$`)
	adocNote      = regexp.MustCompile(`^(NOTE|TIP|IMPORTANT|WARNING|CAUTION):\s+(.*)$`)
	adocLink      = regexp.MustCompile(`(?:link:|mailto:)?((?:https?|ftp|mailto|irc)?:?[^\s\[\]<>"|]+)\[([^\]\n]*)\]`)
	adocXref      = regexp.MustCompile(`<<([^,<>\n]+)(?:,\s*([^<>\n]+))?>>`)
	adocRef       = regexp.MustCompile(`\{([\w-]+)\}`)
	adocAnchor    = regexp.MustCompile(`\[\[[^\]\n]+\]\]|\(\(\([^)\n]*\)\)\)|\[#[\w-]+\]`)
	adocTermIndex = regexp.MustCompile(`\(\(([^()\n]+)\)\)`)
	adocFootnote  = regexp.MustCompile(`footnote:(?:[\w-]*)\[([^\]\n]*)\]`)
	adocImage     = regexp.MustCompile(`image:([^\s:\[][^\s\[]*)\[([^\]\n]*)\]`)
)

// document reads the header, then the body.
func (a *adoc) document(lines []string) error {
	i := 0
	for i < len(lines) && (lines[i] == "" || strings.HasPrefix(lines[i], "//") && !delimited(lines[i]) || adocAttribute.MatchString(lines[i])) {
		if m := adocAttribute.FindStringSubmatch(lines[i]); m != nil {
			a.attribute(m)
		}
		i++
	}
	if i < len(lines) && strings.HasPrefix(lines[i], "= ") {
		a.doc.Title = a.inline(lines[i][2:])
		a.w.Heading(1, a.inline(lines[i][2:]))
		i++
		for n := 0; i < len(lines) && lines[i] != ""; i++ {
			m := adocAttribute.FindStringSubmatch(lines[i])
			switch {
			case m != nil:
				a.attribute(m)
			case strings.HasPrefix(lines[i], "//"):
			case n == 0:
				a.meta("author", lines[i])
				n++
			default:
				a.meta("revision", lines[i])
			}
		}
	}
	return a.blocks(lines[min(i, len(lines)):], 0)
}

func (a *adoc) attribute(m []string) {
	name := strings.Trim(m[1], "!")
	if len(a.attributes) < 10_000 && len(m[2]) < 500 {
		a.attributes[name] = m[2]
	}
	switch name {
	case "author", "description", "keywords", "email":
		a.meta(name, m[2])
	case "lang":
		a.meta("language", m[2])
	}
}

func (a *adoc) blocks(lines []string, depth int) error {
	defer a.scope()()
	for len(lines) > 0 && !a.w.Full() {
		if err := a.stop(); err != nil {
			return err
		}
		n, err := a.block(lines, depth)
		if err != nil {
			return err
		}
		lines = lines[max(n, 1):]
	}
	return nil
}

// delimited reports whether l opens a block that ends with the same line.
func delimited(l string) bool {
	if l == "--" {
		return true
	}
	if strings.HasPrefix(l, "|===") || strings.HasPrefix(l, ",===") || strings.HasPrefix(l, ":===") || strings.HasPrefix(l, "!===") {
		return len(strings.TrimRight(l, "=")) == 1
	}
	return len(l) >= 4 && strings.ContainsRune("-.=*_+/", rune(l[0])) && strings.Trim(l, l[:1]) == ""
}

func (a *adoc) block(lines []string, depth int) (int, error) {
	l := lines[0]
	if l == "" {
		return 1, nil
	}
	if delimited(l) {
		for i := 1; i < len(lines); i++ {
			if lines[i] == l {
				style := a.style
				a.style = nil
				return i + 1, a.inside(l, style, lines[1:i], depth)
			}
		}
		return 1, nil // never closed: the mark is nothing but a line
	}
	if strings.HasPrefix(l, "```") && !a.missing["```"] {
		for i := 1; i < len(lines); i++ {
			if lines[i] == "```" {
				a.style = nil
				a.w.Code(strings.TrimSpace(l[3:]), strings.Join(lines[1:i], "\n"))
				return i + 1, nil
			}
		}
		a.lost("```")
	}
	if m := adocHeading.FindStringSubmatch(l); m != nil {
		a.style = nil
		a.w.Heading(len(m[1]), a.inline(m[2]))
		return 1, nil
	}
	switch {
	case strings.HasPrefix(l, "//"), l == "+", l == "<<<":
		return 1, nil
	case l == "'''", l == "---", l == "***":
		a.w.Block("---")
		return 1, nil
	case len(l) > 1 && l[0] == '.' && l[1] != '.' && l[1] != ' ':
		a.w.Block("**" + a.inline(l[1:]) + "**")
		return 1, nil
	}
	if m := adocAttribute.FindStringSubmatch(l); m != nil {
		a.attribute(m)
		return 1, nil
	}
	if m := adocBlock.FindStringSubmatch(l); m != nil {
		a.style = strings.Split(m[1], ",")
		return 1, nil
	}
	if m := adocMacro.FindStringSubmatch(l); m != nil {
		if alt, _, _ := strings.Cut(m[3], ","); m[1] == "image" {
			a.w.Paragraph(a.inline(strings.Trim(alt, `"`)))
		}
		return 1, nil
	}
	style := a.style
	a.style = nil
	if adocItem.MatchString(l) {
		return a.list(lines, depth)
	}
	if m := adocTerm.FindStringSubmatch(l); m != nil && !strings.Contains(l, "http") {
		return a.term(lines, m, depth)
	}
	n := a.end(lines)
	text := strings.Join(lines[:n], "\n")
	switch first := first(style); {
	case first == "source" || first == "listing" || first == "literal":
		a.w.Code(language(style), text)
	case indent(l) > 0:
		a.w.Code("", strings.Join(dedent(lines[:n]), "\n"))
	case first == "quote" || first == "verse":
		a.w.Quote()
		a.w.Paragraph(a.inline(text))
		a.w.Close()
	default:
		if m := adocNote.FindStringSubmatch(l); m != nil {
			text = "**" + m[1][:1] + strings.ToLower(m[1][1:]) + ":** " + m[2] + text[len(l):]
		}
		a.w.Paragraph(a.inline(text))
	}
	return n, nil
}

func first(style []string) string {
	if len(style) == 0 {
		return ""
	}
	s, _, _ := strings.Cut(strings.TrimSpace(style[0]), "%")
	return strings.ToLower(s)
}

func language(style []string) string {
	if len(style) > 1 && first(style) == "source" {
		if s := strings.TrimSpace(style[1]); !strings.ContainsAny(s, "= `") {
			return s
		}
	}
	return ""
}

// end counts the lines of a paragraph.
func (a *adoc) end(lines []string) int {
	n := 1
	for n < len(lines) && lines[n] != "" && lines[n] != "+" && !delimited(lines[n]) && !strings.HasPrefix(lines[n], "//") && !adocMacro.MatchString(lines[n]) && !(adocBlock.MatchString(lines[n]) && !strings.Contains(lines[n], " ")) {
		n++
	}
	return n
}

// inside writes a delimited block.
func (a *adoc) inside(mark string, style, body []string, depth int) error {
	switch {
	case strings.HasPrefix(mark, "////"):
		return nil
	case mark != "--" && (mark[0] == '-' || mark[0] == '.'):
		if strings.HasPrefix(first(style), "quote") {
			break
		}
		a.w.Code(language(style), strings.Join(body, "\n"))
		return nil
	case mark[0] == '+':
		a.w.Code("", strings.Join(body, "\n"))
		return nil
	case strings.HasSuffix(mark, "===") && (mark[0] == '|' || mark[0] == '!'):
		return a.rows(mark[0], style, body)
	case strings.HasSuffix(mark, "===") && (mark[0] == ',' || mark[0] == ':'):
		return a.separated(rune(mark[0]), body)
	}
	if depth > maxNesting {
		a.w.Paragraph(a.inline(strings.Join(body, "\n")))
		return nil
	}
	if kind := first(style); kind == "source" || kind == "listing" {
		a.w.Code(language(style), strings.Join(body, "\n"))
		return nil
	} else if kind == "note" || kind == "tip" || kind == "important" || kind == "warning" || kind == "caution" {
		a.w.Block("**" + strings.ToUpper(kind[:1]) + kind[1:] + ":**")
	}
	if mark[0] == '_' {
		a.w.Quote()
		defer a.w.Close()
	}
	return a.blocks(body, depth+1)
}

// list writes the items that follow each other, with what is attached to them by "+".
func (a *adoc) list(lines []string, depth int) (int, error) {
	var kinds []string
	var numbers []int
	i := 0
	for i < len(lines) {
		m := adocItem.FindStringSubmatch(lines[i])
		if m == nil {
			if lines[i] == "" && i+1 < len(lines) && adocItem.MatchString(lines[i+1]) {
				i++
				continue
			}
			break
		}
		kind := strings.Trim(m[1], "0123456789")
		if m[1][0] == '<' {
			kind = "<>"
		}
		if len(kinds) > 0 {
			a.w.Tight()
		}
		for at := indexOf(kinds, kind); at >= 0 && len(kinds) > at; {
			a.w.Close()
			if len(kinds)-1 == at {
				kinds = kinds[:at]
				break
			}
			kinds, numbers = kinds[:len(kinds)-1], numbers[:len(numbers)-1]
		}
		if len(numbers) == len(kinds) {
			numbers = append(numbers, 0)
		}
		kinds = append(kinds, kind)
		numbers[len(kinds)-1]++
		marker := "- "
		if kind[0] == '.' || kind[0] == '<' {
			marker = strconv.Itoa(numbers[len(kinds)-1]) + ". "
		}
		a.w.Item(marker)
		n := 1
		for i+n < len(lines) && lines[i+n] != "" && lines[i+n] != "+" && !adocItem.MatchString(lines[i+n]) && !adocTerm.MatchString(lines[i+n]) && !delimited(lines[i+n]) && !adocBlock.MatchString(lines[i+n]) {
			n++
		}
		text := m[2]
		for _, l := range lines[i+1 : i+n] {
			text += "\n" + strings.TrimSpace(l)
		}
		a.w.Paragraph(a.inline(text))
		i += n
		for i+1 < len(lines) && lines[i] == "+" {
			i++
			for i < len(lines) && depth <= maxNesting && lines[i] != "" && lines[i] != "+" && !adocItem.MatchString(lines[i]) {
				n, err := a.block(lines[i:], depth+1)
				if err != nil {
					return 0, err
				}
				i += max(n, 1)
			}
		}
	}
	for range kinds {
		a.w.Close()
	}
	a.w.Loose()
	return max(i, 1), nil
}

func indexOf(s []string, v string) int {
	for i := range s {
		if s[i] == v {
			return i
		}
	}
	return -1
}

func (a *adoc) term(lines, m []string, depth int) (int, error) {
	a.w.Block("**" + strings.ReplaceAll(a.inline(m[1]), "**", "") + "**")
	a.w.Tight()
	n := 1
	for m[2] == "" && n < len(lines) && lines[n] == "" {
		n++
	}
	for n < len(lines) && lines[n] != "" && lines[n] != "+" && !adocItem.MatchString(lines[n]) && !adocTerm.MatchString(lines[n]) && !delimited(lines[n]) && !adocHeading.MatchString(lines[n]) {
		n++
	}
	text := m[2]
	for _, l := range lines[1:n] {
		text = strings.TrimSpace(text + "\n" + strings.TrimSpace(l))
	}
	a.w.Item(": ")
	a.w.Paragraph(a.inline(text))
	a.w.Close()
	a.w.Loose()
	return n, nil
}
