// Package e5 is multilingual-e5-small inside the program: an embedder for
// about a hundred languages that needs no file, no network and no set-up. The
// model is described in MODEL.md.
//
// The weights (74 MB) are part of the binary; the operating system maps them
// and shares them between processes. [New] does no work; the model is
// unpacked when it is first used, and its memory is that of package bert.
//
// It imports the standard library, package embed and package bert. Every
// package that imports it links the weights.
package e5

import (
	"context"
	_ "embed"
	"fmt"
	"sync"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
)

//go:generate go run generate.go

//go:embed multilingual-e5-small-q4_0.gguf
var weights string

// vocabulary is the table of the tokenizer, which [bert.PrepareVocabulary]
// made of the weights.
//
//go:embed multilingual-e5-small.vocabulary
var vocabulary string

// What the weights say; tests compare it with them, so that New need not look.
const (
	dims = 384
	// checksum begins the SHA-256 of the file of weights.
	checksum      = "37668db6fc71fa48"
	contextTokens = 512

	// The prefixes that the model was trained with (Wang et al. 2024,
	// arXiv:2402.05672).
	queryPrefix   = "query: "
	passagePrefix = "passage: "
	// A prefix ends with a space, and no piece crosses a space, so that a text
	// has the same pieces after a prefix as alone; these are the prefix's own.
	queryTokens   = 3
	passageTokens = 2
	// maxTokens is the longest text, as passage or as question.
	maxTokens = contextTokens - max(queryTokens, passageTokens)
)

// Options tunes a [Model]. Nil and the zero value are the documented defaults
// of [bert.Options].
type Options = bert.Options

// A Model is the embedder. It is safe for concurrent use.
type Model struct {
	load func() (*bert.Model, error)
	opts Options
}

var (
	_ embed.Embedder      = (*Model)(nil)
	_ embed.QueryEmbedder = (*Model)(nil)
	_ embed.TokenCounter  = (*Model)(nil)
)

// New returns the embedder; an error can only come from opts.
func New(opts *Options) (*Model, error) {
	if err := opts.Check(); err != nil {
		return nil, fmt.Errorf("open e5: %w", err)
	}
	m := &Model{}
	if opts != nil {
		m.opts = *opts
	}
	m.opts.Vocabulary = vocabulary
	m.load = sync.OnceValues(func() (*bert.Model, error) { return bert.New(weights, &m.opts) })
	return m, nil
}

// Model implements [embed.Embedder]. It does not load the weights. The
// precision is not part of the ID: vectors of either can be compared.
func (m *Model) Model() embed.ModelInfo {
	return embed.ModelInfo{
		ID:        "multilingual-e5-small-q4_0@" + checksum + "/mean/query:+passage:",
		Dims:      dims,
		MaxTokens: maxTokens,
		Unrelated: unrelated,
		Spread:    spread,
	}
}

// Medians over nine sets of the cosine's mean and deviation between questions
// and all passages of a corpus; see docs/EVALUATION.md.
const (
	unrelated = 0.755
	spread    = 0.020
)

// Kernel names the instructions in use, such as "avx2". It does not load the
// weights.
func (m *Model) Kernel() string { return m.opts.KernelName() }

// Load unpacks the weights now rather than at the first use.
func (m *Model) Load() error {
	_, err := m.load()
	return err
}

// Embed implements [embed.Embedder]: each text is embedded as a passage.
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	b, seqs, err := m.encode(ctx, passagePrefix, passageTokens, texts)
	if err != nil {
		return nil, err
	}
	return b.EmbedIDs(ctx, seqs)
}

// EmbedQuery implements [embed.QueryEmbedder]. It does not wait for the texts
// of Embed: see [bert.Model.EmbedQueryIDs].
func (m *Model) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	b, seqs, err := m.encode(ctx, queryPrefix, queryTokens, []string{text})
	if err != nil {
		return nil, err
	}
	return b.EmbedQueryIDs(ctx, seqs[0])
}

// encode gives the ids of texts after prefix.
func (m *Model) encode(ctx context.Context, prefix string, prefixTokens int, texts []string) (*bert.Model, [][]int32, error) {
	if err := ctx.Err(); err != nil {
		return nil, nil, fmt.Errorf("embed: %w", err)
	}
	b, err := m.load()
	if err != nil {
		return nil, nil, err
	}
	seqs := make([][]int32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, nil, fmt.Errorf("embed: %w", err)
		}
		seqs[i] = b.Tokenizer().Encode(nil, prefix+text)
		if n := len(seqs[i]) - prefixTokens; n > maxTokens {
			return nil, nil, fmt.Errorf("embed: %w", &embed.TooLongError{Index: i, Tokens: n, Max: maxTokens})
		}
	}
	return b, seqs, nil
}

// CountTokens implements [embed.TokenCounter].
func (m *Model) CountTokens(text string) int {
	b, err := m.load()
	if err != nil {
		// Embed returns the error; no text has more pieces than bytes.
		return len(text) + 3
	}
	return b.Tokenizer().Count(text)
}
