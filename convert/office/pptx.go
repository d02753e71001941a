package office

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/ooxml"
)

// PPTX is a [convert.Converter] for PowerPoint presentations. It is safe for concurrent use.
type PPTX struct{}

var _ convert.Converter = (*PPTX)(nil)

// NewPPTX returns a converter; opts may be nil.
func NewPPTX(_ *Options) *PPTX { return &PPTX{} }

// Convert reads the slides in the order of the presentation. Each begins with
// a comment that has its number, from 1; a hidden one says so in a second comment.
func (*PPTX) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	p, err := open(src, limits)
	if err != nil {
		return nil, err
	}
	s := &slides{ctx: ctx, p: p, limits: limits, backgrounds: map[string]*background{}, margins: map[string]bool{}, authors: map[string]string{}}
	s.w = &mdtext.Writer{Max: limits.OutputBytes}
	doc := &convert.Document{Format: "pptx"}
	if err := wrap(s.read(doc)); err != nil {
		return nil, err
	}
	if s.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	if s.titled {
		// The core title of a presentation is often left over from its template: its own first slide knows better.
		doc.Title = ""
	}
	if s.found {
		doc.Markdown = convert.Normalize(s.w.String())
	}
	doc.Warnings = s.warnings
	return doc, nil
}

// slides is one conversion.
type slides struct {
	ctx         context.Context
	p           *ooxml.Package
	limits      convert.Limits
	rels        map[string]ooxml.Relationship // of the slide being read
	back        *background                   // of the slide being read
	backgrounds map[string]*background        // by layout part
	margins     map[string]bool               // footers and dates that were written
	authors     map[string]string             // of comments, by id
	cells       int
	repeats     repeater
	found       bool // any text at all
	titled      bool // the first slide has a title
	warnings    []string

	w *mdtext.Writer
}

func (s *slides) warn(what string, err error) {
	s.warnings = append(s.warnings, what+" could not be read: "+err.Error())
}

func (s *slides) read(doc *convert.Document) error {
	main, err := mainPart(s.p, "ppt/presentation.xml")
	if err != nil {
		return err
	}
	if err := properties(s.p, doc); err != nil {
		s.warn("document properties", err)
	}
	root, err := s.p.Tree(main)
	if err != nil {
		return err
	}
	rels, err := s.p.Rels(main)
	if err != nil {
		return err
	}
	s.readAuthors(rels)
	number := 0
	var fixed []string // what the layouts and masters put on every slide, once at the end
	for _, id := range orEmpty(root.Child("p:sldIdLst")).Children {
		if id.Name != "p:sldId" {
			continue
		}
		if number++; number > s.limits.Pages {
			return &convert.LimitError{What: "slides", Max: int64(s.limits.Pages)}
		}
		rel := rels[id.Attr("r:id")]
		if rel.External || !s.p.Has(rel.Target) {
			s.warnings = append(s.warnings, "slide "+strconv.Itoa(number)+" is not in the file")
			continue
		}
		if err := s.slide(number, rel.Target); err != nil || s.w.Full() {
			return err
		}
		for _, line := range s.back.fixed {
			if !s.margins[line] {
				s.margins[line] = true
				fixed = append(fixed, line)
			}
		}
	}
	if len(fixed) > 0 && s.found {
		s.w.Block("---")
		s.w.Paragraph(strings.Join(fixed, "\n"))
	}
	return nil
}

func (s *slides) slide(number int, part string) error {
	if err := s.ctx.Err(); err != nil {
		return err
	}
	root, err := s.p.Tree(part)
	if err != nil {
		return err
	}
	if s.rels, err = s.p.Rels(part); err != nil {
		return err
	}
	if s.back, err = s.background(part); err != nil {
		return err
	}
	s.w.Block("<!-- Slide number: " + strconv.Itoa(number) + " -->")
	if show := root.Attr("show"); show == "0" || show == "false" {
		s.w.Block("<!-- Hidden slide -->")
	}
	before := s.w.Len()
	titled, err := s.tree(root.Child("p:cSld").Child("p:spTree"), false)
	if err != nil {
		return err
	}
	s.titled = s.titled || titled && number == 1
	if err := s.notes(); err != nil {
		return err
	}
	s.comments()
	s.found = s.found || s.w.Len() > before
	return nil
}

