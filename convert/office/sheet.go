package office

import (
	"cmp"
	"errors"
	"io"
	"slices"
	"strconv"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/mdtext"
	"github.com/minirag/minirag/internal/ooxml"
)

// The grid of Excel; what is outside is not shown.
const (
	maxRow    = 1 << 20
	maxColumn = 1 << 14
)

// A cell is one that has text; rows and columns count from 1.
type cell struct {
	row, col int32
	style    int32
	number   bool
	text     string // in the form of mdtext.Cell
}

func compareCells(a, b cell) int { return cmp.Or(cmp.Compare(a.row, b.row), cmp.Compare(a.col, b.col)) }

// sheet writes one sheet; one without content leaves no trace.
func (b *book) sheet(name string, hidden bool, rel ooxml.Relationship) error {
	s, err := b.readSheet(rel.Target)
	if err != nil {
		return err
	}
	cells := s.cells
	if !slices.IsSortedFunc(cells, compareCells) {
		slices.SortStableFunc(cells, compareCells)
	}
	rels, err := b.p.Rels(rel.Target)
	if err != nil {
		return err
	}
	link(cells, s.links, rels)
	body := &mdtext.Writer{Max: b.limits.OutputBytes}
	outer := b.w
	b.w = body
	b.regions(cells, name, 0)
	err = errors.Join(b.ctx.Err(), b.comments(rels), b.drawings(rels, rel.Type == "chartsheet"))
	b.w = outer
	if err != nil {
		return err
	}
	if body.Full() {
		return &convert.LimitError{What: "output size in bytes", Max: b.limits.OutputBytes}
	}
	if body.Len() == 0 {
		return nil
	}
	for _, line := range s.margins {
		if !b.margins[line] {
			b.margins[line] = true
			body.Paragraph(line)
		}
	}
	b.w.Heading(2, name)
	if hidden {
		b.w.Block("<!-- Hidden sheet -->")
	}
	b.w.Block(body.String())
	return nil
}

func (b *book) readSheet(part string) (*sheetReader, error) {
	r, err := b.p.Reader(part)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	s := &sheetReader{b: b, r: r, links: map[[2]int32]string{}}
	if err := s.level(); err != nil {
		return nil, err
	}
	return s, nil
}

type sheetReader struct {
	b       *book
	r       *ooxml.Reader
	cells   []cell
	links   map[[2]int32]string // ids of relationships by row and column
	margins []string            // headers and footers of the printed page
	row     int
}

// level reads the elements of the element that is open.
func (s *sheetReader) level() error {
	for {
		n, err := s.r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		switch n.Name {
		case "s:headerFooter":
			if err = s.r.Fill(n); err == nil {
				for _, c := range n.Children {
					if text := marginText(c.String()); countLetters(text) >= 4 && !slices.Contains(s.margins, text) {
						s.margins = append(s.margins, text)
					}
				}
			}
		case "s:worksheet", "s:sheetData", "s:hyperlinks":
			err = s.level()
		case "s:row":
			err = s.readRow(n)
		case "s:hyperlink":
			if row, col, ok := reference(n.Attr("ref")); ok && n.HasAttr("r:id") {
				s.links[[2]int32{int32(row), int32(col)}] = n.Attr("r:id")
			}
			err = s.r.Skip()
		default:
			err = s.r.Skip()
		}
		if err != nil {
			return err
		}
	}
}

func (s *sheetReader) readRow(row *ooxml.Node) error {
	if err := s.b.ctx.Err(); err != nil {
		return err
	}
	s.row++
	if v, err := strconv.Atoi(row.Attr("r")); err == nil {
		s.row = v
	}
	col := 0
	for {
		n, err := s.r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if n.Name != "s:c" {
			if err := s.r.Skip(); err != nil {
				return err
			}
			continue
		}
		if s.b.seen++; s.b.seen > s.b.limits.Cells {
			return &convert.LimitError{What: "cells", Max: int64(s.b.limits.Cells)}
		}
		if err := s.r.Fill(n); err != nil {
			return err
		}
		col++
		at := s.row
		if ref := n.Attr("r"); ref != "" {
			r, c, ok := reference(ref)
			if !ok {
				s.b.outside = true
				continue
			}
			at, col = r, c
		}
		if at < 1 || at > maxRow || col > maxColumn {
			s.b.outside = true
			continue
		}
		text, number := s.b.value(n)
		if text = mdtext.Cell(text); text == "" {
			continue
		}
		if s.b.bytes += int64(len(text)); s.b.bytes > s.b.limits.OutputBytes {
			return &convert.LimitError{What: "output size in bytes", Max: s.b.limits.OutputBytes}
		}
		style, _ := strconv.ParseInt(n.Attr("s"), 10, 32)
		s.cells = append(s.cells, cell{int32(at), int32(col), int32(style), number, text})
	}
}

// reference reads a reference such as "B12", or the first of a range; ok says that it is in the grid.
func reference(ref string) (row, col int, ok bool) {
	ref, _, _ = strings.Cut(ref, ":")
	i := 0
	for ; i < len(ref) && ref[i]|0x20 >= 'a' && ref[i]|0x20 <= 'z'; i++ {
		if col = col*26 + int(ref[i]|0x20-'a') + 1; col > maxColumn {
			return 0, 0, false
		}
	}
	row, err := strconv.Atoi(ref[i:])
	return row, col, err == nil && col > 0 && row > 0 && row <= maxRow
}

