package pdf

import (
	"bytes"
	"fmt"

	"github.com/minirag/minirag/convert"
)

// headerWindow is how far into a file readers look for the header (ISO 32000-1,
// annex H), and tailWindow how far from the end for the end mark; PDFium does the same.
const (
	headerWindow = 1024
	tailWindow   = 4096
)

// inspect refuses what PDFium would call "incorrect format" only, and says what it is.
func inspect(data []byte) error {
	if len(data) == 0 {
		return damaged("the file is empty", "copy or download it again")
	}
	if bytes.Contains(data[:min(len(data), headerWindow)], []byte("%PDF-")) {
		return nil
	}
	if len(bytes.Trim(data, "\x00")) == 0 {
		return damaged(fmt.Sprintf("the file holds %d zero bytes and nothing else", len(data)), "copy or download it again")
	}
	looks := map[convert.Content]string{
		convert.HTML:   "an HTML page, perhaps an error page saved in place of the document",
		convert.Zip:    "a zip archive or an Office document",
		convert.OLE:    "an old Office document",
		convert.RTF:    "an RTF document",
		convert.Image:  "a picture",
		convert.Text:   "plain text",
		convert.Binary: "binary data",
	}[convert.Sniff(data)]
	if bytes.HasPrefix(data, []byte("%!PS")) {
		looks = "a PostScript file"
	}
	if looks == "" {
		looks = "something else"
	}
	return damaged("not a PDF: it looks like "+looks, "give it its right extension or get the document itself")
}

// explainFormat words PDFium's "incorrect format" for data that passed inspect.
func explainFormat(data []byte) error {
	tail := data[max(0, len(data)-tailWindow):]
	switch {
	case !bytes.Contains(data, []byte(" obj")):
		return damaged("a PDF header with no document behind it", "copy or download it again")
	case !bytes.Contains(tail, []byte("%%EOF")) && !bytes.Contains(tail, []byte("startxref")):
		return damaged(fmt.Sprintf("the file is truncated: its end is missing after %d bytes", len(data)), "copy or download it again")
	}
	return damaged("broken PDF structure: its page tree cannot be read", "open it in a viewer and save it anew")
}

func damaged(what, hint string) error {
	return &convert.Error{Format: format, Err: fmt.Errorf("%w: %s", convert.ErrDamaged, what), Hint: hint}
}
