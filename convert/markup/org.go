package markup

import (
	"regexp"
	"strings"

	"github.com/minirag/minirag/internal/mdtext"
)

// org is one Org document.
type org struct{ *conversion }

var (
	orgHeading = regexp.MustCompile(`^(\*+)\s+(.*?)(?:\s+(:[\p{L}\p{N}_@#%:]+:))?$`)
	orgKeyword = regexp.MustCompile(`^\s*#\+([\w-]+)(?:\[[^\]]*\])?:\s*(.*)$`)
	orgBegin   = regexp.MustCompile(`(?i)^\s*#\+begin_(\w+)(?:\s+(.*))?$`)
	orgDrawer  = regexp.MustCompile(`^\s*:([A-Za-z][\w-]*):\s*$`)
	orgItem    = regexp.MustCompile(`^(\s*)([-+]|\*|\d{1,9}[.)])\s+(.*)$`)
	orgNote    = regexp.MustCompile(`^\[fn:([\w-]+)\]\s*(.*)$`)
	orgLink    = regexp.MustCompile(`\[\[([^\]]+)\](?:\[([^\]]+)\])?\]`)
	orgCode    = regexp.MustCompile(`(^|[\s({"'\-])[=~]([^\s=~](?:[^=~\n]*[^\s=~])?)[=~]($|[\s.,;:!?)}"'\-])`)
	orgBold    = regexp.MustCompile(`(^|[\s({"'\-])\*([^\s*](?:[^*\n]*[^\s*])?)\*($|[\s.,;:!?)}"'\-])`)
	orgNoteRef = regexp.MustCompile(`\[fn:([\w-]+)(?::[^\]]*)?\]`)
	orgRule    = regexp.MustCompile(`^\s*-{5,}$`)
)

func (o *org) blocks(lines []string) error {
	defer o.scope()()
	for i := 0; i < len(lines) && !o.w.Full(); {
		if err := o.stop(); err != nil {
			return err
		}
		n, err := o.block(lines[i:])
		if err != nil {
			return err
		}
		i += max(n, 1)
	}
	return nil
}

func (o *org) block(lines []string) (int, error) {
	l := lines[0]
	t := strings.TrimSpace(l)
	if m := orgHeading.FindStringSubmatch(l); m != nil {
		o.w.Heading(len(m[1]), o.inline(m[2]))
		return 1, nil
	}
	switch {
	case t == "":
		return 1, nil
	case orgBegin.MatchString(l):
		return o.region(lines)
	case strings.HasPrefix(t, "#+"):
		o.keyword(l)
		return 1, nil
	case t == "#", strings.HasPrefix(t, "# "):
		return 1, nil
	case orgRule.MatchString(l):
		o.w.Block("---")
		return 1, nil
	case strings.HasPrefix(t, ": ") || t == ":":
		n := 0
		var code []string
		for n < len(lines) && (strings.HasPrefix(strings.TrimSpace(lines[n]), ": ") || strings.TrimSpace(lines[n]) == ":") {
			code = append(code, strings.TrimPrefix(strings.TrimPrefix(strings.TrimSpace(lines[n]), ":"), " "))
			n++
		}
		o.w.Code("", strings.Join(code, "\n"))
		return n, nil
	case strings.HasPrefix(t, "|"):
		return o.rows(lines)
	}
	if m := orgDrawer.FindStringSubmatch(l); m != nil {
		if n := drawer(lines); n > 0 {
			if name := strings.ToUpper(m[1]); name == "PROPERTIES" || name == "LOGBOOK" {
				return n, nil
			}
			return n, o.blocks(lines[1 : n-1])
		}
	}
	if m := orgNote.FindStringSubmatch(l); m != nil {
		n := o.end(lines)
		o.w.Block("[^" + m[1] + "]: " + o.inline(strings.Join(strings.Fields(m[2]+" "+strings.Join(lines[1:n], " ")), " ")))
		return n, nil
	}
	n := o.end(lines)
	if orgItem.MatchString(l) {
		o.list(lines[:n])
		return n, nil
	}
	o.w.Paragraph(o.inline(strings.Join(lines[:n], "\n")))
	return n, nil
}

// end counts the lines of a paragraph or list.
func (o *org) end(lines []string) int {
	n := 1
	for n < len(lines) {
		t := strings.TrimSpace(lines[n])
		if t == "" || strings.HasPrefix(t, "#+") || strings.HasPrefix(t, "|") || orgHeading.MatchString(lines[n]) || strings.HasPrefix(t, ": ") || orgDrawer.MatchString(lines[n]) ||
			!orgItem.MatchString(lines[0]) && orgItem.MatchString(lines[n]) {
			break
		}
		n++
	}
	return n
}

