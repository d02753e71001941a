package bert

import (
	"fmt"
	"math"
	"sync"
)

// The kinds of tokens in tokenizer.ggml.token_type that stand for text; the
// others are unknown (2), control (3), unused (5) and byte (6).
const (
	kindNormal      = 1
	kindUserDefined = 4
)

// A Tokenizer turns text into the ids of a model's vocabulary. Text is only
// text: the names of special tokens in it are split like other words. It is
// safe for concurrent use.
type Tokenizer struct {
	bos, eos, unk int32
	size          int
	split         splitter
	pool          sync.Pool // of *scratch
}

// A splitter finds the pieces of a text, without special tokens. With sc.emit
// unset it counts only.
type splitter interface {
	split(sc *scratch, text string)
}

// scratch is the working memory of one call.
type scratch struct {
	ids   []int32
	count int
	emit  bool

	word   []rune
	bytes  []byte
	inside bool // the text has begun
	best   []step
	spans  []int32
	recent []splitWord
}

// add takes the next piece of the text.
func (sc *scratch) add(id int32) {
	sc.count++
	if sc.emit {
		sc.ids = append(sc.ids, id)
	}
}

// keepBytes is the largest buffer that is kept for later calls.
const keepBytes = 1 << 20

func (t *Tokenizer) run(dst []int32, text string, emit bool) ([]int32, int) {
	sc, _ := t.pool.Get().(*scratch)
	if sc == nil {
		sc = &scratch{}
	}
	sc.ids, sc.count, sc.emit = dst, 0, emit
	if t.bos >= 0 {
		sc.add(t.bos)
	}
	t.split.split(sc, text)
	if t.eos >= 0 {
		sc.add(t.eos)
	}
	ids, n := sc.ids, sc.count
	sc.ids = nil
	if cap(sc.bytes) > keepBytes {
		sc.bytes = nil
	}
	t.pool.Put(sc)
	return ids, n
}

// Encode appends the ids of text to dst, with the special tokens that the
// model wants around a text, and returns the extended slice.
func (t *Tokenizer) Encode(dst []int32, text string) []int32 {
	ids, _ := t.run(dst, text, true)
	return ids
}

// Count returns the number of ids that Encode would append.
func (t *Tokenizer) Count(text string) int {
	_, n := t.run(nil, text, false)
	return n
}

// Size returns the number of ids, all of which lie in [0, Size).
func (t *Tokenizer) Size() int { return t.size }

// readVocabulary reads the tokens of f.
func readVocabulary(f *file) (*vocabulary, error) {
	n, tokens, err := f.strings(tokenizerPrefix + "tokens")
	if err != nil {
		return nil, err
	}
	if n == 0 || n > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a vocabulary of %d tokens", errFormat, n)
	}
	scores, err := f.array(tokenizerPrefix+"scores", typeFloat32)
	if err != nil {
		return nil, err
	}
	kinds, err := f.array(tokenizerPrefix+"token_type", typeInt32, typeUint32)
	if err != nil {
		return nil, err
	}
	if scores.array && scores.count != n || kinds.array && kinds.count != n {
		return nil, fmt.Errorf("%w: %d tokens, %d scores, %d token types", errFormat, n, scores.count, kinds.count)
	}
	return &vocabulary{count: n, data: f.meta[tokenizerPrefix+"tokens"].data, tokens: tokens, scores: scores.data, kinds: kinds.data}, nil
}

const tokenizerPrefix = "tokenizer.ggml."

// newTokenizer reads the keys tokenizer.ggml.* of f; prepared may hold the
// table of the vocabulary.
func newTokenizer(f *file, prepared string) (*Tokenizer, error) {
	const prefix = tokenizerPrefix
	v, err := readVocabulary(f)
	if err != nil {
		return nil, err
	}
	n := v.count
	t := &Tokenizer{size: n}
	wordPiece := false
	switch model := f.text(prefix + "model"); model {
	case "bert":
		wordPiece = true
	case "t5":
	default:
		return nil, fmt.Errorf("tokenizer %q is not supported; bert (WordPiece) and t5 (Unigram) are", model)
	}
	id := func(name string, keys ...string) int32 {
		for _, key := range keys {
			if k, e := f.optional(prefix+key, -1, 0, int64(n)-1); e != nil {
				err = e
			} else if k >= 0 {
				return int32(k)
			}
		}
		return v.special(name)
	}
	if wordPiece {
		t.unk = id("[UNK]", "unknown_token_id")
		t.bos = id("[CLS]", "cls_token_id", "bos_token_id")
		t.eos = id("[SEP]", "seperator_token_id", "separator_token_id", "eos_token_id")
	} else {
		t.unk = id("<unk>", "unknown_token_id")
		t.bos = id("<s>", "bos_token_id")
		t.eos = id("</s>", "eos_token_id")
	}
	if add, e := f.optional(prefix+"add_bos_token", 1, 0, 1); e != nil || add == 0 {
		t.bos, err = -1, firstError(err, e)
	}
	if add, e := f.optional(prefix+"add_eos_token", 1, 0, 1); e != nil || add == 0 {
		t.eos, err = -1, firstError(err, e)
	}
	if err != nil {
		return nil, err
	}
	if t.unk < 0 {
		return nil, fmt.Errorf("%w: the vocabulary has no unknown token", errFormat)
	}
	if wordPiece {
		t.split, err = newWordPiece(v, t.unk)
		return t, err
	}
	charsmapBytes, err := f.array(prefix+"precompiled_charsmap", typeUint8, typeInt8)
	if err != nil {
		return nil, err
	}
	m, err := parseCharsmap(charsmapBytes.data)
	if err != nil {
		return nil, err
	}
	if v.scores == "" {
		return nil, fmt.Errorf("%w: a Unigram vocabulary without scores", errFormat)
	}
	table, ok := v.parseTable(prepared)
	if !ok {
		if table, err = v.buildTable(); err != nil {
			return nil, err
		}
	}
	t.split = &unigram{
		trie: table.trie, scores: v.scores, charsmap: m,
		unk: t.unk, unkScore: float64(table.lowest) - unknownPenalty,
		rules: UnigramRules{Collapse: true},
	}
	return t, nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}
