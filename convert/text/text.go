// Package text converts plain text, Markdown and delimiter-separated tables.
//
// The text itself stays as it is. Its character set is found by
// internal/charset and binary data is refused. YAML and TOML front matter becomes metadata,
// embedded pictures become their alternative text. It imports convert,
// internal/charset and internal/mdtext.
package text

import (
	"context"
	"errors"
	"fmt"
	"mime"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/mdtext"
)

// Formats returns the formats of this package: Markdown, plain text, CSV and TSV.
func Formats() []convert.Format {
	return []convert.Format{
		{Name: "markdown", Extensions: []string{".md", ".markdown"}, MediaTypes: []string{"text/markdown", "text/x-markdown"}, Content: convert.Text, Sync: true, Converter: Markdown{}},
		{Name: "text", Extensions: []string{".txt"}, MediaTypes: []string{"text/plain"}, Content: convert.Text, Sync: true, Converter: Plain{}},
		{Name: "csv", Extensions: []string{".csv"}, MediaTypes: []string{"text/csv"}, Content: convert.Text, Sync: true, Converter: CSV{}},
		{Name: "tsv", Extensions: []string{".tsv"}, MediaTypes: []string{"text/tab-separated-values"}, Content: convert.Text, Sync: true, Converter: CSV{Comma: '\t'}},
	}
}

// Markdown is a [convert.Converter] for Markdown. It is safe for concurrent use.
type Markdown struct{}

var _ convert.Converter = Markdown{}

// Convert decodes the text, moves front matter into the metadata and drops embedded pictures.
func (Markdown) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	s, err := decode(ctx, src, limits)
	if err != nil {
		return nil, err
	}
	meta, body := frontMatter(s)
	doc := &convert.Document{Markdown: mdtext.StripEmbedded(body), Metadata: meta, Format: "markdown"}
	doc.Title = meta["title"]
	return doc, nil
}

// Plain is a [convert.Converter] for plain text. It is safe for concurrent use.
type Plain struct{}

var _ convert.Converter = Plain{}

// Convert decodes the text and drops embedded pictures.
func (Plain) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	s, err := decode(ctx, src, limits)
	if err != nil {
		return nil, err
	}
	return &convert.Document{Markdown: mdtext.StripEmbedded(s), Format: "text"}, nil
}

// decode returns the normalised text of src.
func decode(ctx context.Context, src convert.Source, limits convert.Limits) (string, error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	_, params, _ := mime.ParseMediaType(src.MediaType)
	s, _, err := charset.Decode(src.Data, params["charset"])
	switch {
	case errors.Is(err, charset.ErrBinary):
		return "", fmt.Errorf("%w: %v", convert.ErrDamaged, err)
	case err != nil:
		return "", fmt.Errorf("%w: decode text: %v", convert.ErrDamaged, err)
	}
	if limits = limits.WithDefaults(); int64(len(s)) > limits.OutputBytes {
		return "", &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	return convert.Normalize(s), nil
}
