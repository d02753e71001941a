package indextest

import (
	"errors"
	"testing"
	"time"

	"github.com/minirag/minirag/index"
)

// Iterators of one View may run inside each other and stop anywhere.
func testNested(t *testing.T, c index.Catalog) {
	for _, s := range []string{"/a", "/b", "/c"} {
		put(t, c, newDocument(s, "text "+s, 3))
	}
	view(t, c, func(v index.View) {
		pairs := 0
		for a, err := range v.Documents(index.DocumentQuery{}) {
			if err != nil {
				t.Fatal(err)
			}
			for b, err := range v.Documents(index.DocumentQuery{}) {
				if err != nil {
					t.Fatal(err)
				}
				pairs++
				if b.Source == "/b" && a.Source == "/b" {
					break
				}
			}
			for e, err := range v.Added(0, 3, "model-a") {
				if err != nil || len(e.Vector) == 0 {
					t.Fatal(e, err)
				}
				if _, err := v.Chunks([]index.ChunkID{e.Chunk}); err != nil {
					t.Fatal(err)
				}
				for f, err := range v.Added(0, 3, "") {
					if err != nil || f.Vector != nil {
						t.Fatal(f, err)
					}
					pairs++
					break
				}
			}
			// Another View is no problem either.
			view(t, c, func(v index.View) { _ = sources(t, v, index.DocumentQuery{}) })
		}
		if want := 3 + 2 + 3 + 3*9; pairs != want {
			t.Errorf("%d pairs, want %d", pairs, want)
		}
		if d, err := v.Document("/c"); err != nil || d.Source != "/c" {
			t.Errorf("afterwards: %+v, %v", d, err)
		}
	})
	// A Tx changes what it is iterating over.
	update(t, c, func(tx index.Tx) error {
		var all []string
		for d, err := range tx.Documents(index.DocumentQuery{}) {
			if err != nil {
				return err
			}
			if err := tx.Touch(d.Source, 1, time.Time{}); err != nil {
				return err
			}
			all = append(all, d.Source)
		}
		diff(t, "sources", all, []string{"/a", "/b", "/c"})
		return nil
	})
}

