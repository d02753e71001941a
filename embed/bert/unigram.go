package bert

import (
	"math"
	"unicode/utf8"
)

const (
	// metaspace stands for a space, at the beginning of a word.
	metaspace = '\u2581'
	// unknownPenalty is what an unknown character costs beyond the lowest
	// score of the vocabulary (kUnkPenalty in sentencepiece).
	unknownPenalty = 10
	// maxWord bounds the memory of one call: a longer run of characters
	// without a space, which no model could take, is split there as well.
	maxWord = 1 << 16
)

// unigram splits words by the best sum of piece scores (Kudo 2018,
// arXiv:1804.10959), as Hugging Face's tokenizers does with the Metaspace
// pre-tokenizer: a word begins with each space, and pieces do not cross words.
type unigram struct {
	trie     *trie
	charsmap *charsmap
	unk      int32
	unkScore float64
}

// step is the best way to a position in a word: over the piece id that began
// at from.
type step struct {
	score float64
	from  int32
	id    int32
}

func newUnigram(v *vocabulary, m *charsmap, unk int32) *unigram {
	lowest := math.Inf(1)
	t := buildTrie(v.count, func(yield func(piece) bool) {
		for i, s := range v.tokens {
			if !v.text(i, s) {
				continue
			}
			score := v.score(i)
			if score != score {
				continue // a score that is not a number orders nothing
			}
			lowest = min(lowest, float64(score))
			if !yield(piece{s, int32(i), score}) {
				return
			}
		}
	})
	if math.IsInf(lowest, 0) {
		lowest = 0
	}
	return &unigram{trie: t, charsmap: m, unk: unk, unkScore: lowest - unknownPenalty}
}

func (u *unigram) split(sc *scratch, text string) {
	sc.word, sc.inside = sc.word[:0], false
	space := false // the last character was a space
	for len(text) > 0 {
		// Most text is printable ASCII between other ASCII.
		if c := text[0]; c < utf8.RuneSelf && (len(text) == 1 || text[1] < utf8.RuneSelf) &&
			c != '\r' && u.charsmap.single[c>>6]&(1<<(c&63)) == 0 {
			space = u.put(sc, rune(c), space)
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
	u.flush(sc)
}

// put takes the next normalised character; it returns whether it was a space.
func (u *unigram) put(sc *scratch, r rune, afterSpace bool) bool {
	switch r {
	case ' ':
		if afterSpace {
			return true
		}
		u.flush(sc)
		sc.word, sc.inside = append(sc.word, metaspace), true
		return true
	case metaspace:
		u.flush(sc)
	default:
		if !sc.inside { // the beginning of the text
			sc.word = append(sc.word, metaspace)
		} else if len(sc.word) >= maxWord {
			u.flush(sc)
		}
	}
	sc.word, sc.inside = append(sc.word, r), true
	return false
}

// flush splits the word in sc.word and empties it.
func (u *unigram) flush(sc *scratch) {
	word := sc.word
	n := len(word)
	if n == 0 {
		return
	}
	if cap(sc.best) < n+1 {
		sc.best = make([]step, n+1, 2*(n+1))
	}
	best := sc.best[:n+1]
	for i := range best {
		best[i].from = -1
	}
	best[0].score = 0
	for start, r := range word {
		here, single := best[start].score, false
		node := u.trie.first(r)
		for end := start + 1; node != noNode; end++ {
			if s := &u.trie.slots[node]; s.id >= 0 {
				to := &best[end]
				if score := here + float64(s.score); to.from < 0 || score > to.score {
					*to = step{score, int32(start), s.id}
				}
				single = single || end == start+1
			}
			if end == n {
				break
			}
			node = u.trie.step(node, word[end])
		}
		if !single {
			to := &best[start+1]
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
	for i := len(sc.spans) - 1; i >= 0; i-- {
		sc.add(sc.spans[i])
	}
	sc.word = word[:0]
}
