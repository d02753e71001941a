package minirag_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/testcorpus"
)

// tree reads every file below a folder.
func tree(t *testing.T, dir string) map[string]string {
	t.Helper()
	out := make(map[string]string)
	err := filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		data, err := os.ReadFile(path)
		out[path] = string(data)
		return err
	})
	if err != nil {
		t.Fatal(err)
	}
	return out
}

func TestFilesOfAnotherProgramStay(t *testing.T) {
	dir := testcorpus.Write(t, map[string]string{
		"chunks.lance/_versions/1.manifest": "\x00manifest", "chunks.lance/data/0.lance": "LANC",
		".sync.lock": `{"pid": 1, "startedAt": "2026-01-01T00:00:00Z"}`, "chunks.lance/_indices/x/part.lance": "\x01\x02",
	})
	before := tree(t, dir)
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{library(t)}})
	syncAll(t, c)
	if got := first(t, c, "apply_secrets"); got != "notes.txt" {
		t.Errorf("found %q", got)
	}
	after := tree(t, dir)
	for path, content := range before {
		if diff := cmp.Diff(content, after[path]); diff != "" {
			t.Errorf("%s was changed (-before +after)\n%s", path, diff)
		}
	}
}

func TestPlaceThatCannotHoldAnIndex(t *testing.T) {
	root := library(t)
	file := filepath.Join(root, "notes.txt")
	if _, err := testcorpus.Open(t.Context(), filepath.Join(file, "index"), &minirag.Options{Roots: []string{root}}); err == nil {
		t.Error("an index was opened below a file")
	}
	dir := testcorpus.Write(t, map[string]string{"catalog.sqlite": "this is not a database, whatever its name says, and it is long enough to be looked at"})
	_, err := testcorpus.Open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
	if !errors.Is(err, index.ErrDamaged) {
		t.Errorf("a catalog that is none: %v", err)
	}
	if got := tree(t, dir)[filepath.Join(dir, "catalog.sqlite")]; got[:4] != "this" {
		t.Error("the file was overwritten")
	}
}

func TestReadOnlyIndexCanBeAsked(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	root, dir := library(t), filepath.Join(t.TempDir(), "index")
	c, err := testcorpus.Open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	syncAll(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	readOnly(t, dir)
	again := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	if got := first(t, again, "when must an expense report be filed?"); got != "policies/expenses.md" {
		t.Errorf("found %q", got)
	}
	if _, err := again.Ingest(t.Context(), minirag.Bytes("n", "text/plain", []byte("x"))); !errors.Is(err, index.ErrReadOnly) {
		t.Errorf("ingest: %v", err)
	}
}

// readOnly takes away every permission to write below dir until the test ends.
func readOnly(t *testing.T, dir string) {
	t.Helper()
	set := func(file, folder os.FileMode) {
		filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
			if err == nil && d.IsDir() {
				return os.Chmod(path, folder)
			}
			return os.Chmod(path, file)
		})
	}
	set(0o400, 0o500)
	t.Cleanup(func() { set(0o600, 0o700) })
}
