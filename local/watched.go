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
	path string
	file fs.FileInfo
}

func watch(c index.Catalog, path string) (*watched, error) {
	file, err := os.Stat(path)
	if err != nil {
		return nil, err
	}
	return &watched{Catalog: c, path: path, file: file}, nil
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
