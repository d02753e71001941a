package markup

import (
	"regexp"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/internal/mdtext"
)

// maxNesting bounds blocks in blocks; what is nested deeper is a paragraph.
const maxNesting = 30

// rst is one reStructuredText document.
type rst struct {
	*conversion
	adornments    []string // of headings, by level
	substitutions map[string]string
}

var (
	substitution = regexp.MustCompile(`^\s*\.\. \|([^|]+)\| (replace|unicode)::\s*(.*)$`)
	directive    = regexp.MustCompile(`^\.\.[ ]+(?:\|[^|]+\|\s*)?([\w:.+-]+?)::(?:\s+(.*))?$`)
	footnote     = regexp.MustCompile(`^\.\.[ ]+\[([^\]\s]+)\](?:\s+(.*))?$`)
	option       = regexp.MustCompile(`^:([\w-]+):\s*(.*)$`)
	field        = regexp.MustCompile(`^:([^:\s][^:]{0,80}):(?:\s+(.*))?$`)
	rstItem      = regexp.MustCompile(`^([-*+•]|(?:\(?(?:\d{1,9}|#|[a-zA-Z])[.)]))\s+(\S.*)$`)
	gridLine     = regexp.MustCompile(`^\+(?:[-=]+\+)+$`)
	simpleLine   = regexp.MustCompile(`^=+(?:\s+=+)+$`)
)

// define collects the substitutions, which may stand behind their use.
func (r *rst) define(lines []string) {
	for _, l := range lines {
		if m := substitution.FindStringSubmatch(l); m != nil && m[2] == "replace" {
			r.substitutions[m[1]] = m[3]
		}
	}
}

// adornment reports whether l is a line under or over a title.
func adornment(l string) bool {
	if len(l) < 2 || !strings.ContainsRune("!\"#$%&'()*+,-./:;<=>?@[\\]^_`{|}~", rune(l[0])) {
		return false
	}
	return strings.Trim(l, l[:1]) == ""
}

func (r *rst) heading(key, title string) {
	for i, a := range r.adornments {
		if a == key {
			r.w.Heading(i+1, r.inline(title))
			return
		}
	}
	r.adornments = append(r.adornments, key)
	r.w.Heading(len(r.adornments), r.inline(title))
}

// title writes the heading at the start of lines and returns its lines, or 0.
func (r *rst) title(lines []string) int {
	fits := func(line, title string) bool { return len(line) >= 4 || len(line) >= utf8.RuneCountInString(title) }
	if len(lines) > 2 && adornment(lines[0]) && lines[1] != "" && !adornment(lines[1]) && lines[2] == lines[0] && fits(lines[0], strings.TrimSpace(lines[1])) {
		r.heading(lines[0][:1]+"over", strings.TrimSpace(lines[1]))
		return 3
	}
	if len(lines) > 1 && lines[0] != "" && indent(lines[0]) == 0 && adornment(lines[1]) && !adornment(lines[0]) && fits(lines[1], lines[0]) {
		r.heading(lines[1][:1], lines[0])
		return 2
	}
	return 0
}

func (r *rst) blocks(lines []string, depth int) error {
	defer r.scope()()
	for len(lines) > 0 && !r.w.Full() {
		if err := r.stop(); err != nil {
			return err
		}
		n, err := r.block(lines, depth)
		if err != nil {
			return err
		}
		lines = lines[n:]
	}
	return nil
}

