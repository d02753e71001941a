package minirag

import (
	"context"
	"fmt"
	"io/fs"
	"path/filepath"

	"github.com/minirag/minirag/index"
)

// A CompactReport is the outcome of [Corpus.Compact]: the size of the index's
// folder in bytes, 0 if the corpus has none.
type CompactReport struct {
	Before, After int64
}

// Compact gives back the space of what was replaced and deleted, and merges
// the derived indexes. Other processes may use the corpus meanwhile; what they
// read stays until they have done, so that a second run may find more.
func (c *Corpus) Compact(ctx context.Context) (*CompactReport, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	report := &CompactReport{Before: c.size()}
	if err := c.compactIndexes(ctx); err != nil {
		return nil, fmt.Errorf("compact: %w", err)
	}
	if catalog, ok := c.o.Catalog.(index.Compacter); ok {
		if err := catalog.Compact(ctx); err != nil {
			return nil, fmt.Errorf("compact: %w", err)
		}
	}
	report.After = c.size()
	return report, nil
}

func (c *Corpus) compactIndexes(ctx context.Context) error {
	unlock, err := c.lockDerived(ctx)
	if err != nil {
		return err
	}
	defer unlock()
	if err := c.applyAll(ctx); err != nil {
		return err
	}
	oldest := index.Live
	for _, ix := range c.derived() {
		if part, ok := ix.part.(index.Compacter); ok {
			if err := part.Compact(ctx); err != nil {
				return err
			}
		}
		seq, err := ix.seq(ctx)
		if err != nil {
			return err
		}
		oldest = min(oldest, seq)
	}
	// A query that has begun with an older state begins again.
	return c.o.Catalog.Purge(ctx, oldest)
}

// size adds up the files of the index.
func (c *Corpus) size() int64 {
	folder := c.o.Folder
	if folder.Path == "" {
		return 0
	}
	var sum int64
	filepath.WalkDir(folder.Path, func(path string, d fs.DirEntry, err error) error {
		if err != nil || path == folder.Path {
			return nil // what cannot be looked at is not counted
		}
		if filepath.Dir(path) == folder.Path && !folder.owns(d.Name()) {
			if d.IsDir() {
				return filepath.SkipDir
			}
			return nil
		}
		if info, err := d.Info(); err == nil && info.Mode().IsRegular() {
			sum += info.Size()
		}
		return nil
	})
	return sum
}
