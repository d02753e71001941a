package markup

import (
	"encoding/csv"
	"regexp"
	"slices"
	"strings"
	"unicode"

	"github.com/minirag/minirag/internal/mdtext"
)

// What these directives hold is no text of the document.
var dropped = []string{
	"toctree", "contents", "index", "include", "raw", "meta", "highlight", "sectnum", "section-numbering", "target-notes", "default-role", "role", "title",
	"currentmodule", "module", "py:module", "py:currentmodule", "tabularcolumns", "default-domain", "literalinclude", "bibliography", "automodule", "unicode", "replace",
}

// These only arrange what is in them.
var transparent = []string{"container", "only", "ifconfig", "class", "compound", "epigraph", "pull-quote", "highlights", "centered", "hlist", "tab-set", "grid", "table", "cssclass", "rst-class"}

// explicit writes what begins with "..": a directive, a note, or nothing for a
// comment or target.
func (r *rst) explicit(lines []string, depth int) (int, error) {
	n := 1 + indented(lines[1:], 1)
	if lines[0] == ".." && len(lines) > 1 && lines[1] == "" {
		return 1, nil // an empty comment ends a block, and has none
	}
	if m := footnote.FindStringSubmatch(lines[0]); m != nil {
		text := strings.Join(strings.Fields(m[2]+" "+strings.Join(lines[1:n], " ")), " ")
		r.w.Block("[^" + strings.Trim(m[1], "#*") + "]: " + r.inline(text))
		return n, nil
	}
	m := directive.FindStringSubmatch(lines[0])
	if m == nil || strings.HasPrefix(lines[0], ".. _") {
		return n, nil
	}
	body := dedent(lines[1:n])
	argument := []string{m[2]}
	for len(body) > 0 && body[0] != "" && !option.MatchString(body[0]) && argument[0] != "" {
		argument, body = append(argument, body[0]), body[1:]
	}
	options := map[string]string{}
	for len(body) > 0 {
		o := option.FindStringSubmatch(body[0])
		if o == nil {
			break
		}
		options[o[1]], body = o[2], body[1:]
	}
	arg := strings.TrimSpace(strings.Join(argument, " "))
	return n, r.directive(strings.ToLower(m[1]), arg, argument, options, body, depth)
}

func (r *rst) directive(name, arg string, argument []string, options map[string]string, body []string, depth int) error {
	switch {
	case slices.Contains(dropped, name):
		return nil
	case name == "code-block", name == "code", name == "sourcecode", name == "parsed-literal", name == "prompt", name == "doctest", name == "testcode", name == "productionlist":
		lang := arg
		if len(argument) > 1 || strings.ContainsAny(arg, " `") { // the code begins at once
			body, lang = append(argument, body...), ""
		}
		r.w.Code(lang, strings.Join(body, "\n"))
		return nil
	case name == "math":
		if text := strings.TrimSpace(arg + "\n" + strings.Join(body, "\n")); text != "" {
			r.w.Block("$$\n" + text + "\n$$")
		}
		return nil
	case name == "image", name == "figure":
		if alt := options["alt"]; alt != "" {
			r.w.Paragraph(r.inline(alt))
		}
		return r.blocks(body, depth+1)
	case name == "csv-table", name == "list-table":
		if arg != "" {
			r.w.Paragraph(r.inline(arg))
		}
		if name == "list-table" {
			return r.listTable(body)
		}
		return r.csvTable(options["header"], body)
	case name == "rubric":
		r.w.Block("**" + r.inline(arg) + "**")
		return r.blocks(body, depth+1)
	case slices.Contains(transparent, name):
		if arg != "" && (name == "table" || name == "centered") {
			r.w.Paragraph(r.inline(arg))
		}
		return r.blocks(body, depth+1)
	case strings.Contains(name, ":") || slices.Contains([]string{"function", "class", "method", "option", "envvar", "attribute", "data", "program", "describe", "object", "confval"}, name):
		// Something that is described: its signatures, then the text.
		r.w.Paragraph(strings.Join(argument, "\n"))
		return r.blocks(body, depth+1)
	case strings.HasPrefix(name, "auto"):
		r.w.Paragraph(mdtext.CodeSpan(arg))
		return r.blocks(body, depth+1)
	}
	// Notes, warnings and what else has a name to be shown.
	label := strings.ToUpper(name[:1]) + name[1:]
	if name == "admonition" || name == "topic" || name == "sidebar" {
		label, arg = arg, ""
	}
	head := ""
	if label = strings.TrimFunc(label, func(c rune) bool { return !unicode.IsPrint(c) }); label != "" {
		head = "**" + label + ":** "
	}
	r.w.Block(strings.TrimSpace(head + r.inline(arg)))
	return r.blocks(body, depth+1)
}

