package pdf

import (
	"context"
	"errors"
	"fmt"
	"strings"

	"github.com/minirag/minirag/convert"
)

// format is the short name in [convert.Document].
const format = "pdf"

// read converts one document. After an error the instance may be in any
// state; after success too it is not used again.
func (in *instance) read(ctx context.Context, data []byte, limits convert.Limits) (*convert.Document, error) {
	pages, err := in.open(data)
	if err != nil {
		return nil, err
	}
	if pages > limits.Pages {
		return nil, &convert.LimitError{What: "pages", Max: int64(limits.Pages)}
	}
	if pages <= 0 {
		return nil, explainFormat(data)
	}
	doc := &convert.Document{Format: format}
	in.describe(doc)
	outline := in.outline()

	texts := make([]pageText, 0, min(pages, 1024))
	var bare, broken []int // page numbers
	var size int64
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, err := in.page(page)
		switch {
		case errors.Is(err, errPage):
			broken = append(broken, page+1)
		case err != nil:
			return nil, engineError(fmt.Sprintf("read page %d", page+1), err)
		case got.size == 0:
			bare = append(bare, page+1)
		}
		if size += int64(got.size); size > limits.OutputBytes {
			return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
		}
		texts = append(texts, got)
	}
	switch {
	case len(broken) == pages:
		return nil, damaged("none of its pages can be read", "open it in a viewer and save it anew")
	case size == 0:
		return nil, noText(pages, len(broken))
	}
	doc.Markdown = convert.Normalize(markdown(texts, outline, &in.urls) + "\n")
	if len(bare) > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("no text on %s of %d: blank or scanned, OCR would be needed", pageList(bare), pages))
	}
	if len(broken) > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s of %d could not be read: damaged", pageList(broken), pages))
	}
	return doc, nil
}

// markdown writes the pages' texts.
func markdown(pages []pageText, outline map[string]int, urls *urlTable) string {
	scale := newHeadingScale(pages, outline)
	dropRunning(pages)
	var out strings.Builder
	for _, page := range pages {
		for _, b := range page.blocks {
			var part string
			if b.table != nil {
				part = b.table.markdown(headingAbove(out.String()))
			} else {
				part = layOut(b.lines, scale)
			}
			if part == "" {
				continue
			}
			if out.Len() > 0 {
				out.WriteString("\n\n")
			}
			out.WriteString(urls.linked(part))
		}
	}
	return out.String()
}

// headingAbove returns the level of the heading that text ends with, or 0.
func headingAbove(text string) int {
	last := text[strings.LastIndexByte(text, '\n')+1:]
	rest := strings.TrimLeft(last, "#")
	if level := len(last) - len(rest); level <= markdownLevels && strings.HasPrefix(rest, " ") {
		return level
	}
	return 0
}

func errPassword() error {
	return &convert.Error{
		Format: format,
		Err:    fmt.Errorf("%w: a password is needed to open it", convert.ErrEncrypted),
		Hint:   "save a copy without a password",
	}
}

func errSecurity() error {
	return &convert.Error{
		Format: format,
		Err:    fmt.Errorf("%w: its kind of encryption is not supported", convert.ErrEncrypted),
		Hint:   "save a copy without encryption",
	}
}

// engineError is for failures in the middle of a document, all of which come from its content.
func engineError(op string, err error) error {
	return fmt.Errorf("%w: %s: %v", convert.ErrDamaged, op, err)
}

func noText(pages, broken int) error {
	what := fmt.Sprintf("none of its %d pages has text, as in a scan", pages)
	if pages == 1 {
		what = "its only page has no text, as in a scan"
	}
	if broken > 0 {
		what += fmt.Sprintf(", and %d of them could not be read", broken)
	}
	return &convert.Error{
		Format: format,
		Err:    fmt.Errorf("%w: %s", convert.ErrNoText, what),
		Hint:   "OCR is needed to read it",
	}
}

// pageList writes ascending page numbers as "page 3" or "pages 1-4, 7".
func pageList(pages []int) string {
	var b strings.Builder
	for i := 0; i < len(pages); {
		j := i
		for j+1 < len(pages) && pages[j+1] == pages[j]+1 {
			j++
		}
		if i > 0 {
			b.WriteString(", ")
		}
		fmt.Fprint(&b, pages[i])
		if j > i {
			fmt.Fprintf(&b, "-%d", pages[j])
		}
		i = j + 1
	}
	if len(pages) == 1 {
		return "page " + b.String()
	}
	return "pages " + b.String()
}
