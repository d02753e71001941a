package bert

import (
	"math"
	"strings"
	"unicode"
	"unicode/utf8"
)

const (
	// metaspace stands for a space, at the beginning of a word.
	metaspace = '\u2581'
	// unknownPenalty is what an unknown character costs beyond the lowest
	// score of the vocabulary (kUnkPenalty in sentencepiece).
	unknownPenalty = 10
	// maxWord bounds the memory of one call: a longer run of bytes without a
	// space, which no model could take, is split there as well.
	maxWord = 1 << 16
)

// unigram splits words by the best sum of piece scores (Kudo 2018,
// arXiv:1804.10959), as Hugging Face's tokenizers does with the Metaspace
// pre-tokenizer: a word begins with each space, and pieces do not cross words.
type unigram struct {
	trie     trie
	scores   string // float32 of each id
	charsmap *charsmap
	unk      int32
	unkScore float64
	rules    UnigramRules
}

// step is the best way to a position in a word: over the piece id that began
// at from.
type step struct {
	score float64
	from  int32
	id    int32
}

func (u *unigram) split(sc *scratch, text string) {
	if u.rules.Trim {
		text = strings.TrimRightFunc(text, unicode.IsSpace)
	}
	sc.bytes, sc.inside = sc.bytes[:0], false
	space := false // the last character was a space
	for len(text) > 0 {
		// Most text is printable ASCII between other ASCII.
		if c := text[0]; c < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) &&
			c != '\r' && u.charsmap.single[c>>6]&(1<<(c&63)) == 0 {
			if c > ' ' && sc.inside && len(sc.bytes) < maxWord {
				sc.bytes, space = append(sc.bytes, c), false
			} else {
				space = u.put(sc, rune(c), space)
			}
			text = text[1:]
			continue
		}
		r, repl, mapped, size := u.charsmap.next(text)
		text = text[size:]
		if !mapped {
			space = u.put(sc, r, space)
			continue
		}
		for _, r := range repl {
			space = u.put(sc, r, space)
		}
	}
	if space && u.rules.Trim {
		sc.bytes = sc.bytes[:0]
	}
	u.flush(sc)
}

// put takes the next normalised character; it returns whether it was a space.
func (u *unigram) put(sc *scratch, r rune, afterSpace bool) bool {
	if u.rules.Words && unicode.IsSpace(r) {
		u.flush(sc)
		sc.inside = false
		return false
	}
	switch r {
	case ' ':
		if afterSpace && u.rules.Collapse {
			return true
		}
		u.flush(sc)
		sc.bytes, sc.inside = utf8.AppendRune(sc.bytes, metaspace), true
		return true
	case metaspace:
		u.flush(sc)
	default:
		if !sc.inside { // the beginning of the text
			sc.bytes = utf8.AppendRune(sc.bytes, metaspace)
		} else if len(sc.bytes) >= maxWord {
			u.flush(sc)
		}
	}
	sc.bytes, sc.inside = utf8.AppendRune(sc.bytes, r), true
	return false
}

// flush splits the word in sc.bytes and empties it. A word that came not long
// ago is only looked up: most words of a text do, and a lookup waits for memory
// once rather than for every step.
func (u *unigram) flush(sc *scratch) {
	word := sc.bytes
	if len(word) == 0 {
		return
	}
	sc.bytes = word[:0]
	if len(word) > len(splitWord{}.text) {
		u.splitWord(sc, word)
	} else {
		if sc.recent == nil {
			sc.recent = make([]splitWord, 1<<recentBits)
		}
		at := &sc.recent[recentHash(word)]
		if int(at.size) != len(word) || string(at.text[:at.size]) != string(word) {
			u.splitWord(sc, word)
			if len(sc.spans) <= len(at.ids) {
				at.size, at.count = uint8(copy(at.text[:], word)), uint8(copy(at.ids[:], sc.spans))
			}
		} else {
			sc.spans = append(sc.spans[:0], at.ids[:at.count]...)
		}
	}
	sc.count += len(sc.spans)
	if sc.emit {
		for i := len(sc.spans) - 1; i >= 0; i-- {
			sc.ids = append(sc.ids, sc.spans[i])
		}
	}
}

// A splitWord is a word with its pieces, last first, in one cache line.
type splitWord struct {
	ids         [8]int32
	size, count uint8
	text        [30]byte
}

// recentBits gives the number of words that are kept: 128 KB of them.
const recentBits = 11

// recentHash is the place of a word (FNV-1a, its high bits by multiplication).
func recentHash(word []byte) uint32 {
	h := uint32(2166136261)
	for _, c := range word {
		h = (h ^ uint32(c)) * 16777619
	}
	return h * 0x9e3779b9 >> (32 - recentBits)
}

// splitWord sets sc.spans to the pieces of word, last first.
func (u *unigram) splitWord(sc *scratch, word []byte) {
	n := len(word)
	if cap(sc.best) < n+1 {
		sc.best = make([]step, n+1, 2*(n+1))
	}
	best := sc.best[:n+1]
	for i := range best {
		best[i].from = -1
	}
	best[0].score = 0
	root := u.trie.root()
	for start, size := 0, 0; start < n; start += size {
		size = runeLen(word[start])
		here, single := best[start].score, false
		at := root
		for end := start; end < n; {
			if at = u.trie.step(at, word[end]); at == 0 {
				break
			}
			end++
			// A prepared table is not trusted to hold ids of this vocabulary.
			if id := u.trie.id(at); id >= 0 && 4*int(id) < len(u.scores) {
				to := &best[end]
				score := here + float64(math.Float32frombits(le32(u.scores[4*int(id):])))
				if to.from < 0 || score > to.score {
					*to = step{score, int32(start), id}
				}
				single = single || end == start+size
			}
		}
		if !single {
			to := &best[start+size]
			if score := here + u.unkScore; to.from < 0 || score > to.score {
				*to = step{score, int32(start), u.unk}
			}
		}
	}
	// Walk back over the best path; neighbouring unknown characters are one.
	sc.spans = sc.spans[:0]
	for at := n; at > 0; at = int(best[at].from) {
		id := best[at].id
		if id == u.unk && len(sc.spans) > 0 && sc.spans[len(sc.spans)-1] == u.unk {
			continue
		}
		sc.spans = append(sc.spans, id)
	}
}

// runeLen is the length of a character of UTF-8 by its first byte.
func runeLen(c byte) int {
	switch {
	case c < utf8.RuneSelf:
		return 1
	case c < 0xe0:
		return 2
	case c < 0xf0:
		return 3
	}
	return 4
}
