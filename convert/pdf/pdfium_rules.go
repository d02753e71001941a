//go:build !lite

package pdf

import (
	"encoding/binary"
	"math"
)

// Kinds of page objects and path segments in PDFium (fpdf_edit.h).
const (
	objectText = 1
	objectPath = 2
	objectForm = 5
)

// An object is what a page draws in one go.
type object struct {
	handle   uint64
	kind     int
	segments int // of a path, negative for another kind
	bounds   rect
}

// objects returns the texts and paths of a page.
func (in *instance) objects(page uint64) []object {
	count := min(in.number("FPDFPage_CountObjects", page), maxObjects)
	var out []object
	for i := 0; i < count && in.err == nil; i += batchSize {
		for data := in.batch("objects", objectRecord, page, i, min(batchSize, count-i)); len(data) >= objectRecord; data = data[objectRecord:] {
			field := func(at int) uint32 { return binary.LittleEndian.Uint32(data[at:]) }
			o := object{handle: uint64(field(0)), kind: int(field(4)), segments: int(int32(field(8)))}
			if o.handle == 0 || field(12) == 0 || o.kind != objectPath && o.kind != objectText {
				continue
			}
			var f [4]float64
			readFloats(data[16:], f[:])
			o.bounds = rect{f[0], f[1], f[2], f[3]}
			out = append(out, o)
		}
	}
	return out
}

// widen leans texts without a width a little: PDFium leaves them out of a
// page's text. Vertical lines in a font that is not in the file are such.
func (in *instance) widen(objects []object) {
	const lean = 1.0 / 256 // far less than what a line may be crooked, see styleAngle
	for _, o := range objects {
		b := o.bounds
		if o.kind != objectText || !finite(b) || math.Abs(b.x1-b.x0) > 0.02 || b.y1-b.y0 < 1 {
			continue
		}
		bits := math.Float64bits
		in.call("FPDFPageObj_Transform", o.handle, bits(1), 0, bits(lean), bits(1), bits(-lean*(b.y0+b.y1)/2), 0)
	}
}

// rules returns the lines and edges of boxes drawn on a page, in the frame of angle.
func (p *pageReader) rules(objects []object, angle int) []rect {
	if angle%90 != 0 {
		return nil
	}
	var out []rect
	for _, o := range objects {
		if o.kind == objectPath && p.err == nil && len(out) < maxRules {
			out = p.pathRules(out, o, angle)
		}
	}
	return out
}

// pathRules appends the rules of one path.
func (p *pageReader) pathRules(out []rect, o object, angle int) []rect {
	object, segments, bounds := o.handle, o.segments, o.bounds
	if segments < 2 {
		return out
	}
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
