// Package hugot runs sentence-transformers models that come as an ONNX folder,
// on the engine of github.com/knights-analytics/hugot: in pure Go (GoMLX), or
// with ONNX Runtime in programs that are built with hugot's own tag ORT.
//
// [Open] takes a folder, [Download] gets one from a hub. What the model needs
// stands in the folder's files: the tokenizer (tokenizer.json), pooling
// (1_Pooling/config.json), prefixes (config_sentence_transformers.json; the
// family E5 is known by its name) and the longest text
// (sentence_bert_config.json, tokenizer_config.json, config.json).
//
// Text becomes ids in package bert, not in hugot: its tokenizer of the
// pure-Go engine is not exact for decomposed letters, ends the process on an
// error, and cuts long texts. hugot's pipelines take text only, so this package
// uses the layer below them, hugot/backends, which takes ids.
//
// # Tokenizers
//
// WordPiece with BertNormalizer and BertPreTokenizer, and Unigram with
// a precompiled normaliser and Metaspace, as Hugging Face's tokenizers splits
// text. Others, such as the byte-level BPE of RoBERTa, are refused with
// [ErrTokenizer]: nothing is tokenized nearly right. Text is only text: the
// name of a special token in it is split like other words.
//
// # Memory
//
// A loaded model holds its file about twice. One batch of at most 512 tokens,
// or one longer text, is computed at a time.
//
// A model is a program: load only those that you trust. The package imports
// the standard library, hugot/backends, and packages embed and bert.
package hugot

import (
	"context"
	"errors"
	"fmt"
	"math/bits"
	"slices"
	"strings"
	"sync"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
)

// Errors that callers branch on, with [errors.Is].
var (
	// ErrTokenizer says that the kind of tokenizer is not supported.
	ErrTokenizer = errors.New("tokenizer is not supported")
	// ErrModel says that a folder holds no model that can be run.
	ErrModel = errors.New("model cannot be used")
)

// Options tunes a [Model]. Nil and the zero value are the documented defaults.
type Options struct {
	// Runtime is the path of ONNX Runtime's shared library. Empty: where
	// hugot looks for it. It is used in builds with the tag ORT only.
	Runtime string
}

// A Model is an embedder. It is safe for concurrent use.
type Model struct {
	settings settings
	info     embed.ModelInfo
	tok      *bert.Tokenizer
	load     func() (*engine, error)
	// Tokens that the prefixes add.
	queryTokens, passageTokens int
	// turn holds a value while nobody computes.
	turn chan struct{}
}

var (
	_ embed.Embedder      = (*Model)(nil)
	_ embed.QueryEmbedder = (*Model)(nil)
	_ embed.TokenCounter  = (*Model)(nil)
)

// Open returns the embedder of the model in the folder dir. It reads the
// tokenizer and the settings and takes the fingerprint of the weights, which
// are loaded with the first text; only if no file tells the length of a vector
// are they loaded at once.
func Open(dir string, o *Options) (*Model, error) {
	m, err := open(dir, o)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", dir, err)
	}
	return m, nil
}

func open(dir string, o *Options) (*Model, error) {
	if o == nil {
		o = &Options{}
	}
	s, err := readSettings(dir)
	if err != nil {
		return nil, err
	}
	tok, err := readTokenizer(s.tokenizer)
	if err != nil {
		return nil, err
	}
	checksum, err := s.fingerprint()
	if err != nil {
		return nil, err
	}
	// What a prefix adds before a text, for which two words stand here.
	added := func(prefix string) int { return tok.Count(prefix+"a b") - tok.Count("a b") }
	query, passage := added(s.queryPrefix), added(s.passagePrefix)
	most := s.maxTokens - max(query, passage)
	if most < 8 {
		return nil, fmt.Errorf("%w: of its %d tokens the prefixes leave %d", ErrModel, s.maxTokens, most)
	}
	m := &Model{settings: *s, tok: tok, queryTokens: query, passageTokens: passage, turn: make(chan struct{}, 1)}
	m.turn <- struct{}{}
	m.load = sync.OnceValues(func() (*engine, error) {
		e, err := newEngine(s, o)
		if err != nil {
			return nil, fmt.Errorf("load model %s: %w", s.onnx, err)
		}
		return e, nil
	})
	dims := s.dims
	if dims == 0 {
		e, err := m.load()
		if err != nil {
			return nil, err
		}
		dims = e.dims
	}
	m.info = embed.ModelInfo{ID: "onnx@" + checksum + "/" + s.pooling.String(), Dims: dims, MaxTokens: most}
	return m, nil
}

