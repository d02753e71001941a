// Package epub converts electronic books (EPUB 2 and 3) to Markdown: what
// the package document says of the book, then the documents of its spine in their order.
//
// It imports convert, convert/html, internal/{charset,xmlread,zipfile} and
// golang.org/x/net/html.
package epub

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/xmlread"
	"github.com/minirag/minirag/internal/zipfile"
)

// Formats returns the format of this package.
func Formats() []convert.Format {
	return []convert.Format{{
		Name: "epub", Extensions: []string{".epub"}, MediaTypes: []string{"application/epub+zip"},
		Content: convert.Zip, Sync: true, Converter: EPUB{},
	}}
}

// EPUB is a [convert.Converter] for books. It is safe for concurrent use.
type EPUB struct{}

var _ convert.Converter = EPUB{}

// maxNodes bounds the elements of the package document, where books have a few
// for each of their files.
const maxNodes = 1_000_000

// Convert writes the metadata as lines "**Title:** ..." and then the spine's
// documents. A document that is not there or cannot be read is a warning, unless there is no other.
func (EPUB) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	z, err := zipfile.Open(src.Data, limits.Entries, limits.ExpandedBytes)
	if err != nil {
		return nil, wrap(err)
	}
	b := &book{z: z, limits: limits, doc: &convert.Document{Format: "epub"}}
	if err := b.open(); err != nil {
		return nil, wrap(err)
	}
	if err := b.chapters(ctx); err != nil {
		return nil, wrap(err)
	}
	b.doc.Markdown = convert.Normalize(b.doc.Markdown)
	b.doc.Title = convert.OneLine(convert.Normalize(b.doc.Title))
	return b.doc, nil
}

// wrap turns errors of the internal packages into those of package convert.
func wrap(err error) error {
	var zl *zipfile.LimitError
	var xl *xmlread.LimitError
	switch {
	case errors.As(err, &zl):
		return &convert.LimitError{What: zl.What, Max: zl.Max}
	case errors.As(err, &xl):
		return &convert.LimitError{What: xl.What, Max: xl.Max}
	case errors.Is(err, zipfile.ErrEncrypted):
		return fmt.Errorf("%w: %v", convert.ErrEncrypted, err)
	case errors.Is(err, zipfile.ErrDamaged), errors.Is(err, zipfile.ErrMissing), errors.Is(err, xmlread.ErrDamaged):
		return fmt.Errorf("%w: read EPUB: %v", convert.ErrDamaged, err)
	}
	return err
}

// A book is one conversion.
type book struct {
	z      *zipfile.Archive
	limits convert.Limits
	doc    *convert.Document
	sealed map[string]bool // members that are encrypted
	spine  []item
}

// An item is a file of the manifest.
type item struct {
	name  string // of the member
	media string
	nav   bool
}

// chapters converts the spine.
func (b *book) chapters(ctx context.Context) error {
	var out strings.Builder
	out.WriteString(b.doc.Markdown)
	var failed error
	read := 0
	for _, it := range b.spine {
		if err := ctx.Err(); err != nil {
			return err
		}
		md, err := b.chapter(ctx, it)
		switch {
		case err == nil:
			read++
		case errors.Is(wrap(err), convert.ErrTooLarge), errors.Is(err, convert.ErrEncrypted), ctx.Err() != nil:
			return err
		default:
			failed = err
			b.warn("a part of the book could not be read: %v", err)
			continue
		}
		if md = strings.Trim(md, "\n"); md == "" {
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n")
		}
		if int64(out.Len()+len(md)) > b.limits.OutputBytes {
			return &convert.LimitError{What: "output size in bytes", Max: b.limits.OutputBytes}
		}
		out.WriteString(md + "\n")
	}
	if read == 0 {
		if failed != nil {
			return fmt.Errorf("%w: no part of the book can be read: %v", convert.ErrDamaged, failed)
		}
		return fmt.Errorf("%w: the book names no text", convert.ErrDamaged)
	}
	b.doc.Markdown = out.String()
	return nil
}

func (b *book) warn(format string, args ...any) {
	const most = 20
	switch n := len(b.doc.Warnings); {
	case n < most:
		b.doc.Warnings = append(b.doc.Warnings, fmt.Sprintf(format, args...))
	case n == most:
		b.doc.Warnings = append(b.doc.Warnings, "further parts of the book could not be read")
	}
}

func (b *book) chapter(ctx context.Context, it item) (string, error) {
	if b.sealed[it.name] {
		return "", fmt.Errorf("%w: the book is protected by digital rights management", convert.ErrEncrypted)
	}
	if b.z.Size(it.name) > b.limits.OutputBytes {
		return "", &convert.LimitError{What: "size of a chapter in bytes", Max: b.limits.OutputBytes}
	}
	data, err := b.z.Read(it.name)
	if err != nil {
		return "", err
	}
	text, _, err := charset.Decode(data, declared(data))
	if err != nil {
		return "", fmt.Errorf("%w: decode %s: %v", convert.ErrDamaged, it.name, err)
	}
	text, err = plainHTML(html.Unprefix(text), it.nav)
	if err != nil {
		return "", err
	}
	limits := b.limits
	limits.InputBytes = int64(len(text))
	doc, err := html.HTML{}.Convert(ctx, convert.Source{MediaType: "text/html; charset=utf-8", Data: []byte(text)}, limits)
	if err != nil {
		return "", fmt.Errorf("%s: %w", it.name, err)
	}
	if it.nav && onlyHeadings(doc.Markdown) {
		return "", nil
	}
	return doc.Markdown, nil
}

func onlyHeadings(md string) bool {
	for line := range strings.Lines(md) {
		if line = strings.TrimSpace(line); line != "" && !strings.HasPrefix(line, "#") {
			return false
		}
	}
	return true
}
