package rtf

import (
	"context"
	"strconv"
	"strings"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
)

// A sink gathers text; bytes wait until their code page is known to change.
type sink struct {
	b       []byte
	raw     []byte
	page    int
	high    rune // the first half of a surrogate pair
	resets  int  // how often the text was taken
	discard bool
}

func (s *sink) flush() {
	if len(s.raw) > 0 {
		s.b = append(s.b, decode(s.raw, s.page)...)
		s.raw = s.raw[:0]
	}
	if s.high != 0 {
		s.b = utf8.AppendRune(s.b, utf8.RuneError)
		s.high = 0
	}
}

func (s *sink) byte(c byte, page int) {
	if s.discard {
		return
	}
	if page != s.page || s.high != 0 {
		s.flush()
		s.page = page
	}
	s.raw = append(s.raw, c)
}

func (s *sink) rune(c rune) {
	if s.discard {
		return
	}
	if s.high != 0 && len(s.raw) == 0 {
		if p := utf16.DecodeRune(s.high, c); p != utf8.RuneError {
			s.high = 0
			s.b = utf8.AppendRune(s.b, p)
			return
		}
	}
	s.flush()
	if c >= 0xd800 && c < 0xdc00 {
		s.high = c
		return
	}
	if c >= 0xf000 && c < 0xf100 { // symbol fonts are mapped here
		s.b = append(s.b, decode([]byte{byte(c)}, symbol)...)
		return
	}
	s.b = utf8.AppendRune(s.b, c)
}

func (s *sink) string(t string) {
	if !s.discard {
		s.flush()
		s.b = append(s.b, t...)
	}
}

// take returns the text and empties the sink.
func (s *sink) take() string {
	s.flush()
	t := string(s.b)
	s.b = s.b[:0]
	s.resets++
	return t
}

// A group is the state between two braces.
type group struct {
	kind    string // the destination that the group opened, or empty
	skip    bool
	sink    *sink
	uc      int // bytes that stand behind a Unicode character for older readers
	font    int
	hidden  bool // hidden or deleted text
	first   bool // nothing was read in it
	star    bool
	start   int // of a field's result in the sink
	resets  int
	target  string // of a hyperlink
	field   int    // index of the group of the field around
	styleNo int
}

// Paragraph properties do not end with a group in the files of all writers,
// but they do in the specification; they are kept apart since \pard resets them.
type properties struct {
	table   bool
	outline int
	style   int
	level   int
}

type reader struct {
	ctx    context.Context
	limits convert.Limits
	data   []byte
	at     int
	err    error

	stack  []group
	cur    properties
	saved  []properties
	page   int
	fonts  map[int]int // code pages
	deff   int
	styles map[int]int // outline levels
	skipN  int         // bytes to be skipped behind a Unicode character
	info   map[string]string

	w        mdtext.Writer
	body     *sink
	marker   string
	items    []int
	rows     [][]string
	row      []string
	cell     []string
	merged   []bool
	merge    bool
	cells    int
	waiting  []string
	label    int
	author   string
	property string // name of the shape property that is being read
	margins  []string
	warnings []string
}

func newReader(ctx context.Context, data []byte, limits convert.Limits) *reader {
	r := &reader{ctx: ctx, data: data, limits: limits, page: 1252, fonts: map[int]int{}, styles: map[int]int{}, info: map[string]string{}, body: &sink{}}
	r.w.Max = limits.OutputBytes
	r.cur.outline = -1
	return r
}

func (r *reader) top() *group { return &r.stack[len(r.stack)-1] }

// next handles one token and reports whether there is more.
func (r *reader) next() bool {
	if r.at >= len(r.data) || r.err != nil {
		return false
	}
	c := r.data[r.at]
	r.at++
	switch c {
	case '{':
		r.open()
	case '}':
		r.close()
		return len(r.stack) > 0
	case '\\':
		r.control()
	case '\r', '\n', 0:
	default:
		r.char(c)
	}
	return true
}

func (r *reader) open() {
	r.skipN = 0
	g := group{uc: 1, sink: r.body, field: -1}
	if len(r.stack) > 0 {
		g = *r.top()
		g.kind = ""
	}
	g.first, g.star = true, false
	if len(r.stack) >= r.limits.Depth {
		r.err = &convert.LimitError{What: "nesting depth of groups", Max: int64(r.limits.Depth)}
		return
	}
	r.stack = append(r.stack, g)
	r.saved = append(r.saved, r.cur)
}

