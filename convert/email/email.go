// Package email converts messages (RFC 5322 with MIME) to Markdown: the
// headers that people read, the text, and the names of what is attached.
//
// The parser is our own and lenient, as real messages keep to no rule. It
// imports convert, convert/html and internal/{charset,mdtext}.
package email

import (
	"context"
	"errors"
	"fmt"
	"net/mail"
	"strings"
	"unicode"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/mdtext"
)

// Formats returns the format of this package.
func Formats() []convert.Format {
	return []convert.Format{{
		Name: "eml", Extensions: []string{".eml"}, MediaTypes: []string{"message/rfc822"},
		Content: convert.Any, Sync: true, Converter: Email{},
	}}
}

// Email is a [convert.Converter] for messages. It is safe for concurrent use.
type Email struct{}

var _ convert.Converter = Email{}

// maxNesting bounds parts in parts and messages in messages; each level is
// looked through once more.
const maxNesting = 40

// Convert writes headers, text and names of attachments; messages inside are
// written whole. The subject is the title. Of alternatives the plain text is
// taken, unless the HTML says much more.
func (Email) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	c := &conversion{ctx: ctx, limits: limits, parts: new(int)}
	c.w.Max = limits.OutputBytes
	h, body := split(top(src.Data))
	if !h.plausible() {
		return nil, fmt.Errorf("%w: the text has no headers of a message", convert.ErrDamaged)
	}
	doc := &convert.Document{Format: "eml", Title: convert.OneLine(convert.Normalize(h.text("subject")))}
	if err := c.message(h, body, 0); err != nil {
		return nil, err
	}
	if c.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	meta := map[string]string{}
	for key, name := range map[string]string{"author": "from", "recipient": "to"} {
		if v := convert.OneLine(convert.Normalize(h.text(name))); v != "" {
			meta[key] = v
		}
	}
	if t, err := mail.ParseDate(h.get("date")); err == nil {
		meta["created"] = t.Format("2006-01-02T15:04:05Z07:00")
	}
	doc.Metadata = meta
	doc.Markdown = convert.Normalize(c.w.String())
	doc.Warnings = c.warnings
	return doc, nil
}

// A conversion is one run. The reader of an alternative has a writer of its own.
type conversion struct {
	ctx      context.Context
	limits   convert.Limits
	parts    *int
	w        mdtext.Writer
	attached []string
	warnings []string
}

// message writes one message with its headers.
func (c *conversion) message(h header, body []byte, depth int) error {
	var lines []string
	for _, name := range []string{"Subject", "From", "To", "Cc", "Date"} {
		v := convert.OneLine(convert.Normalize(h.text(strings.ToLower(name))))
		if v == "" {
			continue
		}
		if name == "Date" {
			if t, err := mail.ParseDate(h.get("date")); err == nil {
				v = t.Format("2006-01-02 15:04 -0700")
			}
		}
		lines = append(lines, "**"+name+":** "+v)
	}
	if depth > 0 {
		c.w.Block("---")
	}
	c.w.Block(strings.Join(lines, "\n"))
	outer := c.attached
	c.attached = nil
	if err := c.part(h, body, depth, "text/plain"); err != nil {
		return err
	}
	if len(c.attached) > 0 {
		c.w.Block("Attachments:")
		c.w.Block("- " + strings.Join(c.attached, "\n- "))
	}
	c.attached = outer
	return nil
}

// part writes one part, or the parts in it.
func (c *conversion) part(h header, body []byte, depth int, byDefault string) error {
	if err := c.ctx.Err(); err != nil {
		return err
	}
	if depth > min(maxNesting, c.limits.Depth) {
		return &convert.LimitError{What: "nesting of message parts", Max: int64(min(maxNesting, c.limits.Depth))}
	}
	if *c.parts++; *c.parts > c.limits.Entries {
		return &convert.LimitError{What: "parts of the message", Max: int64(c.limits.Entries)}
	}
	if c.w.Full() {
		return nil
	}
	media, params := h.media(byDefault)
	disposition, name := h.attachment(params)
	switch {
	case strings.HasPrefix(media, "multipart/"):
		return c.multipart(strings.TrimPrefix(media, "multipart/"), params["boundary"], body, depth)
	case media == "message/rfc822" || media == "message/global":
		inner, rest := split(top(h.decode(body)))
		if inner.plausible() {
			return c.message(inner, rest, depth+1)
		}
	case disposition == "attachment" || name != "" && media != "text/plain" && media != "text/html" || name != "" && disposition != "inline":
	case media == "text/html" || media == "application/xhtml+xml":
		md, err := c.html(h.decode(body), params["charset"])
		if err != nil {
			return err
		}
		c.w.Block(md)
		return nil
	case media == "text/plain" || media == "message/delivery-status" || media == "text/rfc822-headers" || media == "text/markdown" || media == "text/enriched":
		text, err := decodeText(h.decode(body), params["charset"])
		if err != nil {
			c.warn("a part of the message is not text in a known encoding")
			return nil
		}
		if params["format"] == "flowed" {
			text = unflow(text, params["delsp"] == "yes")
		}
		c.plain(text)
		return nil
	case strings.HasPrefix(media, "text/"):
		if text, err := decodeText(h.decode(body), params["charset"]); err == nil {
			c.w.Code("", convert.Normalize(text))
			return nil
		}
	case media == "application/pkcs7-mime" && params["smime-type"] != "signed-data":
		c.warn("the text of the message is encrypted")
		return nil
	}
	if name == "" && h.get("content-id") != "" || media == "application/pgp-signature" || media == "application/pkcs7-signature" || media == "application/x-pkcs7-signature" {
		return nil // a picture in the text or a signature
	}
	if name = convert.OneLine(convert.Normalize(name)); name == "" {
		name = media
	}
	if len(c.attached) < 1000 {
		c.attached = append(c.attached, name)
	}
	return nil
}

