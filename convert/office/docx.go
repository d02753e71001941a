package office

import (
	"context"
	"errors"
	"io"
	"slices"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/ooxml"
)

// DOCX is a [convert.Converter] for Word documents. It is safe for concurrent use.
type DOCX struct{ opts Options }

var _ convert.Converter = (*DOCX)(nil)

// NewDOCX returns a converter; opts may be nil.
func NewDOCX(opts *Options) *DOCX {
	if opts == nil {
		opts = &Options{}
	}
	return &DOCX{*opts}
}

// Convert reads the main document part and what it refers to. The core
// properties give the title, when it looks like one that a person wrote, and the metadata.
func (d *DOCX) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	p, err := open(src, limits)
	if err != nil {
		return nil, err
	}
	r := &docx{ctx: ctx, p: p, limits: limits, opts: d.opts, cells: new(int), repeats: &repeater{}, fields: &fieldStack{}}
	r.w = &mdtext.Writer{Max: limits.OutputBytes}
	doc := &convert.Document{Format: "docx"}
	if err := wrap(r.read(doc)); err != nil {
		return nil, err
	}
	if r.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	doc.Markdown = convert.Normalize(r.w.String())
	doc.Warnings = r.warnings
	return doc, nil
}

// A docx is one conversion. The readers of cells and notes share all but the writer.
type docx struct {
	ctx      context.Context
	p        *ooxml.Package
	limits   convert.Limits
	opts     Options
	part     string // the part that relationship ids belong to
	rels     map[string]ooxml.Relationship
	styles   styles
	numbers  *numbering
	notes    map[string]*ooxml.Node // "footnote 3", "endnote 1"
	comments map[string]*ooxml.Node
	cells    *int
	repeats  *repeater
	fields   *fieldStack
	warnings []string

	w       *mdtext.Writer
	inCell  bool
	inNote  bool
	items   []int    // levels of the open list items
	boxes   []box    // text boxes and charts of the paragraph being read
	waiting []string // notes and comments to be written after the block
	joined  []span   // of paragraphs whose mark a tracked change deletes
	label   int      // of the last note
	code    []string // lines of the code block being gathered
}

func (d *docx) read(doc *convert.Document) error {
	main, err := mainPart(d.p, "word/document.xml")
	if err != nil {
		return err
	}
	if err := d.supporting(main); err != nil {
		return err
	}
	// Broken properties are no reason to lose the text.
	if err := properties(d.p, doc); err != nil {
		d.warnings = append(d.warnings, "document properties could not be read: "+err.Error())
	}
	r, err := d.p.Reader(main)
	if err != nil {
		return err
	}
	defer r.Close()
	if err := d.stream(r); err != nil {
		return err
	}
	d.finish()
	return d.margins()
}

// supporting reads styles, numbering, notes and comments.
func (d *docx) supporting(main string) error {
	d.part = main
	rels, err := d.p.Rels(main)
	if err != nil {
		return err
	}
	d.rels = rels
	part := func(typ string) string {
		name, _ := d.p.First(main, typ)
		return name
	}
	if d.styles, err = readStyles(d.p, part("styles")); err != nil {
		return err
	}
	if d.numbers, err = readNumbering(d.p, part("numbering")); err != nil {
		return err
	}
	d.notes, d.comments = map[string]*ooxml.Node{}, map[string]*ooxml.Node{}
	for _, kind := range []string{"footnote", "endnote", "comment"} {
		name := part(kind + "s")
		if name == "" || !d.p.Has(name) {
			continue
		}
		root, err := d.p.Tree(name)
		if err != nil {
			return err
		}
		for _, n := range root.Children {
			switch {
			case n.Name == "w:comment":
				d.comments[n.Attr("w:id")] = n
			case n.Name == "w:"+kind && !slices.Contains([]string{"separator", "continuationSeparator", "continuationNotice"}, n.Attr("w:type")):
				d.notes[kind+" "+n.Attr("w:id")] = n
			}
		}
	}
	return nil
}

// stream reads the blocks of the element that is open, one at a time.
func (d *docx) stream(r *ooxml.Reader) error {
	for {
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := d.ctx.Err(); err != nil {
			return err
		}
		switch n.Name {
		case "w:document", "w:body", "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo":
			err = d.stream(r)
		default:
			if err = r.Fill(n); err == nil {
				err = d.block(n)
			}
		}
		if err != nil || d.w.Full() {
			return err
		}
	}
}

func (d *docx) blocks(n *ooxml.Node) error {
	for _, c := range n.Children {
		if err := d.block(c); err != nil {
			return err
		}
	}
	return nil
}