// list writes the lines of a list. Their indentation says the level.
func (o *org) list(lines []string) {
	var levels []int
	var text []string
	flush := func() {
		o.w.Paragraph(o.inline(strings.Join(text, "\n")))
		text = nil
	}
	for _, l := range lines {
		m := orgItem.FindStringSubmatch(l)
		if m == nil {
			text = append(text, strings.TrimSpace(l))
			continue
		}
		if len(levels) > 0 {
			flush()
			o.w.Tight()
		}
		at := len(m[1])
		for n := len(levels); n > 0 && levels[n-1] >= at; n-- {
			o.w.Close()
			levels = levels[:n-1]
		}
		marker := "- "
		if m[2][0] >= '0' && m[2][0] <= '9' {
			marker = strings.TrimRight(m[2], ".)") + ". "
		}
		levels = append(levels, at)
		o.w.Item(marker)
		body := m[3]
		if term, def, ok := strings.Cut(body, " :: "); ok && marker == "- " {
			body = "**" + term + "**: " + def
		}
		text = []string{body}
	}
	flush()
	for range levels {
		o.w.Close()
	}
	o.w.Loose()
}

// drawer counts the lines of the drawer that lines begin with, or returns 0.
func drawer(lines []string) int {
	for i := 1; i < len(lines) && i < 100; i++ {
		if strings.EqualFold(strings.TrimSpace(lines[i]), ":end:") {
			return i + 1
		}
		if strings.HasPrefix(lines[i], "*") {
			break
		}
	}
	return 0
}

// region writes a block between #+begin and #+end.
func (o *org) region(lines []string) (int, error) {
	m := orgBegin.FindStringSubmatch(lines[0])
	kind := strings.ToLower(m[1])
	end := -1
	for i := 1; i < len(lines) && !o.missing[kind]; i++ {
		if strings.EqualFold(strings.TrimSpace(lines[i]), "#+end_"+kind) {
			end = i
			break
		}
	}
	if end < 0 { // never closed: the mark is nothing but a line
		o.lost(kind)
		return 1, nil
	}
	body := lines[1:end]
	switch kind {
	case "comment":
	case "src", "example", "export", "verbatim":
		lang, _, _ := strings.Cut(m[2], " ")
		if kind != "src" {
			lang = ""
		}
		code := dedent(body)
		for i, l := range code { // what would be a heading is written with a comma
			if t := strings.TrimLeft(l, " "); strings.HasPrefix(t, ",*") || strings.HasPrefix(t, ",#+") {
				code[i] = strings.Replace(l, ",", "", 1)
			}
		}
		o.w.Code(lang, strings.Join(code, "\n"))
	case "quote", "verse":
		o.w.Quote()
		err := o.plain(dedent(body))
		o.w.Close()
		return end + 1, err
	default:
		return end + 1, o.plain(dedent(body))
	}
	return end + 1, nil
}

// plain writes paragraphs and lists; further regions in them are text, so
// that nesting cannot go deep.
func (o *org) plain(lines []string) error {
	for i := 0; i < len(lines); {
		if err := o.stop(); err != nil {
			return err
		}
		if strings.TrimSpace(lines[i]) == "" || orgBegin.MatchString(lines[i]) {
			i++
			continue
		}
		n := o.end(lines[i:])
		if orgItem.MatchString(lines[i]) {
			o.list(lines[i : i+n])
		} else {
			o.w.Paragraph(o.inline(strings.Join(lines[i:i+n], "\n")))
		}
		i += n
	}
	return nil
}

func (o *org) keyword(l string) {
	m := orgKeyword.FindStringSubmatch(l)
	if m == nil {
		return
	}
	switch key := strings.ToLower(m[1]); key {
	case "title":
		if o.doc.Title == "" {
			o.doc.Title = o.inline(m[2])
		} else {
			o.doc.Title += " " + o.inline(m[2])
		}
	case "author", "date", "language", "description", "keywords", "filetags", "email":
		o.meta(key, m[2])
	case "caption":
		o.w.Paragraph(o.inline(m[2]))
	}
}

func (o *org) rows(lines []string) (int, error) {
	n := 0
	var rows [][]string
	for n < len(lines) && strings.HasPrefix(strings.TrimSpace(lines[n]), "|") {
		t := strings.TrimSpace(lines[n])
		n++
		if strings.HasPrefix(t, "|-") {
			continue
		}
		row := strings.Split(strings.TrimSuffix(t[1:], "|"), "|")
		for i := range row {
			row[i] = o.inline(strings.TrimSpace(row[i]))
		}
		rows = append(rows, row)
	}
	return n, o.table(rows)
}

func (o *org) inline(s string) string {
	if strings.Contains(s, "[[") {
		s = orgLink.ReplaceAllStringFunc(s, func(m string) string {
			g := orgLink.FindStringSubmatch(m)
			target := strings.TrimPrefix(g[1], "file:")
			if g[2] == "" {
				return strings.TrimLeft(target, "*#")
			}
			return mdtext.Link(strings.ReplaceAll(g[2], "\n", " "), target)
		})
	}
	if strings.Contains(s, "[fn:") {
		s = orgNoteRef.ReplaceAllString(s, "[^$1]")
	}
	if strings.ContainsAny(s, "=~") {
		for range 2 { // neighbours share the character between them
			s = orgCode.ReplaceAllString(s, "$1`$2`$3")
		}
	}
	if strings.Contains(s, "*") {
		s = orgBold.ReplaceAllString(s, "$1**$2**$3")
	}
	return s
}
