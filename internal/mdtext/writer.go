package mdtext

import (
	"strings"
)

// maxIndent bounds the columns that nested items and quotations indent by;
// what is nested deeper continues at that column, so that deep nesting cannot multiply the text.
const maxIndent = 24

// A Writer builds Markdown block by block, with blank lines between blocks
// and the prefixes of the lists and quotations around them. The zero value is
// ready. It is not safe for concurrent use.
type Writer struct {
	// Max bounds the bytes written; 0 means no bound. When it is met further
	// text is dropped and Full reports true.
	Max int64

	b       strings.Builder
	levels  []level
	prefix  string
	marker  string // of the item whose first block is still to come
	pending int    // line ends due before the next block
	last    string // prefix of the last block
	full    bool
}

// A level remembers what stood before an item or quotation was opened.
type level struct{ prefix, marker string }

// String returns what was written, with a line end at the end.
func (w *Writer) String() string { return w.b.String() }

// Len returns the number of bytes written.
func (w *Writer) Len() int { return w.b.Len() }

// Full reports whether Max was met.
func (w *Writer) Full() bool { return w.full }

// Quote opens a quotation; Close ends it.
func (w *Writer) Quote() { w.open("> ", "> ") }

// Item opens a list item with the given marker, such as "- " or "3. "; Close ends it.
// Items of one list stand on consecutive lines when [Writer.Tight] is called before each.
func (w *Writer) Item(marker string) {
	w.open(strings.Repeat(" ", len([]rune(marker))), marker)
}

func (w *Writer) open(continuation, marker string) {
	w.levels = append(w.levels, level{w.prefix, w.marker})
	first := w.prefix
	if w.marker != "" {
		first = w.marker // "- - text": an item that begins with a list
	}
	if len(first)+len(marker) <= 2*maxIndent {
		first += marker
	}
	w.marker = first
	if len(w.prefix)+len(continuation) <= maxIndent {
		w.prefix += continuation
	}
}

// Close ends the innermost item or quotation. One without a block leaves no trace.
func (w *Writer) Close() {
	n := len(w.levels) - 1
	if w.marker != "" {
		w.marker = w.levels[n].marker
	}
	w.prefix = w.levels[n].prefix
	w.levels = w.levels[:n]
}

// Tight asks for one line end instead of a blank line before the next block.
func (w *Writer) Tight() { w.pending = min(w.pending, 1) }

// Loose takes back a [Writer.Tight] that no block has followed, as after an empty item.
func (w *Writer) Loose() { w.pending = 2 }

// Block writes lines as one block.
func (w *Writer) Block(text string) {
	text = strings.Trim(text, "\n")
	if strings.TrimSpace(text) == "" || w.full {
		return
	}
	first := w.prefix
	if w.marker != "" {
		first, w.marker = w.marker, ""
	}
	if w.Max > 0 && int64(w.b.Len()+len(text)) > w.Max {
		w.full = true
		return
	}
	if w.b.Len() > 0 {
		if w.pending > 1 {
			w.b.WriteString(w.blank())
			w.b.WriteByte('\n')
		}
	}
	for line := range strings.SplitSeq(text, "\n") {
		if line == "" {
			first = strings.TrimRight(first, " ")
		}
		w.b.WriteString(first)
		w.b.WriteString(line)
		w.b.WriteByte('\n')
		first = w.prefix
	}
	w.pending, w.last = 2, w.prefix
}

// blank returns the prefix of an empty line between the last block and the
// next: the quotations that both are in.
func (w *Writer) blank() string {
	s := w.last
	for !strings.HasPrefix(w.prefix, s) {
		s = s[:max(strings.LastIndexByte(s[:len(s)-1], '>')+1, 0)]
	}
	return s[:strings.LastIndexByte(s, '>')+1]
}

// Paragraph writes running text, each of whose lines is kept from being read as structure.
func (w *Writer) Paragraph(text string) {
	lines := strings.Split(text, "\n")
	for i, line := range lines {
		lines[i] = EscapeLine(strings.TrimSpace(line))
	}
	w.Block(strings.Join(lines, "\n"))
}

// Heading writes a heading of level 1 to 6; other levels are brought into that range.
func (w *Writer) Heading(n int, text string) {
	text = strings.Join(strings.Fields(text), " ")
	if text == "" {
		return
	}
	w.Block(strings.Repeat("#", min(max(n, 1), 6)) + " " + text)
}

// Code writes a fenced block.
func (w *Writer) Code(language, code string) {
	code = strings.TrimRight(strings.TrimLeft(code, "\n"), "\n \t")
	if strings.TrimSpace(code) == "" {
		return
	}
	f := Fence(code)
	w.Block(f + language + "\n" + code + "\n" + f)
}

// Table writes rows as [Table] does.
func (w *Writer) Table(rows [][]string) {
	var b strings.Builder
	Table(&b, rows)
	w.Block(b.String())
}
