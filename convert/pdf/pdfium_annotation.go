//go:build !lite

package pdf

import (
	"strings"
)

// What PDFium calls the kinds of annotations, actions and fields, and the flags
// of annotations and text fields (fpdf_annot.h, fpdf_doc.h, fpdf_formfill.h).
const (
	annotationText   = 3 // FreeText
	annotationWidget = 20

	actionURI = 3

	fieldCheck = 2
	fieldRadio = 3
	fieldCombo = 4
	fieldList  = 5
	fieldText  = 6

	flagsUnseen    = 1<<1 | 1<<5 // hidden, no view
	flagPassword   = 1 << 13
	formInfoSize   = 256 // more than FPDF_FORMFILLINFO has
	formInfoNoXFA  = 1   // its version
	maxListEntries = 1000
)

// links returns the links of a page to the web.
func (in *instance) links(page uint64) []link {
	var out []link
	at, found := in.scratch, in.scratch+4
	in.memory.WriteUint32Le(uint32(at), 0)
	for range maxAnnotations {
		if in.number("FPDFLink_Enumerate", page, at, found) == 0 {
			break
		}
		handle, ok := in.memory.ReadUint32Le(uint32(found))
		next, _ := in.memory.ReadUint32Le(uint32(at))
		if l, isWeb := in.link(uint64(handle)); ok && isWeb {
			out = append(out, l)
		}
		in.memory.WriteUint32Le(uint32(at), next)
	}
	return out
}

func (in *instance) link(handle uint64) (link, bool) {
	action := uint64(uint32(in.call("FPDFLink_GetAction", handle)))
	if action == 0 || in.number("FPDFAction_GetType", action) != actionURI {
		return link{}, false
	}
	l := link{url: in.urls.number(strings.TrimRight(string(in.buffer("FPDFAction_GetURIPath", in.doc, action)), "\x00"))}
	if l.url == 0 {
		return link{}, false
	}
	for i := range min(in.number("FPDFLink_CountQuadPoints", handle), 64) {
		if in.number("FPDFLink_GetQuadPoints", handle, uint64(i), in.scratch) == 0 {
			continue
		}
		var q [8]float64
		in.floats(q[:])
		l.boxes = append(l.boxes, rect{
			min(q[0], q[2], q[4], q[6]), min(q[1], q[3], q[5], q[7]),
			max(q[0], q[2], q[4], q[6]), max(q[1], q[3], q[5], q[7]),
		})
	}
	if len(l.boxes) == 0 && in.number("FPDFLink_GetAnnotRect", handle, in.scratch) != 0 {
		l.boxes = append(l.boxes, in.rect())
	}
	return l, true
}

// rect reads a C rectangle from the scratch space.
func (in *instance) rect() rect {
	var f [4]float64
	in.floats(f[:])
	return rect{min(f[0], f[2]), min(f[1], f[3]), max(f[0], f[2]), max(f[1], f[3])}
}

// openForm makes what PDFium reads the fields of a form with, or leaves in.form 0.
func (in *instance) openForm() {
	if in.number("FPDF_GetFormType", in.doc) == 0 {
		return
	}
	info := make([]byte, formInfoSize)
	info[0] = formInfoNoXFA
	in.form = uint64(uint32(in.call("FPDFDOC_InitFormFillEnvironment", in.doc, in.put(info))))
}

// fields returns what was filled into the form on a page, and text written over it.
func (in *instance) fields(page uint64) []field {
	var out []field
	for i := range min(in.number("FPDFPage_GetAnnotCount", page), maxAnnotations) {
		annotation := uint64(uint32(in.call("FPDFPage_GetAnnot", page, uint64(i))))
		if annotation == 0 {
			continue
		}
		var f field
		switch in.number("FPDFAnnot_GetSubtype", annotation) {
		case annotationText:
			f.text = in.text16("FPDFAnnot_GetStringValue", annotation, in.contentsKey)
		case annotationWidget:
			f = in.field(annotation)
		}
		if strings.TrimSpace(f.text) != "" && in.number("FPDFAnnot_GetFlags", annotation)&flagsUnseen == 0 && in.number("FPDFAnnot_GetRect", annotation, in.scratch) != 0 {
			f.box = in.rect()
			out = append(out, f)
		}
		in.call("FPDFPage_CloseAnnot", annotation)
	}
	return out
}

func (in *instance) field(annotation uint64) field {
	if in.form == 0 {
		return field{}
	}
	var f field
	switch in.number("FPDFAnnot_GetFormFieldType", in.form, annotation) {
	case fieldCheck, fieldRadio:
		state := in.text16("FPDFAnnot_GetStringValue", annotation, in.stateKey)
		if state == "" {
			state = in.text16("FPDFAnnot_GetFormFieldValue", in.form, annotation)
		}
		f.tick, f.text = true, mark(state != "" && state != "Off")
	case fieldText:
		if in.number("FPDFAnnot_GetFormFieldFlags", in.form, annotation)&flagPassword != 0 {
			return field{}
		}
		f.text = in.text16("FPDFAnnot_GetFormFieldValue", in.form, annotation)
	case fieldCombo, fieldList:
		var chosen []string
		for i := range min(in.number("FPDFAnnot_GetOptionCount", in.form, annotation), maxListEntries) {
			if in.number("FPDFAnnot_IsOptionSelected", in.form, annotation, uint64(i)) != 0 {
				chosen = append(chosen, in.text16("FPDFAnnot_GetOptionLabel", in.form, annotation, uint64(i)))
			}
		}
		if f.text = strings.Join(chosen, ", "); f.text == "" { // written by hand
			f.text = in.text16("FPDFAnnot_GetFormFieldValue", in.form, annotation)
		}
	default:
		return field{}
	}
	if f.text != "" {
		if f.label = in.text16("FPDFAnnot_GetFormFieldAlternateName", in.form, annotation); f.label == "" {
			f.label = fieldLabel(in.text16("FPDFAnnot_GetFormFieldName", in.form, annotation))
		}
	}
	return f
}
