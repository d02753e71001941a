package office

import (
	"regexp"
	"strconv"
	"strings"

	"github.com/minirag/minirag/internal/ooxml"
)

// A style is what a paragraph style says about structure.
type style struct {
	name    string
	basedOn string
	outline int // 1 to 9, or 0
	numID   string
	level   string
	code    bool
}

type styles map[string]*style

// headingName matches the names that Word's own heading styles have in the
// languages it comes in; Word keeps the English name in the file, other programs do not.
var headingName = regexp.MustCompile(`(?i)^(?:heading|überschrift|titre|título|titolo|заголовок|nagłówek|kop|rubrik|overskrift|otsikko|nadpis|címsor|titlu|başlık|titre|encabezado|cabeçalho|επικεφαλίδα|כותרת|عنوان|제목|見出し|标题|標題)\s*([1-9])(?:\s+(?:char|знак))?$`)

var codeName = regexp.MustCompile(`(?i)^(?:source ?code|html preformatted|preformatted text|code|code block|listing|verbatim|macro text)$`)

func readStyles(p *ooxml.Package, part string) (styles, error) {
	s := styles{}
	if part == "" || !p.Has(part) {
		return s, nil
	}
	root, err := p.Tree(part)
	if err != nil {
		return nil, err
	}
	for _, n := range root.Children {
		if n.Name != "w:style" || n.Attr("w:type") != "paragraph" {
			continue
		}
		st := &style{name: n.Val("w:name"), basedOn: n.Val("w:basedOn")}
		ppr := n.Child("w:pPr")
		st.outline = outlineOf(ppr)
		if m := headingName.FindStringSubmatch(st.name); m != nil {
			st.outline = int(m[1][0] - '0')
		} else if strings.EqualFold(st.name, "title") {
			st.outline = 1
		}
		st.code = codeName.MatchString(st.name)
		if num := ppr.Child("w:numPr"); num != nil {
			st.numID, st.level = num.Val("w:numId"), num.Val("w:ilvl")
		}
		s[n.Attr("w:styleId")] = st
	}
	return s, nil
}

// outlineOf returns 1 to 9, 0 for none and -1 for what is explicitly body text.
func outlineOf(ppr *ooxml.Node) int {
	v := ppr.Val("w:outlineLvl")
	if v == "" {
		return 0
	}
	n, err := strconv.Atoi(v)
	if err != nil || n < 0 || n > 8 {
		return -1
	}
	return n + 1
}

// resolved returns style id with what it inherits. The chain is bounded since styles may be based on each other in a circle.
func (s styles) resolved(id string) style {
	var out style
	if st := s[id]; st != nil {
		out.name = st.name
	} else if m := headingName.FindStringSubmatch(id); m != nil {
		out.outline = int(m[1][0] - '0') // a style that is used but not defined
	}
	for range 20 {
		st := s[id]
		if st == nil {
			break
		}
		if out.outline == 0 {
			out.outline = st.outline
		}
		if out.numID == "" {
			out.numID = st.numID
			out.level = st.level
		}
		out.code = out.code || st.code
		id = st.basedOn
	}
	return out
}
