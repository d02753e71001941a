package sqlite_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

// disk returns a folder of a disk of its own.
func disk(t *testing.T, size string) string {
	t.Helper()
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size="+size); err != nil {
		t.Skipf("no small disk can be made: %v", err)
	}
	t.Cleanup(func() { syscall.Unmount(dir, syscall.MNT_DETACH) })
	return dir
}

// Wherever in Open the space ends, the error says so.
func TestOpenDiskFull(t *testing.T) {
	for _, left := range []int{0, 4, 8, 16, 32, 64} {
		dir := disk(t, "256k")
		filler, err := os.Create(filepath.Join(dir, "filler"))
		if err != nil {
			t.Fatal(err)
		}
		for n := left; n < 256; n += 4 {
			if _, err := filler.Write(make([]byte, 4096)); err != nil {
				t.Fatal(err)
			}
		}
		filler.Close()
		path := filepath.Join(dir, "catalog.db")
		c, err := sqlite.Open(t.Context(), path, nil)
		if err == nil {
			c.Close()
			t.Errorf("%d KB are enough", left)
		}
		if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), path) {
			t.Errorf("with %d KB: %v", left, err)
		}
		if err := os.Remove(filler.Name()); err != nil {
			t.Fatal(err)
		}
		put(t, open(t, path), document("/a", "text", 1))
	}
}

func TestDiskFull(t *testing.T) {
	c := open(t, filepath.Join(disk(t, "2m"), "catalog.db"))
	var last index.Seq
	for i := 0; ; i++ {
		seq, err := c.Update(t.Context(), func(tx index.Tx) error {
			_, err := tx.Put(document(fmt.Sprint("/", i), "text", 100))
			return err
		})
		if err != nil {
			if !errors.Is(err, syscall.ENOSPC) || !strings.Contains(err.Error(), c.Path()) {
				t.Errorf("error %v", err)
			}
			break
		}
		last = seq
	}
	// What was stored is there, and there is room for something small.
	err := c.View(t.Context(), func(v index.View) error {
		s, err := v.Stats()
		if s.Documents != int(last) || v.Seq() != last {
			t.Errorf("%d documents at %d, want %d", s.Documents, v.Seq(), last)
		}
		return err
	})
	if err != nil {
		t.Error(err)
	}
	if _, err := c.Update(t.Context(), func(tx index.Tx) error { _, err := tx.Delete("/0"); return err }); err != nil {
		t.Errorf("a small change: %v", err)
	}
}
