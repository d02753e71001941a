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
		if _, _, err := readfile.Read("", path, 0); !errors.Is(err, readfile.ErrNotRegular) {
			t.Errorf("Read(%s) = %v", path, err)
		}
		if _, err := readfile.Hash("", path); !errors.Is(err, readfile.ErrNotRegular) {
			t.Errorf("Hash(%s) = %v", path, err)
		}
	}
}

func TestReadStaysInItsRoot(t *testing.T) {
	base := t.TempDir()
	root, outside := filepath.Join(base, "root"), filepath.Join(base, "outside")
	for _, dir := range []string{filepath.Join(root, "real"), outside} {
		if err := os.MkdirAll(dir, 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(filepath.Join(dir, "a.md"), []byte(dir), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	// What a folder becomes between the check of a path and its opening.
	if err := os.Symlink(outside, filepath.Join(root, "swapped")); err != nil {
		t.Fatal(err)
	}
	if got, _, err := readfile.Read(root, filepath.Join(root, "real", "a.md"), 0); err != nil || string(got) != filepath.Join(root, "real") {
		t.Errorf("inside: %q, %v", got, err)
	}
	path := filepath.Join(root, "swapped", "a.md")
	if got, _, err := readfile.Read(root, path, 0); err == nil {
		t.Errorf("read from outside: %q", got)
	}
	if _, err := readfile.Hash(root, path); err == nil {
		t.Error("hashed outside")
	}
}

func TestReadOfARootThatIsAFile(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.md")
	if err := os.WriteFile(path, []byte("x"), 0o600); err != nil {
		t.Fatal(err)
	}
	if got, _, err := readfile.Read(path, path, 0); err != nil || string(got) != "x" {
		t.Errorf("%q, %v", got, err)
	}
}
