// Package minirag is a local retrieval library: point it at folders of
// documents and it answers questions with whole sections and citations.
//
// A [Corpus] converts documents to Markdown, cuts them into sections and
// chunks, embeds the chunks, and keeps everything in a catalog with a keyword
// and a vector index beside it:
//
//	corpus, err := local.Open(ctx, &local.Options{Roots: []string{"/home/ann/documents"}})
//	if err != nil { ... }
//	defer corpus.Close()
//	report, err := corpus.Sync(ctx, nil)
//	result, err := corpus.Query(ctx, minirag.Query{Text: "when must an expense report be filed?"})
//
// Most programs call local.Open (package
// [github.com/minirag/minirag/local]), which brings a converter, an embedding
// model and stores. [Open] takes every part from the caller, so that each can
// be replaced alone; a program that does so links none of the others.
//
// Nothing here touches the network but [Corpus.Ingest] of an [Address].
// Nothing is written to standard output or error. Text that comes out of
// documents is data: a program that shows it to a language model should say so.
package minirag

import (
	"context"
	"log/slog"
	"slices"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
)

// Types of the parts that callers meet in this package's results.
type (
	Kind        = index.Kind
	Fingerprint = index.Fingerprint
	ModelInfo   = embed.ModelInfo
)

// The kinds of sources.
const (
	KindFile = index.File
	KindData = index.Data
	KindURL  = index.URL
)

// A Converter turns documents into Markdown and knows which files it reads.
// [convert.Router] is one.
//
// If it has a method Version() string, what that returns changes whenever a
// document may be converted differently, and documents of another version are
// ingested again by the next sync.
type Converter interface {
	convert.Converter
	// Synced reports whether a file of this name is converted when a folder is synced.
	Synced(name string) bool
	// Supported lists the extensions that can be converted when a file is
	// asked for by name: sorted, lower case, each with its dot.
	Supported() []string
}

// A Fetcher gets documents from the network for [Address].
type Fetcher interface {
	Fetch(ctx context.Context, url string) (*Fetched, error)
}

// Fetched is a document from the network.
type Fetched struct {
	URL       string // the address after redirects
	MediaType string // as the server gave it
	Data      []byte
}

// A Locker is a lock that all processes with the same index share.
type Locker interface {
	// TryLock takes the lock, or returns false if somebody else holds it.
	TryLock() (bool, error)
	// Lock waits for the lock until ctx is done.
	Lock(ctx context.Context) error
	Unlock() error
	// Holder describes who holds the lock, for people, or returns "".
	Holder() string
}

// Options are the parts and settings of a [Corpus]. Catalog, Vectors,
// Keywords, Embedder and Converter are required.
type Options struct {
	Catalog   index.Catalog
	Vectors   index.VectorStore
	Keywords  index.KeywordIndex
	Embedder  embed.Embedder
	Converter Converter
	// Fetcher is used by [Address]. Nil: such input is refused.
	Fetcher Fetcher

	// Folder is where the parts keep their files. It is looked at by
	// [Corpus.Doctor] and [Corpus.Status] only. Zero: they keep none.
	Folder Folder

	// ApplyLock is held while the derived indexes are written, SyncLock while
	// a sync runs. Nil: the corpus has only this process.
	ApplyLock Locker
	SyncLock  Locker

	// Roots are the folders that files may come from: absolute, symbolic
	// links resolved. Files outside are refused. None: no files are read.
	Roots []string
	// Budget is the size of a chunk in tokens. Zero: chunk.DefaultBudget, or
	// what the model takes if that is less, and paragraphs of a text without
	// headings are joined to sections of up to chunk.SectionCap characters;
	// with a budget each is a section of its own, as in the reference.
	Budget int
	// MaxFileSize is the largest file and other input in bytes. Zero: 100 MiB.
	MaxFileSize int64
	// Limits bound each conversion. Zero fields have their defaults.
	Limits convert.Limits
	// Workers is the number of documents converted at once. Zero: one for
	// each CPU.
	Workers int
	// Ranking tunes [Corpus.Query].
	Ranking Ranking
	// Logger gets what has no other way to be seen. Nil: nothing is logged.
	Logger *slog.Logger
}

// A Folder is where an index is kept.
type Folder struct {
	Path string // absolute
	// Names are how the names of the files and folders in it begin that
	// belong to the index. Others are left alone.
	Names []string
}

func (f *Folder) owns(name string) bool {
	return slices.ContainsFunc(f.Names, func(begin string) bool { return strings.HasPrefix(name, begin) }) || atomicfile.IsTemp(name)
}

// Grouping cuts a result where the distances make a leap.
type Grouping string

// The groupings of [Ranking].
const (
	NoGrouping Grouping = ""
	Similar    Grouping = "similar" // up to the first leap
	Related    Grouping = "related" // up to the second leap
)

// Ranking tunes how hits are ordered and cut. The zero value is the default.
type Ranking struct {
	// HybridWeight is the share of the keyword side in a fusion of weighted
	// reciprocal ranks: 0 is vectors only, 1 the order of the keywords, with
	// what only the vectors found behind it at a score of 0. Nil: the
	// library's own fusion of scores, which finds more.
	HybridWeight *float64
	// Grouping looks at the distances. What was found by its words only has none and stays.
	Grouping Grouping
	// MaxDistance drops hits farther away, and those without a distance. Nil: no bound.
	MaxDistance *float64
	// MaxFiles keeps the hits of the first MaxFiles sources. Zero: no bound.
	MaxFiles int
}
