package sqlite_test

import (
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
)

// fixture makes a document that has something in every column.
func fixture(source, text, model string) *index.NewDocument {
	d := &index.NewDocument{Document: index.Document{
		Source: source, Kind: index.File, Title: "Title of " + source, Hash: "ab12", Size: int64(len(text)),
		ModTime: time.Unix(1_700_000_000, 123).UTC(), IngestedAt: time.Unix(1_700_000_050, 456).UTC(),
		Fingerprint: index.Fingerprint{Model: model, Scheme: 1, Budget: 200, Converter: "1"},
		Category:    "generic", Warnings: []string{"page 2 has no text"},
	}}
	if source == "note" {
		d.Kind, d.ModTime = index.Data, time.Time{}
	}
	d.Markdown = "# Heading\n\n" + text + "\n\n# Second\n\nMore words about " + text + "\n"
	half := len("# Heading\n\n"+text) + 2
	d.Sections = []chunk.Section{{Start: 0, End: half, Headings: []string{"Heading"}}, {Start: half, End: len(d.Markdown), Headings: []string{"Second"}, Label: "l"}}
	for i, s := range d.Sections {
		v := make([]float32, 8)
		v[i], v[7] = 0.6, 0.8
		d.Chunks = append(d.Chunks, chunk.Chunk{Section: i, Start: s.Start, End: s.End, Text: d.Markdown[s.Start:s.End], Tokens: 9})
		d.Vectors = append(d.Vectors, v)
	}
	return d
}

// Each file in testdata was written by an earlier version, or is what this
// one writes, by the same calls.
func TestOldFormatsOpen(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "v*.sqlite"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	want := wantFixture()
	for _, file := range files {
		t.Run(filepath.Base(file), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			path := filepath.Join(t.TempDir(), "catalog.sqlite")
			if err := os.WriteFile(path, data, 0o600); err != nil {
				t.Fatal(err)
			}
			for range 2 { // before and after the step to the newest format
				c := open(t, path)
				err = c.View(t.Context(), func(v index.View) error { return hasFixture(v, want) })
				if err != nil {
					t.Fatal(err)
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
			}
			c := open(t, path)
			put(t, c, document("/docs/harbour.md", "text", 2), document("/docs/new.md", "text", 3))
			err = c.View(t.Context(), func(v index.View) error {
				s, err := v.Stats()
				if s.Documents != 4 || s.Chunks != 9 {
					t.Errorf("%+v", s)
				}
				return err
			})
			if err != nil {
				t.Error(err)
			}
		})
	}
}

func wantFixture() []*index.NewDocument {
	want := []*index.NewDocument{
		fixture("/docs/harbour.md", "The harbour master keeps a new log.", "m"),
		fixture("/docs/moved.md", "The harbour master keeps the log.", "m"),
		fixture("note", "A note about fog.", "older"),
	}
	want[1].Title, want[1].Size, want[1].ModTime = "Title of /old/harbour.md", 77, time.Unix(1_700_000_200, 6).UTC()
	return want
}

func hasFixture(v index.View, want []*index.NewDocument) error {
	if _, err := v.Stats(); err != nil {
		return err
	}
	var docs, wantDocs []index.Document
	for d, err := range v.Documents(index.DocumentQuery{}) {
		if err != nil {
			return err
		}
		docs = append(docs, d)
	}
	for i, w := range want {
		if i >= len(docs) {
			break
		}
		d := w.Document
		d.ID, d.From, d.To, d.Chunks, d.Bytes = docs[i].ID, docs[i].From, index.Live, len(w.Chunks), len(w.Markdown)
		wantDocs = append(wantDocs, d)
	}
	if diff := cmp.Diff(wantDocs, docs); diff != "" || len(docs) != len(want) {
		return differs(len(docs), diff)
	}
	for i, w := range want {
		text, err := v.Markdown(docs[i].ID)
		if err != nil || text != w.Markdown {
			return differs(text, err)
		}
		sections, err := v.Sections(docs[i].ID)
		if diff := cmp.Diff(w.Sections, sections); err != nil || diff != "" {
			return differs(diff, err)
		}
		n := 0
		for e, err := range v.Added(0, v.Seq(), w.Model) {
			if err != nil {
				return err
			}
			if e.Doc != docs[i].ID {
				continue
			}
			if diff := cmp.Diff(w.Vectors[n], e.Vector, near); diff != "" || e.Text != w.Chunks[n].Text || e.Title != w.Title {
				return differs(e, diff)
			}
			n++
		}
		if n != len(w.Chunks) {
			return differs(docs[i].Source, n)
		}
	}
	return nil
}

func differs(what ...any) error { return fmt.Errorf("differs: %v", what) }

// Binary16 keeps 11 bits.
var near = cmp.Comparer(func(a, b float32) bool { return math.Abs(float64(a-b)) < 1e-3 })

var update = flag.Bool("update", false, "write testdata/new.sqlite, to be named after its format")

// TestWriteFixture makes what the next format is tested with.
func TestWriteFixture(t *testing.T) {
	path := filepath.Join(t.TempDir(), "new.sqlite")
	if *update {
		path = filepath.Join("testdata", "new.sqlite")
	}
	c := open(t, path)
	put(t, c, fixture("/old/harbour.md", "The harbour master keeps the log.", "m"), fixture("/docs/gone.md", "This page is gone.", "m"))
	put(t, c, fixture("/docs/harbour.md", "The harbour master kept an older log.", "m"), fixture("note", "A note about fog.", "older"))
	put(t, c, fixture("/docs/harbour.md", "The harbour master keeps a new log.", "m"))
	for _, fn := range []func(tx index.Tx) error{
		func(tx index.Tx) error { _, err := tx.Delete("/docs/gone.md"); return err },
		func(tx index.Tx) error {
			_, err := tx.Move("/old/harbour.md", "/docs/moved.md", time.Unix(1_700_000_100, 5))
			return err
		},
		func(tx index.Tx) error { return tx.Touch("/docs/moved.md", 77, time.Unix(1_700_000_200, 6)) },
	} {
		if _, err := c.Update(t.Context(), fn); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.Purge(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	if err := c.View(t.Context(), func(v index.View) error { return hasFixture(v, wantFixture()) }); err != nil {
		t.Error(err)
	}
}