func (r *reader) close() {
	r.skipN = 0
	n := len(r.stack)
	if n == 0 {
		return
	}
	g := r.stack[n-1]
	r.stack = r.stack[:n-1]
	if g.kind != "" && !g.skip {
		r.leave(g)
	}
	if g.sink != r.body {
		r.cur = r.saved[n-1] // properties in notes and boxes are their own
	}
	r.saved = r.saved[:n-1]
}

// codePage is the one of the current font.
func (r *reader) codePage() int {
	if p, ok := r.fonts[r.top().font]; ok && p != 0 {
		return p
	}
	return r.page
}

func (r *reader) char(c byte) {
	if len(r.stack) == 0 {
		return
	}
	if r.skipN > 0 {
		r.skipN--
		return
	}
	g := r.top()
	g.first = false
	if !g.skip && !g.hidden {
		g.sink.byte(c, r.codePage())
	}
}

func (r *reader) text(s string) {
	if r.skipN > 0 {
		r.skipN--
		return
	}
	if g := r.top(); !g.skip && !g.hidden {
		g.sink.string(s)
	}
}

// control reads what is behind a backslash.
func (r *reader) control() {
	if r.at >= len(r.data) || len(r.stack) == 0 {
		return
	}
	c := r.data[r.at]
	if c|0x20 < 'a' || c|0x20 > 'z' {
		r.at++
		r.symbol(c)
		return
	}
	start := r.at
	for r.at < len(r.data) && r.data[r.at]|0x20 >= 'a' && r.data[r.at]|0x20 <= 'z' {
		r.at++
	}
	word := string(r.data[start:min(r.at, start+40)])
	start = r.at
	if r.at < len(r.data) && r.data[r.at] == '-' {
		r.at++
	}
	for r.at < len(r.data) && r.data[r.at] >= '0' && r.data[r.at] <= '9' {
		r.at++
	}
	n, err := strconv.Atoi(string(r.data[start:min(r.at, start+12)]))
	if r.at < len(r.data) && r.data[r.at] == ' ' {
		r.at++
	}
	if word == "bin" {
		r.at += min(max(n, 0), len(r.data)-r.at)
		return
	}
	if r.skipN > 0 && word != "u" {
		_, stands := characters[word]
		if stands {
			r.skipN--
			return
		}
		r.skipN = 0 // the writer forgot the text for older readers
	}
	g := r.top()
	first := g.first
	g.first = false
	if g.skip {
		return
	}
	if first && r.destination(g, word) {
		return
	}
	if g.star && first {
		g.skip = true
		return
	}
	r.word(g, word, n, err == nil)
}

func (r *reader) symbol(c byte) {
	g := r.top()
	switch c {
	case '\'':
		if r.at+2 > len(r.data) {
			r.at = len(r.data)
			return
		}
		v, err := strconv.ParseUint(string(r.data[r.at:r.at+2]), 16, 8)
		if err != nil {
			return
		}
		r.at += 2
		r.char(byte(v))
	case '*':
		g.star = true // the destination's name follows, which is still the first
	case '~':
		r.text("\u00a0")
	case '_':
		r.text("-")
	case '\\', '{', '}':
		r.char(c)
	case '\r', '\n':
		if !g.skip {
			r.word(g, "par", 0, false)
		}
	case '\t':
		r.text("\t")
	}
}

// unicode handles \u.
func (r *reader) unicode(g *group, n int) {
	if r.skipN > 0 {
		r.skipN = 0 // a character without what stands for it
	}
	if n < 0 {
		n += 65536
	}
	if !g.hidden && n > 0 && n <= utf8.MaxRune {
		g.sink.rune(rune(n))
	}
	r.skipN = g.uc
}

// words that stand for characters.
var characters = map[string]string{
	"tab": "\t", "line": "\n", "lbr": "\n", "emdash": "—", "endash": "–", "lquote": "‘", "rquote": "’", "ldblquote": "“", "rdblquote": "”", "bullet": "•",
	"emspace": " ", "enspace": " ", "qmspace": " ", "nestcell": " ", "nestrow": " ",
}

func headingLevel(name string) (int, bool) {
	name = strings.ToLower(strings.TrimSpace(strings.TrimSuffix(strings.TrimSpace(name), ";")))
	for _, p := range []string{"heading ", "заголовок ", "überschrift ", "titre ", "título "} {
		if s, ok := strings.CutPrefix(name, p); ok && len(s) == 1 && s[0] >= '1' && s[0] <= '9' {
			return int(s[0] - '1'), true
		}
	}
	return 0, name == "title" || name == "название"
}