// Model implements [embed.Embedder]. The ID is a fingerprint of the weights,
// the tokenizer and the settings, not of the folder's name.
func (m *Model) Model() embed.ModelInfo { return m.info }

// Engine names what computes in this build: "gomlx", or "onnxruntime".
func Engine() string { return engineName }

// PrefixTokens returns how many tokens the model puts before a question and
// before a passage. [Model.CountTokens] leaves them out.
func (m *Model) PrefixTokens() (query, passage int) { return m.queryTokens, m.passageTokens }

// Load loads the weights now rather than at the first use.
func (m *Model) Load() error {
	_, err := m.load()
	return err
}

// CountTokens implements [embed.TokenCounter].
func (m *Model) CountTokens(text string) int { return m.tok.Count(m.settings.cased(text)) }

// Embed implements [embed.Embedder].
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	return m.embed(ctx, m.settings.passagePrefix, texts)
}

// EmbedQuery implements [embed.QueryEmbedder]. A query waits for the batch
// that is computed, which is a fraction of the texts of one Embed.
func (m *Model) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	vecs, err := m.embed(ctx, m.settings.queryPrefix, []string{text})
	if err != nil {
		return nil, err
	}
	return vecs[0], nil
}

func (m *Model) embed(ctx context.Context, prefix string, texts []string) ([][]float32, error) {
	seqs, err := m.encode(ctx, prefix, texts)
	if err != nil || len(texts) == 0 {
		return nil, err
	}
	e, err := m.load()
	if err != nil {
		return nil, err
	}
	if e.dims != m.info.Dims {
		return nil, fmt.Errorf("embed: %w: its vectors have %d values, its files say %d", ErrModel, e.dims, m.info.Dims)
	}
	out := make([][]float32, len(texts))
	for _, b := range plan(seqs, m.settings.maxTokens) {
		vecs, err := m.inTurn(ctx, func() ([][]float32, error) { return e.run(seqs, b) })
		if err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		for i, at := range b.members {
			out[at] = vecs[i]
		}
	}
	return out, nil
}

// encode gives the ids of texts after prefix.
func (m *Model) encode(ctx context.Context, prefix string, texts []string) ([][]int32, error) {
	seqs := make([][]int32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, fmt.Errorf("embed: %w", err)
		}
		n := m.CountTokens(text)
		seqs[i] = m.tok.Encode(nil, m.settings.cased(prefix+text))
		// A prefix may join with the text after it.
		n = max(n, len(seqs[i])-m.settings.maxTokens+m.info.MaxTokens)
		if n > m.info.MaxTokens {
			return nil, fmt.Errorf("embed: %w", &embed.TooLongError{Index: i, Tokens: n, Max: m.info.MaxTokens})
		}
		if len(seqs[i]) == 0 { // without special tokens around it
			seqs[i] = []int32{m.settings.pad}
		}
	}
	return seqs, nil
}

func (m *Model) inTurn(ctx context.Context, f func() ([][]float32, error)) ([][]float32, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	select {
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-m.turn:
	}
	defer func() { m.turn <- struct{}{} }()
	return f()
}

// A batch is computed at once: its members, padded to length.
type batch struct {
	members []int // positions in the call
	length  int
}

// batchTokens bounds the tokens of a batch of several texts.
const batchTokens = 512

// plan puts sequences of similar length into batches. The engine compiles the
// model for each shape that it meets, so there are few: four lengths to each
// doubling, and powers of four of texts.
func plan(seqs [][]int32, longest int) []batch {
	order := make([]int, len(seqs))
	for i := range order {
		order[i] = i
	}
	slices.SortStableFunc(order, func(i, j int) int { return len(seqs[i]) - len(seqs[j]) })
	var out []batch
	for len(order) > 0 {
		length := padded(len(seqs[order[0]]), longest)
		same := 1
		for same < len(order) && padded(len(seqs[order[same]]), longest) == length {
			same++
		}
		n := 1
		for 4*n <= same && 4*n*length <= batchTokens {
			n *= 4
		}
		out = append(out, batch{order[:n:n], length})
		order = order[n:]
	}
	return out
}

// padded is the length that a sequence of n tokens is padded to: the next
// multiple of a quarter of the power of two below it, and of 8.
func padded(n, longest int) int {
	step := max(8, 1<<bits.Len(uint(n-1))/8)
	return max(n, min((n+step-1)/step*step, longest))
}

// cased is text in the case that the model wants.
func (s *settings) cased(text string) string {
	if s.lower {
		return strings.ToLower(text)
	}
	return text
}