func testPurged(t *testing.T, c index.Catalog) {
	for _, text := range []string{"one", "two", "three"} {
		put(t, c, newDocument("/a", text, 2))
	}
	if err := c.Purge(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := c.Purge(t.Context(), 1); err != nil { // it never goes back
		t.Fatal(err)
	}
	view(t, c, func(v index.View) {
		if v.Seq() != 3 || v.Purged() != 2 {
			t.Errorf("Seq %d, Purged %d, want 3 and 2", v.Seq(), v.Purged())
		}
		for _, err := range v.Added(1, 3, "") {
			wantErr(t, "Added", err, index.ErrPurged)
		}
		_, err := v.CountAdded(1, 3, "")
		wantErr(t, "CountAdded", err, index.ErrPurged)
		_, err = v.Removed(1, 3)
		wantErr(t, "Removed", err, index.ErrPurged)
		for _, err := range v.Documents(index.DocumentQuery{At: 1}) {
			wantErr(t, "Documents", err, index.ErrPurged)
		}
		_, err = v.CountAdded(3, 2, "")
		wantErr(t, "CountAdded backwards", err, index.ErrSequence)
		for _, from := range []index.Seq{0, 2} {
			if n, err := v.CountAdded(from, 3, ""); n != 2 || err != nil {
				t.Errorf("CountAdded(%d, 3): %d, %v", from, n, err)
			}
		}
		removed, err := v.Removed(2, 3)
		if len(removed) != 2 || err != nil {
			t.Errorf("Removed: %v, %v", removed, err)
		}
	})
	if err := c.Purge(t.Context(), 1000); err != nil {
		t.Fatal(err)
	}
	view(t, c, func(v index.View) {
		if v.Purged() != 3 { // what comes later is not purged
			t.Errorf("Purged %d, want 3", v.Purged())
		}
		if n, err := v.CountAdded(0, 3, "model-a"); n != 2 || err != nil {
			t.Errorf("%d chunks, %v, want those of the live version", n, err)
		}
	})
}

func testRollback(t *testing.T, c index.Catalog) {
	put(t, c, newDocument("/a", "one", 1))
	failure := errors.New("failure")
	change := func(tx index.Tx) {
		if _, err := tx.Put(newDocument("/a", "two", 5)); err != nil {
			t.Error(err)
		}
		if _, err := tx.Put(newDocument("/b", "two", 5)); err != nil {
			t.Error(err)
		}
	}
	_, err := c.Update(t.Context(), func(tx index.Tx) error { change(tx); return failure })
	wantErr(t, "Update", err, failure)
	wantErr(t, "View", c.View(t.Context(), func(index.View) error { return failure }), failure)
	func() {
		defer func() {
			if r := recover(); r != failure {
				t.Errorf("recovered %v", r)
			}
		}()
		c.Update(t.Context(), func(tx index.Tx) error { change(tx); panic(failure) })
	}()
	func() {
		defer func() { recover() }()
		c.View(t.Context(), func(v index.View) error {
			for range v.Documents(index.DocumentQuery{}) {
				panic(failure)
			}
			return nil
		})
	}()
	view(t, c, func(v index.View) {
		diff(t, "sources", sources(t, v, index.DocumentQuery{}), []string{"/a"})
		if n, err := v.CountAdded(0, v.Seq(), ""); v.Seq() != 1 || n != 1 || err != nil {
			t.Errorf("sequence %d, %d chunks, %v", v.Seq(), n, err)
		}
	})
	if seq := put(t, c, newDocument("/b", "three", 1)); seq != 2 {
		t.Errorf("sequence %d, want 2", seq)
	}
}

func testSnapshot(t *testing.T, c index.Catalog) {
	put(t, c, newDocument("/a", "one", 2), newDocument("/b", "one", 1))
	view(t, c, func(old index.View) {
		put(t, c, newDocument("/a", "two", 3))
		update(t, c, func(tx index.Tx) error { _, err := tx.Delete("/b"); return err })
		if err := c.Purge(t.Context(), 3); err != nil {
			t.Fatal(err)
		}
		d, err := old.Document("/a")
		if err != nil || d.Title != "Title of one" || old.Seq() != 1 {
			t.Errorf("the old View shows %+v, %v at %d", d, err, old.Seq())
		}
		text, err := old.Markdown(d.ID)
		if err != nil || text != newDocument("/a", "one", 2).Markdown {
			t.Errorf("the old View shows %q, %v", text, err)
		}
		diff(t, "old sources", sources(t, old, index.DocumentQuery{}), []string{"/a", "/b"})
		view(t, c, func(v index.View) {
			diff(t, "new sources", sources(t, v, index.DocumentQuery{}), []string{"/a"})
		})
	})
}

// Outside chooses the absolute paths that no scope covers.
func testOutside(t *testing.T, c index.Catalog) {
	for _, s := range []string{"/a/1", "/a", "/a-b", "/ab/2", "/b/1", "/c", "0note", "note", "https://example.org/a", `C:\docs\a`, `C:\other`, `\\host\a`} {
		put(t, c, newDocument(s, "text", 1))
	}
	view(t, c, func(v index.View) {
		for _, tc := range []struct{ scopes, want []string }{
			{nil, []string{"/a", "/a-b", "/a/1", "/ab/2", "/b/1", "/c", `C:\docs\a`, `C:\other`, `\\host\a`}},
			{[]string{"/"}, []string{`C:\docs\a`, `C:\other`, `\\host\a`}},
			{[]string{"/a", `C:\docs`}, []string{"/a-b", "/ab/2", "/b/1", "/c", `C:\other`, `\\host\a`}},
			{[]string{"/ab", "/a", "/b/1", `\\host`}, []string{"/a-b", "/c", `C:\docs\a`, `C:\other`}},
		} {
			diff(t, "outside", sources(t, v, index.DocumentQuery{Scopes: tc.scopes, Outside: true}), tc.want)
		}
	})
}
