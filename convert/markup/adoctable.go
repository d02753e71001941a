package markup

import (
	"encoding/csv"
	"regexp"
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/mdtext"
)

var (
	adocLow    = regexp.MustCompile(`~([^\s~]{1,40})~`)
	adocPower  = regexp.MustCompile(`(\d)\^([+\-−]?\d{1,10})\^`)
	adocHigh   = regexp.MustCompile(`([^\s\^])\^([^\s\^]{1,40})\^`)
	adocPass   = regexp.MustCompile(`\+\+\+(.+?)\+\+\+`)
	adocQuotes = strings.NewReplacer("\"`", "“", "`\"", "”")
	adocSpec   = regexp.MustCompile(`(?:^|\s)(?:(\d+)(?:\.\d+)?[+*]|\.\d+\+)?[<^>.]*[adehlmsv]?$`)
	adocFormat = regexp.MustCompile(`format\s*=\s*"?(csv|tsv|dsv)`)
	adocCols   = regexp.MustCompile(`cols\s*=\s*"?([^"]*)`)
)

// rows writes a table. Its width is what the attributes say, else that of the first line.
func (a *adoc) rows(mark byte, style, body []string) error {
	if m := adocFormat.FindStringSubmatch(strings.Join(style, ",")); m != nil {
		return a.separated(map[string]rune{"csv": ',', "tsv": '\t', "dsv": ':'}[m[1]], body)
	}
	sep := string(mark)
	var cells []string
	width := columns(strings.Join(style, ","))
	for _, l := range body {
		if strings.HasPrefix(l, "//") {
			continue
		}
		if l == "" {
			if width == 0 && len(cells) > 0 {
				width = len(cells)
			}
			continue
		}
		parts := strings.Split(strings.ReplaceAll(l, `\`+sep, "\x00"), sep)
		if n := len(cells); n > 0 && strings.TrimSpace(parts[0]) != "" {
			if spec := adocSpec.FindString(parts[0]); len(parts) == 1 || strings.TrimSpace(spec) != strings.TrimSpace(parts[0]) {
				cells[n-1] += " " + parts[0]
			}
		}
		before := len(cells)
		for i, p := range parts[1:] {
			times := 1
			// What stands before the separator of the next cell may be its format.
			if i+2 < len(parts) {
				if m := adocSpec.FindStringSubmatch(p); m != nil && m[0] != "" && strings.TrimSpace(m[0]) != "" && strings.HasPrefix(m[0], " ") {
					p = p[:len(p)-len(m[0])]
				}
			}
			if m := adocSpec.FindStringSubmatch(parts[i]); m != nil && m[1] != "" {
				if v, err := strconv.Atoi(m[1]); err == nil {
					times = min(max(v, 1), 100)
				}
			}
			cells = append(cells, p)
			for range times - 1 {
				cells = append(cells, "")
			}
		}
		if width == 0 && len(cells)-before > 1 {
			width = len(cells) - before
		}
	}
	width = max(width, 1)
	var rows [][]string
	for len(cells) > 0 {
		n := min(width, len(cells))
		row := make([]string, n)
		for i, c := range cells[:n] {
			row[i] = a.inline(strings.TrimSpace(strings.ReplaceAll(c, "\x00", "|")))
		}
		rows = append(rows, row)
		cells = cells[n:]
	}
	return a.table(rows)
}

// separated writes a table whose cells are separated by comma, with quotation marks around those that have one.
func (a *adoc) separated(comma rune, body []string) error {
	r := csv.NewReader(strings.NewReader(strings.Join(body, "\n")))
	r.Comma, r.FieldsPerRecord, r.LazyQuotes, r.TrimLeadingSpace = comma, -1, true, true
	rows, err := r.ReadAll()
	if err != nil {
		a.w.Code("", strings.Join(body, "\n"))
		return nil
	}
	for _, row := range rows {
		for i, c := range row {
			row[i] = a.inline(strings.TrimSpace(c))
		}
	}
	return a.table(rows)
}

// columns counts the columns that the attributes of a table give: "1,2,3" or "3*".
func columns(style string) int {
	m := adocCols.FindStringSubmatch(style)
	if m == nil {
		return 0
	}
	n := 0
	for c := range strings.FieldsFuncSeq(m[1], func(r rune) bool { return r == ',' || r == ';' }) {
		if times, _, ok := strings.Cut(strings.TrimSpace(c), "*"); ok {
			v, err := strconv.Atoi(times)
			if err != nil {
				return 0
			}
			n += min(max(v, 1), 1000)
			continue
		}
		n++
	}
	return min(n, 1000)
}

// inline turns the marks in running text into those of Markdown.
func (a *adoc) inline(s string) string {
	if strings.Contains(s, "{") {
		s = adocRef.ReplaceAllStringFunc(s, func(m string) string {
			if v, ok := a.attributes[m[1:len(m)-1]]; ok && v != "" {
				return v
			}
			switch m {
			case "{nbsp}", "{sp}", "{empty}":
				return " "
			}
			return m
		})
	}
	if strings.Contains(s, "[[") || strings.Contains(s, "((") || strings.Contains(s, "[#") {
		s = adocAnchor.ReplaceAllString(s, "")
		s = adocTermIndex.ReplaceAllString(s, "$1")
	}
	if strings.Contains(s, "footnote:") {
		s = adocFootnote.ReplaceAllString(s, " ($1)")
	}
	if strings.Contains(s, "image:") {
		s = adocImage.ReplaceAllStringFunc(s, func(m string) string {
			alt, _, _ := strings.Cut(adocImage.FindStringSubmatch(m)[2], ",")
			return strings.Trim(alt, `"`)
		})
	}
	if strings.Contains(s, "<<") {
		s = adocXref.ReplaceAllStringFunc(s, func(m string) string {
			g := adocXref.FindStringSubmatch(m)
			if g[2] != "" {
				return g[2]
			}
			return strings.TrimLeft(g[1], "_#")
		})
	}
	if strings.Contains(s, "[") {
		s = adocLink.ReplaceAllStringFunc(s, a.link)
	}
	if strings.ContainsAny(s, "~^+\"") {
		s = adocLow.ReplaceAllString(s, "$1")
		s = adocPower.ReplaceAllString(s, "$1^$2")
		s = adocHigh.ReplaceAllString(s, "$1$2")
		s = adocPass.ReplaceAllString(s, "$1")
		s = adocQuotes.Replace(s)
	}
	return s
}

