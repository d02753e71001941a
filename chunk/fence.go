package chunk

import "strings"

const (
	fenceNone int8 = iota
	fenceOpen
	fenceInside
	fenceClose
	hidden // in an HTML comment or element whose text is no Markdown
)

// A fenceLine is a line that can open or close a code fence.
type fenceLine struct {
	line, length int
	char         byte
	bare         bool // nothing follows the fence, so that it can close one
	language     bool // a name of a language follows it at once, and nothing else
	quotes       int  // depth of block quotes that it stands in
	item         int  // column behind the first list marker before it; 0: there is none
}

// maxQuotes is the depth of block quotes down to which fences are found.
const maxQuotes = 8

// findCode marks the lines of closed code fences and of HTML that holds no
// Markdown. As in CommonMark a closing line holds nothing but its fence, and no
// backtick follows an opening one, so that ```this``` is text. A fence that
// opens in a block quote or a list item ends with it at the latest. A fence
// that is not closed is no fence. Nor is one without a language that is not
// closed before one with a language opens: somebody forgot to close it, or
// closed nothing, and what follows is text.
func (o *outline) findCode() {
	fences := o.fenceLines()
	html := htmlFinder{o: o}
	// unclosed holds, for a character and a depth of quotes, a length for
	// which no closing line is left before a line, so that a document of
	// unclosed fences is not searched from each.
	var unclosed [2][maxQuotes + 1]struct{ length, before int }
	done := 0 // lines before are marked
	for i, open := range fences {
		if open.line < done {
			continue
		}
		done = html.mark(done, open.line)
		if open.line < done {
			continue
		}
		known := &unclosed[0][open.quotes]
		if open.char == '~' {
			known = &unclosed[1][open.quotes]
		}
		if open.item == 0 && open.line < known.before && open.length >= known.length {
			continue
		}
		end := o.container(open)
		closer := -1
		stray := false
		for _, c := range fences[i+1:] {
			if c.line >= end {
				break
			}
			if c.char != open.char || c.quotes != open.quotes || c.length < open.length || c.item != 0 {
				continue
			}
			if c.bare {
				closer = c.line
				break
			}
			if open.bare && c.language {
				stray = true
				break
			}
		}
		switch {
		case closer >= 0:
			for k := open.line + 1; k < closer; k++ {
				o.lines[k].fence = fenceInside
			}
			o.lines[open.line].fence, o.lines[open.line].closer = fenceOpen, closer
			o.lines[closer].fence = fenceClose
			done = closer + 1
		case !stray && open.item == 0:
			known.length, known.before = open.length, end
		}
	}
	html.mark(done, len(o.lines))
}

// fenceLines gives the lines that can open or close a fence.
func (o *outline) fenceLines() []fenceLine {
	var out []fenceLine
	for i := range o.lines {
		text := o.text(i)
		f := fenceLine{line: i}
		column := 0
		rest, width := blanks(text)
		if rest == "" || !strings.ContainsRune("`~>-*+0123456789", rune(rest[0])) {
			continue
		}
		if rest[0] != '`' && rest[0] != '~' && !strings.Contains(rest, "```") && !strings.Contains(rest, "~~~") {
			continue
		}
		for {
			column += width
			n := 0
			if rest != "" && rest[0] == '>' {
				f.quotes++
				n = 1
			} else if n = listMarker(rest); n > 0 && f.item == 0 {
				f.item = column + 1
			}
			if n == 0 {
				break
			}
			column += n
			rest, width = blanks(rest[n:])
		}
		if len(rest) < 3 || rest[0] != '`' && rest[0] != '~' || f.quotes > maxQuotes {
			continue
		}
		info := strings.TrimLeft(rest, rest[:1])
		f.char, f.length, f.bare, f.language = rest[0], len(rest)-len(info), info == "", isName(info)
		if f.length < 3 || f.char == '`' && strings.IndexByte(info, '`') >= 0 {
			continue
		}
		out = append(out, f)
	}
	return out
}

// isName reports whether text is one word that begins with a letter, as names
// of programming languages do.
func isName(text string) bool {
	return text != "" && hasAlnum(text[:1]) && (text[0] < '0' || text[0] > '9') && !strings.ContainsAny(text, " \t")
}