func (d *docx) block(n *ooxml.Node) error {
	switch n.Name {
	case "w:p":
		return d.paragraph(n)
	case "w:tbl":
		return d.table(n)
	case "w:sdt", "w:sdtContent", "w:customXml", "w:ins", "w:moveTo", "w:smartTag":
		return d.blocks(n)
	case "mc:AlternateContent":
		return d.blocks(alternative(n))
	case "m:oMathPara", "m:oMath":
		d.endLists()
		d.w.Block("$$" + strings.TrimSpace(latex(n)) + "$$")
	case "w:altChunk":
		return d.chunk(n.Attr("r:id"))
	}
	return nil
}

// alternative chooses the modern variant of content that is stored twice, or
// the old one when the modern has nothing to read.
func alternative(n *ooxml.Node) *ooxml.Node {
	choice, fallback := n.Child("mc:Choice"), n.Child("mc:Fallback")
	if choice == nil || fallback != nil && strings.TrimSpace(choice.String()) == "" && strings.TrimSpace(fallback.String()) != "" {
		choice = fallback
	}
	if choice == nil {
		return &ooxml.Node{}
	}
	return choice
}

// paragraph writes a paragraph as heading, list item, code or text.
func (d *docx) paragraph(n *ooxml.Node) error {
	ppr := n.Child("w:pPr")
	styleID := ppr.Val("w:pStyle")
	st := d.styles.resolved(styleID)
	before := len(d.waiting)
	spans := d.inline(d.joined, n, span{})
	d.fields.endParagraph()
	d.joined = nil
	if mark := ppr.Child("w:rPr"); mark.Child("w:del") != nil || mark.Child("w:moveFrom") != nil {
		d.joined = spans // the mark is deleted: the paragraph goes on in the next
		return nil
	}
	// Notes of the blocks before may be due first, those of this one follow it.
	own := slices.Clone(d.waiting[before:])
	d.waiting = d.waiting[:before]

	outline := outlineOf(ppr)
	if outline == 0 {
		outline = st.outline
	}
	label, bullet, listed := d.number(ppr, st, styleID)
	if st.code && outline <= 0 && !d.inCell {
		d.endLists()
		d.code = append(d.code, plainText(spans))
		return d.after(own)
	}
	d.endCode()
	text := strings.TrimSpace(markdown(spans, outline > 0))
	switch {
	case text == "":
	case outline > 0 && !d.inCell && len(text) <= 400:
		d.endLists()
		d.w.Heading(outline, strings.TrimSpace(label+" "+text))
	case listed:
		d.item(label, bullet, ppr, st, styleID, text)
	default:
		d.endLists()
		d.w.Paragraph(text)
	}
	return d.after(own)
}

// number counts the paragraph if it has an automatic number or bullet.
func (d *docx) number(ppr *ooxml.Node, st style, styleID string) (label string, bullet, ok bool) {
	numID, level := d.listOf(ppr, st, styleID)
	if numID == "" {
		return "", false, false
	}
	return d.numbers.next(numID, level)
}

func (d *docx) listOf(ppr *ooxml.Node, st style, styleID string) (numID string, level int) {
	num := ppr.Child("w:numPr")
	numID, ilvl := num.Val("w:numId"), num.Val("w:ilvl")
	if numID == "" {
		if numID = st.numID; numID == "" {
			return "", 0
		}
		if ilvl == "" {
			if l, tied := d.numbers.levelOf(numID, styleID); tied {
				return numID, l
			}
			ilvl = st.level
		}
	}
	for _, c := range ilvl {
		if c < '0' || c > '9' {
			return numID, 0
		}
		level = min(level*10+int(c-'0'), 8)
	}
	return numID, level
}

// item writes a list item at the level of its paragraph.
func (d *docx) item(label string, bullet bool, ppr *ooxml.Node, st style, styleID, text string) {
	_, level := d.listOf(ppr, st, styleID)
	inList := len(d.items) > 0
	for len(d.items) > 0 && d.items[len(d.items)-1] >= level {
		d.w.Close()
		d.items = d.items[:len(d.items)-1]
	}
	marker := "- "
	switch {
	case bullet || label == "":
	case markdownNumber(label):
		marker = label + " "
	default:
		text = label + " " + text // numbers that Markdown has no list for: "2-a", "IV."
	}
	if inList {
		d.w.Tight()
	}
	d.w.Item(marker)
	d.w.Paragraph(text)
	d.items = append(d.items, level)
}

