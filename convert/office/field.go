package office

import (
	"strings"

	"github.com/minirag/minirag/internal/ooxml"
)

// A field is a complex field: an instruction, then its last result.
type field struct {
	instr  strings.Builder
	result bool // the result has begun
	parsed parsedField
}

type parsedField struct {
	link string
	drop bool // the result is a page number
}

// A fieldStack follows the fields that are open. They nest, and may go over paragraphs.
type fieldStack struct{ open []*field }

// maxFields bounds the nesting that a document can ask for.
const maxFields = 50

func (s *fieldStack) char(typ string) {
	n := len(s.open)
	switch {
	case typ == "begin" && n < maxFields:
		s.open = append(s.open, &field{})
	case typ == "separate" && n > 0:
		f := s.open[n-1]
		f.result, f.parsed = true, parseField(f.instr.String())
	case typ == "end" && n > 0:
		s.open = s.open[:n-1]
	}
}

func (s *fieldStack) instruction(text string) {
	if n := len(s.open); n > 0 && !s.open[n-1].result {
		s.open[n-1].instr.WriteString(text)
	}
}

// hidden reports whether text is an instruction or a result that is not for reading.
func (s *fieldStack) hidden() bool {
	for _, f := range s.open {
		if !f.result || f.parsed.drop {
			return true
		}
	}
	return false
}

func (s *fieldStack) link() string {
	for i := len(s.open) - 1; i >= 0; i-- {
		if f := s.open[i]; f.result && f.parsed.link != "" {
			return f.parsed.link
		}
	}
	return ""
}

// endParagraph closes fields that hide text, so that a field without an end cannot swallow the document.
func (s *fieldStack) endParagraph() {
	kept := s.open[:0]
	for _, f := range s.open {
		if f.result && !f.parsed.drop {
			kept = append(kept, f)
		}
	}
	s.open = kept
}

func parseField(instr string) parsedField {
	words := fieldWords(instr)
	if len(words) == 0 {
		return parsedField{}
	}
	switch strings.ToUpper(words[0]) {
	case "PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF":
		return parsedField{drop: true}
	case "HYPERLINK":
		if len(words) < 2 || strings.HasPrefix(words[1], `\`) {
			return parsedField{}
		}
		link := words[1]
		for i, w := range words[2:] {
			if w == `\l` && i+3 < len(words) && !strings.Contains(link, "#") {
				link += "#" + words[i+3]
			}
		}
		return parsedField{link: link}
	}
	return parsedField{}
}

// fieldWords splits an instruction at spaces that are not in quotation marks.
func fieldWords(instr string) []string {
	var words []string
	var word strings.Builder
	quoted, begun := false, false
	for _, c := range instr {
		switch {
		case c == '"' || c == '“' || c == '”':
			quoted, begun = !quoted, true
		case !quoted && (c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\u00a0'):
			if begun {
				words = append(words, word.String())
			}
			word.Reset()
			begun = false
		default:
			word.WriteRune(c)
			begun = true
		}
	}
	if begun {
		words = append(words, word.String())
	}
	return words
}

// checkBox returns the box that a form field shows when it is one to tick.
func checkBox(char *ooxml.Node) string {
	box := char.Child("w:ffData").Child("w:checkBox")
	if box == nil {
		return ""
	}
	state := "w:default"
	if box.Child("w:checked") != nil {
		state = "w:checked"
	}
	if box.Flag(state) {
		return "☒"
	}
	return "☐"
}
