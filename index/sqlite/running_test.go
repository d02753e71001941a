package sqlite_test

import (
	"bytes"
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

// While one writes, others open the catalog and read, and a writer that does
// not want to wait is told why.
func TestBesideWriter(t *testing.T) {
	ctx := t.Context()
	c := open(t, filepath.Join(t.TempDir(), "catalog.db"))
	put(t, c, document("/a", "one", 1))
	_, err := c.Update(ctx, func(tx index.Tx) error {
		if _, err := tx.Put(document("/a", "two", 1)); err != nil {
			return err
		}
		other, err := sqlite.Open(ctx, c.Path(), &sqlite.Options{LockTimeout: time.Millisecond})
		if err != nil {
			return err
		}
		for _, r := range []index.Catalog{other, c} {
			err := r.View(ctx, func(v index.View) error {
				d, err := v.Document("/a")
				if d.Title != "one" {
					t.Errorf("a reader sees %q", d.Title)
				}
				return err
			})
			if err != nil {
				return err
			}
		}
		_, err = other.Update(ctx, func(index.Tx) error { return nil })
		if err == nil || !strings.Contains(err.Error(), "another process is changing it") {
			t.Errorf("another writer: %v", err)
		}
		patient := open(t, c.Path())
		for _, w := range []index.Catalog{patient, c} { // waits for the file, and for the goroutine
			ctx, cancel := context.WithTimeout(ctx, 20*time.Millisecond)
			_, err = w.Update(ctx, func(index.Tx) error { return nil })
			cancel()
			if !errors.Is(err, context.DeadlineExceeded) {
				t.Errorf("a writer that waits: %v", err)
			}
		}
		return other.Close()
	})
	if err != nil {
		t.Fatal(err)
	}
	if seq := put(t, c, document("/a", "three", 1)); seq != 3 {
		t.Errorf("sequence %d, want 3", seq)
	}
}

func TestDamagedWhileOpen(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, path)
	put(t, c, document("/a", "one", 50))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	c, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close() // whether it can still be closed well does not matter
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if _, err := f.WriteAt(bytes.Repeat([]byte{0xff}, int(info.Size())-4096), 4096); err != nil {
		t.Fatal(err)
	}
	err = c.View(t.Context(), func(v index.View) error {
		for _, err := range v.Added(0, v.Seq(), "m") {
			if err != nil {
				return err
			}
		}
		return nil
	})
	if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), path) {
		t.Errorf("View: %v", err)
	}
	_, err = c.Update(t.Context(), func(tx index.Tx) error {
		_, err := tx.Put(document("/b", "two", 1))
		return err
	})
	if !errors.Is(err, index.ErrDamaged) {
		t.Errorf("Update: %v", err)
	}
}
