package eval

import (
	"strings"
	"unicode/utf8"

	"github.com/minirag/minirag"
)

// Passages says how often the first hits hold the answer, over the questions
// whose [Span] is known.
type Passages struct {
	Questions int `json:"questions"`
	// Paragraph1: the first hit overlaps the paragraph of the answer.
	Paragraph1 float64 `json:"paragraph1"`
	// Answer1 and Answer5: such a hit among the first 1 and 5 holds the
	// answer itself.
	Answer1 float64 `json:"answer1"`
	Answer5 float64 `json:"answer5"`
	// Section3: the answer stands in the section of one of the first 3 hits,
	// in the right document.
	Section3 float64 `json:"section3"`
}

const (
	shingle     = 30 // characters of a paragraph by which it is known again
	shingleStep = 12
)

// passages judges the hits of one question.
func passages(hits []minirag.Hit, span *Span, text string, doc func(*minirag.Source) string) Passages {
	paragraph := spaced(cut(text, span.Start, span.End))
	answers := make([]string, len(span.Answers))
	for i, a := range span.Answers {
		answers[i] = spaced(a)
	}
	var p Passages
	for i, h := range hits[:min(len(hits), 5)] {
		if doc(h.Source) != span.Document {
			continue
		}
		in := spaced(h.Text)
		if overlaps(in, paragraph) {
			if i == 0 {
				p.Paragraph1 = 1
			}
			if containsAny(in, answers) {
				p.Answer5 = 1
				if i == 0 {
					p.Answer1 = 1
				}
			}
		}
		if i < 3 {
			if s := spaced(h.Section.Text); overlaps(s, paragraph) && containsAny(s, answers) {
				p.Section3 = 1
			}
		}
	}
	return p
}

func (p *Passages) add(t Passages) {
	p.Questions++
	p.Paragraph1 += t.Paragraph1
	p.Answer1 += t.Answer1
	p.Answer5 += t.Answer5
	p.Section3 += t.Section3
}

func (p *Passages) mean() {
	n := float64(p.Questions)
	p.Paragraph1 /= n
	p.Answer1 /= n
	p.Answer5 /= n
	p.Section3 /= n
}

func spaced(text string) string { return strings.Join(strings.Fields(text), " ") }

// cut returns the characters from start to end.
func cut(text string, start, end int) string {
	i, n := 0, 0
	for ; n < start && i < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	from := i
	for ; n < end && i < len(text); n++ {
		_, size := utf8.DecodeRuneInString(text[i:])
		i += size
	}
	return text[from:i]
}

// overlaps reports whether text holds a piece of the paragraph.
func overlaps(text, paragraph string) bool {
	runes := []rune(paragraph)
	for i := 0; i == 0 || i+shingle < len(runes); i += shingleStep {
		if strings.Contains(text, string(runes[i:min(i+shingle, len(runes))])) {
			return true
		}
	}
	return false
}

func containsAny(text string, parts []string) bool {
	for _, p := range parts {
		if strings.Contains(text, p) {
			return true
		}
	}
	return false
}
