package local

import (
	"errors"
	"log/slog"
	"path/filepath"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/code"
	"github.com/minirag/minirag/convert/email"
	"github.com/minirag/minirag/convert/epub"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/convert/markup"
	"github.com/minirag/minirag/convert/notebook"
	"github.com/minirag/minirag/convert/odf"
	"github.com/minirag/minirag/convert/office"
	"github.com/minirag/minirag/convert/pdf"
	"github.com/minirag/minirag/convert/rtf"
	"github.com/minirag/minirag/convert/text"
	"github.com/minirag/minirag/convert/transcript"
)

// converterVersion goes up whenever a built-in format may be converted
// differently, so that a sync converts its documents again.
const converterVersion = "3"

// ConverterOptions choose what a [Converter] reads.
type ConverterOptions struct {
	CacheDir string           // as in [Options]
	Formats  []convert.Format // as in [Options]
	Logger   *slog.Logger
}

// A Converter reads the built-in formats. It is safe for concurrent use and
// must be closed.
type Converter struct {
	*convert.Router
	pdf *pdf.Converter
}

// NewConverter returns a converter for the built-in formats. It is cheap: the
// PDF engine starts with the first PDF.
func NewConverter(o *ConverterOptions) *Converter {
	if o == nil {
		o = &ConverterOptions{}
	}
	cache := cacheFolder(o.CacheDir)
	if cache != "" {
		cache = filepath.Join(cache, "pdfium")
	}
	c := &Converter{pdf: pdf.New(&pdf.Options{CacheDir: cache, Logger: o.Logger})}
	formats := append([]convert.Format{}, o.Formats...)
	formats = append(formats, text.Formats()...)
	formats = append(formats, html.Formats()...)
	formats = append(formats, office.Formats(&office.Options{Embedded: html.HTML{}})...)
	formats = append(formats, epub.Formats()...)
	formats = append(formats, notebook.Formats()...)
	formats = append(formats, odf.Formats()...)
	formats = append(formats, rtf.Formats()...)
	formats = append(formats, email.Formats()...)
	formats = append(formats, markup.Formats()...)
	formats = append(formats, code.Formats()...)
	formats = append(formats, transcript.Formats()...)
	formats = append(formats, convert.Format{
		Name: "pdf", Extensions: []string{".pdf"}, MediaTypes: []string{"application/pdf"}, Content: convert.Any, Sync: true, Converter: c.pdf,
	})
	c.Router = convert.NewRouter(formats, &convert.RouterOptions{Logger: o.Logger})
	return c
}

// Version implements [minirag.Converter].
func (c *Converter) Version() string { return converterVersion }

// Close stops the PDF engine.
func (c *Converter) Close() error { return errors.Join(c.pdf.Close()) }

var _ minirag.Converter = (*Converter)(nil)