func (c *conversion) warn(s string) {
	if len(c.warnings) < 20 {
		c.warnings = append(c.warnings, s)
	}
}

func (c *conversion) multipart(kind, boundary string, body []byte, depth int) error {
	parts := cut(body, boundary)
	if len(parts) == 0 {
		// Without its boundary the body is what it looks like.
		return c.part(header{}, body, depth+1, "text/plain")
	}
	byDefault := "text/plain"
	switch kind {
	case "encrypted":
		c.warn("the text of the message is encrypted")
		return nil
	case "digest":
		byDefault = "message/rfc822"
	case "alternative":
		return c.alternative(parts, depth)
	}
	for _, p := range parts {
		h, b := split(p)
		if err := c.part(h, b, depth+1, byDefault); err != nil {
			return err
		}
	}
	return nil
}

// alternative writes the plain text, or the last other form when that says much more.
func (c *conversion) alternative(parts [][]byte, depth int) error {
	var plain, rich *conversion
	for _, p := range parts {
		h, b := split(p)
		sub := &conversion{ctx: c.ctx, limits: c.limits, parts: c.parts, w: mdtext.Writer{Max: c.limits.OutputBytes}}
		if err := sub.part(h, b, depth+1, "text/plain"); err != nil {
			return err
		}
		media, _ := h.media("text/plain")
		switch {
		case media == "text/calendar" && (plain != nil || rich != nil): // the same again for programs
		case media == "text/plain":
			if plain == nil || count(plain) == 0 {
				plain = sub
			}
		case rich == nil || count(sub) > 0:
			rich = sub
		}
	}
	best := plain
	if plain == nil || rich != nil && count(plain)*5 < count(rich)*3 {
		best = rich
	}
	if best == nil {
		return nil
	}
	c.w.Block(best.w.String())
	for _, s := range []*conversion{plain, rich} {
		if s != nil {
			c.attached = append(c.attached, s.attached...)
			c.warnings = append(c.warnings, s.warnings...)
		}
	}
	return nil
}

// count is the number of letters and digits, of which addresses of links are none.
func count(c *conversion) int {
	n, target := 0, false
	for word := range strings.FieldsSeq(c.w.String()) {
		target = strings.HasPrefix(word, "http") || strings.HasPrefix(word, "<http")
		if i := strings.Index(word, "]("); i >= 0 {
			word = word[:i]
		}
		if target {
			continue
		}
		for _, r := range word {
			if unicode.IsLetter(r) || unicode.IsDigit(r) {
				n++
			}
		}
	}
	return n
}

func (c *conversion) html(data []byte, declared string) (string, error) {
	media := "text/html"
	if declared != "" {
		media += `; charset="` + strings.ReplaceAll(declared, `"`, "") + `"`
	}
	doc, err := html.HTML{}.Convert(c.ctx, convert.Source{MediaType: media, Data: data}, c.limits)
	switch {
	case errors.Is(err, convert.ErrTooLarge), c.ctx.Err() != nil:
		return "", err
	case err != nil:
		c.warn("an HTML part of the message could not be read: " + err.Error())
		return "", nil
	}
	return doc.Markdown, nil
}

func decodeText(data []byte, declared string) (string, error) {
	s, _, err := charset.Decode(data, declared)
	return s, err
}

// plain writes plain text. Quoted lines are quotations as they are.
func (c *conversion) plain(text string) {
	text = convert.Normalize(text)
	var b strings.Builder
	blank := 0
	for line := range strings.Lines(text) {
		line = strings.TrimRight(line, " \t\n")
		if line == "" {
			if blank++; blank > 1 {
				continue
			}
		} else {
			blank = 0
		}
		if !strings.HasPrefix(line, ">") {
			line = mdtext.EscapeLine(line)
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	c.w.Block(mdtext.StripEmbedded(b.String()))
}

// unflow joins the lines of a flowed text (RFC 3676).
func unflow(text string, delsp bool) string {
	var b strings.Builder
	for line := range strings.Lines(strings.ReplaceAll(text, "\r\n", "\n")) {
		line = strings.TrimSuffix(line, "\n")
		quoted := strings.HasPrefix(line, ">")
		if !quoted {
			line = strings.TrimPrefix(line, " ") // stuffed
		}
		if strings.HasSuffix(line, " ") && line != "-- " && !quoted {
			if delsp {
				line = line[:len(line)-1]
			}
			b.WriteString(line)
			continue
		}
		b.WriteString(line)
		b.WriteByte('\n')
	}
	return b.String()
}