// block writes the block at the start of lines and returns how many lines it has.
func (r *rst) block(lines []string, depth int) (int, error) {
	l := lines[0]
	switch {
	case l == "":
		return 1, nil
	case depth > maxNesting:
		n := paragraph(lines)
		r.w.Paragraph(r.inline(strings.Join(lines[:n], "\n")))
		return n, nil
	case indent(l) > 0:
		n := max(indented(lines, 1), 1)
		r.w.Quote()
		err := r.blocks(dedent(lines[:n]), depth+1)
		r.w.Close()
		return n, err
	case l == ".." || strings.HasPrefix(l, ".. "):
		return r.explicit(lines, depth)
	case strings.HasPrefix(l, "__ "):
		return 1, nil
	case gridLine.MatchString(l):
		return r.grid(lines)
	case simpleLine.MatchString(l) && len(lines) > 2:
		if n, err := r.simple(lines); n > 0 {
			return n, err
		}
	case strings.HasPrefix(l, ">>> "):
		n := paragraph(lines)
		r.w.Code("python", strings.Join(lines[:n], "\n"))
		return n, nil
	case strings.HasPrefix(l, "| "):
		n := 0
		for n < len(lines) && (strings.HasPrefix(lines[n], "| ") || lines[n] == "|" || n > 0 && lines[n] != "" && indent(lines[n]) > 0) {
			n++
		}
		for i := range n {
			lines[i] = strings.TrimSpace(strings.TrimPrefix(lines[i], "|"))
		}
		r.w.Paragraph(r.inline(strings.Join(lines[:n], "\n")))
		return n, nil
	}
	if n := r.title(lines); n > 0 {
		return n, nil
	}
	if adornment(l) && len(l) >= 4 && (len(lines) == 1 || lines[1] == "") {
		r.w.Block("---")
		return 1, nil
	}
	if m := rstItem.FindStringSubmatch(l); m != nil {
		return r.item(lines, m[1], depth)
	}
	if m := field.FindStringSubmatch(l); m != nil {
		n := 1 + indented(lines[1:], 1)
		body := append([]string{m[2]}, dedent(lines[1:n])...)
		r.w.Block("**" + m[1] + ":** " + strings.TrimSpace(r.inline(strings.Join(strings.Fields(strings.Join(body, " ")), " "))))
		r.tight(lines[n:], field)
		return n, nil
	}
	if len(lines) > 1 && lines[1] != "" && indent(lines[1]) > 0 && !strings.HasSuffix(l, "::") { // a term and its definition
		n := 1 + indented(lines[1:], 1)
		r.w.Block("**" + strings.ReplaceAll(r.inline(l), "**", "") + "**")
		r.w.Tight()
		r.w.Item(": ")
		err := r.blocks(dedent(lines[1:n]), depth+1)
		r.w.Close()
		r.w.Loose()
		return n, err
	}
	return r.text(lines, depth)
}

// paragraph counts the lines up to a blank one.
func paragraph(lines []string) int {
	n := 1
	for n < len(lines) && lines[n] != "" {
		n++
	}
	return n
}

// text writes a paragraph and, when it ends in "::", the literal block behind it.
func (r *rst) text(lines []string, depth int) (int, error) {
	n := 1
	for n < len(lines) && lines[n] != "" && !(len(lines) > n+1 && indent(lines[n]) == 0 && len(lines[n+1]) > 3 && adornment(lines[n+1])) &&
		!strings.HasPrefix(lines[n], ".. ") {
		n++
	}
	s := strings.Join(lines[:n], "\n")
	if !strings.HasSuffix(s, "::") {
		r.w.Paragraph(r.inline(s))
		return n, nil
	}
	if s = strings.TrimSuffix(s, "::"); s != "" && !strings.HasSuffix(s, " ") && !strings.HasSuffix(s, "\n") {
		s += ":"
	}
	r.w.Paragraph(r.inline(strings.TrimSpace(s)))
	code := indented(lines[n:], 1)
	r.w.Code("", strings.Join(dedent(lines[n:n+code]), "\n"))
	return n + code, nil
}

// item writes a list item; one behind the other are a list.
func (r *rst) item(lines []string, marker string, depth int) (int, error) {
	width := len(lines[0]) - len(strings.TrimLeft(lines[0][len(marker):], " "))
	n := 1 + indented(lines[1:], min(width, 2))
	body := append([]string{lines[0][width:]}, lines[1:n]...)
	rest := dedent(body[1:])
	copy(body[1:], rest)
	letter := ""
	switch trimmed := strings.Trim(marker, "()."); {
	case trimmed == marker: // a bullet
		marker = "- "
	case trimmed == "#":
		marker = "1. "
	case strings.Trim(trimmed, "0123456789") == "":
		marker = trimmed + ". "
	default:
		letter, marker = marker+" ", "- "
	}
	r.w.Item(marker)
	if letter != "" {
		p := paragraph(body)
		r.w.Paragraph(letter + r.inline(strings.Join(body[:p], "\n")))
		body = body[p:]
	}
	err := r.blocks(body, depth+1)
	r.w.Close()
	r.tight(lines[n:], rstItem)
	return n, err
}

