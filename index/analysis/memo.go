package analysis

import "strings"

const (
	// memoWords bounds the words that a [Memo] keeps, memoBytes their length: a
	// text of a language has few thousand different ones.
	memoWords = 1 << 16
	memoBytes = 48
)

// A Memo gives the terms of many texts faster, as it remembers the words that
// it met: up to 65,536, about 15 MB. Its zero value is ready. It is used by one
// goroutine at a time.
type Memo struct {
	words map[string][]Token
}

// Append is the function [Append].
func (m *Memo) Append(dst []Token, text string) []Token {
	s := scanner{out: dst, memo: m}
	s.scan(normalise(text))
	return s.out
}

// word is scanner.word by way of the memo. Words are cut from a text in the same
// way wherever they stand, so that their tokens differ in the position only.
func (m *Memo) word(s *scanner, text string) {
	if len(text) > memoBytes {
		s.word(text)
		return
	}
	if known, ok := m.words[text]; ok {
		for _, t := range known {
			s.emit(t.Term, t.Kind)
		}
		if len(known) > 0 {
			s.pos++
		}
		return
	}
	first := len(s.out)
	// The copy keeps the whole text from staying in memory.
	text = strings.Clone(text)
	s.word(text)
	if m.words == nil || len(m.words) >= memoWords {
		m.words = make(map[string][]Token)
	}
	m.words[text] = append([]Token(nil), s.out[first:]...)
}
