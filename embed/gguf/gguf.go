// Package gguf makes an embedder of a GGUF file on disk, with the engine of
// package bert: encoders of the BERT architecture, as llama.cpp names their
// tensors and metadata.
//
// The file says how to pool (bert.pooling_type) and how long a text may be. No
// key says what stands before questions and documents: models of the E5 family
// are known by general.name or the file's name, others get nothing.
//
// The weights are read into memory with the first text, so that a file that
// changes later does no harm. The package imports the standard library and
// packages embed and bert.
package gguf

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"sync"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
	"github.com/minirag/minirag/embed/internal/prefix"
)

// ErrModel says that a file holds no model that can be run.
var ErrModel = errors.New("model cannot be used")

// Options tunes a [Model]. Nil and the zero value are the documented defaults
// of [bert.Options].
type Options = bert.Options

// A Model is an embedder. It is safe for concurrent use.
type Model struct {
	info                       embed.ModelInfo
	load                       func() (*bert.Model, error)
	queryPrefix, passagePrefix string
}

var (
	_ embed.Embedder      = (*Model)(nil)
	_ embed.QueryEmbedder = (*Model)(nil)
	_ embed.TokenCounter  = (*Model)(nil)
)

// Open returns the embedder of a file. It reads the metadata and takes the
// fingerprint of the whole; the weights are loaded with the first text.
func Open(path string, o *Options) (*Model, error) {
	m, err := open(path, o)
	if err != nil {
		return nil, fmt.Errorf("open model %s: %w", path, err)
	}
	return m, nil
}

func open(path string, o *Options) (*Model, error) {
	if err := o.Check(); err != nil {
		return nil, err
	}
	d, sum, err := describe(path)
	if err != nil {
		return nil, err
	}
	m := &Model{}
	for _, name := range []string{d.Name, strings.TrimSuffix(filepath.Base(path), filepath.Ext(path))} {
		if m.queryPrefix == "" {
			m.queryPrefix, m.passagePrefix = prefix.For(name)
		}
	}
	m.load = sync.OnceValues(func() (*bert.Model, error) {
		b, err := load(path, sum, o)
		if err != nil {
			return nil, fmt.Errorf("load model %s: %w", path, err)
		}
		return b, nil
	})
	// A prefix has no more pieces than bytes; the weights need not be loaded to
	// count them.
	reserved := max(len(m.queryPrefix), len(m.passagePrefix))
	m.info = embed.ModelInfo{
		ID:   "gguf@" + hex.EncodeToString(sum[:8]) + "/" + m.queryPrefix + "+" + m.passagePrefix,
		Dims: d.Dims, MaxTokens: d.MaxTokens - reserved,
	}
	if m.info.MaxTokens < 8 {
		return nil, fmt.Errorf("%w: of its %d tokens the prefixes may leave %d", ErrModel, d.MaxTokens, m.info.MaxTokens)
	}
	return m, nil
}

// describe reads the metadata and the checksum of a file.
func describe(path string) (d *bert.Description, sum [sha256.Size]byte, err error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, sum, err
	}
	defer func() { err = errors.Join(err, f.Close()) }()
	info, err := f.Stat()
	if err != nil {
		return nil, sum, err
	}
	if !info.Mode().IsRegular() {
		return nil, sum, fmt.Errorf("%w: it is no file", ErrModel)
	}
	if d, err = bert.Describe(f, info.Size()); err != nil {
		return nil, sum, fmt.Errorf("%w: %w", ErrModel, err)
	}
	h := sha256.New()
	if _, err = io.Copy(h, f); err != nil {
		return nil, sum, err
	}
	return d, [sha256.Size]byte(h.Sum(nil)), nil
}

// load reads the weights, which must be those of the checksum.
func load(path string, sum [sha256.Size]byte, o *Options) (*bert.Model, error) {
	data, err := os.ReadFile(path)
	if err != nil {
		return nil, err
	}
	if sha256.Sum256(data) != sum {
		return nil, fmt.Errorf("%w: the file changed since it was opened; open it again", ErrModel)
	}
	b, err := bert.NewBytes(data, o)
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return b, nil
}

// Model implements [embed.Embedder]. The ID is a fingerprint of the file and
// its prefixes.
func (m *Model) Model() embed.ModelInfo { return m.info }

// Load unpacks the weights now rather than at the first use.
func (m *Model) Load() error {
	_, err := m.load()
	return err
}

// Info describes the model with its kernel, threads and memory. It loads the
// weights.
func (m *Model) Info() (bert.Info, error) {
	b, err := m.load()
	if err != nil {
		return bert.Info{}, err
	}
	return b.Info(), nil
}

// PrefixTokens returns how many tokens the model puts before a question and
// before a passage. [Model.CountTokens] leaves them out.
func (m *Model) PrefixTokens() (query, passage int) {
	// Two words stand for a text.
	const text = "a b"
	alone := m.CountTokens(text)
	return m.CountTokens(m.queryPrefix+text) - alone, m.CountTokens(m.passagePrefix+text) - alone
}

// Embed implements [embed.Embedder].
func (m *Model) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	if len(texts) == 0 {
		return nil, nil
	}
	b, seqs, err := m.encode(ctx, m.passagePrefix, texts)
	if err != nil {
		return nil, err
	}
	return b.EmbedIDs(ctx, seqs)
}

// EmbedQuery implements [embed.QueryEmbedder]. It does not wait for the texts
// of Embed: see [bert.Model.EmbedQueryIDs].
func (m *Model) EmbedQuery(ctx context.Context, text string) ([]float32, error) {
	b, seqs, err := m.encode(ctx, m.queryPrefix, []string{text})
	if err != nil {
		return nil, err
	}
	return b.EmbedQueryIDs(ctx, seqs[0])
}

// encode gives the ids of texts after prefix.
func (m *Model) encode(ctx context.Context, prefix string, texts []string) (*bert.Model, [][]int32, error) {
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
		if n := b.Tokenizer().Count(text); n > m.info.MaxTokens {
			return nil, nil, fmt.Errorf("embed: %w", &embed.TooLongError{Index: i, Tokens: n, Max: m.info.MaxTokens})
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