func (a *adoc) link(m string) string {
	i := strings.IndexByte(m, '[')
	target, text := m[:i], m[i+1:len(m)-1]
	text, _, _ = strings.Cut(strings.TrimSuffix(text, "^"), ",role=")
	text = strings.Trim(strings.TrimSuffix(text, "^"), `"`)
	switch {
	case strings.HasPrefix(target, "link:"), strings.HasPrefix(target, "http://"), strings.HasPrefix(target, "https://"), strings.HasPrefix(target, "mailto:"), strings.HasPrefix(target, "ftp://"):
		target = strings.TrimPrefix(target, "link:")
		if text == "" {
			return strings.TrimPrefix(target, "mailto:")
		}
		return mdtext.Link(text, target)
	case strings.HasPrefix(target, "xref:"):
		if text == "" {
			return strings.TrimPrefix(target, "xref:")
		}
		return text
	case strings.HasPrefix(target, "kbd:"), strings.HasPrefix(target, "btn:"), strings.HasPrefix(target, "menu:"), strings.HasPrefix(target, "pass:"), strings.HasPrefix(target, "stem:"), strings.HasPrefix(target, "icon:"):
		_, rest, _ := strings.Cut(target, ":")
		return strings.TrimSpace(rest + " " + text)
	}
	return m
}
