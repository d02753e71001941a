package odf

import (
	"errors"
	"fmt"
	"io"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/xmlread"
)

// slides writes each page with a comment that has its number, from 1: the
// title first, then the shapes in their order, then the speaker's notes.
func (c *conversion) slides(r *xmlread.Reader) error {
	number := 0
	for {
		n, err := r.Next()
		if errors.Is(err, io.EOF) {
			return nil
		}
		if err != nil {
			return err
		}
		if err := r.Fill(n); err != nil {
			return err
		}
		if n.Name != "draw:page" {
			continue
		}
		if number++; number > c.limits.Pages {
			return &convert.LimitError{What: "slides", Max: int64(c.limits.Pages)}
		}
		c.w.Block(fmt.Sprintf("<!-- Slide number: %d -->", number))
		if err := c.slide(n); err != nil {
			return err
		}
		if c.w.Full() {
			return nil
		}
	}
}

func (c *conversion) slide(n *xmlread.Node) error {
	title := -1
	for i, k := range n.Children {
		if k.Attr("presentation:class") == "title" && title < 0 {
			title = i
			if k.Attr("presentation:placeholder") != "true" {
				c.w.Heading(1, fold(c.flat(k)))
			}
		}
	}
	for i, k := range n.Children {
		if i == title || k.Attr("presentation:placeholder") == "true" {
			continue
		}
		if err := c.block(k); err != nil {
			return err
		}
	}
	c.finish()
	notes := n.Child("presentation:notes")
	if notes == nil {
		return nil
	}
	s := c.sub()
	for _, k := range notes.Children {
		if cl := k.Attr("presentation:class"); k.Name != "draw:frame" || cl != "" && cl != "notes" || k.Attr("presentation:placeholder") == "true" {
			continue // the picture of the slide, its number and date
		}
		if err := s.block(k); err != nil {
			return err
		}
	}
	s.finish()
	if text := s.w.String(); text != "" {
		c.w.Heading(3, "Notes:")
		c.w.Block(text)
	}
	return nil
}

// shape writes the blocks in a frame, shape or group.
func (c *conversion) shape(n *xmlread.Node) error {
	if n.Name == "draw:object" {
		root := c.object(n)
		switch {
		case root == nil:
		case root.Name == "math:math":
			c.w.Paragraph(formula(root))
		default:
			return c.blocks(root)
		}
		return nil
	}
	if n.Name == "draw:image" {
		return c.blocks(n)
	}
	text := false
	for _, k := range n.Children {
		switch k.Name {
		case "draw:image":
			if text {
				continue // shows what was written
			}
		case "draw:object", "draw:text-box", "table:table":
			text = true
		}
		if err := c.block(k); err != nil {
			return err
		}
	}
	if alt := alternative(n); alt != "" {
		c.w.Paragraph(alt)
	}
	return c.after()
}
