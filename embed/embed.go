// Package embed defines what the library needs of an embedding model: texts
// in, unit vectors out, and a count of tokens so that nothing is cut silently.
//
// Implementations live in sub-packages: [github.com/minirag/minirag/embed/e5]
// is the model inside the binary. Package embed imports the standard library
// only; every implementation must pass
// [github.com/minirag/minirag/embed/embedtest].
package embed

import (
	"context"
	"errors"
	"fmt"
)

// ErrTooLong is wrapped by the error for a text that is longer than the model
// can take. Such a text is refused, never cut.
var ErrTooLong = errors.New("text is longer than the model can take")

// TooLongError says which text of a call was too long, and by how much.
type TooLongError struct {
	Index  int // position of the text in the call
	Tokens int // its length, as [TokenCounter] counts
	Max    int // [ModelInfo.MaxTokens]
}

func (e *TooLongError) Error() string {
	return fmt.Sprintf("text %d has %d tokens, the model takes %d: %v", e.Index, e.Tokens, e.Max, ErrTooLong)
}

func (e *TooLongError) Unwrap() error { return ErrTooLong }

// ModelInfo describes a model. It is recorded in the index, and vectors of
// models with different IDs are never compared.
type ModelInfo struct {
	// ID changes whenever the same text would get another vector: it names the
	// weights, the pooling and the prefixes.
	ID string
	// Dims is the length of a vector.
	Dims int
	// MaxTokens is the longest text that Embed takes, in the count of
	// [TokenCounter]: the model's context less the prefix that the embedder
	// adds itself. Zero means that there is no limit.
	MaxTokens int
	// Unrelated is the usual cosine between a question and a text that has
	// nothing to do with it, and Spread the standard deviation of it. Models
	// differ much in both. Zero: not known.
	Unrelated, Spread float64
}

// An Embedder turns the texts of documents into vectors.
//
// Embed returns one vector for each text, in their order, each of Dims
// float32 values and of length 1 (L2). It must be safe for concurrent use,
// must stop soon after ctx is done, and must return a [*TooLongError] rather
// than cut a text. No texts give no vectors and no error. A text without any
// letters still gets a vector.
type Embedder interface {
	Embed(ctx context.Context, texts []string) ([][]float32, error)
	Model() ModelInfo
}

// A QueryEmbedder is an [Embedder] that embeds questions in another way than
// documents, as E5 does with its prefixes. Without it, Embed serves both.
type QueryEmbedder interface {
	EmbedQuery(ctx context.Context, text string) ([]float32, error)
}

// A TokenCounter is an [Embedder] that can count without embedding.
//
// CountTokens returns the pieces of text by the model's own tokenizer plus
// the special tokens around them, without truncation and without the prefix
// that the embedder adds. It must be safe for concurrent use.
type TokenCounter interface {
	CountTokens(text string) int
}
