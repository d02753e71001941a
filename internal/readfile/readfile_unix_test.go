//go:build !windows

package readfile_test

import (
	"errors"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/minirag/minirag/internal/readfile"
)

func TestReadRefusesWhatIsNotRegular(t *testing.T) {
	dir := t.TempDir()
	fifo, link := filepath.Join(dir, "fifo.md"), filepath.Join(dir, "link.md")
	if err := syscall.Mkfifo(fifo, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := os.Symlink(fifo, link); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{fifo, link, os.DevNull} {
		if _, _, err := readfile.Read(path, 0); !errors.Is(err, readfile.ErrNotRegular) {
			t.Errorf("Read(%s) = %v", path, err)
		}
		if _, err := readfile.Hash(path); !errors.Is(err, readfile.ErrNotRegular) {
			t.Errorf("Hash(%s) = %v", path, err)
		}
	}
}
