package rtf

import (
	"regexp"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/mdtext"
)

// destination handles the first control word of a group and reports whether
// it opened a destination.
func (r *reader) destination(g *group, word string) bool {
	gather := func() { g.kind, g.sink = word, &sink{} }
	switch word {
	case "fonttbl":
		g.kind, g.sink = word, &sink{discard: true}
	case "stylesheet":
		g.kind, g.sink = word, &sink{discard: true}
	case "info":
		g.kind, g.sink = word, &sink{discard: true}
	case "colortbl", "nonshppict", "shprslt", "tc", "tcl", "tcn", "xe", "rxe", "ftnsep", "ftnsepc", "ftncn", "aftnsep", "aftnsepc", "aftncn", "nonesttables",
		"filetbl", "bkmkstart", "bkmkend", "listtable", "listoverridetable", "revtbl", "generator", "themedata", "mmathPict", "objdata", "pnseclvl", "template":
		g.skip = true
	case "title", "subject", "author", "keywords", "doccomm", "category":
		if !r.in("info") {
			return false
		}
		gather()
	case "pict":
		g.kind, g.sink = word, &sink{discard: true}
	case "shp", "shpinst", "shppict", "object", "result", "moMath", "moMathPara", "mmath", "picprop", "sp", "pgptbl", "do", "dptxbx":
		// What is in them counts.
		switch word {
		case "moMath":
			g.kind = word
		case "picprop", "shpinst":
			g.kind, g.sink = word, &sink{discard: true}
		}
		g.star = false
	case "footnote", "annotation", "header", "headerl", "headerr", "headerf", "footer", "footerl", "footerr", "footerf", "shptxt", "dptxbxtext",
		"listtext", "pntext", "sn", "sv", "atnauthor":
		if word == "listtext" || word == "pntext" {
			word = "listtext"
		}
		gather()
		if word != "listtext" && word != "sn" && word != "sv" && word != "atnauthor" {
			r.cur = properties{outline: -1}
		}
		g.hidden = false
	case "field":
		g.kind = word
		g.field = len(r.stack) - 1
		g.target = ""
	case "fldinst":
		gather()
	case "fldrslt":
		if g.field >= 0 && g.field < len(r.stack) && r.stack[g.field].target == "skip" {
			g.skip = true
			return true
		}
		g.sink.flush()
		g.kind, g.start, g.resets = word, len(g.sink.b), g.sink.resets
	default:
		if strings.HasPrefix(word, "m") && strings.HasSuffix(word, "Pr") && r.in("moMath") { // properties of formulas
			g.skip = true
			return true
		}
		return false
	}
	return true
}

// in reports whether a group around has the kind.
func (r *reader) in(kind string) bool {
	return slices.ContainsFunc(r.stack, func(g group) bool { return g.kind == kind })
}

var hyperlink = regexp.MustCompile(`(?i)^\s*HYPERLINK\s+(?:"([^"]*)"|([^\s"\\]+))`)

// leave handles the end of a destination.
func (r *reader) leave(g group) {
	switch g.kind {
	case "pict", "picprop", "shpinst", "fonttbl", "stylesheet", "info", "field", "moMath":
		return
	case "fldrslt":
		r.link(g)
		return
	}
	text := g.sink.take()
	one := fold(strings.ReplaceAll(text, "\n", " "))
	switch g.kind {
	case "style":
		if level, ok := headingLevel(text); ok {
			if _, set := r.styles[g.styleNo]; !set {
				r.styles[g.styleNo] = level
			}
		}
	case "title", "subject", "author", "keywords", "category":
		r.info[g.kind] = one
	case "doccomm":
		r.info["description"] = one
	case "fldinst":
		if g.field < 0 || g.field >= len(r.stack) {
			return
		}
		f := &r.stack[g.field]
		switch m := hyperlink.FindStringSubmatch(text); {
		case m != nil:
			f.target = m[1] + m[2]
		case strings.HasPrefix(strings.TrimSpace(text), "TOC"):
			f.target = "skip" // the headings again
		}
	case "listtext":
		if r.marker = strings.TrimSpace(one); r.marker == "" {
			r.marker = "•"
		}
	case "atnauthor":
		r.author = one
	case "sn":
		r.property = one
	case "sv":
		if r.property == "wzDescription" && one != "" && !strings.HasPrefix(one, "http") {
			r.body.string(" " + one + " ")
		}
	case "footnote":
		if one != "" {
			r.label++
			mark := "[^" + strconv.Itoa(r.label) + "]"
			if n := len(r.stack); n > 0 {
				r.top().sink.string(mark)
			}
			r.waiting = append(r.waiting, mark+": "+one)
		}
	case "annotation":
		by := ""
		if r.author != "" {
			by = " by " + r.author
		}
		if one != "" {
			r.waiting = append(r.waiting, "> Comment"+by+": "+one)
		}
		r.author = ""
	case "shptxt", "dptxbxtext":
		for line := range strings.SplitSeq(text, "\n") {
			if line = fold(line); line != "" {
				r.waiting = append(r.waiting, mdtext.EscapeLine(line))
			}
		}
	default: // headers and footers
		for line := range strings.SplitSeq(text, "\n") {
			if line = fold(line); letters(line) >= 4 && len(r.margins) < 100 && !slices.Contains(r.margins, line) {
				r.margins = append(r.margins, line)
			}
		}
	}
}

