package bert

import (
	"fmt"
	"math"
	"strings"
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
	inside bool // the text has begun
	best   []step
	bytes  []byte
	spans  []int32
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

// newTokenizer reads the keys tokenizer.ggml.* of f.
func newTokenizer(f *file) (*Tokenizer, error) {
	const prefix = "tokenizer.ggml."
	n, tokens, err := f.strings(prefix + "tokens")
	if err != nil {
		return nil, err
	}
	if n == 0 || n > math.MaxInt32 {
		return nil, fmt.Errorf("%w: a vocabulary of %d tokens", errFormat, n)
	}
	scores, err := f.array(prefix+"scores", typeFloat32)
	if err != nil {
		return nil, err
	}
	kinds, err := f.array(prefix+"token_type", typeInt32, typeUint32)
	if err != nil {
		return nil, err
	}
	if scores.array && scores.count != n || kinds.array && kinds.count != n {
		return nil, fmt.Errorf("%w: %d tokens, %d scores, %d token types", errFormat, n, scores.count, kinds.count)
	}
	v := &vocabulary{count: n, tokens: tokens, scores: scores.data, kinds: kinds.data}
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
		t.split = newWordPiece(v, t.unk)
		return t, nil
	}
	charsmapBytes, err := f.array(prefix+"precompiled_charsmap", typeUint8, typeInt8)
	if err != nil {
		return nil, err
	}
	m, err := parseCharsmap(charsmapBytes.data)
	if err != nil {
		return nil, err
	}
	if !scores.array {
		return nil, fmt.Errorf("%w: a Unigram vocabulary without scores", errFormat)
	}
	t.split = newUnigram(v, m, t.unk)
	return t, nil
}

func firstError(a, b error) error {
	if a != nil {
		return a
	}
	return b
}

// A vocabulary is the table of tokens as the file has it.
type vocabulary struct {
	count  int
	tokens func(yield func(int, string) bool)
	scores string // float32 each, may be empty
	kinds  string // int32 each, may be empty
}

func (v *vocabulary) kind(i int) uint32 {
	if v.kinds == "" {
		return kindNormal
	}
	return le32(v.kinds[4*i:])
}

func (v *vocabulary) score(i int) float32 {
	if v.scores == "" {
		return 0
	}
	return math.Float32frombits(le32(v.scores[4*i:]))
}

// special finds the id of a token by its name, -1 if there is none.
func (v *vocabulary) special(name string) int32 {
	for i, s := range v.tokens {
		if s == name {
			return int32(i)
		}
	}
	return -1
}

// text tells whether token i can stand for text: control, unknown and unused
// tokens cannot.
func (v *vocabulary) text(i int, s string) bool {
	switch v.kind(i) {
	case kindNormal, kindUserDefined:
		return s != ""
	}
	return false
}

// bracketed tells whether s is written as BERT writes its special tokens.
func bracketed(s string) bool {
	return len(s) > 2 && strings.HasPrefix(s, "[") && strings.HasSuffix(s, "]")
}
