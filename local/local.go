// Package local opens a corpus with everything it needs on this machine: the
// converters, the model inside the binary, and an index in a folder.
package local

import (
	"context"
	"log/slog"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/embed"
)

// Options choose where and how. Only Roots is required.
type Options struct {
	// Roots are the folders with the documents. A "~" is not expanded.
	Roots []string
	// Dir is the folder of the index. Empty: ".minirag/index" in the first root.
	Dir string
	// CacheDir keeps what can be made again, such as the compiled PDF engine.
	// Empty: "minirag" in the user's cache folder.
	CacheDir string
	// Embedder replaces the model inside the binary.
	Embedder embed.Embedder
	// Formats are added to the built-in ones; one with the same extension
	// replaces it.
	Formats []convert.Format
	// AllowPrivateURLs lets Ingest fetch from this machine and private networks.
	AllowPrivateURLs bool

	// The rest is as in [minirag.Options].
	Budget      int
	MaxFileSize int64
	Limits      convert.Limits
	Workers     int
	Ranking     minirag.Ranking
	Logger      *slog.Logger
}

// Open opens or creates the corpus. It loads neither the model nor the PDF
// engine: they start with their first use.
func Open(ctx context.Context, o *Options) (*minirag.Corpus, error) { panic("soon") }
