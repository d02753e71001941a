// Package notebook converts Jupyter notebooks (nbformat 1 to 4) to Markdown:
// Markdown cells as they are, code in fences of its language, and what the
// code printed.
//
// It imports convert, convert/html and internal/{charset,mdtext}.
package notebook

import (
	"bytes"
	"context"
	"encoding/json"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/charset"
	"github.com/minirag/minirag/internal/mdtext"
)

// Formats returns the format of this package.
func Formats() []convert.Format {
	return []convert.Format{{
		Name: "ipynb", Extensions: []string{".ipynb"}, MediaTypes: []string{"application/x-ipynb+json"},
		Content: convert.Text, Sync: true, Converter: Notebook{},
	}}
}

// Notebook is a [convert.Converter] for Jupyter notebooks. It is safe for concurrent use.
type Notebook struct{}

var _ convert.Converter = Notebook{}

// Convert writes the cells in order. The title is the one in the metadata,
// else the first level 1 heading of a Markdown cell. Pictures are dropped;
// the outputs of one cell are cut after 64 KiB with a warning.
func (Notebook) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (*convert.Document, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	limits = limits.WithDefaults()
	data := bytes.TrimPrefix(src.Data, []byte("\xef\xbb\xbf"))
	if !utf8.Valid(data) || bytes.IndexByte(data, 0) >= 0 {
		text, _, err := charset.Decode(data, "utf-8")
		if err != nil {
			return nil, fmt.Errorf("%w: decode notebook: %v", convert.ErrDamaged, err)
		}
		data = []byte(text)
	}
	nb, err := parse(data)
	if err != nil {
		return nil, err
	}
	c := &conversion{ctx: ctx, limits: limits, w: mdtext.Writer{Max: limits.OutputBytes}, lang: nb.Metadata.language()}
	doc := &convert.Document{Format: "ipynb", Title: string(nb.Metadata.Title), Metadata: nb.Metadata.declared(c.lang)}
	for _, cell := range nb.all() {
		switch {
		case ctx.Err() != nil:
			return nil, ctx.Err()
		case c.w.Full():
			return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
		}
		if err := c.cell(cell); err != nil {
			return nil, err
		}
	}
	if c.w.Full() {
		return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
	}
	if strings.TrimSpace(doc.Title) == "" {
		doc.Title = c.heading
	}
	doc.Title = convert.OneLine(convert.Normalize(doc.Title))
	doc.Markdown = convert.Normalize(c.w.String())
	if c.cut > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("the outputs of %d cells are cut after %d bytes", c.cut, maxOutput))
	}
	return doc, nil
}

// parse reads the JSON and makes sure that it is a notebook.
func parse(data []byte) (*file, error) {
	var nb file
	err := json.Unmarshal(data, &nb)
	// Python writes NaN and Infinity as bare words, which JSON has not.
	if err != nil && (bytes.Contains(data, []byte("NaN")) || bytes.Contains(data, []byte("Infinity"))) {
		nb = file{}
		err = json.Unmarshal(mendNumbers(data), &nb)
	}
	switch {
	case err != nil:
		return nil, fmt.Errorf("%w: the notebook is not valid JSON: %v", convert.ErrDamaged, err)
	case nb.Cells == nil && nb.Worksheets == nil:
		return nil, fmt.Errorf("%w: the JSON has no cells, so it is no notebook", convert.ErrDamaged)
	}
	return &nb, nil
}

// mendNumbers replaces the bare words outside strings by null.
func mendNumbers(s []byte) []byte {
	out := make([]byte, 0, len(s))
	quoted := false
	for i := 0; i < len(s); i++ {
		c := s[i]
		switch {
		case quoted && c == '\\' && i+1 < len(s):
			out = append(out, c)
			i++
			c = s[i]
		case c == '"':
			quoted = !quoted
		case !quoted && (c == 'N' || c == 'I' || c == '-'):
			word := ""
			for _, w := range []string{"NaN", "Infinity", "-Infinity"} {
				if bytes.HasPrefix(s[i:], []byte(w)) {
					word = w
				}
			}
			if word != "" {
				out = append(out, "null"...)
				i += len(word) - 1
				continue
			}
		}
		out = append(out, c)
	}
	return out
}

// A file is a notebook of any version: cells stood in worksheets before version 4.
type file struct {
	Metadata   metadata `json:"metadata"`
	Cells      []cell   `json:"cells"`
	Worksheets []struct {
		Cells []cell `json:"cells"`
	} `json:"worksheets"`
}

func (f *file) all() []cell {
	cells := f.Cells
	for _, w := range f.Worksheets {
		cells = append(cells, w.Cells...)
	}
	return cells
}

type metadata struct {
	Title        word    `json:"title"`
	Language     word    `json:"language"`
	Authors      authors `json:"authors"`
	LanguageInfo struct {
		Name word `json:"name"`
	} `json:"language_info"`
	Kernel struct {
		Language word `json:"language"`
		Name     word `json:"name"`
	} `json:"kernelspec"`
}

var kernelName = regexp.MustCompile(`^[a-z+#]+`)

// language is the one that the notebook's kernel runs; Python when none is
// declared, as nearly all such notebooks are of old Python tools.
func (m *metadata) language() string {
	for _, w := range []word{m.LanguageInfo.Name, m.Kernel.Language, m.Language} {
		if s := fenceWord(string(w)); s != "" {
			return s
		}
	}
	switch name := kernelName.FindString(strings.ToLower(string(m.Kernel.Name))); name {
	case "ir":
		return "r"
	case "python", "julia", "bash", "ruby", "scala", "javascript", "rust", "go":
		return name
	}
	return "python"
}

func (m *metadata) declared(lang string) map[string]string {
	meta := map[string]string{"programming language": lang}
	if a := strings.Join(m.Authors, ", "); a != "" {
		meta["author"] = convert.OneLine(convert.Normalize(a))
	}
	return meta
}

// fenceWord returns s as a language name that may stand behind a fence, or "".
func fenceWord(s string) string {
	s = strings.ToLower(strings.TrimSpace(s))
	if s == "ipython" {
		return "python"
	}
	if s == "" || len(s) > 25 || strings.Trim(s, "abcdefghijklmnopqrstuvwxyz0123456789+-#._") != "" {
		return ""
	}
	return s
}