// markdownNumber reports whether label is a number as Markdown's lists have it: "12." or "12)".
func markdownNumber(label string) bool {
	n := strings.TrimRight(label, ".)")
	return len(label)-len(n) == 1 && n != "" && len(n) < 9 && strings.Trim(n, "0123456789") == ""
}

func (d *docx) endLists() {
	for range d.items {
		d.w.Close()
	}
	if len(d.items) > 0 {
		d.items = d.items[:0]
	}
	d.endNotes()
}

func (d *docx) endCode() {
	if len(d.code) > 0 {
		d.w.Code("", strings.Join(d.code, "\n"))
		d.code = nil
	}
}

// endNotes writes the notes and comments of the blocks before, unless a list
// goes on: they would cut it in two.
func (d *docx) endNotes() {
	if d.inCell {
		return // they are written behind the table
	}
	for _, s := range d.waiting {
		d.w.Block(s)
	}
	d.waiting = nil
}

// after writes what hangs on the paragraph that was just written: its text boxes and its notes.
func (d *docx) after(notes []string) error {
	d.waiting = append(d.waiting, notes...)
	boxes := d.boxes
	d.boxes = nil
	for _, b := range boxes {
		switch {
		case b.diagram != nil:
			if !d.inCell {
				d.finishBlock()
			}
			writeDiagram(d.w, b.diagram)
		case b.chart == nil:
			if err := d.blocks(b.text); err != nil {
				return err
			}
		case d.inCell:
			d.w.Paragraph(b.chart.title)
		default:
			d.finishBlock()
			b.chart.write(d.w, 0)
		}
	}
	if len(d.items) == 0 && !d.inCell && len(d.code) == 0 {
		d.endNotes()
	}
	return nil
}

func (d *docx) finish() {
	d.endJoined()
	d.endCode()
	d.endLists()
	d.endNotes()
}

// endJoined writes what was to go on in a paragraph that did not come.
func (d *docx) endJoined() {
	spans := d.joined
	d.joined = nil
	if text := strings.TrimSpace(markdown(spans, false)); text != "" {
		d.endCode()
		d.endLists()
		d.w.Paragraph(text)
	}
}

// margins writes the text of page headers and footers, each once.
func (d *docx) margins() error {
	var parts []string
	for _, r := range d.rels {
		if (r.Type == "header" || r.Type == "footer") && !r.External && d.p.Has(r.Target) && !slices.Contains(parts, r.Target) {
			parts = append(parts, r.Target)
		}
	}
	slices.Sort(parts)
	var lines []string
	for _, part := range parts {
		root, err := d.p.Tree(part)
		if err != nil {
			return err
		}
		rels, err := d.p.Rels(part)
		if err != nil {
			return err
		}
		sub := d.sub()
		sub.rels, sub.part = rels, part
		if err := sub.blocks(root); err != nil {
			return err
		}
		sub.finish()
		for line := range strings.Lines(sub.w.String() + strings.Join(sub.waiting, "\n")) {
			if line = strings.TrimSpace(line); countLetters(line) >= 4 && !slices.Contains(lines, line) {
				lines = append(lines, line)
			}
		}
	}
	if len(lines) > 0 {
		d.w.Block("---")
		d.w.Paragraph(strings.Join(lines, "\n"))
	}
	return nil
}

// sub returns a reader for the content of a cell, note or margin.
func (d *docx) sub() *docx {
	s := *d
	s.w = &mdtext.Writer{Max: d.limits.OutputBytes}
	s.inCell = true
	s.items, s.boxes, s.waiting, s.code, s.joined = nil, nil, nil, nil, nil
	s.fields = &fieldStack{}
	return &s
}

// chunk converts an embedded document by the converter that the options have for it.
func (d *docx) chunk(id string) error {
	rel, ok := d.rels[id]
	if !ok || rel.External || !d.p.Has(rel.Target) {
		return nil
	}
	if d.opts.Embedded == nil {
		d.warnings = append(d.warnings, "an embedded document was left out: "+rel.Target)
		return nil
	}
	data, err := d.p.Part(rel.Target)
	if err != nil {
		return err
	}
	doc, err := d.opts.Embedded.Convert(d.ctx, convert.Source{Name: rel.Target, Data: data}, d.limits)
	if d.ctx.Err() != nil {
		return d.ctx.Err()
	}
	if err != nil {
		d.warnings = append(d.warnings, "an embedded document was left out: "+err.Error())
		return nil
	}
	d.endLists()
	d.w.Block(doc.Markdown)
	return nil
}
