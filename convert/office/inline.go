package office

import (
	"regexp"
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/ooxml"
)

// A span is a piece of text in one format. "\n" in it is a line break.
type span struct {
	text                 string
	bold, italic, strike bool
	link                 string
}

func (s span) like(o span) bool {
	return s.bold == o.bold && s.italic == o.italic && s.strike == o.strike && s.link == o.link
}

// add appends text in the format of f.
func add(spans []span, f span, text string) []span {
	if text == "" {
		return spans
	}
	if n := len(spans); n > 0 && spans[n-1].like(f) {
		spans[n-1].text += text
		return spans
	}
	f.text = text
	return append(spans, f)
}

// inline appends the text of n, which is in the format f.
func (d *docx) inline(spans []span, n *ooxml.Node, f span) []span {
	for _, c := range n.Children {
		switch c.Name {
		case "w:r":
			spans = d.run(spans, c, f)
		case "w:hyperlink":
			g := f
			if rel, ok := d.rels[c.Attr("r:id")]; ok && rel.External {
				g.link = rel.Target
				if a := c.Attr("w:anchor"); a != "" && !strings.Contains(g.link, "#") {
					g.link += "#" + a
				}
			}
			spans = d.inline(spans, c, g)
		case "w:fldSimple":
			g := f
			instr := parseField(c.Attr("w:instr"))
			if instr.drop {
				continue
			}
			if instr.link != "" {
				g.link = instr.link
			}
			spans = d.inline(spans, c, g)
		case "m:oMath":
			if tex := strings.TrimSpace(latex(c)); tex != "" {
				spans = add(spans, f, "$"+tex+"$")
			}
		case "m:oMathPara":
			if tex := strings.TrimSpace(latex(c)); tex != "" {
				spans = add(spans, f, " $$"+tex+"$$ ")
			}
		case "mc:AlternateContent":
			spans = d.inline(spans, alternative(c), f)
		case "w:ins", "w:moveTo", "w:smartTag", "w:sdt", "w:sdtContent", "w:customXml", "w:dir", "w:bdo":
			spans = d.inline(spans, c, f)
		}
	}
	return spans
}

// run appends the text of a run.
func (d *docx) run(spans []span, n *ooxml.Node, f span) []span {
	rpr := n.Child("w:rPr")
	if rpr.Flag("w:vanish") {
		return spans
	}
	f.bold = f.bold || rpr.Flag("w:b")
	f.italic = f.italic || rpr.Flag("w:i")
	f.strike = f.strike || rpr.Flag("w:strike")
	font := rpr.Child("w:rFonts")
	if link := d.fields.link(); link != "" && f.link == "" {
		f.link = link
	}
	return d.content(spans, n, f, rpr.Val("w:vertAlign") == "superscript", font)
}

func (d *docx) content(spans []span, n *ooxml.Node, f span, raised bool, font *ooxml.Node) []span {
	for _, c := range n.Children {
		switch c.Name {
		case "w:fldChar":
			if box := checkBox(c); box != "" && !d.fields.hidden() {
				spans = add(spans, f, box)
			}
			d.fields.char(c.Attr("w:fldCharType"))
			if link := d.fields.link(); link != "" {
				f.link = link
			}
			continue
		case "w:instrText":
			d.fields.instruction(c.String())
			continue
		}
		if d.fields.hidden() {
			continue
		}
		switch c.Name {
		case "w:t":
			text := c.String()
			if font != nil {
				text = unsymbol(text, font.Attr("w:ascii"))
			}
			if raised && exponent(spans, text) {
				text = "^" + text
			}
			spans = add(spans, f, text)
		case "w:tab", "w:ptab":
			spans = add(spans, f, " ")
		case "w:br", "w:cr":
			spans = add(spans, f, "\n")
		case "w:noBreakHyphen":
			spans = add(spans, f, "-")
		case "w:sym":
			if v, err := strconv.ParseUint(c.Attr("w:char"), 16, 16); err == nil {
				spans = add(spans, f, symbol(rune(v), c.Attr("w:font")))
			}
		case "w:footnoteReference", "w:endnoteReference":
			kind := strings.TrimSuffix(c.Name[2:], "Reference")
			spans = add(spans, span{}, d.note(kind, c.Attr("w:id")))
		case "w:commentReference":
			d.comment(c.Attr("w:id"))
		case "w:drawing", "w:pict", "w:object":
			spans = add(spans, f, d.drawing(c))
		case "w:ruby":
			spans = d.inline(spans, orEmpty(c.Child("w:rubyBase")), f)
		case "mc:AlternateContent":
			spans = d.content(spans, alternative(c), f, raised, font)
		}
	}
	return spans
}

func orEmpty(n *ooxml.Node) *ooxml.Node {
	if n == nil {
		return &ooxml.Node{}
	}
	return n
}

// exponent reports whether raised text is a power and not a note's mark: a number right behind a digit.
func exponent(spans []span, text string) bool {
	if len(spans) == 0 || text == "" || strings.Trim(text, "0123456789+-−") != "" {
		return false
	}
	last := spans[len(spans)-1].text
	c, _ := utf8.DecodeLastRuneInString(last)
	return unicode.IsDigit(c)
}

// note returns the mark of a foot- or endnote and puts its text in the queue.
func (d *docx) note(kind, id string) string {
	n := d.notes[kind+" "+id]
	if n == nil || d.inNote {
		return ""
	}
	text := d.oneLine(n)
	if text == "" {
		return ""
	}
	d.label++
	mark := "[^" + strconv.Itoa(d.label) + "]"
	d.waiting = append(d.waiting, mark+": "+text)
	return mark
}

