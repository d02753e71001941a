package indextest

import (
	"context"
	"errors"
	"fmt"
	"math"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
)

// CatalogOptions tell what else a catalog can do. Nil means nothing.
type CatalogOptions struct {
	// Reopen closes a catalog and opens the same one again. Nil: it cannot,
	// and what needs it is left out.
	Reopen func(t *testing.T, c index.Catalog) index.Catalog
}

// RunCatalog tests the contract of [index.Catalog]. open returns a new empty
// catalog, and closes it when its test ends.
func RunCatalog(t *testing.T, open func(t *testing.T) index.Catalog, opts *CatalogOptions) {
	if opts == nil {
		opts = new(CatalogOptions)
	}
	for _, test := range []struct {
		name string
		run  func(t *testing.T, c index.Catalog)
	}{
		{"Empty", testEmpty},
		{"RoundTrip", testRoundTrip},
		{"Large", testLarge},
		{"Refused", testRefused},
		{"NotFound", testNotFound},
		{"Touch", testTouch},
		{"OneSequence", testOneSequence},
		{"MoveOver", testMoveOver},
		{"Sources", testSources},
		{"Scopes", testScopes},
		{"Outside", testOutside},
		{"Nested", testNested},
		{"Purged", testPurged},
		{"Rollback", testRollback},
		{"Canceled", testCanceled},
		{"Snapshot", testSnapshot},
		{"Concurrent", testConcurrent},
	} {
		t.Run(test.name, func(t *testing.T) {
			t.Parallel()
			test.run(t, open(t))
		})
	}
	for seed := range uint64(4) {
		t.Run(fmt.Sprintf("Random/%d", seed), func(t *testing.T) {
			t.Parallel()
			testRandom(t, open(t), opts, seed)
		})
	}
	if opts.Reopen != nil {
		t.Run("Reopen", func(t *testing.T) {
			t.Parallel()
			testReopen(t, open(t), opts.Reopen)
		})
	}
}

// newDocument makes a document of n chunks from a source and a text.
func newDocument(source, text string, n int) *index.NewDocument {
	doc := &index.NewDocument{Document: index.Document{
		Source: source, Kind: index.File, Title: "Title of " + text,
		Hash: fmt.Sprintf("%064x", len(text)), Size: int64(len(text)),
		ModTime:     time.Unix(1_700_000_000, 123_456_789).UTC(),
		IngestedAt:  time.Unix(1_750_000_000, 1000).UTC(),
		Fingerprint: index.Fingerprint{Model: "model-a", Scheme: 3, Budget: 200, Converter: "1"},
		Category:    chunk.Headings,
	}}
	for i := range n {
		start := len(doc.Markdown)
		doc.Markdown += fmt.Sprintf("## Part %d\n\n%s\n\n", i, text)
		doc.Sections = append(doc.Sections, chunk.Section{Start: start, End: len(doc.Markdown), Headings: []string{text, fmt.Sprint("Part ", i)}})
		doc.Chunks = append(doc.Chunks, chunk.Chunk{Section: i, Start: start, End: len(doc.Markdown) - 1, Text: fmt.Sprintf("Part %d\n%s", i, text), Tokens: i + 5})
		doc.Vectors = append(doc.Vectors, vector(text, i))
	}
	return doc
}

// vector returns some vector of length 1.
func vector(text string, i int) []float32 {
	v := make([]float32, 24)
	var square float64
	for j := range v {
		v[j] = float32(math.Sin(float64(len(text)*31 + i*7 + j*j + 1)))
		square += float64(v[j]) * float64(v[j])
	}
	for j := range v {
		v[j] /= float32(math.Sqrt(square))
	}
	return v
}

// sameVector compares to the precision of binary16 numbers.
func sameVector(got, want []float32) error {
	if len(got) != len(want) {
		return fmt.Errorf("%d dimensions, want %d", len(got), len(want))
	}
	var square float64
	for i := range got {
		if d := math.Abs(float64(got[i] - want[i])); d > 1e-3 {
			return fmt.Errorf("component %d is %v, want %v", i, got[i], want[i])
		}
		square += float64(got[i]) * float64(got[i])
	}
	if math.Abs(square-1) > 1e-5 {
		return fmt.Errorf("the square of its length is %v", square)
	}
	return nil
}