// tight keeps what follows in the list that was written, if it is an item of it.
func (r *rst) tight(lines []string, item *regexp.Regexp) {
	for _, l := range lines {
		if l != "" {
			if item.MatchString(l) {
				r.w.Tight()
				return
			}
			break
		}
	}
	r.w.Loose()
}

var (
	rstCode   = regexp.MustCompile("``(.+?)``")
	rstRole   = regexp.MustCompile("(?::[\\w+.:-]+:)`([^`]+)`")
	rstLink   = regexp.MustCompile("`([^`<]+?)\\s*<([^`>]+)>`__?")
	rstRef    = regexp.MustCompile("`([^`]+)`__?")
	rstNote   = regexp.MustCompile(`\[(#?[\w-]+|\*)\]_`)
	rstSubst  = regexp.MustCompile(`\|([^|\s](?:[^|]*[^|\s])?)\|_?`)
	rstTarget = regexp.MustCompile(`^([^<]*\S)\s*<[^>]+>$`)
)

// restored puts code in the place of its numbers, each of which stands between \x00 and \x01.
func restored(s string, code []string) string {
	var b strings.Builder
	for {
		before, rest, ok := strings.Cut(s, "\x00")
		b.WriteString(before)
		if !ok {
			return b.String()
		}
		number, after, ok := strings.Cut(rest, "\x01")
		if i, err := strconv.Atoi(number); ok && err == nil && i >= 0 && i < len(code) {
			b.WriteString(code[i])
			rest = after
		}
		s = rest
	}
}

// raised returns the text of the mark m in s, with a sign of power when it is a number behind a digit.
func raised(s, m, text string) string {
	if len(s) > 100_000 { // each mark is searched from the begin
		return text
	}
	before := strings.TrimSuffix(s[:strings.Index(s, m)], `\ `)
	if n := len(before); n > 0 && before[n-1] >= '0' && before[n-1] <= '9' && strings.Trim(text, "0123456789+-−") == "" {
		return "^" + text
	}
	return text
}

// inline turns the marks in running text into those of Markdown. Code is kept from the rules behind it.
func (r *rst) inline(s string) string {
	if !strings.ContainsAny(s, "`|_") {
		return s
	}
	var code []string
	s = rstCode.ReplaceAllStringFunc(s, func(m string) string {
		code = append(code, mdtext.CodeSpan(m[2:len(m)-2]))
		return "\x00" + strconv.Itoa(len(code)-1) + "\x01"
	})
	s = rstRole.ReplaceAllStringFunc(s, func(m string) string {
		text := rstRole.FindStringSubmatch(m)[1]
		switch role := m[:strings.IndexByte(m, '`')]; role {
		case ":sub:", ":subscript:":
			return text
		case ":sup:", ":superscript:":
			return raised(s, m, text)
		case ":math:":
			code = append(code, "$"+text+"$")
			return "\x00" + strconv.Itoa(len(code)-1) + "\x01"
		}
		if t := rstTarget.FindStringSubmatch(text); t != nil {
			return t[1]
		}
		if strings.HasPrefix(m, ":ref:") || strings.HasPrefix(m, ":doc:") || strings.HasPrefix(m, ":term:") || strings.HasPrefix(m, ":abbr:") {
			return text
		}
		code = append(code, mdtext.CodeSpan(strings.TrimLeft(text, "~!")))
		return "\x00" + strconv.Itoa(len(code)-1) + "\x01"
	})
	s = strings.ReplaceAll(s, `\ `, "") // parts that belong to one word
	s = rstLink.ReplaceAllStringFunc(s, func(m string) string {
		g := rstLink.FindStringSubmatch(m)
		return mdtext.Link(strings.ReplaceAll(strings.TrimSpace(g[1]), "\n", " "), strings.TrimSuffix(g[2], "_"))
	})
	s = rstRef.ReplaceAllString(s, "$1")
	s = rstNote.ReplaceAllStringFunc(s, func(m string) string { return "[^" + strings.Trim(m[1:len(m)-2], "#*") + "]" })
	if len(r.substitutions) > 0 {
		s = rstSubst.ReplaceAllStringFunc(s, func(m string) string {
			if v, ok := r.substitutions[strings.Trim(m, "|_")]; ok {
				return v
			}
			return m
		})
	}
	return restored(s, code)
}
