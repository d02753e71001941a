package minirag_test

import (
	"bytes"
	"errors"
	"maps"
	"path/filepath"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/internal/testcorpus"
)

// exported returns a corpus of all kinds of documents, and its export.
func exported(t *testing.T, root string) (*minirag.Corpus, []byte) {
	t.Helper()
	c := testcorpus.New(t, root)
	syncAll(t, c)
	for _, text := range []string{"A note about fog.", "A note about thick fog."} {
		if _, err := c.Ingest(t.Context(), minirag.Bytes("note", "text/plain", []byte(text))); err != nil {
			t.Fatal(err)
		}
	}
	var out bytes.Buffer
	report, err := c.Export(t.Context(), &out)
	if err != nil || report.Sources != len(contents(t, c)) || report.Chunks == 0 {
		t.Fatalf("%+v, %v", report, err)
	}
	return c, out.Bytes()
}

// contents is everything that a corpus tells of its sources.
func contents(t *testing.T, c *minirag.Corpus) map[string]minirag.Text {
	t.Helper()
	listing, err := c.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	all := make(map[string]minirag.Text)
	for _, s := range listing.Sources {
		if s.State == minirag.StateNotIngested {
			continue
		}
		text, err := c.Read(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		all[s.ID] = *text
	}
	return all
}

func TestExportAndImport(t *testing.T) {
	root := library(t)
	c, data := exported(t, root)
	again := testcorpus.New(t, root)
	report, err := again.Import(t.Context(), bytes.NewReader(data))
	if err != nil {
		t.Fatal(err)
	}
	want := contents(t, c)
	if diff := cmp.Diff(want, contents(t, again)); diff != "" || report.Sources != len(want) {
		t.Errorf("%+v (-exported +imported)\n%s", report, diff)
	}
	for _, q := range []string{"apply_secrets", "when must an expense report be filed?", "fog"} {
		query := minirag.Query{Text: q, TopK: 20}
		a, err := c.Query(t.Context(), query)
		if err != nil {
			t.Fatal(err)
		}
		b, err := again.Query(t.Context(), query)
		if diff := cmp.Diff(a, b); err != nil || diff != "" {
			t.Errorf("%q: %v (-exported +imported)\n%s", q, err, diff)
		}
	}
	if found := examine(t, again, false); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	if report, err := again.Sync(t.Context(), nil); err != nil || report.Counts.Ingested != 0 || report.Counts.Failed != 0 {
		t.Errorf("a sync after the import: %+v, %v", report, err)
	}
	if _, err := again.Import(t.Context(), bytes.NewReader(data)); !errors.Is(err, minirag.ErrNotEmpty) {
		t.Errorf("a second import: %v", err)
	}
	var out bytes.Buffer
	if _, err := again.Export(t.Context(), &out); err != nil {
		t.Fatal(err)
	}
	third := testcorpus.New(t, root)
	if _, err := third.Import(t.Context(), bytes.NewReader(out.Bytes())); err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(want, contents(t, third)); diff != "" {
		t.Errorf("after two rounds (-first +third)\n%s", diff)
	}
}

// A damaged export is refused, and nothing of it is stored.
func TestDamagedExport(t *testing.T) {
	root := library(t)
	_, data := exported(t, root)
	rng := harmsOf(t)
	harmed := map[string][]byte{"empty": {}, "text": []byte("no export, though it is long enough to have a checksum at its end"), "longer": append(slices.Clone(data), 0)}
	for range 50 {
		i := rng.IntN(len(data))
		flipped := slices.Clone(data)
		flipped[i] ^= 1 << rng.IntN(8)
		harmed["flipped "+string(rune('0'+len(harmed)))] = flipped
		harmed["cut "+string(rune('0'+len(harmed)))] = data[:i]
	}
	c := testcorpus.New(t, root)
	for _, name := range slices.Sorted(maps.Keys(harmed)) {
		if _, err := c.Import(t.Context(), bytes.NewReader(harmed[name])); !errors.Is(err, minirag.ErrExport) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if got := contents(t, c); len(got) != 0 {
		t.Errorf("%d documents are there", len(got))
	}
}

// What another model embedded is kept and made anew by a sync.
func TestImportOfAnotherModel(t *testing.T) {
	root := library(t)
	c, data := exported(t, root)
	other := testcorpus.At(t, filepath.Join(t.TempDir(), "index"), &minirag.Options{Roots: []string{root}, Embedder: embedtest.New(&embedtest.Options{Dims: 32})})
	if _, err := other.Import(t.Context(), bytes.NewReader(data)); err != nil {
		t.Fatal(err)
	}
	status, err := other.Status(t.Context())
	if err != nil || status.StaleChunks != status.Chunks || status.Chunks == 0 {
		t.Errorf("%+v, %v", status, err)
	}
	if found := examine(t, other, false); len(found) != 0 {
		t.Errorf("%+v", found)
	}
	syncAll(t, other)
	if got, want := first(t, other, "apply_secrets"), first(t, c, "apply_secrets"); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestCompact(t *testing.T) {
	c, _, _ := indexed(t)
	for i := range 30 {
		text := bytes.Repeat([]byte("Fog over the harbour. "), 500+i)
		if _, err := c.Ingest(t.Context(), minirag.Bytes("log", "text/plain", text)); err != nil {
			t.Fatal(err)
		}
	}
	want := contents(t, c)
	report, err := c.Compact(t.Context())
	if err != nil || report.After*2 > report.Before || report.After == 0 {
		t.Errorf("%+v, %v", report, err)
	}
	if diff := cmp.Diff(want, contents(t, c)); diff != "" {
		t.Error(diff)
	}
	if found := examine(t, c, false); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}