func view(t *testing.T, c index.Catalog, fn func(v index.View)) {
	t.Helper()
	if err := c.View(t.Context(), func(v index.View) error { fn(v); return nil }); err != nil {
		t.Fatalf("View: %v", err)
	}
}

func update(t *testing.T, c index.Catalog, fn func(tx index.Tx) error) index.Seq {
	t.Helper()
	seq, err := c.Update(t.Context(), fn)
	if err != nil {
		t.Fatalf("Update: %v", err)
	}
	return seq
}

func put(t *testing.T, c index.Catalog, docs ...*index.NewDocument) index.Seq {
	t.Helper()
	return update(t, c, func(tx index.Tx) error {
		for _, d := range docs {
			if _, err := tx.Put(d); err != nil {
				return err
			}
		}
		return nil
	})
}

func sources(t *testing.T, v index.View, q index.DocumentQuery) []string {
	t.Helper()
	var out []string
	for d, err := range v.Documents(q) {
		if err != nil {
			t.Fatalf("Documents(%+v): %v", q, err)
		}
		out = append(out, d.Source)
	}
	return out
}

func wantErr(t *testing.T, what string, err, want error) {
	t.Helper()
	if !errors.Is(err, want) {
		t.Errorf("%s: error %v, want %v", what, err, want)
	}
}

func diff(t *testing.T, what string, got, want any) {
	t.Helper()
	if d := cmp.Diff(want, got); d != "" {
		t.Fatalf("%s (-want +got):\n%s", what, d)
	}
}

func testEmpty(t *testing.T, c index.Catalog) {
	if c.UUID() == "" {
		t.Error("no UUID")
	}
	view(t, c, func(v index.View) {
		if v.Seq() != 0 || v.Purged() != 0 {
			t.Errorf("Seq %d, Purged %d, want 0 and 0", v.Seq(), v.Purged())
		}
		stats, err := v.Stats()
		diff(t, "Stats", stats, index.Stats{ByFingerprint: map[index.Fingerprint]int{}})
		wantErr(t, "Stats", err, nil)
		if got := sources(t, v, index.DocumentQuery{}); len(got) > 0 {
			t.Errorf("documents %q", got)
		}
		for e, err := range v.Added(0, 0, "") {
			t.Errorf("Added yields %v, %v", e, err)
		}
	})
	if seq := update(t, c, func(index.Tx) error { return nil }); seq != 0 {
		t.Errorf("an Update without a change has the sequence %d", seq)
	}
	if err := c.Purge(t.Context(), 5); err != nil {
		t.Errorf("Purge: %v", err)
	}
}

func testReopen(t *testing.T, c index.Catalog, reopen func(*testing.T, index.Catalog) index.Catalog) {
	uuid := c.UUID()
	put(t, c, newDocument("/a", "first", 2))
	put(t, c, newDocument("/a", "second", 3))
	if err := c.Purge(t.Context(), 1); err != nil {
		t.Fatal(err)
	}
	c = reopen(t, c)
	if c.UUID() != uuid {
		t.Errorf("UUID was %s and is %s", uuid, c.UUID())
	}
	view(t, c, func(v index.View) {
		if v.Seq() != 2 || v.Purged() != 1 {
			t.Errorf("Seq %d, Purged %d, want 2 and 1", v.Seq(), v.Purged())
		}
		d, err := v.Document("/a")
		if err != nil || d.Title != "Title of second" || d.From != 2 {
			t.Errorf("Document: %+v, %v", d, err)
		}
	})
	if seq := put(t, c, newDocument("/b", "third", 1)); seq != 3 {
		t.Errorf("sequence %d, want 3", seq)
	}
}

