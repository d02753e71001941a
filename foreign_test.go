package minirag_test

import (
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// Two processes with different roots share an index: neither sees, returns,
// replaces or deletes the files of the other, and each sees the notes.
func TestRootsOfOthers(t *testing.T) {
	cliffs := testcorpus.Write(t, map[string]string{"a.md": "# Cliffs\n\nA lighthouse stands on the cliffs.\n"})
	// A name that begins like the other root's.
	harbour := cliffs + "-harbour"
	testcorpus.WriteFile(t, filepath.Join(harbour, "b.md"), "# Harbour\n\nThe lighthouse keeper rows to the harbour.\n")
	testcorpus.WriteFile(t, filepath.Join(harbour, "c.md"), "# Boats\n\nThe lighthouse boats.\n")
	dir := filepath.Join(t.TempDir(), "index")
	one := testcorpus.At(t, dir, &minirag.Options{Roots: []string{cliffs}})
	two := testcorpus.At(t, dir, &minirag.Options{Roots: []string{harbour}})
	syncAll(t, one)
	syncAll(t, two)
	if _, err := one.Ingest(t.Context(), minirag.Bytes("note", "text/plain", []byte("A note about the lighthouse."))); err != nil {
		t.Fatal(err)
	}
	check := func(c *minirag.Corpus, own []string, others ...string) {
		t.Helper()
		own = append(own, "note")
		listing, err := c.List(t.Context(), nil)
		if err != nil || len(listing.Sources) != len(own) {
			t.Errorf("listed %+v, %v", listing, err)
		}
		for _, scope := range [][]string{nil, append(own, others...)} {
			res, err := c.Query(t.Context(), minirag.Query{Text: "lighthouse", TopK: 10, Scope: scope})
			if err != nil || len(res.Sources) != len(own) {
				t.Errorf("found %+v, %v", res, err)
			}
		}
		status, err := c.Status(t.Context())
		if err != nil || status.Sources != len(own) || status.Chunks != len(own) || status.StaleChunks != 0 {
			t.Errorf("%+v, %v", status, err)
		}
		for _, source := range own {
			if _, err := c.Read(t.Context(), source); err != nil {
				t.Error(err)
			}
		}
		for _, source := range others {
			if _, err := c.Read(t.Context(), source); !errors.Is(err, minirag.ErrNotFound) {
				t.Errorf("read: %v", err)
			}
			if _, err := c.Neighbors(t.Context(), source, 0, 1, 1); !errors.Is(err, minirag.ErrNotFound) {
				t.Errorf("neighbours: %v", err)
			}
			if _, err := c.Delete(t.Context(), source); !errors.Is(err, minirag.ErrNotFound) {
				t.Errorf("delete: %v", err)
			}
			if _, err := c.Ingest(t.Context(), minirag.Bytes(source, "text/plain", []byte("mine now"))); !errors.Is(err, minirag.ErrInvalid) {
				t.Errorf("ingest in its place: %v", err)
			}
		}
		report, err := c.Sync(t.Context(), nil)
		if err != nil || report.Counts.Deleted != 0 || report.Counts.Failed != 0 {
			t.Errorf("sync: %+v, %v", report, err)
		}
	}
	a, b, d := filepath.Join(cliffs, "a.md"), filepath.Join(harbour, "b.md"), filepath.Join(harbour, "c.md")
	for range 2 { // the second time after the syncs
		check(one, []string{a}, b, d)
		check(two, []string{b, d}, a)
	}
	none := testcorpus.At(t, dir, nil)
	check(none, nil, a, b, d)
	both := testcorpus.At(t, dir, &minirag.Options{Roots: []string{harbour, cliffs}})
	check(both, []string{a, b, d})
	if _, err := one.Delete(t.Context(), "note"); err != nil {
		t.Fatal(err)
	}
	res, err := none.Query(t.Context(), minirag.Query{Text: "lighthouse"})
	if err != nil || len(res.Hits) != 0 || !strings.Contains(res.Notice, "the index is empty") {
		t.Errorf("%+v, %v", res, err)
	}
}

// A name that JSON cannot carry is found as JSON shows it, if that is clear.
func TestNamesThatAreNoUTF8(t *testing.T) {
	root := testcorpus.Write(t, map[string]string{"plain.md": "# Plain\n"})
	for name, text := range map[string]string{"caf\xe9.md": "# Coffee\n", "one\xfe.md": "# One\n", "one\xff.md": "# Two\n"} {
		if err := os.WriteFile(filepath.Join(root, name), []byte(text), 0o644); err != nil {
			t.Skip("the file system takes no such names:", err)
		}
	}
	c := testcorpus.New(t, root)
	if report := syncAll(t, c); report.Counts.Ingested != 4 {
		t.Skipf("the file system changes such names: %+v", report.Counts)
	}
	for _, name := range []string{"caf\xe9.md", "caf\ufffd.md"} {
		path, err := c.Resolve(filepath.Join(root, name))
		if err != nil {
			t.Fatal(err)
		}
		if text, err := c.Read(t.Context(), path); err != nil || text.Markdown != "# Coffee\n" {
			t.Errorf("%q: %v, %v", name, text, err)
		}
		if hits, err := c.Neighbors(t.Context(), path, 0, 1, 1); err != nil || len(hits) != 1 {
			t.Errorf("neighbors in %q: %d, %v", name, len(hits), err)
		}
	}
	if _, err := c.Read(t.Context(), filepath.Join(root, "one\ufffd.md")); !errors.Is(err, minirag.ErrNotFound) {
		t.Errorf("two files are shown so: %v", err)
	}
	gone, err := c.Delete(t.Context(), filepath.Join(root, "caf\ufffd.md"))
	if err != nil || gone.ID != filepath.Join(root, "caf\xe9.md") {
		t.Errorf("deleted %+v, %v", gone, err)
	}
}
