package atomicfile_test

import (
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"sync"
	"testing"

	"github.com/minirag/minirag/internal/atomicfile"
)

func put(text string) func(io.Writer) error {
	return func(w io.Writer) error {
		_, err := io.WriteString(w, text)
		return err
	}
}

func read(t *testing.T, path string) string {
	t.Helper()
	data, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	return string(data)
}

func TestWriteCreatesAndReplaces(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest")
	for _, text := range []string{"one", "", "three is longer"} {
		if err := atomicfile.Write(path, 0o600, put(text)); err != nil {
			t.Fatal(err)
		}
		if got := read(t, path); got != text {
			t.Errorf("content is %q, want %q", got, text)
		}
	}
	info, err := os.Stat(path)
	if err != nil {
		t.Fatal(err)
	}
	if runtime.GOOS != "windows" && info.Mode().Perm() != 0o600 {
		t.Errorf("mode is %v, want 0600", info.Mode().Perm())
	}
}

func TestWriteFailsWithoutATrace(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "manifest")
	if err := atomicfile.Write(path, 0o600, put("old")); err != nil {
		t.Fatal(err)
	}
	boom := errors.New("boom")
	err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
		if _, err := io.WriteString(w, "half of"); err != nil {
			return err
		}
		return boom
	})
	if !errors.Is(err, boom) || !strings.Contains(err.Error(), path) {
		t.Errorf("error %v does not name the cause and the file", err)
	}
	if got := read(t, path); got != "old" {
		t.Errorf("content is %q, want the old one", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 1 {
		t.Errorf("%d files in the folder, want 1", len(entries))
	}
}

func TestWriteWithoutFolder(t *testing.T) {
	path := filepath.Join(t.TempDir(), "missing", "manifest")
	if _, err := atomicfile.Open(path); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want one of os.ErrNotExist", err)
	}
	if err := atomicfile.Write(path, 0o600, put("x")); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("error is %v, want one of os.ErrNotExist", err)
	}
}

func TestCleanRemovesOnlyLeftovers(t *testing.T) {
	dir := t.TempDir()
	if err := os.WriteFile(filepath.Join(dir, "mine.tmp"), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	// What a killed writer leaves is what is there while fill runs.
	var left string
	err := atomicfile.Write(filepath.Join(dir, "manifest"), 0o600, func(io.Writer) error {
		entries, err := os.ReadDir(dir)
		for _, e := range entries {
			if atomicfile.IsTemp(e.Name()) {
				left = e.Name()
			}
		}
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	if left == "" {
		t.Fatal("no temporary file was recognised")
	}
	if err := os.WriteFile(filepath.Join(dir, left), nil, 0o600); err != nil {
		t.Fatal(err)
	}
	if err := atomicfile.Clean(dir); err != nil {
		t.Fatal(err)
	}
	entries, err := os.ReadDir(dir)
	if err != nil {
		t.Fatal(err)
	}
	if len(entries) != 2 || entries[0].Name() != "manifest" || entries[1].Name() != "mine.tmp" {
		t.Errorf("folder holds %v", entries)
	}
}

func TestConcurrentWritersNeverMix(t *testing.T) {
	path := filepath.Join(t.TempDir(), "manifest")
	var wg sync.WaitGroup
	for i := range 8 {
		wg.Go(func() {
			text := strings.Repeat(fmt.Sprint(i), 10000)
			for range 10 {
				if err := atomicfile.Write(path, 0o600, put(text)); err != nil {
					t.Error(err)
				}
				f, err := atomicfile.Open(path)
				if err != nil {
					t.Error(err)
					return
				}
				data, err := io.ReadAll(f)
				f.Close()
				if err != nil {
					t.Error(err)
				} else if len(data) != 10000 || strings.Trim(string(data), string(data[0])) != "" {
					t.Error("content of two writers is mixed")
				}
			}
		})
	}
	wg.Wait()
}
