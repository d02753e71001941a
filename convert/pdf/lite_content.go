//go:build lite

package pdf

import (
	"bytes"
	"math"

	"github.com/ledongthuc/pdf"
)

const (
	// maxForms bounds the forms in each other, which may run in circles.
	maxForms = 12
	// maxSaved bounds the graphics states that are kept.
	maxSaved = 512
	// operandSize is about what a byte of content becomes when nothing but operands stand in it.
	operandSize = 8
)

// A matrix is a, b, c, d, e, f of ISO 32000-1, 8.3.3.
type matrix [6]float64

// mul returns the matrix that does m first and then n.
func (m matrix) mul(n matrix) matrix {
	return matrix{
		m[0]*n[0] + m[1]*n[2], m[0]*n[1] + m[1]*n[3],
		m[2]*n[0] + m[3]*n[2], m[2]*n[1] + m[3]*n[3],
		m[4]*n[0] + m[5]*n[2] + n[4], m[4]*n[1] + m[5]*n[3] + n[5],
	}
}

func (m matrix) apply(x, y float64) (float64, float64) {
	return m[0]*x + m[2]*y + m[4], m[1]*x + m[3]*y + m[5]
}

// hull returns the box around r as m turns it.
func (m matrix) hull(r rect) rect {
	x, y := m.apply(r.x0, r.y0)
	out := rect{x, y, x, y}
	for _, c := range [][2]float64{{r.x0, r.y1}, {r.x1, r.y0}, {r.x1, r.y1}} {
		x, y = m.apply(c[0], c[1])
		out = out.union(rect{x, y, x, y})
	}
	return out
}

// A graphics is the graphics state as far as text needs it.
type graphics struct {
	ctm                              matrix
	font                             *font
	size, char, word, leading, scale float64
	rise                             float64
}

// A glyph is what a code shows on a page.
type glyph struct {
	text     string
	box      rect
	style    textStyle
	space    bool // white space, of which only the place counts
	vertical bool
}

// A drawing is what is drawn on a page.
type drawing struct {
	in     *instance
	glyphs []glyph
	rules  []rect
	seen   map[seenGlyph]bool
}

// A seenGlyph is a letter at a place, by which letters drawn twice for bold print are known.
type seenGlyph struct {
	text string
	x, y int
}

// A canvas interprets one content stream.
type canvas struct {
	*drawing
	resources pdf.Value
	fonts     map[string]*font
	depth     int
	state     graphics
	saved     []graphics
	text, row matrix // of the text and of its line
	path      []segment
	last      [2]float64
}

// A segment is a line of a path, or a curve of which only the ends are kept.
type segment struct {
	x0, y0, x1, y1 float64
	curve          bool
}

// interpret runs a content stream through the library's interpreter, which
// reads from documents only: the content is wrapped into one.
func (in *instance) interpret(content []byte, do func(args []pdf.Value, op string)) {
	content = dropInline(content)
	cost := operandSize * len(content)
	in.spend(cost)
	defer func() { in.memory += int64(cost) }()
	r, err := wrap(in.ctx, content)
	if err != nil {
		in.alive()
		panic(errPage)
	}
	var args []pdf.Value
	pdf.Interpret(r.Trailer().Key("Content"), func(stack *pdf.Stack, op string) {
		in.step()
		n := stack.Len()
		args = args[:0]
		for range n {
			args = append(args, stack.Pop())
		}
		for i, j := 0, n-1; i < j; i, j = i+1, j-1 {
			args[i], args[j] = args[j], args[i]
		}
		do(args, op)
	})
}

// dropInline takes the pictures out of a content stream (ISO 32000-1, 8.9.7), which no interpreter of words can read.
func dropInline(content []byte) []byte {
	if !bytes.Contains(content, []byte("BI")) {
		return content
	}
	var out []byte
	for at := 0; at < len(content); {
		i := bytes.Index(content[at:], []byte("BI"))
		if i < 0 {
			return append(out, content[at:]...)
		}
		begin := at + i
		next := skipWhite(content, begin+2)
		data := bytes.Index(content[begin:], []byte("ID"))
		if begin > 0 && !isWhite(content[begin-1]) || next == begin+2 || next >= len(content) || content[next] != '/' || data < 0 {
			out = append(out, content[at:begin+2]...)
			at = begin + 2
			continue
		}
		out = append(out, content[at:begin]...)
		at = begin + data + 2
		for {
			e := bytes.Index(content[at:], []byte("EI"))
			if e < 0 {
				return out
			}
			at += e + 2
			if isWhite(content[at-3]) && (at == len(content) || isWhite(content[at])) {
				break
			}
		}
	}
	return out
}