// marginText returns the text of a page header or footer without its codes
// (ECMA-376, part 1, 18.3.1.46), such as "&C" for the centre and "&P" for the page number.
func marginText(s string) string {
	var b strings.Builder
	for i := 0; i < len(s); i++ {
		if s[i] != '&' || i+1 == len(s) {
			b.WriteByte(s[i])
			continue
		}
		i++
		switch c := s[i]; {
		case c == '&':
			b.WriteByte('&')
		case c == '"': // a font
			if j := strings.IndexByte(s[i+1:], '"'); j >= 0 {
				i += j + 1
			}
		case c == 'K': // a colour of six characters
			i = min(i+6, len(s)-1)
		case c >= '0' && c <= '9': // a size
			for i+1 < len(s) && s[i+1] >= '0' && s[i+1] <= '9' {
				i++
			}
		case c == 'L' || c == 'C' || c == 'R':
			b.WriteByte(' ')
		}
	}
	return convert.OneLine(convert.Normalize(unescape(b.String())))
}

// columnName is the inverse of the letters of a reference.
func columnName(col int32) string {
	name := ""
	for ; col > 0; col = (col - 1) / 26 {
		name = string(rune('A'+(col-1)%26)) + name
	}
	return name
}

// link makes the cells with a link to outside Markdown links.
func link(cells []cell, links map[[2]int32]string, rels map[string]ooxml.Relationship) {
	if len(links) == 0 {
		return
	}
	for i, c := range cells {
		id, ok := links[[2]int32{c.row, c.col}]
		if !ok {
			continue
		}
		if rel := rels[id]; rel.External && len(rel.Target) < 2000 {
			cells[i].text = mdtext.Link(c.text, strings.ReplaceAll(rel.Target, "|", "%7C"))
		}
	}
}

// comments writes the comments of a sheet, those of conversations with their replies.
func (b *book) comments(rels map[string]ooxml.Relationship) error {
	var parts []ooxml.Relationship
	threads := false
	for _, r := range rels {
		if (r.Type == "comments" || r.Type == "threadedComment") && !r.External && b.p.Has(r.Target) {
			parts = append(parts, r)
			threads = threads || r.Type == "threadedComment"
		}
	}
	slices.SortFunc(parts, func(x, y ooxml.Relationship) int { return cmp.Compare(x.Target, y.Target) })
	for _, part := range parts {
		root, err := b.p.Tree(part.Target)
		if fatal(err) {
			return err
		}
		if err != nil {
			b.warn("comments", err)
			continue
		}
		if part.Type == "threadedComment" {
			for _, c := range root.Children {
				kind := "Comment"
				if c.HasAttr("parentId") {
					kind = "Reply"
				}
				b.comment(kind, b.persons[c.Attr("personId")], c.Attr("ref"), c.Child("tc:text").String())
			}
			continue
		}
		var authors []string
		for _, a := range orEmpty(root.Child("s:authors")).Children {
			authors = append(authors, convert.OneLine(a.String()))
		}
		for _, c := range orEmpty(root.Child("s:commentList")).Children {
			author := ""
			if i, err := strconv.Atoi(c.Attr("authorId")); err == nil && i >= 0 && i < len(authors) {
				author = authors[i]
			}
			if threads && strings.HasPrefix(author, "tc=") {
				continue // a copy for versions that do not know conversations
			}
			text := convert.OneLine(cellString(c.Child("s:text")))
			if author != "" {
				text = strings.TrimSpace(strings.TrimPrefix(text, author+":"))
			}
			b.comment("Comment", strings.TrimPrefix(author, "tc="), c.Attr("ref"), text)
		}
	}
	return nil
}

func (b *book) comment(kind, author, ref, text string) {
	if text = convert.OneLine(unescape(text)); text == "" {
		return
	}
	if author != "" && !strings.HasPrefix(author, "{") {
		kind += " by " + author
	}
	if _, _, ok := reference(ref); ok {
		kind += " on " + ref
	}
	b.w.Block("> " + kind + ": " + text)
}

// drawings writes the texts of the shapes on a sheet and its charts: of one on
// a sheet of its own all, of one beside its cells the title.
func (b *book) drawings(rels map[string]ooxml.Relationship, whole bool) error {
	var parts []string
	for _, r := range rels {
		if r.Type == "drawing" && !r.External && b.p.Has(r.Target) {
			parts = append(parts, r.Target)
		}
	}
	slices.Sort(parts)
	for _, part := range slices.Compact(parts) {
		root, err := b.p.Tree(part)
		if fatal(err) {
			return err
		}
		if err != nil {
			b.warn("a drawing", err)
			continue
		}
		drawn, err := b.p.Rels(part)
		if err != nil {
			return err
		}
		root.Find("xdr:txBody", func(n *ooxml.Node) {
			for line := range strings.Lines(unescape(runs(n))) {
				b.w.Paragraph(convert.OneLine(line))
			}
		})
		root.Find("xdr:cNvPr", func(n *ooxml.Node) {
			if text := altText(n); text != "" {
				b.w.Paragraph(text)
			}
		})
		for _, name := range []string{"c:chart", "cx:chart"} {
			root.Find(name, func(n *ooxml.Node) {
				rel := drawn[n.Attr("r:id")]
				if err != nil || rel.External || !b.p.Has(rel.Target) {
					return
				}
				c, chartErr := readChart(b.p, rel.Target, &b.seen, b.limits.Cells, &b.repeats)
				switch {
				case fatal(chartErr):
					err = chartErr
				case chartErr != nil:
					b.warn("a chart", chartErr)
				case whole:
					c.write(b.w, 3)
				case c.title != "":
					b.w.Paragraph("Chart: " + c.title)
				}
			})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
