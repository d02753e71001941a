package bert

import (
	"strings"
	"unicode"
	"unicode/utf8"

	"golang.org/x/text/unicode/norm"
)

// maxWordRunes: longer words are unknown as a whole (max_input_chars_per_word
// of Hugging Face's BERT tokenizer).
const maxWordRunes = 100

// wordPiece is BERT's tokenizer: text is cleaned, split at spaces,
// punctuation and ideographs, and each word is taken apart by its longest
// known prefixes (Devlin et al. 2018, arXiv:1810.04805, and the code with it).
type wordPiece struct {
	trie  trie
	unk   int32
	rules WordPieceRules
}

// newWordPiece builds the tables. llama.cpp writes a piece that begins a word
// with U+2581 before it and drops BERT's "##" from the others; the plain form
// is taken too. The trie holds the first form of both.
func newWordPiece(v *vocabulary, unk int32) (*wordPiece, error) {
	marked, hashed, upper := 0, 0, false
	for i, s := range v.tokens {
		if !v.text(i, s) || bracketed(s) {
			continue
		}
		switch {
		case strings.HasPrefix(s, string(metaspace)):
			marked++
		case strings.HasPrefix(s, "##"):
			hashed++
		}
		// Some capitals, such as U+211D, have no other case.
		upper = upper || strings.ToLower(s) != s
	}
	phantom := marked > hashed
	pieces := make([]piece, 0, v.count)
	for i, s := range v.tokens {
		if !v.text(i, s) || bracketed(s) {
			continue
		}
		if !phantom {
			if rest, ok := strings.CutPrefix(s, "##"); ok && rest != "" {
				s = rest
			} else {
				s = string(metaspace) + s
			}
		}
		pieces = append(pieces, piece{s, int32(i)})
	}
	t, err := buildTrie(pieces)
	if err != nil {
		return nil, err
	}
	// No key of llama.cpp says whether case matters: a vocabulary with no
	// capital in it can only be meant for lower-case text.
	return &wordPiece{trie: t, unk: unk, rules: WordPieceRules{
		Clean: true, Ideographs: true, Lower: !upper, Strip: !upper, MaxWordRunes: maxWordRunes,
	}}, nil
}

func (w *wordPiece) split(sc *scratch, text string) {
	text = strings.ToValidUTF8(text, "\ufffd")
	sc.word = sc.word[:0]
	if w.rules.Strip && !ascii(text) {
		// Only the cleaned text is decomposed, so that what the cleaning takes
		// away cannot keep a mark from its letter.
		text = strings.Map(func(r rune) rune {
			if w.rules.Clean && dropped(r) {
				return -1
			}
			return r
		}, text)
		sc.bytes = norm.NFD.AppendString(sc.bytes[:0], text)
		for rest := sc.bytes; len(rest) > 0; {
			r, size := utf8.DecodeRune(rest)
			rest = rest[size:]
			if !unicode.Is(unicode.Mn, r) {
				w.put(sc, w.folded(r))
			}
		}
	} else {
		for _, r := range text {
			w.put(sc, w.folded(r))
			if r == 'İ' && w.rules.Lower { // the one letter whose lower case is two
				w.put(sc, '\u0307')
			}
		}
	}
	w.flush(sc)
}

// folded is r in the case that the vocabulary has.
func (w *wordPiece) folded(r rune) rune {
	switch {
	case !w.rules.Lower:
		return r
	case r < utf8.RuneSelf:
		if 'A' <= r && r <= 'Z' {
			r += 'a' - 'A'
		}
		return r
	}
	return unicode.ToLower(r)
}

func ascii(s string) bool {
	for i := range len(s) {
		if s[i] >= utf8.RuneSelf {
			return false
		}
	}
	return true
}

// dropped tells whether cleaning removes r: it is not a space, and no
// character that shows or joins.
func dropped(r rune) bool {
	switch r {
	case '\t', '\n', '\r':
		return false
	case 0, utf8.RuneError:
		return true
	}
	if r < utf8.RuneSelf {
		return r < ' ' || r == 0x7f
	}
	return unicode.In(r, unicode.Cc, unicode.Cf, unicode.Co, unicode.Cs) || !assigned(r)
}

// assigned tells whether Unicode gives r a meaning.
func assigned(r rune) bool {
	return unicode.In(r, unicode.L, unicode.M, unicode.N, unicode.P, unicode.S, unicode.Z)
}

// put takes the next character of cleaned text.
func (w *wordPiece) put(sc *scratch, r rune) {
	switch {
	case w.rules.Clean && dropped(r): // before spaces, as some controls count as both
	case unicode.IsSpace(r):
		w.flush(sc)
	case punctuation(r) || w.rules.Ideographs && ideograph(r):
		w.flush(sc)
		sc.word = append(sc.word, r)
		w.flush(sc)
	case len(sc.word) <= w.rules.MaxWordRunes: // one more tells that it is too long
		sc.word = append(sc.word, r)
	}
}

// punctuation is BERT's: all visible ASCII that is no letter or digit, and
// the categories P of Unicode.
func punctuation(r rune) bool {
	if r < utf8.RuneSelf {
		return '!' <= r && r <= '/' || ':' <= r && r <= '@' || '[' <= r && r <= '`' || '{' <= r && r <= '~'
	}
	return unicode.IsPunct(r)
}

// ideograph tells whether r is in the blocks that BERT splits by character.
func ideograph(r rune) bool {
	switch {
	case r < 0x3400:
		return false
	case r <= 0x4dbf, 0x4e00 <= r && r <= 0x9fff, 0xf900 <= r && r <= 0xfaff:
		return true
	}
	return 0x20000 <= r && r <= 0x2a6df || 0x2a700 <= r && r <= 0x2ceaf || 0x2f800 <= r && r <= 0x2fa1f
}

// flush takes the word in sc.word apart and empties it.
func (w *wordPiece) flush(sc *scratch) {
	word := sc.word
	sc.word = word[:0]
	if len(word) == 0 {
		return
	}
	if len(word) > w.rules.MaxWordRunes {
		sc.add(w.unk)
		return
	}
	sc.spans = sc.spans[:0]
	for at := 0; at < len(word); {
		node := w.trie.root()
		if at > 0 && word[at] == metaspace {
			// It would look like the beginning of a word.
			sc.add(w.unk)
			return
		}
		if at == 0 {
			if node = w.trie.stepRune(node, metaspace); node == 0 {
				sc.add(w.unk)
				return
			}
		}
		id, end := int32(-1), at
		for i := at; i < len(word); i++ {
			if node = w.trie.stepRune(node, word[i]); node == 0 {
				break
			}
			if found := w.trie.id(node); found >= 0 {
				id, end = found, i+1
			}
		}
		if id < 0 {
			sc.add(w.unk)
			return
		}
		sc.spans = append(sc.spans, id)
		at = end
	}
	for _, id := range sc.spans {
		sc.add(id)
	}
}
