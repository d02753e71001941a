//go:build !lite

package pdf

import "encoding/binary"

// Kinds of page objects and path segments in PDFium (fpdf_edit.h).
const (
	objectPath = 2
	objectForm = 5
)

// rules returns the lines and edges of boxes drawn on a page, in the frame of angle.
func (p *pageReader) rules(page uint64, angle int) []rect {
	if angle%90 != 0 {
		return nil
	}
	count := min(p.number("FPDFPage_CountObjects", page), maxObjects)
	var out []rect
	for i := 0; i < count && p.err == nil && len(out) < maxRules; i += batchSize {
		for data := p.batch("objects", objectRecord, page, i, min(batchSize, count-i)); len(data) >= objectRecord && len(out) < maxRules; data = data[objectRecord:] {
			if binary.LittleEndian.Uint32(data) != 0 && binary.LittleEndian.Uint32(data[4:]) == objectPath {
				out = p.pathRules(out, data, angle)
			}
		}
	}
	return out
}

// pathRules appends the rules of one path object by its record.
func (p *pageReader) pathRules(out []rect, record []byte, angle int) []rect {
	object := uint64(binary.LittleEndian.Uint32(record))
	segments := int(int32(binary.LittleEndian.Uint32(record[8:])))
	if segments < 2 || binary.LittleEndian.Uint32(record[12:]) == 0 {
		return out
	}
	var f [4]float64 // left, bottom, right, top
	readFloats(record[16:], f[:])
	bounds := rect{f[0], f[1], f[2], f[3]}
	if !finite(bounds) {
		return out
	}
	if segments <= 6 {
		return boxRules(out, toFrame(bounds, angle))
	}
	if segments > 2000 {
		return out
	}
	// A path of many lines: each segment on its own.
	s := p.scratch
	var m [6]float64
	if p.number("FPDFPageObj_GetMatrix", object, s) == 0 {
		return out
	}
	p.floats(m[:])
	var lastX, lastY, startX, startY float64
	for i := range segments {
		segment := uint64(uint32(p.call("FPDFPath_GetPathSegment", object, uint64(i))))
		if segment == 0 || p.number("FPDFPathSegment_GetPoint", segment, s, s+4) == 0 {
			return out
		}
		var at [2]float64
		p.floats(at[:])
		x, y := m[0]*at[0]+m[2]*at[1]+m[4], m[1]*at[0]+m[3]*at[1]+m[5]
		const line, bezier, move = 0, 1, 2
		switch p.number("FPDFPathSegment_GetType", segment) {
		case move:
			startX, startY = x, y
		case line:
			out = lineRule(out, lastX, lastY, x, y, angle)
			if p.number("FPDFPathSegment_GetClose", segment) != 0 {
				out = lineRule(out, x, y, startX, startY, angle)
			}
		}
		lastX, lastY = x, y
	}
	return out
}