func (r *rst) csvTable(header string, body []string) error {
	d := csv.NewReader(strings.NewReader(strings.TrimSpace(header + "\n" + strings.TrimLeft(strings.Join(body, "\n"), "\n"))))
	d.FieldsPerRecord, d.LazyQuotes, d.TrimLeadingSpace = -1, true, true
	rows, err := d.ReadAll()
	if err != nil {
		r.w.Code("", strings.Join(body, "\n"))
		return nil
	}
	return r.rows(rows)
}

// rows writes a table whose cells are running text.
func (r *rst) rows(rows [][]string) error {
	for _, row := range rows {
		for i := range row {
			row[i] = r.inline(row[i])
		}
	}
	return r.table(rows)
}

var cellItem = regexp.MustCompile(`^(\*\s+)?-(?:\s+(.*))?$`)

func (r *rst) listTable(body []string) error {
	var rows [][]string
	for _, l := range body {
		if m := cellItem.FindStringSubmatch(strings.TrimSpace(l)); m != nil && (m[1] != "" || len(rows) > 0 && indent(l) <= 4) {
			if m[1] != "" {
				rows = append(rows, nil)
			}
			rows[len(rows)-1] = append(rows[len(rows)-1], m[2])
			continue
		}
		if n := len(rows) - 1; n >= 0 && len(rows[n]) > 0 && l != "" {
			rows[n][len(rows[n])-1] += " " + strings.TrimSpace(l)
		}
	}
	return r.rows(rows)
}

// grid writes a table that is drawn with lines. A cell over several columns
// stands in the first of them.
func (r *rst) grid(lines []string) (int, error) {
	n := 0
	var edges []int // of the columns, in the line that has most
	for n < len(lines) && (strings.HasPrefix(lines[n], "+") || strings.HasPrefix(lines[n], "|")) {
		if strings.HasPrefix(lines[n], "+") && strings.Count(lines[n], "+") > len(edges) && strings.Trim(lines[n], "+-=") == "" {
			edges = edges[:0]
			for i := range lines[n] {
				if lines[n][i] == '+' {
					edges = append(edges, i)
				}
			}
		}
		n++
	}
	var rows [][]string
	row := make([]string, len(edges))
	flush := func() {
		if strings.TrimSpace(strings.Join(row, "")) != "" {
			rows = append(rows, row)
			row = make([]string, len(edges))
		}
	}
	for _, l := range lines[:n] {
		if strings.HasPrefix(l, "+") && strings.Trim(l, "+-= |") == "" {
			flush()
			continue
		}
		chars := []rune(l)
		col, start := 0, 1
		put := func(end int) {
			if start < end && end <= len(chars) {
				row[col] = strings.TrimSpace(row[col] + " " + strings.TrimSpace(string(chars[start:end])))
			}
		}
		for i, e := range edges {
			if i > 0 && e < len(chars) && (chars[e] == '|' || chars[e] == '+') {
				put(e)
				col, start = i, e+1
			}
		}
		end := len(chars)
		if end > 0 && chars[end-1] == '|' {
			end--
		}
		put(end)
	}
	flush()
	return n, r.rows(rows)
}

// simple writes a table whose columns are marked by lines of "=".
func (r *rst) simple(lines []string) (int, error) {
	var starts []int
	for i := range lines[0] {
		if lines[0][i] == '=' && (i == 0 || lines[0][i-1] != '=') {
			starts = append(starts, i)
		}
	}
	if r.missing["simple table"] {
		return 0, nil
	}
	end, rules := 0, 1
	for i := 1; i < len(lines); i++ {
		if strings.HasPrefix(lines[i], "==") && strings.Trim(lines[i], "= ") == "" {
			if rules++; i+1 >= len(lines) || lines[i+1] == "" {
				end = i + 1
				break
			}
		}
	}
	if end == 0 {
		r.lost("simple table")
		return 0, nil
	}
	var rows [][]string
	for _, l := range lines[1 : end-1] {
		if l == "" || strings.Trim(l, "=- ") == "" {
			continue
		}
		chars := []rune(l)
		row := make([]string, len(starts))
		for i, s := range starts {
			e := len(chars)
			if i+1 < len(starts) {
				e = min(starts[i+1], e)
			}
			if s < e {
				row[i] = strings.TrimSpace(string(chars[s:e]))
			}
		}
		if n := len(rows); row[0] == "" && n > 0 { // goes on
			for i := range row {
				rows[n-1][i] = strings.TrimSpace(rows[n-1][i] + " " + row[i])
			}
			continue
		}
		rows = append(rows, row)
	}
	return end, r.rows(rows)
}