// notes writes the speaker's notes of the slide.
func (s *slides) notes() error {
	part := s.related("notesSlide")
	if part == "" {
		return nil
	}
	root, err := s.p.Tree(part)
	if err != nil {
		return err
	}
	slideRels := s.rels
	defer func() { s.rels = slideRels }()
	if s.rels, err = s.p.Rels(part); err != nil {
		return err
	}
	s.back = &background{}
	var texts []*ooxml.Node
	for _, sp := range s.shapes(root.Child("p:cSld").Child("p:spTree")) {
		switch placeholder(sp).Attr("type") {
		case "sldNum", "dt", "hdr", "ftr", "sldImg":
		default:
			if strings.TrimSpace(sp.Child("p:txBody").String()) != "" {
				texts = append(texts, sp)
			}
		}
	}
	if len(texts) == 0 {
		return nil
	}
	s.w.Heading(3, "Notes:")
	for _, sp := range texts {
		s.paragraphs(sp.Child("p:txBody"), nil)
	}
	return nil
}

// related returns the first part of the type that the slide refers to, or "".
func (s *slides) related(typ string) string {
	if parts := s.parts(typ); len(parts) > 0 {
		return parts[0]
	}
	return ""
}

// parts returns the parts of the type that the slide refers to, sorted.
func (s *slides) parts(typ string) []string {
	var parts []string
	for _, r := range s.rels {
		if r.Type == typ && !r.External && s.p.Has(r.Target) {
			parts = append(parts, r.Target)
		}
	}
	slices.Sort(parts)
	return slices.Compact(parts)
}

// readAuthors reads the names of those who commented, of both kinds of comments.
func (s *slides) readAuthors(rels map[string]ooxml.Relationship) {
	for _, r := range rels {
		if r.Type != "commentAuthors" && r.Type != "authors" || r.External || !s.p.Has(r.Target) {
			continue
		}
		root, err := s.p.Tree(r.Target)
		if err != nil {
			s.warn("authors of comments", err)
			continue
		}
		for _, a := range root.Children {
			s.authors[a.Attr("id")] = strings.TrimSpace(a.Attr("name"))
		}
	}
}

// comments writes the comments on the slide and the replies to them.
func (s *slides) comments() {
	for _, part := range s.parts("comments") {
		root, err := s.p.Tree(part)
		if err != nil {
			s.warn("comments", err)
			continue
		}
		for _, name := range []string{"p:cm", "p188:cm"} {
			root.Find(name, func(c *ooxml.Node) {
				s.comment(c, c.Child("p:text").String(), "Comment")
				s.comment(c, runs(c.Child("p188:txBody")), "Comment")
				c.Find("p188:reply", func(r *ooxml.Node) { s.comment(r, runs(r.Child("p188:txBody")), "Reply") })
			})
		}
	}
}

func (s *slides) comment(c *ooxml.Node, text, kind string) {
	text = convert.OneLine(unescape(text))
	if text == "" {
		return
	}
	if author := s.authors[c.Attr("authorId")]; author != "" {
		kind += " by " + author
	}
	s.w.Block("> " + kind + ": " + text)
}

// runs returns the text of a simple text body.
func runs(n *ooxml.Node) string {
	var b strings.Builder
	orEmpty(n).Find("a:p", func(p *ooxml.Node) {
		p.Find("a:t", func(t *ooxml.Node) { b.WriteString(t.String()) })
		b.WriteByte('\n')
	})
	return b.String()
}
