package minirag_test

import (
	"errors"
	"fmt"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

func TestFullDisk(t *testing.T) {
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size=1500k"); err != nil {
		t.Skip("a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	files := make(map[string]string)
	for i := range 40 {
		var b strings.Builder
		for w := range 1500 {
			fmt.Fprintf(&b, "word%d ", (i+1)*w*7919%100_003)
		}
		files[fmt.Sprintf("doc-%02d.txt", i)] = b.String()
	}
	root := testcorpus.Write(t, files)
	c := testcorpus.At(t, filepath.Join(disk, "index"), &minirag.Options{Roots: []string{root}})
	var stored []string
	_, err := c.Sync(t.Context(), &minirag.SyncOptions{Progress: func(p minirag.Progress) {
		if p.Event == minirag.EventIngested {
			stored = append(stored, p.Source)
		}
	}})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("sync on a full disk: %v (%d stored)", err, len(stored))
	}
	if !strings.Contains(err.Error(), "doc-") && !strings.Contains(err.Error(), "apply") {
		t.Errorf("the error does not say what was not stored: %v", err)
	}
	for _, source := range stored {
		text, err := c.Read(t.Context(), source)
		if err != nil || text.Markdown != files[filepath.Base(source)] {
			t.Errorf("%s was reported as stored: %v", source, err)
		}
	}
	if len(stored) == 0 {
		t.Error("nothing was stored before the disk was full")
	} else if _, err := c.Query(t.Context(), minirag.Query{Text: "word7919"}); err != nil {
		t.Errorf("query on a full disk: %v", err)
	}
}
