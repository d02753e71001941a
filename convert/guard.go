package convert

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"fmt"
	"strings"
)

// An Error says which document could not be converted, why and what to do
// about it. It wraps one of the package's sentinels.
type Error struct {
	Source string // name of the document as the caller gave it
	Format string // short name of the format, or empty when none was found
	Err    error
	Hint   string // advice for a person, or empty
}

func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("convert")
	if e.Source != "" {
		b.WriteByte(' ')
		b.WriteString(e.Source)
	}
	b.WriteString(": ")
	b.WriteString(e.Err.Error())
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

func (e *Error) Unwrap() error { return e.Err }

// Guard returns a Converter that runs c so that whatever the bytes are, the
// outcome keeps the contract: input and output sizes and the time are within
// the limits, a panic becomes an error wrapping [ErrDamaged], errors are of
// type [*Error], and all text of the document is in the normal form of
// [Normalize]. format is the format's short name.
//
// When the caller's ctx ends, its error is returned as it is. A converter
// that does not look at its context is not interrupted.
func Guard(format string, c Converter) Converter {
	return guard{format, c}
}

type guard struct {
	format string
	c      Converter
}

func (g guard) Convert(ctx context.Context, src Source, limits Limits) (*Document, error) {
	limits = limits.WithDefaults()
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	if n := int64(len(src.Data)); n > limits.InputBytes {
		return nil, &Error{
			Source: src.Name, Format: g.format,
			Err:  fmt.Errorf("the document has %d bytes: %w", n, &LimitError{What: "input size in bytes", Max: limits.InputBytes}),
			Hint: "raise the limit or split the document",
		}
	}
	timed, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	doc, err := g.run(timed, src, limits)
	switch {
	case err == nil && doc == nil:
		err = fmt.Errorf("%w: the converter gave nothing", ErrDamaged)
	case err == nil:
		doc.normalize(g.format)
		if int64(len(doc.Markdown)) > limits.OutputBytes {
			err = &LimitError{What: "output size in bytes", Max: limits.OutputBytes}
		}
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case timed.Err() != nil && errors.Is(err, context.DeadlineExceeded):
		err = &LimitError{What: "conversion time in milliseconds", Max: limits.Time.Milliseconds()}
	}
	if err == nil {
		return doc, nil
	}
	if e, ok := err.(*Error); ok {
		if e.Source == "" {
			e.Source = src.Name
		}
		return nil, e
	}
	return nil, &Error{Source: src.Name, Format: g.format, Err: err, Hint: hintFor(err, src.Data)}
}

func (g guard) run(ctx context.Context, src Source, limits Limits) (doc *Document, err error) {
	defer func() {
		if p := recover(); p != nil {
			doc, err = nil, fmt.Errorf("%w: the %s reader broke off: %v", ErrDamaged, g.format, p)
		}
	}()
	return g.c.Convert(ctx, src, limits)
}

func hintFor(err error, data []byte) string {
	switch {
	case errors.Is(err, ErrEncrypted):
		return "save a copy without a password"
	case errors.Is(err, ErrTooLarge):
		return "raise the limit or split the document"
	case errors.Is(err, ErrDamaged) && brokenZip(data):
		return "the file seems cut off or damaged: copy or download it again, or open it in its program and save it anew"
	}
	return ""
}

// brokenZip reports whether data begins as a zip archive and has no readable directory at its end.
func brokenZip(data []byte) bool {
	if Sniff(data) != Zip {
		return false
	}
	_, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	return err != nil
}

func (d *Document) normalize(format string) {
	d.Markdown = Normalize(d.Markdown)
	d.Title = OneLine(Normalize(d.Title))
	for k, v := range d.Metadata {
		d.Metadata[k] = strings.TrimSpace(Normalize(v))
	}
	for i, w := range d.Warnings {
		d.Warnings[i] = OneLine(Normalize(w))
	}
	if d.Format == "" {
		d.Format = format
	}
}
