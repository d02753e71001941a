// Package testcorpus opens a corpus for tests: the real stores and light
// converters, and an embedder without a model. Tests of other packages import
// it; nothing else does.
package testcorpus

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/convert/office"
	"github.com/minirag/minirag/convert/text"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
	"github.com/minirag/minirag/index/flat"
	"github.com/minirag/minirag/index/segment"
	"github.com/minirag/minirag/index/sqlite"
	"github.com/minirag/minirag/internal/lock"
)

// Open opens a corpus whose index is in dir. Parts that o already has are
// kept; nil o means none.
func Open(ctx context.Context, dir string, o *minirag.Options) (*minirag.Corpus, error) {
	return openWith(ctx, dir, o, openSegments)
}

// OpenSeparate is Open with an index for keywords and another one for vectors.
func OpenSeparate(ctx context.Context, dir string, o *minirag.Options) (*minirag.Corpus, error) {
	return openWith(ctx, dir, o, openSeparate)
}

func openWith(ctx context.Context, dir string, o *minirag.Options, open func(dir string, parts *minirag.Options) error) (*minirag.Corpus, error) {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return nil, err
	}
	var parts minirag.Options
	if o != nil {
		parts = *o
	}
	if parts.Embedder == nil {
		parts.Embedder = embedtest.New(&embedtest.Options{Dims: 64})
	}
	if parts.Converter == nil {
		formats := append(text.Formats(), html.Formats()...)
		parts.Converter = convert.NewRouter(append(formats, office.Formats(&office.Options{Embedded: html.HTML{}})...), nil)
	}
	if parts.ApplyLock == nil {
		parts.ApplyLock = ApplyLock(dir)
	}
	parts.SyncLock = lock.Recorded{File: lock.New(filepath.Join(dir, ".sync.lock"))}
	parts.Folder = minirag.Folder{Path: dir, Names: []string{"catalog.sqlite", "apply.lock", ".sync.lock", "segments", "keywords", "vectors"}}
	// Tests wait for each other however busy the machine is.
	catalog, err := sqlite.Open(ctx, filepath.Join(dir, "catalog.sqlite"), &sqlite.Options{LockTimeout: 5 * time.Minute,
		Beside: []string{filepath.Join(dir, "segments", "manifest"), filepath.Join(dir, "keywords", "manifest"), filepath.Join(dir, "vectors", "manifest")}})
	if err != nil {
		return nil, err
	}
	parts.Catalog = catalog
	if err := open(dir, &parts); err != nil {
		return nil, errors.Join(err, catalog.Close())
	}
	return minirag.Open(ctx, parts)
}

// ApplyLock is the lock of the derived indexes in dir.
func ApplyLock(dir string) minirag.Locker {
	return lock.Brief{File: lock.New(filepath.Join(dir, "apply.lock"))}
}

func openSegments(dir string, parts *minirag.Options) error {
	engine, err := segment.Open(filepath.Join(dir, "segments"), origin(parts), nil)
	if err != nil {
		return err
	}
	parts.Keywords, parts.Vectors = engine.Keywords(), engine.Vectors()
	return nil
}

func openSeparate(dir string, parts *minirag.Options) error {
	o := origin(parts)
	keywords, err := bluge.Open(filepath.Join(dir, "keywords"), &bluge.Options{Catalog: o.Catalog})
	if err != nil {
		return err
	}
	vectors, err := flat.Open(filepath.Join(dir, "vectors"), o, nil)
	if err != nil {
		return errors.Join(err, keywords.Close())
	}
	parts.Keywords, parts.Vectors = keywords, vectors
	return nil
}

func origin(parts *minirag.Options) index.Origin {
	model := parts.Embedder.Model()
	return index.Origin{Catalog: parts.Catalog.UUID(), Model: model.ID, Dims: model.Dims}
}

// New opens a corpus over roots with its index in a temporary folder, and
// closes it with the test.
func New(t testing.TB, roots ...string) *minirag.Corpus {
	t.Helper()
	return At(t, filepath.Join(t.TempDir(), "index"), &minirag.Options{Roots: roots})
}

// At is [Open] for a test, which closes the corpus.
func At(t testing.TB, dir string, o *minirag.Options) *minirag.Corpus {
	t.Helper()
	c, err := Open(t.Context(), dir, o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := c.Close(); err != nil {
			t.Error(err)
		}
	})
	return c
}

// Write writes files below a new folder, whose real path it returns. Names
// have forward slashes.
func Write(t testing.TB, files map[string]string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for name, content := range files {
		WriteFile(t, filepath.Join(base, filepath.FromSlash(name)), content)
	}
	return base
}

// WriteFile writes one file and the folders above it.
func WriteFile(t testing.TB, path, content string) {
	t.Helper()
	if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
		t.Fatal(err)
	}
	if err := os.WriteFile(path, []byte(content), 0o644); err != nil {
		t.Fatal(err)
	}
}

// OpenFolder makes a temporary folder that other users may enter. Where root
// runs the test, which can become another user, and they cannot get there, it
// skips the test.
func OpenFolder(t testing.TB) string {
	t.Helper()
	dir, err := os.MkdirTemp("", "minirag-test-*")
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		os.Chmod(dir, 0o700)
		os.RemoveAll(dir)
	})
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	for above := filepath.Dir(dir); ; above = filepath.Dir(above) {
		if info, err := os.Stat(above); err != nil || os.Geteuid() == 0 && info.Mode()&0o001 == 0 {
			t.Skipf("other users cannot enter %s, the folder of temporary files is below it", above)
		}
		if above == filepath.Dir(above) {
			return dir
		}
	}
}
