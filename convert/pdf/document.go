package pdf

import (
	"context"
	"errors"
	"fmt"
	"math"
	"strings"

	"github.com/klippa-app/go-pdfium/enums"
	pdfiumerrors "github.com/klippa-app/go-pdfium/errors"
	"github.com/klippa-app/go-pdfium/references"
	"github.com/klippa-app/go-pdfium/requests"
	"github.com/minirag/minirag/convert"
)

// format is the short name in [convert.Document].
const format = "pdf"

// read converts one document. After an error the instance may be in any
// state; after success too it is not used again.
func (in *instance) read(ctx context.Context, data []byte, limits convert.Limits) (*convert.Document, error) {
	opened, err := in.OpenDocument(&requests.OpenDocument{File: &data})
	if err != nil {
		return nil, openError(err, data)
	}
	count, err := in.FPDF_GetPageCount(&requests.FPDF_GetPageCount{Document: opened.Document})
	if err != nil {
		return nil, engineError("count pages", err)
	}
	pages := count.PageCount
	if pages > limits.Pages {
		return nil, &convert.LimitError{What: "pages", Max: int64(limits.Pages)}
	}
	if pages <= 0 {
		return nil, explainFormat(data)
	}
	doc := &convert.Document{Format: format}
	in.describe(opened.Document, doc)

	lines := make([][]line, 0, min(pages, 1024))
	var bare, broken []int // page numbers
	var size int64
	for page := range pages {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		got, err := in.page(opened.Document, page)
		switch {
		case errors.Is(err, pdfiumerrors.ErrPage):
			broken = append(broken, page+1)
		case err != nil:
			return nil, engineError(fmt.Sprintf("read page %d", page+1), err)
		case len(got) == 0:
			bare = append(bare, page+1)
		}
		for _, l := range got {
			size += int64(len(l.text)) + 1
		}
		if size > limits.OutputBytes {
			return nil, &convert.LimitError{What: "output size in bytes", Max: limits.OutputBytes}
		}
		lines = append(lines, got)
	}
	switch {
	case len(broken) == pages:
		return nil, damaged("none of its pages can be read", "open it in a viewer and save it anew")
	case size == 0:
		return nil, noText(pages, len(broken))
	}
	scale := newHeadingScale(lines)
	var out strings.Builder
	for _, page := range lines {
		if len(page) == 0 {
			continue
		}
		if out.Len() > 0 {
			out.WriteString("\n\n")
		}
		out.WriteString(layOut(page, scale))
	}
	out.WriteByte('\n')
	doc.Markdown = convert.Normalize(out.String())
	if len(bare) > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("no text on %s of %d: blank or scanned, OCR would be needed", pageList(bare), pages))
	}
	if len(broken) > 0 {
		doc.Warnings = append(doc.Warnings, fmt.Sprintf("%s of %d could not be read: damaged", pageList(broken), pages))
	}
	return doc, nil
}

// page returns the lines of a page as PDFium orders them.
//
// Every call into the sandbox costs microseconds, because it can be
// cancelled. So the text is taken in one, and positions for line beginnings only.
func (in *instance) page(doc references.FPDF_DOCUMENT, index int) ([]line, error) {
	page := requests.Page{ByIndex: &requests.PageByIndex{Document: doc, Index: index}}
	loaded, err := in.FPDFText_LoadPage(&requests.FPDFText_LoadPage{Page: page})
	if err != nil {
		return nil, err
	}
	text := loaded.TextPage
	chars, err := in.FPDFText_CountChars(&requests.FPDFText_CountChars{TextPage: text})
	if err != nil {
		return nil, err
	}
	var lines []line
	if chars.Count > 0 {
		got, err := in.FPDFText_GetText(&requests.FPDFText_GetText{TextPage: text, Count: chars.Count})
		if err != nil {
			return nil, err
		}
		turn := enums.FPDF_PAGE_ROTATION_NONE
		if rotation, err := in.FPDFPage_GetRotation(&requests.FPDFPage_GetRotation{Page: page}); err == nil {
			turn = rotation.PageRotation
		}
		for _, part := range splitLines(got.Text) {
			l := line{text: part.text}
			l.x, l.y, l.size, l.placed = in.place(text, part.start, turn)
			if l.end = l.y; part.joined {
				if _, end, _, ok := in.place(text, part.end, turn); ok {
					l.end = end
				}
			}
			lines = append(lines, l)
		}
	}
	_, err = in.FPDFText_ClosePage(&requests.FPDFText_ClosePage{TextPage: text})
	return lines, err
}

// place returns where a character begins, as seen on the turned page, and its
// font's size; false when that is not known or the text does not run to the
// right, as a stamp in the margin. index counts the text's characters.
func (in *instance) place(text references.FPDF_TEXTPAGE, index int, turn enums.FPDF_PAGE_ROTATION) (x, y, size float64, ok bool) {
	char, err := in.FPDFText_GetCharIndexFromTextIndex(&requests.FPDFText_GetCharIndexFromTextIndex{TextPage: text, NTextIndex: index})
	if err != nil {
		return 0, 0, 0, false
	}
	origin, err := in.FPDFText_GetCharOrigin(&requests.FPDFText_GetCharOrigin{TextPage: text, Index: char.CharIndex})
	if err != nil {
		return 0, 0, 0, false
	}
	font, err := in.FPDFText_GetFontSize(&requests.FPDFText_GetFontSize{TextPage: text, Index: char.CharIndex})
	if err != nil {
		return 0, 0, 0, false
	}
	// Many programs select a font at 1 point and scale it.
	matrix, err := in.FPDFText_GetMatrix(&requests.FPDFText_GetMatrix{TextPage: text, Index: char.CharIndex})
	if err != nil {
		return 0, 0, 0, false
	}
	size = font.FontSize * math.Hypot(float64(matrix.Matrix.C), float64(matrix.Matrix.D))
	x, y = turned(origin.X, origin.Y, turn)
	right, up := turned(float64(matrix.Matrix.A), float64(matrix.Matrix.B), turn)
	return x, y, size, right > math.Abs(up)
}

// turned returns a place or direction of the page's own space as seen on the turned page.
func turned(x, y float64, turn enums.FPDF_PAGE_ROTATION) (float64, float64) {
	switch turn {
	case enums.FPDF_PAGE_ROTATION_90_CW:
		return y, -x
	case enums.FPDF_PAGE_ROTATION_180_CW:
		return -x, -y
	case enums.FPDF_PAGE_ROTATION_270_CW:
		return -y, x
	}
	return x, y
}

// openError words why PDFium did not open data.
func openError(err error, data []byte) error {
	switch {
	case errors.Is(err, pdfiumerrors.ErrPassword):
		return &convert.Error{
			Format: format,
			Err:    fmt.Errorf("%w: a password is needed to open it", convert.ErrEncrypted),
			Hint:   "save a copy without a password",
		}
	case errors.Is(err, pdfiumerrors.ErrSecurity):
		return &convert.Error{
			Format: format,
			Err:    fmt.Errorf("%w: its kind of encryption is not supported", convert.ErrEncrypted),
			Hint:   "save a copy without encryption",
		}
	}
	return explainFormat(data)
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
