// Package local opens a corpus with everything it needs on this machine: the
// converters, the model inside the binary, and an index in a folder.
//
// It imports the implementations of all parts, so a program that brings its
// own and wants to stay small calls [minirag.Open] instead.
package local

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"slices"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/e5"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
	"github.com/minirag/minirag/index/sqlite"
	"github.com/minirag/minirag/internal/fetch"
	"github.com/minirag/minirag/internal/lock"
	"github.com/minirag/minirag/internal/place"
	"github.com/minirag/minirag/internal/roots"
)

// Options choose where and how. Only Roots is required.
type Options struct {
	// Roots are the folders with the documents. Relative ones are taken from
	// the current folder; a "~" is not expanded.
	Roots []string
	// Dir is the folder of the index. Empty: ".minirag/index" in the first
	// root. Files of other programs in it are left alone.
	Dir string
	// CacheDir keeps what can be made again, such as the compiled PDF engine.
	// Empty: "minirag" in the user's cache folder.
	CacheDir string
	// Embedder replaces the model inside the binary; [OpenModel] gives others.
	Embedder embed.Embedder
	// Formats go before the built-in ones: one with the same extension
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

var errNoRoots = fmt.Errorf("%w: Options.Roots is empty", minirag.ErrInvalid)

// Open opens or creates the corpus. It loads neither the model nor the PDF
// engine: they start with their first use.
func Open(ctx context.Context, o *Options) (_ *minirag.Corpus, err error) {
	if o == nil || len(o.Roots) == 0 {
		return nil, fmt.Errorf("open corpus: %w", errNoRoots)
	}
	if slices.Contains(o.Roots, "") {
		return nil, fmt.Errorf("open corpus: %w: Options.Roots holds an empty path; \".\" is the current folder", minirag.ErrInvalid)
	}
	set, err := roots.New(o.Roots)
	if err != nil {
		return nil, fmt.Errorf("open corpus: %w", err)
	}
	dir, err := Dir(o)
	if err != nil {
		return nil, fmt.Errorf("open corpus: %w", err)
	}
	// A mistyped root must not come into being with an index in it.
	for _, root := range set.Paths() {
		if _, err := os.Stat(root); err != nil && roots.Below(dir, root) {
			return nil, fmt.Errorf("open corpus: root: %w; correct the root, or name a folder for the index", err)
		}
	}
	if err := makeDir(dir); err != nil {
		return nil, fmt.Errorf("open index %s: %w; name a folder that can be created and written", dir, err)
	}
	parts := minirag.Options{
		Embedder: o.Embedder, Roots: set.Paths(), Budget: o.Budget, MaxFileSize: o.MaxFileSize,
		Limits: o.Limits, Workers: o.Workers, Ranking: o.Ranking, Logger: o.Logger,
		Folder:    minirag.Folder{Path: dir, Names: append(derivedNames(), "catalog.sqlite", "apply.lock", ".sync.lock")},
		ApplyLock: lock.Brief{File: lock.New(filepath.Join(dir, "apply.lock"))},
		SyncLock:  lock.Recorded{File: lock.New(filepath.Join(dir, ".sync.lock"))},
		Fetcher:   fetcher{fetch.New(&fetch.Options{AllowPrivate: o.AllowPrivateURLs, MaxBytes: o.MaxFileSize})},
	}
	if parts.Embedder == nil {
		parts.Embedder, err = e5.New(nil)
		if err != nil {
			return nil, fmt.Errorf("open corpus: %w", err)
		}
	}
	if err := openStores(ctx, dir, &parts); err != nil {
		return nil, fmt.Errorf("open index %s: %w", dir, err)
	}
	parts.Converter = NewConverter(&ConverterOptions{CacheDir: o.CacheDir, Formats: o.Formats, Logger: o.Logger})
	c, err := minirag.Open(ctx, parts)
	if err != nil {
		return nil, err
	}
	if err := discardOld(dir, parts.ApplyLock); err != nil && o.Logger != nil {
		o.Logger.WarnContext(ctx, "indexes of an earlier version stay", "error", err)
	}
	return c, nil
}

// Dir returns the folder of the index that Open would use.
func Dir(o *Options) (string, error) {
	if o != nil && o.Dir != "" {
		return filepath.Abs(o.Dir)
	}
	if o == nil || len(o.Roots) == 0 {
		return "", errNoRoots
	}
	set, err := roots.New(o.Roots[:1])
	if err != nil {
		return "", err
	}
	return filepath.Join(set.Paths()[0], ".minirag", "index"), nil
}

// makeDir creates the folder for its owner only. The folder above the index
// in a root is ours too; what stands above is not touched.
func makeDir(dir string) error {
	info, err := os.Stat(dir)
	if err == nil {
		if !info.IsDir() {
			return errors.New("it is a file, not a folder")
		}
		return nil
	}
	return os.MkdirAll(dir, 0o700)
}

// derivedNames are the folders of the indexes that are made from the catalog.
func derivedNames() []string { return []string{"keywords", "vectors", "segments"} }

func openStores(ctx context.Context, dir string, parts *minirag.Options) (err error) {
	path := filepath.Join(dir, "catalog.sqlite")
	o := sqlite.Options{Rollback: place.Of(dir).Kind != place.Local}
	for _, name := range derivedNames() {
		o.Beside = append(o.Beside, filepath.Join(dir, name, "manifest"))
	}
	store, err := sqlite.Open(ctx, path, &o)
	if err != nil {
		return err
	}
	catalog, err := watch(store, path)
	if err != nil {
		return errors.Join(err, store.Close())
	}
	defer func() {
		if err != nil {
			err = errors.Join(err, catalog.Close())
		}
	}()
	model := parts.Embedder.Model()
	engine, err := segment.Open(filepath.Join(dir, "segments"), index.Origin{Catalog: catalog.UUID(), Model: model.ID, Dims: model.Dims},
		&segment.Options{Logger: parts.Logger})
	if err != nil {
		return err
	}
	parts.Catalog, parts.Keywords, parts.Vectors = catalog, engine.Keywords(), engine.Vectors()
	return nil
}

// discardOld removes the indexes that earlier versions kept. What cannot be
// removed now, such as what a running process of theirs has open, is tried
// again the next time.
func discardOld(dir string, l minirag.Locker) error {
	keywords, vectors := filepath.Join(dir, "keywords"), filepath.Join(dir, "vectors")
	_, kerr := os.Stat(keywords)
	_, verr := os.Stat(vectors)
	if kerr != nil && verr != nil {
		return nil
	}
	if ok, err := l.TryLock(); !ok || err != nil {
		return err
	}
	defer l.Unlock()
	return errors.Join(segment.Discard(keywords), segment.Discard(vectors))
}
