package local_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/internal/testcorpus"
	"github.com/minirag/minirag/local"
)

func open(t *testing.T, o *local.Options) *minirag.Corpus {
	t.Helper()
	o.Embedder = embedtest.New(nil)
	o.CacheDir = t.TempDir()
	c, err := local.Open(t.Context(), o)
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	return c
}

func TestOpenMakesTheIndexInTheFirstRoot(t *testing.T) {
	root := testcorpus.Write(t, map[string]string{"a.md": "# Lighthouses\n\nThey stand on cliffs.\n"})
	c := open(t, &local.Options{Roots: []string{root}})
	report, err := c.Sync(t.Context(), nil)
	if err != nil || report.Counts.Ingested != 1 {
		t.Fatalf("%+v, %v", report, err)
	}
	info, err := os.Stat(filepath.Join(root, ".minirag", "index"))
	if err != nil {
		t.Fatal(err)
	}
	if perm := info.Mode().Perm(); perm&0o077 != 0 {
		t.Errorf("the index can be read by others: %v", perm)
	}
	if report, err := c.Sync(t.Context(), nil); err != nil || report.Counts.Skipped != 1 || report.Counts.Scanned != 1 {
		t.Errorf("second sync: %+v, %v", report, err)
	}
}

func TestIndexesOfEarlierVersionsGo(t *testing.T) {
	root := testcorpus.Write(t, map[string]string{"a.md": "# Lighthouses\n\nThey stand on cliffs.\n"})
	dir := filepath.Join(root, ".minirag", "index")
	old, err := testcorpus.OpenSeparate(t.Context(), dir, &minirag.Options{Roots: []string{root}, Embedder: embedtest.New(nil)})
	if err != nil {
		t.Fatal(err)
	}
	if _, err := old.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := old.Close(); err != nil {
		t.Fatal(err)
	}
	testcorpus.WriteFile(t, filepath.Join(dir, "vectors", "notes.txt"), "somebody's")
	c := open(t, &local.Options{Roots: []string{root}})
	if res, err := c.Query(t.Context(), minirag.Query{Text: "cliffs"}); err != nil || len(res.Hits) != 1 {
		t.Errorf("%+v, %v", res, err)
	}
	if _, err := os.Stat(filepath.Join(dir, "keywords")); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("the old keyword index is still there: %v", err)
	}
	left, err := os.ReadDir(filepath.Join(dir, "vectors"))
	if err != nil || len(left) != 1 || left[0].Name() != "notes.txt" {
		t.Errorf("the old folder of vectors holds %v, %v", left, err)
	}
}

func TestOpenRefuses(t *testing.T) {
	base := testcorpus.Write(t, map[string]string{"file": "x"})
	missing := filepath.Join(base, "missing")
	for name, tc := range map[string]struct {
		o    *local.Options
		want error
	}{
		"no options":                 {nil, minirag.ErrInvalid},
		"no roots":                   {&local.Options{}, minirag.ErrInvalid},
		"an empty root":              {&local.Options{Roots: []string{base, ""}}, minirag.ErrInvalid},
		"no workers":                 {&local.Options{Roots: []string{base}, Workers: -1}, minirag.ErrInvalid},
		"a missing root":             {&local.Options{Roots: []string{missing}}, fs.ErrNotExist},
		"an index in a missing root": {&local.Options{Roots: []string{base, missing}, Dir: filepath.Join(missing, "index")}, fs.ErrNotExist},
		"a file in place of index":   {&local.Options{Roots: []string{base}, Dir: filepath.Join(base, "file")}, nil},
	} {
		c, err := local.Open(t.Context(), tc.o)
		if err == nil {
			c.Close()
		}
		if err == nil || tc.want != nil && !errors.Is(err, tc.want) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := os.Stat(missing); !errors.Is(err, fs.ErrNotExist) {
		t.Error("the missing root was created")
	}
}

func TestARemovedIndexIsNoticed(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("an open file cannot be removed")
	}
	root := testcorpus.Write(t, map[string]string{"a.md": "# Lighthouses\n\nThey stand on cliffs.\n"})
	o := local.Options{Roots: []string{root}}
	c := open(t, &o)
	if _, err := c.Sync(t.Context(), nil); err != nil {
		t.Fatal(err)
	}
	if err := os.RemoveAll(filepath.Join(root, ".minirag")); err != nil {
		t.Fatal(err)
	}
	note := minirag.Bytes("note", "text/plain", []byte("A note about harbours."))
	use := func(what string) {
		if _, err := c.Ingest(t.Context(), note); err == nil {
			t.Errorf("%s: a document was stored where it is lost", what)
		}
		if _, err := c.Query(t.Context(), minirag.Query{Text: "cliffs"}); err == nil {
			t.Errorf("%s: a query was answered", what)
		}
	}
	use("removed")
	again := open(t, &o)
	use("made anew by another")
	if _, err := again.Ingest(t.Context(), note); err != nil {
		t.Error(err)
	}
}

func TestDirNeedsARoot(t *testing.T) {
	for _, o := range []*local.Options{nil, {}} {
		if dir, err := local.Dir(o); !errors.Is(err, minirag.ErrInvalid) {
			t.Errorf("Dir(%v) = %q, %v", o, dir, err)
		}
	}
}

func TestAMissingRootWithAnIndexElsewhereIsReported(t *testing.T) {
	base := testcorpus.Write(t, nil)
	c := open(t, &local.Options{Roots: []string{filepath.Join(base, "missing")}, Dir: filepath.Join(base, "index")})
	report, err := c.Sync(t.Context(), nil)
	if err != nil || report.Counts.Failed != 1 || len(report.Errors) != 1 {
		t.Errorf("%+v, %v", report, err)
	}
}