func letters(s string) int {
	n := 0
	for _, c := range s {
		if c > 127 || c|0x20 >= 'a' && c|0x20 <= 'z' {
			n++
		}
	}
	return n
}

// link makes the result of a hyperlink one.
func (r *reader) link(g group) {
	if g.field < 0 || g.field >= len(r.stack) || g.sink.discard {
		return
	}
	target := r.stack[g.field].target
	g.sink.flush()
	if target == "" || g.resets != g.sink.resets || g.start > len(g.sink.b) {
		return
	}
	text := string(g.sink.b[g.start:])
	if core := strings.TrimSpace(text); core != "" && !strings.Contains(core, "\n") && !strings.Contains(core, "](") {
		g.sink.b = append(g.sink.b[:g.start], strings.Replace(text, core, mdtext.Link(core, target), 1)...)
	}
}

// word handles a control word that opens no destination.
func (r *reader) word(g *group, word string, n int, has bool) {
	if s, ok := characters[word]; ok {
		r.text(s)
		return
	}
	on := !has || n != 0
	switch word {
	case "u":
		r.unicode(g, n)
	case "uc":
		g.uc = min(max(n, 0), 10)
	case "ansicpg":
		if _, ok := codePages[n]; ok || n == 65001 {
			r.page = n
		}
	case "mac":
		r.page = 10000
	case "pc":
		r.page = 437
	case "pca":
		r.page = 850
	case "deff":
		r.deff = n
		g.font = n
	case "f":
		g.font = n
	case "fcharset":
		if r.in("fonttbl") {
			r.fonts[g.font] = charsets[n]
		}
	case "plain":
		g.hidden, g.font = false, r.deff
	case "v", "deleted":
		g.hidden = on
	case "s":
		r.style(g, n)
	case "outlinelevel":
		if r.in("stylesheet") {
			r.styles[g.styleNo] = n
		} else {
			r.cur.outline = n
		}
	case "pard":
		if g.sink == r.body {
			r.cur = properties{outline: -1}
		}
	case "intbl":
		r.cur.table = g.sink == r.body
	case "ilvl":
		r.cur.level = min(max(n, 0), 8)
	default:
		r.mark(g, word)
	}
}

// style handles \s, which names a style in the style sheet and uses it elsewhere.
func (r *reader) style(g *group, n int) {
	if !r.in("stylesheet") {
		r.cur.style = n
		return
	}
	if g.kind != "stylesheet" {
		g.kind, g.sink, g.styleNo = "style", &sink{}, n
	}
}

// mark handles the words that end something.
func (r *reader) mark(g *group, word string) {
	if g.sink != r.body {
		if word == "par" || word == "cell" || word == "row" || word == "sect" || word == "page" {
			g.sink.string("\n")
		}
		return
	}
	switch word {
	case "par", "page", "sect", "column":
		r.paragraph()
	case "trowd":
		r.merged, r.merge = r.merged[:0], false
	case "clvmrg":
		r.merge = true
	case "cellx":
		if len(r.merged) < maxRow {
			r.merged = append(r.merged, r.merge)
		}
		r.merge = false
	case "cell":
		r.endCell()
	case "row":
		r.endRow()
	}
}
