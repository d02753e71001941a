//go:build lite

package pdf

import (
	"strings"

	"github.com/ledongthuc/pdf"
)

// Flags of annotations (ISO 32000-1, table 165) and of fields (tables 226 to 230).
const (
	flagsUnseen  = 1<<1 | 1<<5 // hidden, no view
	flagPassword = 1 << 13
	flagPush     = 1 << 16
	// maxFieldDepth bounds the parents of a field, which may run in circles.
	maxFieldDepth = 20
)

// annotations returns the links of a page to the web and what was filled into
// its form or written over it.
func (in *instance) annotations(page pdf.Value) (links []link, fields []field) {
	list := page.Key("Annots")
	for i := range min(list.Len(), maxAnnotations) {
		in.step()
		var lost error
		func() {
			defer in.catch(&lost)
			a := list.Index(i)
			box, ok := boxOf(a.Key("Rect"), 0)
			if !ok || a.Key("F").Int64()&flagsUnseen != 0 {
				return
			}
			f := field{box: box}
			switch a.Key("Subtype").Name() {
			case "Link":
				if l, ok := in.link(a, box); ok {
					links = append(links, l)
				}
			case "FreeText":
				f.text = textOf(a.Key("Contents"))
			case "Widget":
				f.label, f.text, f.tick = in.field(a)
			}
			if strings.TrimSpace(f.text) != "" {
				fields = append(fields, f)
			}
		}()
		if lost != nil && lost != errPage {
			panic(lost)
		}
	}
	return links, fields
}

func (in *instance) link(a pdf.Value, box rect) (link, bool) {
	action := a.Key("A")
	if action.Key("S").Name() != "URI" {
		return link{}, false
	}
	l := link{url: in.urls.number(action.Key("URI").RawString())}
	quads := a.Key("QuadPoints")
	for i := 0; i+8 <= min(quads.Len(), 8*64); i += 8 {
		a, ok1 := boxOf(quads, i)
		b, ok2 := boxOf(quads, i+4)
		if ok1 && ok2 {
			l.boxes = append(l.boxes, a.union(b))
		}
	}
	if len(l.boxes) == 0 {
		l.boxes = []rect{box}
	}
	return l, l.url > 0
}

// boxOf reads the box of the two corners in an array from index i on.
func boxOf(v pdf.Value, i int) (rect, bool) {
	if v.Len() < i+4 {
		return rect{}, false
	}
	x0, y0, x1, y1 := v.Index(i).Float64(), v.Index(i+1).Float64(), v.Index(i+2).Float64(), v.Index(i+3).Float64()
	r := rect{min(x0, x1), min(y0, y1), max(x0, x1), max(y0, y1)}
	return r, finite(r)
}

// field returns the label and the value of a widget, and whether it is a box to tick. Entries that it lacks are its field's.
func (in *instance) field(widget pdf.Value) (label, value string, tick bool) {
	get := func(key string) pdf.Value {
		v := widget
		for range maxFieldDepth {
			if got := v.Key(key); got.Kind() != pdf.Null {
				return got
			}
			if v = v.Key("Parent"); v.Kind() != pdf.Dict {
				break
			}
		}
		return pdf.Value{}
	}
	flags := get("Ff").Int64()
	switch get("FT").Name() {
	case "Btn":
		if flags&flagPush != 0 {
			return "", "", false
		}
		state := widget.Key("AS")
		if state.Kind() == pdf.Null {
			state = get("V")
		}
		tick, value = true, mark(state.Name() != "" && state.Name() != "Off")
	case "Tx":
		if flags&flagPassword == 0 {
			value = textOf(get("V"))
		}
	case "Ch":
		chosen := get("V")
		values := []string{textOf(chosen)}
		if chosen.Kind() == pdf.Array {
			values = values[:0]
			for i := range chosen.Len() {
				values = append(values, textOf(chosen.Index(i)))
			}
		}
		options := get("Opt")
		for i, v := range values {
			for k := range options.Len() {
				// An option is its text, or what is exported and its text.
				if o := options.Index(k); o.Kind() == pdf.Array && o.Len() > 1 && textOf(o.Index(0)) == v {
					values[i] = textOf(o.Index(1))
				}
			}
		}
		value = strings.Join(values, ", ")
	}
	if label = textOf(get("TU")); label == "" {
		label = fieldLabel(textOf(get("T")))
	}
	return label, value, tick
}

func textOf(v pdf.Value) string {
	if v.Kind() != pdf.String {
		return ""
	}
	return strings.ToValidUTF8(v.Text(), "\ufffd")
}
