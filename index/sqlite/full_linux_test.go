package sqlite_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/minirag/minirag/index"
)

func TestDiskFull(t *testing.T) {
	dir := t.TempDir()
	if err := syscall.Mount("tmpfs", dir, "tmpfs", 0, "size=2m"); err != nil {
		t.Skipf("no small disk can be made: %v", err)
	}
	defer syscall.Unmount(dir, syscall.MNT_DETACH)
	c := open(t, filepath.Join(dir, "catalog.db"))
	defer c.Close()
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