// run draws a content stream.
func (c *canvas) run(content []byte) {
	var lost error
	func() {
		defer c.in.catch(&lost)
		c.in.interpret(content, c.do)
	}()
	if lost != nil && lost != errPage { // damage ends a stream and no more
		panic(lost)
	}
}

func numbers(args []pdf.Value, n int) ([6]float64, bool) {
	var out [6]float64
	if len(args) < n {
		return out, false
	}
	for i, a := range args[len(args)-n:] {
		if out[i] = a.Float64(); math.IsNaN(out[i]) || math.Abs(out[i]) > 1e9 {
			return out, false
		}
	}
	return out, true
}

// operands is how many numbers an operator has, of those that have only numbers.
var operands = map[string]int{
	"cm": 6, "Tm": 6, "Td": 2, "TD": 2, "Tc": 1, "Tw": 1, "Tz": 1, "TL": 1, "Ts": 1,
	"re": 4, "m": 2, "l": 2, "c": 6, "v": 4, "y": 4,
}

func (c *canvas) do(args []pdf.Value, op string) {
	var n [6]float64
	if count := operands[op]; count > 0 {
		var ok bool
		if n, ok = numbers(args, count); !ok {
			return
		}
	}
	s := &c.state
	switch op {
	case "q":
		if len(c.saved) < maxSaved {
			c.saved = append(c.saved, *s)
		}
	case "Q":
		if k := len(c.saved); k > 0 {
			*s = c.saved[k-1]
			c.saved = c.saved[:k-1]
		}
	case "cm":
		s.ctm = matrix(n).mul(s.ctm)
	case "BT":
		c.text = matrix{1, 0, 0, 1}
		c.row = c.text
	case "Tm":
		c.text, c.row = n, n
	case "Td":
		c.nextLine(n[0], n[1])
	case "TD":
		s.leading = -n[1]
		c.nextLine(n[0], n[1])
	case "T*":
		c.nextLine(0, -s.leading)
	case "Tc":
		s.char = n[0]
	case "Tw":
		s.word = n[0]
	case "Tz":
		s.scale = n[0] / 100
	case "TL":
		s.leading = n[0]
	case "Ts":
		s.rise = n[0]
	case "Tf":
		if len(args) >= 2 {
			c.setFont(args[len(args)-2].Name())
			s.size = args[len(args)-1].Float64()
		}
	case "Tj":
		if len(args) > 0 {
			c.show(args[len(args)-1].RawString())
		}
	case "'":
		c.nextLine(0, -s.leading)
		if len(args) > 0 {
			c.show(args[len(args)-1].RawString())
		}
	case "\"":
		if len(args) >= 3 {
			s.word, s.char = args[0].Float64(), args[1].Float64()
			c.nextLine(0, -s.leading)
			c.show(args[2].RawString())
		}
	case "TJ":
		if len(args) > 0 {
			list := args[len(args)-1]
			for i := range list.Len() {
				switch x := list.Index(i); x.Kind() {
				case pdf.String:
					c.show(x.RawString())
				case pdf.Integer, pdf.Real:
					c.advance(-x.Float64() / 1000 * s.size)
				}
			}
		}
	case "Do":
		if len(args) > 0 {
			c.form(args[len(args)-1].Name())
		}
	case "re":
		x, y, w, h := n[0], n[1], n[2], n[3]
		c.move(x, y)
		c.line(x+w, y, false)
		c.line(x+w, y+h, false)
		c.line(x, y+h, false)
		c.line(x, y, false)
	case "m":
		c.move(n[0], n[1])
	case "l":
		c.line(n[0], n[1], false)
	case "c":
		c.line(n[4], n[5], true)
	case "v", "y":
		c.line(n[2], n[3], true)
	case "S", "s", "f", "F", "f*", "B", "B*", "b", "b*":
		c.paint()
		c.path = c.path[:0]
	case "n":
		c.path = c.path[:0]
	}
}

