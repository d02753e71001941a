package mmap_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/minirag/minirag/internal/mmap"
)

func open(t *testing.T, content []byte) (*os.File, *mmap.Mapping) {
	t.Helper()
	path := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(path, content, 0o600); err != nil {
		t.Fatal(err)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	m, err := mmap.Map(f, len(content))
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := m.Close(); err != nil {
			t.Error(err)
		}
		f.Close()
	})
	return f, m
}

func TestMap(t *testing.T) {
	for _, content := range []string{"", "x", "some bytes of a file"} {
		_, m := open(t, []byte(content))
		if got := string(m.Bytes()); got != content {
			t.Errorf("mapped %q, want %q", got, content)
		}
	}
}

func TestGuard(t *testing.T) {
	boom := errors.New("boom")
	if err := mmap.Guard(func() error { return boom }); err != boom {
		t.Errorf("error %v, want that of the function", err)
	}
	var none []int
	if err := mmap.Guard(func() error { none[3] = 1; return nil }); !errors.Is(err, mmap.ErrFault) {
		t.Error("a panic is no error")
	}
}

func TestGuardCatchesAFault(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be cut off")
	}
	f, m := open(t, make([]byte, 1<<20))
	if err := f.Truncate(0); err != nil {
		t.Fatal(err)
	}
	sum := 0
	err := mmap.Guard(func() error {
		for _, b := range m.Bytes() {
			sum += int(b)
		}
		return nil
	})
	if !errors.Is(err, mmap.ErrFault) {
		t.Errorf("reading a file that was cut off gives %d", sum)
	}
}