// container gives the line before which a fence that opens must close: where
// its block quote or list item ends.
func (o *outline) container(open fenceLine) int {
	if open.quotes == 0 && open.item == 0 {
		return len(o.lines)
	}
	end := open.line + 1
	for ; end < len(o.lines); end++ {
		rest, width := blanks(o.text(end))
		if open.quotes == 0 {
			if width < open.item {
				break
			}
			continue
		}
		quotes := 0
		for quotes < open.quotes && rest != "" && rest[0] == '>' {
			quotes++
			rest, _ = blanks(rest[1:])
		}
		if quotes < open.quotes || o.lines[end].afterBlank {
			break
		}
	}
	return end
}

// blanks cuts spaces and tabs off the beginning of text and gives their width,
// a tab counting four.
func blanks(text string) (rest string, width int) {
	for i := range len(text) {
		switch text[i] {
		case ' ':
			width++
		case '\t':
			width += 4
		default:
			return text[i:], width
		}
	}
	return "", width
}

// listMarker gives the length of the list marker at the beginning of text, or 0.
func listMarker(text string) int {
	n := 0
	if text != "" && strings.IndexByte("-*+", text[0]) >= 0 {
		n = 1
	} else {
		for n < len(text) && n < 9 && text[n] >= '0' && text[n] <= '9' {
			n++
		}
		if n == 0 || n == len(text) || text[n] != '.' && text[n] != ')' {
			return 0
		}
		n++
	}
	if n < len(text) && (text[n] == ' ' || text[n] == '\t') {
		return n
	}
	return 0
}

// htmlElements are those whose text CommonMark does not read as Markdown.
var htmlElements = []struct{ open, close string }{
	{"<!--", "-->"}, {"<pre", "</pre>"}, {"<script", "</script>"}, {"<style", "</style>"}, {"<textarea", "</textarea>"},
}

// An htmlFinder marks lines of HTML. It remembers which ends are not to come.
type htmlFinder struct {
	o       *outline
	missing [5]bool // as htmlElements: there is no end below
}

// mark marks the lines of comments and elements that begin in the lines from
// first to last, and gives the line behind the last of them if that is
// behind last, else last.
func (h *htmlFinder) mark(first, last int) int {
	o := h.o
	for i := first; i < last; i++ {
		text, width := blanks(o.text(i))
		if width > 3 || len(text) < 4 || text[0] != '<' {
			continue
		}
		for k, e := range htmlElements {
			if h.missing[k] || len(text) < len(e.open) || !strings.EqualFold(text[:len(e.open)], e.open) {
				continue
			}
			if rest := text[len(e.open):]; k > 0 && rest != "" && !strings.ContainsRune(" \t>", rune(rest[0])) {
				continue // another element
			}
			end, found := h.end(i, k)
			if !found {
				break
			}
			for n := i; n <= end && end > i; n++ {
				o.lines[n].fence = hidden
			}
			i = end
			break
		}
		if i >= last {
			return i + 1
		}
	}
	return last
}

// end gives the line at which the element k that begins in line i ends. One
// that does not end before another begins was never closed, and is text.
func (h *htmlFinder) end(i, k int) (int, bool) {
	e := htmlElements[k]
	for n := i; n < len(h.o.lines); n++ {
		text := h.o.text(n)
		if n > i && indexFold(text, e.open) >= 0 && (k == 0 || indexFold(text, e.close) < 0) {
			return 0, false
		}
		if indexFold(text, e.close) >= 0 {
			return n, true
		}
	}
	h.missing[k] = true
	return 0, false
}

// indexFold finds sub, which begins with '<' or '-', in text, whatever the case
// of its letters.
func indexFold(text, sub string) int {
	for from := 0; ; {
		i := strings.IndexByte(text[from:], sub[0])
		if i < 0 || from+i+len(sub) > len(text) {
			return -1
		}
		i += from
		if strings.EqualFold(text[i:i+len(sub)], sub) {
			return i
		}
		from = i + 1
	}
}
