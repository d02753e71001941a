// Package embedtest holds the contract of [embed.Embedder] as a test suite,
// [Run], and a small embedder without a model, [New], for the tests of
// packages that need vectors but not the quality of a real model.
//
// It imports the standard library and package embed only.
package embedtest

import (
	"context"
	"fmt"
	"hash/fnv"
	"math"
	"unicode"

	"github.com/minirag/minirag/embed"
)

// Options chooses the shape of the embedder that [New] makes. Nil and the
// zero value are the documented defaults.
type Options struct {
	// Dims is the length of a vector. If zero, 64.
	Dims int
	// MaxTokens is the longest text that Embed takes. If zero, 512; if
	// negative, there is no limit.
	MaxTokens int
}

// Embedder is a deterministic embedder without a model: the same text gets the
// same vector in every process. Texts that share words, or parts of words,
// have a higher cosine than texts that do not. It is safe for concurrent use.
type Embedder struct {
	dims, maxTokens int
}

var (
	_ embed.Embedder      = (*Embedder)(nil)
	_ embed.QueryEmbedder = (*Embedder)(nil)
	_ embed.TokenCounter  = (*Embedder)(nil)
)

// New returns an [Embedder] of the shape that opts asks for.
func New(opts *Options) *Embedder {
	e := &Embedder{dims: 64, maxTokens: 512}
	if opts == nil {
		return e
	}
	if opts.Dims > 0 {
		e.dims = opts.Dims
	}
	if opts.MaxTokens != 0 {
		e.maxTokens = max(opts.MaxTokens, 0)
	}
	return e
}

// Model implements [embed.Embedder].
func (e *Embedder) Model() embed.ModelInfo {
	return embed.ModelInfo{
		ID:        fmt.Sprintf("embedtest-v1-%d", e.dims),
		Dims:      e.dims,
		MaxTokens: e.maxTokens,
	}
}

// Embed implements [embed.Embedder].
func (e *Embedder) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for i, t := range texts {
		if n := e.CountTokens(t); e.maxTokens > 0 && n > e.maxTokens {
			return nil, &embed.TooLongError{Index: i, Tokens: n, Max: e.maxTokens}
		}
	}
	out := make([][]float32, len(texts))
	for i, t := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		out[i] = e.vector(t)
	}
	return out, nil
}

// EmbedQuery implements [embed.QueryEmbedder]: a query is embedded as a
// document is.
func (e *Embedder) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vecs, err := e.Embed(ctx, []string{text})
	if err != nil {
		return nil, err
	}
	return vecs[0], nil
}

// wordRunes is the number of runes of a word that count as one token.
const wordRunes = 6

// CountTokens implements [embed.TokenCounter]. A word counts one token for
// each six runes begun, an ideograph and any other visible rune one, and two
// stand for the special tokens around a text.
func (e *Embedder) CountTokens(text string) int {
	n, run := 2, 0
	for _, r := range text {
		switch {
		case inWord(r):
			if run%wordRunes == 0 {
				n++
			}
			run++
		default:
			run = 0
			if !unicode.IsSpace(r) {
				n++
			}
		}
	}
	return n
}

// inWord tells whether r continues a word; ideographs stand alone.
func inWord(r rune) bool {
	return (unicode.IsLetter(r) || unicode.IsDigit(r) || unicode.IsMark(r)) && !unicode.Is(unicode.Han, r)
}

// vector adds up hashed features: each word, each ideograph, and the trigrams
// of each word with its edges marked, so that forms of one word are near.
func (e *Embedder) vector(text string) []float32 {
	sum := make([]float64, e.dims)
	// A small constant feature keeps a text without words off zero.
	e.add(sum, "\x00", 0.05)
	var word []rune
	flush := func() {
		if len(word) == 0 {
			return
		}
		e.add(sum, string(word), 1)
		marked := append(append([]rune{'\x02'}, word...), '\x03')
		w := 1.5 / math.Sqrt(float64(len(marked)-2))
		for i := range len(marked) - 2 {
			e.add(sum, "\x01"+string(marked[i:i+3]), w)
		}
		word = word[:0]
	}
	for _, r := range text {
		switch {
		case inWord(r):
			word = append(word, fold(r))
		case unicode.Is(unicode.Han, r):
			flush()
			e.add(sum, string(r), 1)
		default:
			flush()
		}
	}
	flush()
	var norm float64
	for _, v := range sum {
		norm += v * v
	}
	if norm == 0 { // features that cancel out exactly
		sum[0], norm = 1, 1
	}
	out, inv := make([]float32, e.dims), 1/math.Sqrt(norm)
	for i, v := range sum {
		out[i] = float32(v * inv)
	}
	return out
}

// fold maps the cases of a letter, and the Russian yo, to one rune.
func fold(r rune) rune {
	if r = unicode.ToLower(r); r == 'ё' {
		return 'е'
	}
	return r
}

// add spreads a feature over eight signed positions, so that one collision in
// a short vector does not make two features the same.
func (e *Embedder) add(sum []float64, feature string, weight float64) {
	h := fnv.New64a()
	h.Write([]byte(feature))
	x := h.Sum64()
	for range 8 {
		// The splitmix64 step (Steele, Lea, Flood 2014) turns one hash into a stream.
		x += 0x9e3779b97f4a7c15
		z := x
		z = (z ^ z>>30) * 0xbf58476d1ce4e5b9
		z = (z ^ z>>27) * 0x94d049bb133111eb
		z ^= z >> 31
		v := weight
		if z>>63 != 0 {
			v = -v
		}
		sum[z%uint64(e.dims)] += v
	}
}
