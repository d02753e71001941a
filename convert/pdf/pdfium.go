//go:build !lite

package pdf

import (
	"math"
	"strings"
)

// open loads a document and returns the number of its pages.
func (in *instance) open(data []byte) (int, error) {
	at := in.put(data)
	in.doc = uint64(uint32(in.call("FPDF_LoadMemDocument", at, uint64(len(data)), 0)))
	if in.doc == 0 {
		code := in.number("FPDF_GetLastError")
		if in.err != nil {
			return 0, engineError("open", in.err)
		}
		return 0, openError(code, data)
	}
	pages := in.number("FPDF_GetPageCount", in.doc)
	if in.err != nil {
		return 0, engineError("count pages", in.err)
	}
	return pages, nil
}

// meta returns an entry of the information dictionary.
func (in *instance) meta(tag string) string {
	name := in.put([]byte(tag))
	defer in.free(name)
	return in.text16("FPDF_GetMetaText", in.doc, name)
}

// What FPDF_GetLastError returns (fpdfview.h).
const (
	codePassword = 4
	codeSecurity = 5
)

// openError words why PDFium did not open data.
func openError(code int, data []byte) error {
	switch code {
	case codePassword:
		return errPassword()
	case codeSecurity:
		return errSecurity()
	}
	return explainFormat(data)
}

// page reads and orders the text of one page.
func (in *instance) page(index int) (pageText, error) {
	page := uint64(uint32(in.call("FPDF_LoadPage", in.doc, uint64(index))))
	if in.err != nil {
		return pageText{}, in.err
	}
	if page == 0 {
		return pageText{}, errPage
	}
	text := uint64(uint32(in.call("FPDFText_LoadPage", page)))
	if text == 0 {
		in.call("FPDF_ClosePage", page)
		if in.err != nil {
			return pageText{}, in.err
		}
		return pageText{}, errPage
	}
	p := &pageReader{sandbox: in.sandbox, text: text, fonts: in.fonts}
	out := layFrames(p.frames(), func(angle int) []rect { return p.rules(page, angle) })
	in.call("FPDFText_ClosePage", text)
	in.call("FPDF_ClosePage", page)
	return out, in.err
}

// A pageReader reads the text of one page.
type pageReader struct {
	*sandbox
	text   uint64 // FPDF_TEXTPAGE
	fonts  map[uint64]bool
	object uint64 // whose style is:
	style  textStyle
}

// frames returns the page's words by direction, see framesOf.
func (p *pageReader) frames() []*frame {
	count := p.number("FPDFText_CountChars", p.text)
	if count <= 0 || p.err != nil {
		return nil
	}
	return p.framesOf(p.runes(count))
}

// runes returns the page's letters by their index.
func (p *pageReader) runes(count int) []rune {
	at := p.alloc(2 * (count + 1) * 2)
	n := p.number("FPDFText_GetText", p.text, 0, uint64(count), at)
	text := decode16(p.bytes(at, 2*n))
	p.free(at)
	runes := []rune(text)
	if len(runes) == count {
		return runes
	}
	// PDFium leaves letters out of the text that it counts.
	runes = make([]rune, count)
	for i := range runes {
		runes[i] = rune(uint32(p.call("FPDFText_GetUnicode", p.text, uint64(i))))
	}
	return runes
}

// readStyle makes p.style that of a letter.
func (p *pageReader) readStyle(i int) {
	object := uint64(uint32(p.call("FPDFText_GetTextObject", p.text, uint64(i))))
	if object == p.object && object != 0 {
		return
	}
	p.object = object
	size := math.Float64frombits(p.call("FPDFText_GetFontSize", p.text, uint64(i)))
	var m [6]float64 // a, b, c, d, e, f
	if p.number("FPDFText_GetMatrix", p.text, uint64(i), p.scratch) != 0 {
		p.floats(m[:])
	} else {
		m = [6]float64{1, 0, 0, 1}
	}
	p.style = textStyle{size: size * math.Hypot(m[2], m[3])}
	p.style.angle = styleAngle(m[0], m[1])
	if object == 0 {
		return
	}
	font := uint64(uint32(p.call("FPDFTextObj_GetFont", object)))
	bold, ok := p.fonts[font]
	if !ok && font != 0 {
		bold = p.boldFont(font)
		p.fonts[font] = bold
	}
	p.style.bold = bold
}

func (p *pageReader) boldFont(font uint64) bool {
	name := strings.TrimRight(string(p.buffer("FPDFFont_GetBaseFontName", font)), "\x00")
	return boldName(name) || p.number("FPDFFont_GetFlags", font)&forceBold != 0
}

// box returns the box of letter i in the page's own space.
func (p *pageReader) box(i int) (rect, bool) {
	if p.number("FPDFText_GetLooseCharBox", p.text, uint64(i), p.scratch) == 0 {
		return rect{}, false
	}
	var f [4]float64 // left, top, right, bottom
	p.floats(f[:])
	return rect{min(f[0], f[2]), min(f[1], f[3]), max(f[0], f[2]), max(f[1], f[3])}, true
}
