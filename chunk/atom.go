package chunk

import (
	"slices"
	"strings"
	"unicode"
	"unicode/utf8"
)

type kind int8

const (
	prose kind = iota
	row
	code
	codePiece // a part of a code block that was cut
)

// An atom is what packing does not divide if it can help it: a sentence, a
// table row, a code block.
type atom struct {
	text       string
	sep        string // what stands between the atom before and this one
	start, end int    // of the source; a table's first row begins at its header
	kind       kind
	header     string // of the table that a row belongs to
	block      int    // number of the structural block within the section
	tokens     int    // without special tokens; negative: not counted
}

const blankLine = "\n\n"

// atoms appends the atoms of the lines from first to last.
func (o *outline) atoms(out []atom, first, last int) []atom {
	block := 0
	for i := first; i < last; block++ {
		end, _ := o.block(i, last)
		n := len(out)
		if o.lines[i].fence == fenceOpen {
			start, stop := o.lines[i].start, o.lines[end-1].end
			out = append(out, atom{text: o.md[start:stop], start: start, end: stop, kind: code})
		} else {
			out = o.paragraph(out, i, end)
		}
		for k := n; k < len(out); k++ {
			out[k].block, out[k].tokens = block, -1
		}
		if n < len(out) {
			out[n].sep = blankLine
		}
		i = end
	}
	return out
}

// paragraph appends the atoms of the lines from i to end, which no blank line divides.
func (o *outline) paragraph(out []atom, i, end int) []atom {
	from := i // first line of prose that is not yet cut
	for k := i; k < end; {
		stop, table := o.tableEnd(k, end)
		if table {
			if from < k {
				out = o.sentences(out, o.lines[from].start, o.lines[k-1].end)
			}
			out = o.table(out, k, stop)
			from = stop
		}
		k = stop
	}
	if from < end {
		out = o.sentences(out, o.lines[from].start, o.lines[end-1].end)
	}
	return out
}

// tableEnd reports whether a table begins at line k, and gives the line behind
// it, or the next one at which a table may begin.
func (o *outline) tableEnd(k, end int) (stop int, table bool) {
	if isRow(o.cells(k)) {
		for stop = k + 1; stop < end && isRow(o.cells(stop)); {
			stop++
		}
		if stop-k >= 2 {
			return stop, isDelimiter(o.cells(k + 1))
		}
	}
	// As on GitHub the outer bars may be missing if the delimiter row has as
	// many cells as the header, and a list item may begin with a table.
	stop = k + 1
	if stop == end || strings.IndexByte(o.text(k), '|') < 0 || !isBareDelimiter(o.cells(stop)) {
		return stop, false
	}
	if countCells(o.header(k)) != countCells(o.cells(stop)) {
		return stop, false
	}
	for stop++; stop < end && strings.IndexByte(o.text(stop), '|') >= 0; {
		stop++
	}
	return stop, true
}

// table appends the rows of the table in the lines from i to end. One without
// rows gives its two lines as rows.
func (o *outline) table(out []atom, i, end int) []atom {
	header, start := "", o.lines[i].start
	rows := i
	if end-i > 2 {
		header = o.header(i) + "\n" + o.cells(i+1)
		rows = i + 2
	}
	out = slices.Grow(out, end-rows)
	for k := rows; k < end; k++ {
		a := atom{text: o.cells(k), sep: "\n", start: o.lines[k].start, end: o.lines[k].end, kind: row, header: header}
		if k == rows {
			a.start = start
		}
		out = append(out, a)
	}
	return out
}

// cells gives line k without what stands before its first cell: white space and
// the marks of block quotes.
func (o *outline) cells(k int) string {
	text := o.text(k)
	for text != "" && (text[0] == ' ' || text[0] == '\t' || text[0] == '>') {
		text = text[1:]
	}
	return text
}

// header gives the first line of a table, also without the marker of a list item.
func (o *outline) header(k int) string {
	text := o.cells(k)
	if n := listMarker(text); n > 0 {
		text, _ = blanks(text[n:])
	}
	return text
}

func isRow(text string) bool {
	return len(text) >= 2 && text[0] == '|' && text[len(text)-1] == '|'
}

// isDelimiter reports whether a row is the one below a table's header: cells
// of dashes, with a colon at either end or not.
func isDelimiter(text string) bool {
	return len(text) >= 3 && text[0] == '|' && isBareDelimiter(text)
}

// isBareDelimiter reports the same of a line whose outer bars may be missing,
// as long as it has one.
func isBareDelimiter(text string) bool {
	if text == "" || strings.IndexByte("|:-", text[0]) < 0 || strings.Trim(text, "|:- \t") != "" || strings.IndexByte(text, '|') < 0 {
		return false
	}
	for cell := range strings.SplitSeq(inner(text), "|") {
		cell = strings.TrimSpace(cell)
		cell = strings.TrimSuffix(strings.TrimPrefix(cell, ":"), ":")
		if cell == "" || strings.Trim(cell, "-") != "" {
			return false
		}
	}
	return true
}

// inner gives a row without its outer bars.
func inner(text string) string {
	text = strings.TrimPrefix(text, "|")
	if !strings.HasSuffix(text, "\\|") {
		text = strings.TrimSuffix(text, "|")
	}
	return text
}

// countCells counts the cells of a row, outer bars or not.
func countCells(text string) int {
	text = inner(text)
	return 1 + strings.Count(text, "|") - strings.Count(text, "\\|")
}

// sentences appends the sentences of md[start:end]. A sentence ends at one of
// . ! ? … before white space. The full-width marks of Chinese and Japanese,
// which write no space, end one by themselves.
func (o *outline) sentences(out []atom, start, end int) []atom {
	text := o.md[start:end]
	lead := len(text) - len(strings.TrimLeftFunc(text, unicode.IsSpace))
	sep := "\n" // from a table above, in the same paragraph
	for pos := lead; pos < len(text); {
		stop := sentenceEnd(text, pos)
		out = append(room(out, pos, len(text)), atom{text: text[pos:stop], sep: sep, start: start + pos, end: start + stop, kind: prose})
		rest := text[stop:]
		gap := len(rest) - len(strings.TrimLeftFunc(rest, unicode.IsSpace))
		switch {
		case gap == 0:
			sep = ""
		case strings.IndexByte(rest[:gap], '\n') >= 0:
			sep = "\n"
		default:
			sep = " "
		}
		pos = stop + gap
	}
	return out
}

// sentenceEnd gives the end of the sentence of text that begins at pos.
func sentenceEnd(text string, pos int) int {
	for i := pos; i < len(text); {
		switch c := text[i]; {
		case c == '.' || c == '!' || c == '?':
			i++
			if r, _ := utf8.DecodeRuneInString(text[i:]); i < len(text) && unicode.IsSpace(r) {
				return i
			}
		case c < 0xE2 || c > 0xEF:
			i++
		default:
			r, n := utf8.DecodeRuneInString(text[i:])
			i += n
			switch r {
			case '…':
				if r, _ := utf8.DecodeRuneInString(text[i:]); i < len(text) && unicode.IsSpace(r) {
					return i
				}
			case '。', '！', '？':
				// Closing quotes and brackets stay with their sentence.
				for i < len(text) {
					r, n := utf8.DecodeRuneInString(text[i:])
					if !strings.ContainsRune("。！？」』”’）】》", r) {
						break
					}
					i += n
				}
				return i
			}
		}
	}
	return len(text)
}
