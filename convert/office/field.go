package office

import "strings"

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
	words := strings.Fields(instr)
	if len(words) == 0 {
		return parsedField{}
	}
	switch strings.ToUpper(words[0]) {
	case "PAGE", "NUMPAGES", "SECTIONPAGES", "PAGEREF":
		return parsedField{drop: true}
	case "HYPERLINK":
		if len(words) > 1 && !strings.HasPrefix(words[1], `\`) {
			return parsedField{link: strings.Trim(words[1], `"`)}
		}
	}
	return parsedField{}
}
