package sqlite

import (
	"context"
	"errors"
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/index"
)

// A later format: the step runs once, with what was there before kept, and a
// program that does not know it refuses the file.
func TestMigrate(t *testing.T) {
	ctx := t.Context()
	path := filepath.Join(t.TempDir(), "catalog.db")
	c, err := Open(ctx, path, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := c.Update(ctx, func(tx index.Tx) error {
		_, err := tx.Put(&index.NewDocument{Document: index.Document{Source: "/a"}})
		return err
	}); err != nil {
		t.Fatal(err)
	}
	cn, err := c.writers.get(ctx)
	if err != nil {
		t.Fatal(err)
	}
	failure := errors.New("failure")
	runs := 0
	addColumn := func(ctx context.Context, cn *conn) error {
		runs++
		return cn.exec(ctx, "ALTER TABLE documents ADD COLUMN labels TEXT")
	}
	// A step that fails leaves the old format.
	steps := append(migrations(), addColumn, func(context.Context, *conn) error { return failure })
	if err := migrate(ctx, cn, steps); !errors.Is(err, failure) {
		t.Fatalf("migrate: %v, want the failure", err)
	}
	if v, err := format(ctx, cn, len(migrations())); v != len(migrations()) || err != nil {
		t.Fatalf("format %d, %v after the failure", v, err)
	}
	for range 2 {
		if err := migrate(ctx, cn, steps[:len(steps)-1]); err != nil {
			t.Fatal(err)
		}
	}
	if runs != 2 { // once in vain, once for good
		t.Errorf("the step ran %d times", runs)
	}
	var n int
	if err := cn.one(ctx, "SELECT count(*) FROM documents WHERE labels IS NULL", nil, &n); err != nil || n != 1 {
		t.Errorf("%d documents, %v", n, err)
	}
	c.writers.put(cn, true)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	if _, err := Open(ctx, path, nil); !errors.Is(err, index.ErrNewer) {
		t.Errorf("Open: %v, want ErrNewer", err)
	}
}

func TestSourceName(t *testing.T) {
	for path, want := range map[string]string{
		"/a b/c?d#e%f.db":     "///a%20b/c%3Fd%23e%25f.db",
		"C:/Users/Ёж/x.db":    "///C:/Users/%D0%81%D0%B6/x.db",
		"//server/share/x.db": "////server/share/x.db",
	} {
		if got := escapePath(path); got != want {
			t.Errorf("escapePath(%q) = %q, want %q", path, got, want)
		}
	}
}
