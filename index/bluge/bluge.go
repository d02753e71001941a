// Package bluge finds chunks by their words, with the documents and segments
// of bluge.
//
// [Index] is an [index.KeywordIndex] in a folder. Chunks become documents of
// bluge, analysed by package analysis behind its Analyzer interface, and are
// kept in its segment format (module blugelabs/ice: a finite state transducer
// for the terms, bitmaps and packed counts for the chunks). Its index writer
// and reader are not used. The writer merges in the background, so an
// index that is opened for one change at a time never gets merged (90
// segments after 100 changes); its folder lock let two writers in and leaks
// goroutines when it refuses; the reader prints to standard error; and its
// score has an error in the weight of rare terms. Package segset does that
// part: whole changes only, few segments, no lock of its own, readers in any
// number of processes.
//
// # Scores
//
// Text becomes terms by package analysis. A chunk's score is BM25F (Robertson,
// Zaragoza: The Probabilistic Relevance Framework, 2009) over title, headings
// and body with k1 1.2: counts of the fields, normalised by the field's length
// and weighted, are added up before they saturate. A term's weight is its
// inverse frequency times its weight in [analysis.Query].
//
// The package imports index and its internal packages, index/analysis, bluge
// with its segment modules, and the standard library.
package bluge

import (
	"context"
	"fmt"
	"log/slog"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
	"github.com/minirag/minirag/index/internal/segset"
)

// formatVersion is that of the segments' content; an index of another one is
// rebuilt.
const formatVersion = 1

// Apply writes a segment when it holds this much, to bound its memory: text of
// 8 MB takes about 150 MB while it is inverted.
const (
	batchBytes   = 8 << 20
	batchEntries = 8192
)

// Options are the settings of an [Index].
type Options struct {
	// Catalog is the UUID of the catalog that the index is made from. An
	// index of another one is as good as none.
	Catalog string
	// Logger gets what a person may want to know. If nil, nothing is logged.
	Logger *slog.Logger
}

// An Index is a keyword index in one folder. See [index.KeywordIndex] for its
// rules.
type Index struct {
	set *segset.Set[*segment]
	log *slog.Logger
}

var (
	_ index.KeywordIndex    = (*Index)(nil)
	_ index.KeywordSnapshot = (*snapshot)(nil)
)

// Open returns the index in dir. The folder is created by the first Apply,
// with mode 0700, and belongs to the index alone.
func Open(dir string, o *Options) (*Index, error) {
	if o == nil {
		o = new(Options)
	}
	ix := &Index{log: o.Logger}
	if ix.log == nil {
		ix.log = slog.New(slog.DiscardHandler)
	}
	ix.set = segset.New(dir, segset.Format[*segment]{
		Identity: fmt.Sprintf("bluge %d\nanalysis %d\ncatalog %s", formatVersion, analysis.Version, o.Catalog),
		Decode:   decodeSegment,
		Merge:    merge,
	})
	return ix, nil
}

// Snapshot returns the newest state.
func (ix *Index) Snapshot(ctx context.Context) (index.KeywordSnapshot, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	state, err := ix.set.Current()
	if err != nil {
		return nil, fmt.Errorf("open keywords: %w", err)
	}
	return &snapshot{state: state}, nil
}

// Apply makes changes durable.
func (ix *Index) Apply(ctx context.Context, changes index.Changes[index.KeywordEntry]) error {
	change, err := ix.set.Begin(changes.From, changes.To)
	if err != nil {
		return fmt.Errorf("apply keywords: %w", err)
	}
	if err := fill(ctx, change, changes); err != nil {
		change.Abort()
		return fmt.Errorf("apply keywords: %w", err)
	}
	if err := change.Commit(); err != nil {
		return fmt.Errorf("apply keywords: %w", err)
	}
	ix.log.Debug("keywords applied", "from", changes.From, "to", changes.To)
	return nil
}

func fill(ctx context.Context, change *segset.Change[*segment], changes index.Changes[index.KeywordEntry]) error {
	change.Remove(changes.Remove)
	if changes.Add == nil {
		return nil
	}
	batch := newBatch()
	flush := func() error {
		if len(batch.entries) == 0 {
			return nil
		}
		data, err := batch.encode()
		if err != nil {
			return err
		}
		batch = newBatch()
		return change.Add(data)
	}
	for e, err := range changes.Add {
		if err != nil {
			return err
		}
		if err := ctx.Err(); err != nil {
			return err
		}
		batch.add(e)
		if batch.bytes >= batchBytes || len(batch.entries) >= batchEntries {
			if err := flush(); err != nil {
				return err
			}
		}
	}
	return flush()
}

// Close frees what the index holds.
func (ix *Index) Close() error { return nil }