// Every View of readers shows each document exactly once, whatever writers do.
func testConcurrent(t *testing.T, c index.Catalog) {
	const writers, readers, rounds = 2, 3, 25
	put(t, c, newDocument("/shared", "start", 2))
	ctx := t.Context()
	done := make(chan struct{})
	var writing, reading sync.WaitGroup
	for w := range writers {
		writing.Go(func() {
			for i := range rounds {
				_, err := c.Update(ctx, func(tx index.Tx) error {
					if _, err := tx.Put(newDocument(fmt.Sprintf("/own/%d", w), fmt.Sprint("round ", i), 1)); err != nil {
						return err
					}
					_, err := tx.Put(newDocument("/shared", fmt.Sprintf("writer %d round %d", w, i), 2))
					return err
				})
				if err == nil && i%10 == 9 {
					err = c.Purge(ctx, index.Seq(i))
				}
				if err != nil {
					t.Errorf("writer %d: %v", w, err)
					return
				}
			}
		})
	}
	for r := range readers {
		reading.Go(func() {
			var last index.Seq
			for {
				err := c.View(ctx, func(v index.View) error { return checkShared(v, &last) })
				if err != nil {
					t.Errorf("reader %d: %v", r, err)
					return
				}
				select {
				case <-done:
					return
				default:
				}
			}
		})
	}
	writing.Wait()
	close(done)
	reading.Wait()
	view(t, c, func(v index.View) {
		if want := index.Seq(writers*rounds + 1); v.Seq() != want {
			t.Errorf("Seq %d, want %d", v.Seq(), want)
		}
	})
}

func checkShared(v index.View, last *index.Seq) error {
	if v.Seq() < *last {
		return fmt.Errorf("sequence %d after %d", v.Seq(), *last)
	}
	*last = v.Seq()
	n := 0
	for d, err := range v.Documents(index.DocumentQuery{Scopes: []string{"/shared"}}) {
		if err != nil {
			return err
		}
		n++
		text, err := v.Markdown(d.ID)
		if err != nil {
			return err
		}
		chunks, err := v.ChunkRange(d.ID, 0, 100)
		if err != nil {
			return err
		}
		if len(text) != d.Bytes || len(chunks) != 2 {
			return fmt.Errorf("document at %d: %d bytes of %d, %d chunks of 2", v.Seq(), len(text), d.Bytes, len(chunks))
		}
	}
	if n != 1 {
		return fmt.Errorf("%d versions at %d, want 1", n, v.Seq())
	}
	return nil
}

func testCanceled(t *testing.T, c index.Catalog) {
	ctx, cancel := context.WithCancel(t.Context())
	_, err := c.Update(ctx, func(tx index.Tx) error {
		if _, err := tx.Put(newDocument("/a", "text", 3)); err != nil {
			return err
		}
		cancel()
		return nil
	})
	wantErr(t, "Update", err, context.Canceled)
	ctx, cancel = context.WithCancel(t.Context())
	_, err = c.Update(ctx, func(tx index.Tx) error {
		cancel()
		_, err := tx.Put(newDocument("/a", "text", 3))
		return err
	})
	wantErr(t, "Update, canceled before Put", err, context.Canceled)
	wantErr(t, "View", c.View(ctx, func(index.View) error { return nil }), context.Canceled)
	_, err = c.Update(ctx, func(index.Tx) error { return nil })
	wantErr(t, "Update, canceled before", err, context.Canceled)
	view(t, c, func(v index.View) {
		if v.Seq() != 0 {
			t.Errorf("a canceled Update left the sequence %d", v.Seq())
		}
	})
	if seq := put(t, c, newDocument("/a", "text", 1), newDocument("/b", "text", 1), newDocument("/c", "text", 2)); seq != 1 {
		t.Errorf("sequence %d, want 1", seq)
	}
	// Iterators end with the context's error, once.
	for name, iterate := range map[string]func(v index.View, row func(error)){
		"Documents": func(v index.View, row func(error)) {
			for _, err := range v.Documents(index.DocumentQuery{}) {
				row(err)
			}
		},
		"Added": func(v index.View, row func(error)) {
			for _, err := range v.Added(0, 1, "") {
				row(err)
			}
		},
	} {
		ctx, cancel := context.WithCancel(t.Context())
		var errs []error
		c.View(ctx, func(v index.View) error {
			iterate(v, func(err error) { errs = append(errs, err); cancel() })
			return nil
		})
		if len(errs) != 2 || errs[0] != nil || !errors.Is(errs[1], context.Canceled) {
			t.Errorf("%s, canceled after one row: %v", name, errs)
		}
	}
	view(t, c, func(v index.View) {
		diff(t, "sources", sources(t, v, index.DocumentQuery{}), []string{"/a", "/b", "/c"})
	})
}