func (d *docx) comment(id string) {
	n := d.comments[id]
	if n == nil || d.inNote {
		return
	}
	if text := d.oneLine(n); text != "" {
		by := ""
		if author := strings.TrimSpace(n.Attr("w:author")); author != "" {
			by = " by " + author
		}
		d.waiting = append(d.waiting, "> Comment"+by+": "+text)
	}
}

// oneLine renders the blocks of a note.
func (d *docx) oneLine(n *ooxml.Node) string {
	sub := d.sub()
	sub.inNote = true
	if sub.blocks(n) != nil {
		return ""
	}
	sub.finish()
	return strings.Join(strings.Fields(sub.w.String()), " ")
}

var generated = regexp.MustCompile(`(?i)\s*(?:description automatically generated|ai-generated content may be incorrect\.?|автоматически созданное описание|automatisch generierte beschreibung)`)

// drawing returns the alternative text of a picture and puts text boxes and
// diagrams in the queue.
func (d *docx) drawing(n *ooxml.Node) string {
	n.Find("w:txbxContent", func(n *ooxml.Node) { d.boxes = append(d.boxes, box{text: n}) })
	n.Find("dgm:relIds", func(ids *ooxml.Node) {
		items, err := readDiagram(d.p, d.rels, ids.Attr("r:dm"))
		if err != nil {
			d.warnings = append(d.warnings, "a diagram could not be read: "+err.Error())
		}
		if len(items) > 0 {
			d.boxes = append(d.boxes, box{diagram: items})
		}
	})
	for _, name := range []string{"c:chart", "cx:chart"} {
		n.Find(name, func(c *ooxml.Node) {
			if chart := d.chart(c.Attr("r:id")); chart != nil {
				d.boxes = append(d.boxes, box{chart: chart})
			}
		})
	}
	alt := ""
	for _, name := range []string{"wp:docPr", "pic:cNvPr", "v:shape", "v:imagedata"} {
		n.Find(name, func(p *ooxml.Node) {
			for _, key := range []string{"descr", "title", "alt", "o:title"} {
				if alt == "" {
					alt = strings.Join(strings.Fields(generated.ReplaceAllString(p.Attr(key), "")), " ")
				}
			}
		})
	}
	if alt == "" {
		return ""
	}
	return " " + alt + " "
}

// A box is what hangs on a paragraph: a text box, a chart or a diagram.
type box struct {
	text    *ooxml.Node
	chart   *chart
	diagram []diagramItem
}

func (d *docx) chart(id string) *chart {
	rel, ok := d.rels[id]
	if !ok || rel.External || !d.p.Has(rel.Target) {
		return nil
	}
	c, err := readChart(d.p, rel.Target, d.cells, d.limits.Cells, d.repeats)
	if err != nil {
		d.warnings = append(d.warnings, "a chart could not be read: "+err.Error())
		return nil
	}
	return c
}

func plainText(spans []span) string {
	var b strings.Builder
	for _, s := range spans {
		b.WriteString(s.text)
	}
	return b.String()
}

// markdown writes spans with emphasis and links; plain leaves out bold, as in a heading.
func markdown(spans []span, plain bool) string {
	if plain {
		for i := range spans {
			spans[i].bold = false
		}
	}
	var b strings.Builder
	for i := 0; i < len(spans); {
		// One link may hold several formats.
		j := i + 1
		for j < len(spans) && spans[i].link != "" && spans[j].link == spans[i].link {
			j++
		}
		var text strings.Builder
		for k := i; k < j; k++ {
			s := spans[k]
			before, next := ' ', ' '
			if k > 0 {
				before, _ = utf8.DecodeLastRuneInString(spans[k-1].text)
			}
			if k+1 < len(spans) {
				next, _ = utf8.DecodeRuneInString(spans[k+1].text)
			}
			text.WriteString(emphasise(s, before, next))
		}
		t := text.String()
		if spans[i].link != "" {
			core := strings.TrimSpace(t)
			lead := t[:len(t)-len(strings.TrimLeft(t, " \n"))]
			t = lead + mdtext.Link(core, spans[i].link) + t[min(len(lead)+len(core), len(t)):]
		}
		b.WriteString(t)
		i = j
	}
	lines := strings.Split(b.String(), "\n")
	for i, line := range lines {
		lines[i] = strings.Join(strings.FieldsFunc(line, func(r rune) bool { return r == ' ' || r == '\t' || r == '\r' }), " ")
	}
	return strings.Trim(strings.Join(lines, "\n"), "\n")
}

// emphasise puts marks around s, unless it is a part of a word, which marks would only hide.
func emphasise(s span, before, next rune) string {
	left := strings.TrimLeftFunc(s.text, unicode.IsSpace)
	core := strings.TrimRightFunc(left, unicode.IsSpace)
	mark := ""
	if s.strike {
		mark += "~~"
	}
	if s.bold {
		mark += "**"
	}
	if s.italic {
		mark += "*"
	}
	if mark == "" || countLetters(core) == 0 || strings.Contains(core, "\n") || strings.ContainsAny(core[:1]+core[len(core)-1:], "*~") ||
		len(left) == len(s.text) && wordRune(before) || len(core) == len(left) && wordRune(next) {
		return s.text
	}
	reversed := mark
	if s.strike && (s.bold || s.italic) {
		reversed = mark[2:] + "~~"
	}
	return s.text[:len(s.text)-len(left)] + mark + core + reversed + left[len(core):]
}

func wordRune(c rune) bool { return unicode.IsLetter(c) || unicode.IsDigit(c) }

func countLetters(s string) int {
	n := 0
	for _, c := range s {
		if wordRune(c) {
			n++
		}
	}
	return n
}
