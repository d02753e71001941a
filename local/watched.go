package local

import (
	"context"
	"fmt"
	"io/fs"
	"os"

	"github.com/minirag/minirag/index"
)

// watched is a catalog whose file is looked for before each use. On systems
// where an open file can be removed, everything would go on without it, and
// what is stored then would be lost.
type watched struct {
	index.Catalog
	store store
	path  string
	file  fs.FileInfo
}

// A store is a catalog that can be looked after.
type store interface {
	index.Catalog
	index.Checker
	index.Compacter
}

func watch(c store, path string) (*watched, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &watched{Catalog: c, store: c, path: path, file: file}, nil
}

func (w *watched) check() error {
	now, err := os.Stat(w.path)
	if err != nil {
		return fmt.Errorf("index was removed while it was open: %w; restart the program to begin anew", err)
	}
	if !os.SameFile(now, w.file) {
		return fmt.Errorf("index was replaced while it was open: %s is another file now; restart the program to begin anew", w.path)
	}
	return nil
}

// Check implements [index.Checker].
func (w *watched) Check(ctx context.Context, o *index.CheckOptions) ([]index.Finding, error) {
	if err := w.check(); err != nil {
		return nil, err
	}
	return w.store.Check(ctx, o)
}

// Compact implements [index.Compacter].
func (w *watched) Compact(ctx context.Context) error {
	if err := w.check(); err != nil {
		return err
	}
	return w.store.Compact(ctx)
}

func (w *watched) View(ctx context.Context, fn func(index.View) error) error {
	if err := w.check(); err != nil {
		return err
	}
	return w.Catalog.View(ctx, fn)
}

func (w *watched) Update(ctx context.Context, fn func(index.Tx) error) (index.Seq, error) {
	if err := w.check(); err != nil {
		return 0, err
	}
	return w.Catalog.Update(ctx, fn)
}
