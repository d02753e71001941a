// Package segment finds chunks by their words and by their vectors. It is the
// engine that a corpus uses unless it is given others.
//
// An [Engine] keeps both in one folder, in immutable segments that are mapped
// into memory, and is an [index.KeywordIndex] and an [index.VectorStore] over
// them: a chunk has one number in a segment, under which its vector, its
// document and its words are found, so that both sides change in one step and
// share filters and deletions. Package segset does the files; what is in them
// is described in layout.go, dict.go and postings.go, and in docs/FORMAT.md.
// Without a folder an engine is in memory.
//
// # Words
//
// Text becomes terms by package analysis. A chunk's score is BM25F (Robertson,
// Zaragoza: The Probabilistic Relevance Framework, 2009) over title, headings
// and body with k1 1.2: counts of the fields, normalised by the field's length
// and weighted, are added up before they saturate. A term's weight is its
// inverse frequency times its weight in [analysis.Query], as a share of the sum
// over the question, so that a score says how much of it was found. Scores are sums of
// fixed-point numbers, so that they do not depend on the order of adding.
// Documents as wholes are scored in documents.go.
//
// The best chunks are found without scoring all: for a window of entries the
// most that each term can give is known, terms that cannot bring a chunk into
// the result by themselves are looked up only for chunks that others found
// (MaxScore; Turtle, Flood: Query Evaluation, 1995), and blocks and windows
// that cannot reach the result are passed over (block maxima; Ding, Suel:
// Faster Top-k Document Retrieval Using Block-Max Indexes, 2011).
//
// # Vectors
//
// A vector is one signed byte per dimension and a scale (the largest magnitude
// is 127); the question has 16 bits per dimension. All vectors that the filter
// lets through are compared, on all cores. On the project's retrieval sets
// nDCG@10 differs by 0.001 from that of 32-bit floats, so nothing is scored
// again with longer numbers.
//
// The package imports index and its internal packages, index/analysis,
// internal/mmap, internal/vec and the standard library.
package segment

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/internal/mmap"
)

// formatVersion is that of the segments' content; an index of another one is
// rebuilt.
const formatVersion = 3

// Apply writes a segment when it holds this much, to bound its memory, or
// twice as much if one document would be cut.
const (
	batchBytes   = 16 << 20
	batchEntries = 1 << 14
)

// Options are the settings of an [Engine].
type Options struct {
	// NoKeywords leaves the words out: the engine is a vector store only.
	NoKeywords bool
	// Workers is the largest number of goroutines of one search. If zero,
	// GOMAXPROCS.
	Workers int
	// Logger gets what a person may want to know. If nil, nothing is logged.
	Logger *slog.Logger
}

// An Engine is an index in one folder. It is safe for concurrent use; its
// changes are made by one caller at a time, of all processes.
type Engine struct {
	set      *segset.Set[*segment]
	origin   index.Origin
	keywords bool
	workers  int
	log      *slog.Logger
}

// Open returns the engine in dir for what an origin names, or one in memory if
// dir is empty. With origin.Dims 0 it has no vectors. The folder is created by
// the first change, with mode 0700, and belongs to the engine alone.
func Open(dir string, origin index.Origin, o *Options) (*Engine, error) {
	if o == nil {
		o = new(Options)
	}
	switch {
	case origin.Dims < 0:
		return nil, fmt.Errorf("open index: %d dimensions", origin.Dims)
	case origin.Dims == 0 && o.NoKeywords:
		return nil, errors.New("open index: neither keywords nor vectors")
	}
	e := &Engine{origin: origin, keywords: !o.NoKeywords, workers: o.Workers, log: o.Logger}
	if e.workers <= 0 {
		e.workers = runtime.GOMAXPROCS(0)
	}
	if e.log == nil {
		e.log = slog.New(slog.DiscardHandler)
	}
	version := 0
	if e.keywords {
		version = analysis.Version
	}
	e.set = segset.New(dir, segset.Format[*segment]{
		Identity: fmt.Sprintf("segment %d\nanalysis %d\ncatalog %s\nmodel %s\ndims %d",
			formatVersion, version, origin.Catalog, origin.Model, origin.Dims),
		Decode: func(data []byte) (*segment, error) { return openSegment(data, origin.Dims, e.keywords) },
		Merge: func(parts []*segset.Part[*segment], w io.Writer) error {
			return merge(parts, w, origin.Dims, e.keywords)
		},
		Damaged: func(err error) {
			e.log.Warn("index is damaged and counts as empty; it is made anew from the catalog", "error", err)
		},
		Verify: (*segment).verify,
		Mapped: true,
		Checks: true,
	})
	return e, nil
}

// Discard removes the folder of an index that is no longer used: one of this
// package, or of package bluge or flat. Files that are of no index stay, and
// the folder with them. The caller holds the lock that changes need.
func Discard(dir string) error { return segset.Discard(dir) }

// Close frees what the engine holds. Snapshots must be closed before.
func (e *Engine) Close() error {
	e.set.Close()
	return nil
}

// Apply makes changes of both sides durable, all or none. It returns
// [index.ErrSequence] if the engine is not at changes.From.
func (e *Engine) Apply(ctx context.Context, changes index.Changes[index.Entry]) error {
	change, err := e.set.Begin(changes.From, changes.To)
	if err != nil {
		return fmt.Errorf("apply to index: %w", err)
	}
	err = mmap.Guard(func() error { return e.fill(ctx, change, changes) })
	if err == nil {
		err = change.Commit()
	} else {
		change.Abort()
	}
	if errors.Is(err, mmap.ErrFault) && !errors.Is(err, index.ErrDamaged) {
		err = fmt.Errorf("%w: %w", index.ErrDamaged, err)
	}
	if err != nil {
		return fmt.Errorf("apply to index: %w", err)
	}
	e.log.DebugContext(ctx, "index applied", "from", changes.From, "to", changes.To)
	return nil
}

func (e *Engine) fill(ctx context.Context, change *segset.Change[*segment], changes index.Changes[index.Entry]) (err error) {
	change.Remove(changes.Remove)
	if changes.Add == nil {
		return nil
	}
	b := newBatch(e.origin.Dims, e.keywords)
	var last index.DocID
	out := &ahead{change: change}
	defer func() { err = errors.Join(err, out.wait()) }()
	flush := func() error {
		if len(b.entries) == 0 {
			return nil
		}
		full := b
		b = full.next() // used after full
		full.prepare()
		return out.write(full)
	}
	for entry, err := range changes.Add {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		if e.origin.Dims > 0 && entry.Vector != nil {
			if err := checkVector(entry.Vector, e.origin.Dims); err != nil {
				return fmt.Errorf("chunk %d: %w", entry.Chunk, err)
			}
		}
		// A document is scored as a whole by the segment that it is in.
		if n := b.full(); n > 1 || n == 1 && entry.Doc != last {
			if err := flush(); err != nil {
				return err
			}
		}
		last = entry.Doc
		b.add(&entry)
	}
	return flush()
}
