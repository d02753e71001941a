//go:build !lite

package pdf

import (
	"encoding/binary"
	"math"
	"slices"
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
	in.openForm()
	in.contentsKey, in.stateKey = in.put([]byte("Contents")), in.put([]byte("AS"))
	return pages, in.err
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
	objects := in.objects(page)
	in.widen(objects)
	text := uint64(uint32(in.call("FPDFText_LoadPage", page)))
	if text == 0 {
		in.call("FPDF_ClosePage", page)
		if in.err != nil {
			return pageText{}, in.err
		}
		return pageText{}, errPage
	}
	p := &pageReader{sandbox: in.sandbox, text: text, fonts: in.fonts}
	var fields []field
	if in.number("FPDFPage_GetAnnotCount", page) > 0 {
		p.links, fields = in.links(page), in.fields(page)
	}
	out := layFrames(addFields(p.frames(), fields), func(angle int) []rect { return p.rules(objects, angle) })
	in.call("FPDFText_ClosePage", text)
	in.call("FPDF_ClosePage", page)
	return out, in.err
}

// A pageReader reads the text of one page.
type pageReader struct {
	*sandbox
	text  uint64 // FPDF_TEXTPAGE
	fonts map[uint64]bool
	count int // of letters
	links []link
	// The letters that were read last, from number first on.
	first   int
	letters []letter
	last    textStyle // of the last of them
	style   textStyle // of the letter that readStyle was asked for
}

// A letter is where a letter of a page stands and how it looks.
type letter struct {
	box    rect
	placed bool
	style  textStyle
}

// frames returns the page's words by direction, see framesOf.
func (p *pageReader) frames() []*frame {
	p.count = p.number("FPDFText_CountChars", p.text)
	if p.count <= 0 || p.err != nil {
		return nil
	}
	return p.framesOf(p.runes(p.count))
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

// read reads letters from number i on.
func (p *pageReader) read(i int) {
	p.first, p.letters = i, slices.Grow(p.letters[:0], batchSize)
	var object uint32
	for data := p.batch("letters", letterRecord, p.text, i, min(batchSize, p.count-i)); len(data) >= letterRecord; data = data[letterRecord:] {
		var l letter
		if o := binary.LittleEndian.Uint32(data); o != 0 && o != object {
			object = o
			p.last = p.styleOf(data)
		}
		if l.placed = binary.LittleEndian.Uint32(data[4:]) != 0; l.placed {
			var f [4]float64 // left, right, bottom, top, not always in this order
			readFloats(data[8:], f[:])
			l.box = rect{min(f[0], f[2]), min(f[1], f[3]), max(f[0], f[2]), max(f[1], f[3])}
		}
		l.style = p.last
		p.letters = append(p.letters, l)
	}
}

// styleOf reads the style in the record of a letter.
func (p *pageReader) styleOf(record []byte) textStyle {
	m := [6]float64{1, 0, 0, 1} // a, b, c, d, e, f
	if binary.LittleEndian.Uint32(record[24:]) != 0 {
		readFloats(record[28:], m[:])
	}
	var size [1]float64
	if binary.LittleEndian.Uint32(record[52:]) != 0 {
		readFloats(record[56:], size[:])
	}
	font := uint64(binary.LittleEndian.Uint32(record[60:]))
	bold, ok := p.fonts[font]
	if !ok && font != 0 {
		bold = p.boldFont(font)
		p.fonts[font] = bold
	}
	return textStyle{size: size[0] * math.Hypot(m[2], m[3]), angle: styleAngle(m[0], m[1]), bold: bold}
}

func (p *pageReader) boldFont(font uint64) bool {
	name := strings.TrimRight(string(p.buffer("FPDFFont_GetBaseFontName", font)), "\x00")
	return boldName(name) || p.number("FPDFFont_GetFlags", font)&forceBold != 0
}

// letter returns letter i, which is there as long as p.err is nil.
func (p *pageReader) letter(i int) letter {
	if i < p.first || i >= p.first+len(p.letters) {
		p.read(i)
	}
	if i -= p.first; i < len(p.letters) {
		return p.letters[i]
	}
	return letter{}
}

// readStyle makes p.style that of a letter.
func (p *pageReader) readStyle(i int) { p.style = p.letter(i).style }

// box returns the box of letter i in the page's own space.
func (p *pageReader) box(i int) (rect, bool) {
	l := p.letter(i)
	return l.box, l.placed
}
