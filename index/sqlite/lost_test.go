package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

// A catalog that was lost must not come back as an empty one.
func TestLostCatalog(t *testing.T) {
	for name, lose := range map[string]func(path string) error{
		"emptied": func(path string) error { return os.Truncate(path, 0) },
		"removed": os.Remove,
	} {
		for _, witness := range []string{"keywords", "catalog.sqlite-wal"} {
			t.Run(name+" beside "+witness, func(t *testing.T) {
				dir := t.TempDir()
				path := filepath.Join(dir, "catalog.sqlite")
				o := &sqlite.Options{Beside: []string{filepath.Join(dir, "keywords")}}
				c, err := sqlite.Open(t.Context(), path, o)
				if err != nil {
					t.Fatal(err)
				}
				put(t, c, document("/a", "text", 1))
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				if err := os.WriteFile(filepath.Join(dir, witness), []byte("x"), 0o600); err != nil {
					t.Fatal(err)
				}
				if err := lose(path); err != nil {
					t.Fatal(err)
				}
				_, err = sqlite.Open(t.Context(), path, o)
				if !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), path) || !strings.Contains(err.Error(), witness) {
					t.Errorf("error %v", err)
				}
				if entries, _ := os.ReadDir(dir); len(entries) > 2 {
					t.Errorf("the folder has %v", entries)
				}
			})
		}
	}
}

func TestRollbackJournal(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "catalog.sqlite")
	put(t, open(t, path), document("/a", "text", 1)) // with a log, and still open
	for range 2 {
		c, err := sqlite.Open(t.Context(), path, &sqlite.Options{Rollback: true})
		if err != nil {
			t.Fatal(err)
		}
		put(t, c, document("/b", "text", 1))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	alone := filepath.Join(t.TempDir(), "catalog.sqlite")
	c, err := sqlite.Open(t.Context(), alone, &sqlite.Options{Rollback: true})
	if err != nil {
		t.Fatal(err)
	}
	defer c.Close()
	put(t, c, document("/a", "text", 1))
	if entries, err := os.ReadDir(filepath.Dir(alone)); err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}
