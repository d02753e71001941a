// Package mdtext has the few pieces of Markdown writing that every converter
// needs: pipe tables, table cells, escapes and the removal of embedded
// pictures. It imports the standard library only.
package mdtext

import (
	"strings"
)

// Cell returns s as the content of one table cell: on one line, trimmed, with
// runs of white space as one space and pipes escaped.
func Cell(s string) string {
	s = strings.Join(strings.Fields(s), " ")
	return strings.ReplaceAll(s, "|", `\|`)
}

// Table writes rows as a pipe table whose first row is the header. Cells must
// be in the form of [Cell]. Empty columns at the right are dropped and short
// rows are filled up, unless the longest row is so far out that filling would multiply the text.
func Table(b *strings.Builder, rows [][]string) {
	if len(rows) == 0 {
		return
	}
	width, cells := 1, 0
	for _, row := range rows {
		n := filled(row)
		width = max(width, n)
		cells += n
	}
	// A sparse grid may be padded to thrice its cells; beyond that only the header is whole.
	pad := width
	if width*len(rows) > 3*cells+10_000 {
		pad = 0
	}
	for i, row := range rows {
		n := filled(row)
		if i == 0 {
			writeRow(b, row[:n], width)
			b.WriteByte('|')
			for range width {
				b.WriteString(" --- |")
			}
			b.WriteByte('\n')
			continue
		}
		writeRow(b, row[:n], max(n, pad))
	}
}

func filled(row []string) int {
	n := len(row)
	for n > 0 && row[n-1] == "" {
		n--
	}
	return n
}

func writeRow(b *strings.Builder, row []string, width int) {
	b.WriteByte('|')
	for i := range max(width, 1) {
		b.WriteByte(' ')
		if i < len(row) && row[i] != "" {
			b.WriteString(row[i])
			b.WriteByte(' ')
		}
		b.WriteByte('|')
	}
	b.WriteByte('\n')
}

// EscapeLine protects a line of running text from being read as Markdown
// structure: a heading, a quotation, a fence or a rule. What merely could be
// emphasis stays as the author wrote it, so that identifiers are found.
func EscapeLine(s string) string {
	t := strings.TrimLeft(s, " ")
	if t == "" || len(s)-len(t) > 3 {
		return s
	}
	indent := s[:len(s)-len(t)]
	switch t[0] {
	case '#':
		n := len(t) - len(strings.TrimLeft(t, "#"))
		if n <= 6 && (len(t) == n || t[n] == ' ' || t[n] == '\t') {
			return indent + `\` + t
		}
	case '>':
		return indent + `\` + t
	case '`', '~':
		if strings.HasPrefix(t, "```") || strings.HasPrefix(t, "~~~") {
			return indent + `\` + t
		}
	case '-', '=', '_', '*':
		rest := strings.TrimRight(t, " ")
		if len(rest) >= 2 && strings.Trim(rest, rest[:1]) == "" {
			return indent + `\` + t
		}
	}
	return s
}

// Fence returns a code fence longer than any run of backquotes in code, at least three.
func Fence(code string) string {
	longest, run := 0, 0
	for i := range len(code) {
		if code[i] == '`' {
			run++
			longest = max(longest, run)
		} else {
			run = 0
		}
	}
	return strings.Repeat("`", max(3, longest+1))
}

// CodeSpan returns code as an inline code span.
func CodeSpan(code string) string {
	code = strings.Join(strings.Fields(code), " ")
	if code == "" {
		return ""
	}
	if !strings.Contains(code, "`") {
		return "`" + code + "`"
	}
	f := "``"
	if strings.Contains(code, f) {
		f = Fence(code)
	}
	return f + " " + code + " " + f
}

// Link returns a Markdown link, or the text alone when the target leads
// nowhere outside: only http, https, mailto and file targets and relative paths are kept.
func Link(text, target string) string {
	target = strings.TrimSpace(target)
	if text == "" {
		return ""
	}
	if i := strings.IndexAny(target, ":/?#"); target == "" || target[0] == '#' || i >= 0 && target[i] == ':' {
		switch scheme := strings.ToLower(target[:max(i, 0)]); scheme {
		case "http", "https", "mailto", "file", "ftp":
		default:
			return text
		}
	}
	if text == target || "mailto:"+text == target {
		return text
	}
	text = strings.ReplaceAll(strings.ReplaceAll(text, "\n", " "), "](", `]\(`)
	return "[" + text + "](" + escapeTarget(target) + ")"
}

func escapeTarget(target string) string {
	if !strings.ContainsAny(target, " ()<>\t\n") {
		return target
	}
	return strings.NewReplacer(" ", "%20", "(", "%28", ")", "%29", "<", "%3C", ">", "%3E", "\t", "", "\n", "").Replace(target)
}