func (c *canvas) move(x, y float64) { c.last = [2]float64{x, y} }

func (c *canvas) line(x, y float64, curve bool) {
	if len(c.path) < maxObjects {
		x0, y0 := c.state.ctm.apply(c.last[0], c.last[1])
		x1, y1 := c.state.ctm.apply(x, y)
		c.path = append(c.path, segment{x0, y0, x1, y1, curve})
	}
	c.last = [2]float64{x, y}
}

// paint notes the rules in the path.
func (c *canvas) paint() {
	if len(c.path) == 0 || len(c.rules) >= maxRules {
		return
	}
	if len(c.path) <= 5 {
		box := rect{c.path[0].x0, c.path[0].y0, c.path[0].x0, c.path[0].y0}
		for _, s := range c.path {
			box = box.union(rect{min(s.x0, s.x1), min(s.y0, s.y1), max(s.x0, s.x1), max(s.y0, s.y1)})
		}
		if finite(box) {
			c.rules = append(c.rules, box)
		}
		return
	}
	for _, s := range c.path {
		r := rect{min(s.x0, s.x1), min(s.y0, s.y1), max(s.x0, s.x1), max(s.y0, s.y1)}
		if !s.curve && finite(r) && min(r.x1-r.x0, r.y1-r.y0) <= ruleWidth && len(c.rules) < maxRules {
			c.rules = append(c.rules, r)
		}
	}
}

func (c *canvas) nextLine(x, y float64) {
	c.row = matrix{1, 0, 0, 1, x, y}.mul(c.row)
	c.text = c.row
}

// advance moves along the line by an unscaled distance.
func (c *canvas) advance(d float64) {
	if f := c.state.font; f != nil && f.vertical {
		c.text = matrix{1, 0, 0, 1, 0, d}.mul(c.text)
		return
	}
	c.text = matrix{1, 0, 0, 1, d * c.state.scale, 0}.mul(c.text)
}

func (c *canvas) setFont(name string) {
	f, ok := c.fonts[name]
	if !ok {
		if v := c.resources.Key("Font").Key(name); v.Kind() == pdf.Dict {
			f = c.in.font(v)
		} else {
			f = c.in.font(pdf.Value{})
		}
		c.fonts[name] = f
	}
	c.state.font = f
}

// show adds the glyphs of a string.
func (c *canvas) show(s string) {
	f, st := c.state.font, &c.state
	if f == nil {
		return
	}
	f.decode(s, func(g shown) {
		c.in.step()
		m := c.text.mul(st.ctm)
		box := rect{0, st.rise + f.descent*st.size, g.width * st.size * st.scale, st.rise + f.ascent*st.size}
		move := g.width * st.size
		if f.vertical {
			box = rect{-st.size / 2, -0.88 * st.size, st.size / 2, 0.12 * st.size}
			move = -st.size
		}
		out := glyph{text: g.text, box: m.hull(box), vertical: f.vertical}
		out.style = textStyle{size: math.Abs(st.size) * math.Hypot(m[2], m[3]), bold: f.bold}
		if x, y := m[0], m[1]; st.size < 0 {
			out.style.angle = styleAngle(-x, -y)
		} else {
			out.style.angle = styleAngle(x, y)
		}
		c.add(out)
		extra := st.char
		if g.space {
			extra += st.word
		}
		if f.vertical {
			extra = -extra
		}
		c.advance(move + extra)
	})
}

// form draws a form XObject.
func (c *canvas) form(name string) {
	x := c.resources.Key("XObject").Key(name)
	if x.Kind() != pdf.Stream || x.Key("Subtype").Name() != "Form" || c.depth >= maxForms {
		return
	}
	c.in.alive()
	state := c.state
	if m := x.Key("Matrix"); m.Len() == 6 {
		var n matrix
		for i := range n {
			n[i] = m.Index(i).Float64()
		}
		state.ctm = n.mul(state.ctm)
	}
	resources := x.Key("Resources")
	if resources.Kind() != pdf.Dict {
		resources = c.resources
	}
	content := c.in.unpack(x)
	(&canvas{drawing: c.drawing, resources: resources, fonts: map[string]*font{}, depth: c.depth + 1, state: state, text: matrix{1, 0, 0, 1}, row: matrix{1, 0, 0, 1}}).run(content)
	c.in.memory += int64(2 * len(content))
}
