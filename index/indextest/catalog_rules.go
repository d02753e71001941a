package indextest

import (
	"math"
	"strings"
	"testing"
	"time"

	"github.com/minirag/minirag/index"
)

func testRoundTrip(t *testing.T, c index.Catalog) {
	doc := newDocument("/книги/файл.md", "Ёлка — 汉字 \U0001F600 \x00 \xff end", 3)
	doc.Kind, doc.OCREngine, doc.Warnings = index.URL, "engine", []string{"page 1: nothing found", "«two»"}
	doc.Fingerprint = index.Fingerprint{Model: "m", Scheme: 7, Budget: 99, Converter: "c"}
	doc.ModTime = time.Date(2400, 1, 2, 3, 4, 5, 6, time.UTC) // does not fit in nanoseconds
	doc.Sections[1].Label, doc.Sections[2].Headings = "[Slide 2]", nil
	bare := &index.NewDocument{Document: index.Document{Source: "bare", Kind: index.Data}}

	var stored, storedBare index.Document
	update(t, c, func(tx index.Tx) (err error) {
		if stored, err = tx.Put(doc); err == nil {
			storedBare, err = tx.Put(bare)
		}
		return err
	})
	want := doc.Document
	want.ID, want.Chunks, want.Bytes, want.From, want.To = stored.ID, 3, len(doc.Markdown), 1, index.Live
	diff(t, "Put", stored, want)
	view(t, c, func(v index.View) {
		for _, d := range []index.Document{stored, storedBare} {
			got, err := v.Document(d.Source)
			if err != nil {
				t.Fatal(err)
			}
			diff(t, "Document", got, d)
		}
		text, err := v.Markdown(stored.ID)
		if err != nil || text != doc.Markdown {
			t.Errorf("Markdown: %q, %v, want %q", text, err, doc.Markdown)
		}
		if text, err := v.Markdown(storedBare.ID); err != nil || text != "" {
			t.Errorf("empty Markdown: %q, %v", text, err)
		}
		sections, err := v.Sections(stored.ID)
		if err != nil {
			t.Fatal(err)
		}
		// Headings are text; only the Markdown is bytes. These hold an invalid byte.
		for i := range sections {
			if len(sections[i].Headings) != len(doc.Sections[i].Headings) {
				t.Errorf("section %d: headings %q, want %q", i, sections[i].Headings, doc.Sections[i].Headings)
			}
			sections[i].Headings = doc.Sections[i].Headings
		}
		diff(t, "Sections", sections, doc.Sections)
		chunks, err := v.ChunkRange(stored.ID, 1, 5)
		if err != nil || len(chunks) != 2 {
			t.Fatalf("ChunkRange: %v, %v", chunks, err)
		}
		for i, got := range chunks {
			ch := doc.Chunks[i+1]
			diff(t, "chunk", got, index.Chunk{ID: got.ID, Doc: stored.ID, Index: i + 1, Section: ch.Section, Start: ch.Start, End: ch.End, Text: ch.Text, Tokens: ch.Tokens})
		}
		some, err := v.Chunks([]index.ChunkID{chunks[1].ID, 1 << 40, chunks[1].ID})
		diff(t, "Chunks", some, map[index.ChunkID]index.Chunk{chunks[1].ID: chunks[1]})
		wantErr(t, "Chunks", err, nil)
		stats, err := v.Stats()
		wantErr(t, "Stats", err, nil)
		diff(t, "Stats", stats, index.Stats{Documents: 2, Chunks: 3, Bytes: int64(len(doc.Markdown)),
			ByFingerprint: map[index.Fingerprint]int{doc.Fingerprint: 3, {}: 0}})
	})
}

func testLarge(t *testing.T, c index.Catalog) {
	doc := newDocument("/large", strings.Repeat("много слов и a few more. ", 40), 3000)
	put(t, c, doc)
	put(t, c, newDocument("/large", "small", 1))
	view(t, c, func(v index.View) {
		n := 0
		for e, err := range v.Added(0, 1, "model-a") {
			if err != nil {
				t.Fatal(err)
			}
			if e.Text != doc.Chunks[n].Text {
				t.Fatalf("chunk %d is %q", n, e.Text)
			}
			if err := sameVector(e.Vector, doc.Vectors[n]); err != nil {
				t.Fatalf("vector %d: %v", n, err)
			}
			n++
		}
		removed, err := v.Removed(1, 2)
		if n != 3000 || len(removed) != 3000 || err != nil {
			t.Errorf("%d chunks added and %d removed, %v, want 3000", n, len(removed), err)
		}
	})
	if err := c.Purge(t.Context(), 2); err != nil {
		t.Fatal(err)
	}
	view(t, c, func(v index.View) {
		if n, err := v.CountAdded(0, 2, ""); n != 1 || err != nil {
			t.Errorf("%d chunks, %v, want 1", n, err)
		}
	})
}

func testRefused(t *testing.T, c index.Catalog) {
	for name, change := range map[string]func(*index.NewDocument){
		"empty source":       func(d *index.NewDocument) { d.Source = "" },
		"NUL in source":      func(d *index.NewDocument) { d.Source = "/a\x00b" },
		"missing vector":     func(d *index.NewDocument) { d.Vectors = d.Vectors[:1] },
		"other dimensions":   func(d *index.NewDocument) { d.Vectors[1] = []float32{1} },
		"not a number":       func(d *index.NewDocument) { d.Vectors[1][0] = float32(math.NaN()) },
		"infinite":           func(d *index.NewDocument) { d.Vectors[1][0] = float32(math.Inf(1)) },
		"chunk range":        func(d *index.NewDocument) { d.Chunks[1].End = len(d.Markdown) + 1 },
		"negative range":     func(d *index.NewDocument) { d.Chunks[0].Start = -1 },
		"section range":      func(d *index.NewDocument) { d.Sections[1].Start = d.Sections[1].End + 1 },
		"section of a chunk": func(d *index.NewDocument) { d.Chunks[1].Section = 2 },
	} {
		_, err := c.Update(t.Context(), func(tx index.Tx) error {
			doc := newDocument("/a", "text", 2)
			change(doc)
			_, err := tx.Put(doc)
			return err
		})
		if err == nil {
			t.Errorf("%s: no error", name)
		}
	}
	// The error of one document must not spoil the others of the Update.
	update(t, c, func(tx index.Tx) error {
		if _, err := tx.Put(&index.NewDocument{}); err == nil {
			t.Error("no error")
		}
		_, err := tx.Put(newDocument("/b", "text", 1))
		return err
	})
	view(t, c, func(v index.View) {
		diff(t, "sources", sources(t, v, index.DocumentQuery{}), []string{"/b"})
	})
}

func testNotFound(t *testing.T, c index.Catalog) {
	put(t, c, newDocument("/a", "text", 1))
	update(t, c, func(tx index.Tx) error { _, err := tx.Delete("/a"); return err })
	seq := update(t, c, func(tx index.Tx) error {
		for _, source := range []string{"/a", "/A", "/never", ""} {
			_, err := tx.Document(source)
			wantErr(t, "Document", err, index.ErrNotFound)
			_, err = tx.Delete(source)
			wantErr(t, "Delete", err, index.ErrNotFound)
			_, err = tx.Move(source, "/b", time.Time{})
			wantErr(t, "Move", err, index.ErrNotFound)
			wantErr(t, "Touch", tx.Touch(source, 1, time.Time{}), index.ErrNotFound)
		}
		_, err := tx.Markdown(99)
		wantErr(t, "Markdown", err, index.ErrNotFound)
		docs, err := tx.ByContent([]index.DocID{99})
		if len(docs) != 0 || err != nil {
			t.Errorf("ByContent: %v, %v", docs, err)
		}
		chunks, err := tx.ChunkRange(99, 0, 9)
		if len(chunks) != 0 || err != nil {
			t.Errorf("ChunkRange: %v, %v", chunks, err)
		}
		return nil
	})
	if seq != 2 {
		t.Errorf("what was not found made the sequence %d", seq)
	}
}

func testTouch(t *testing.T, c index.Catalog) {
	put(t, c, newDocument("/a", "text", 1))
	when := time.Unix(1_800_000_000, 987_654_321).UTC()
	if seq := update(t, c, func(tx index.Tx) error { return tx.Touch("/a", 77, when) }); seq != 1 {
		t.Errorf("Touch made the sequence %d", seq)
	}
	view(t, c, func(v index.View) {
		d, err := v.Document("/a")
		if err != nil || d.Size != 77 || !d.ModTime.Equal(when) || d.From != 1 {
			t.Errorf("Document: %+v, %v", d, err)
		}
	})
}

func testOneSequence(t *testing.T, c index.Catalog) {
	put(t, c, newDocument("/a", "one", 1))
	seq := update(t, c, func(tx index.Tx) error {
		if tx.Seq() != 1 {
			t.Errorf("Seq before the first change: %d", tx.Seq())
		}
		for _, text := range []string{"two", "three"} { // the first of them is never seen
			if _, err := tx.Put(newDocument("/a", text, 2)); err != nil {
				return err
			}
		}
		if tx.Seq() != 2 {
			t.Errorf("Seq after the change: %d", tx.Seq())
		}
		if _, err := tx.Put(newDocument("/b", "four", 1)); err != nil {
			return err
		}
		if _, err := tx.Move("/b", "/c", time.Time{}); err != nil {
			return err
		}
		diff(t, "sources inside", sources(t, tx, index.DocumentQuery{}), []string{"/a", "/c"})
		d, err := tx.Document("/a")
		if err == nil && d.Title != "Title of three" {
			t.Errorf("inside: %+v", d)
		}
		return err
	})
	if seq != 2 {
		t.Errorf("sequence %d, want 2", seq)
	}
	view(t, c, func(v index.View) {
		var titles []string
		for e, err := range v.Added(1, 2, "") {
			if err != nil {
				t.Fatal(err)
			}
			titles = append(titles, e.Title)
		}
		diff(t, "Added", titles, []string{"Title of three", "Title of three", "Title of four"})
		diff(t, "sources at 1", sources(t, v, index.DocumentQuery{At: 1}), []string{"/a"})
		diff(t, "sources at 2", sources(t, v, index.DocumentQuery{At: 2}), []string{"/a", "/c"})
	})
}

func testMoveOver(t *testing.T, c index.Catalog) {
	put(t, c, newDocument("/a", "one", 1), newDocument("/b", "two", 2))
	var moved index.Document
	when := time.Unix(1_800_000_000, 5).UTC()
	update(t, c, func(tx index.Tx) (err error) { moved, err = tx.Move("/a", "/b", when); return err })
	view(t, c, func(v index.View) {
		d, err := v.Document("/b")
		wantErr(t, "Document", err, nil)
		diff(t, "Document", d, moved)
		if d.Title != "Title of one" || !d.ModTime.Equal(when) {
			t.Errorf("moved: %+v", d)
		}
		diff(t, "sources", sources(t, v, index.DocumentQuery{}), []string{"/b"})
		if n, err := v.CountAdded(1, 2, ""); n != 0 || err != nil {
			t.Errorf("a move added %d chunks, %v", n, err)
		}
		removed, err := v.Removed(1, 2)
		if len(removed) != 2 || err != nil {
			t.Errorf("Removed: %v, %v, want the two of what lived there", removed, err)
		}
		docs, err := v.ByContent([]index.DocID{moved.ID})
		if err != nil || len(docs) != 2 || docs[0].Source != "/a" || docs[1].Source != "/b" {
			t.Errorf("ByContent: %+v, %v", docs, err)
		}
	})
	// A move onto itself keeps it.
	update(t, c, func(tx index.Tx) error { _, err := tx.Move("/b", "/b", when); return err })
	if err := c.Purge(t.Context(), 3); err != nil {
		t.Fatal(err)
	}
	view(t, c, func(v index.View) {
		d, err := v.Document("/b")
		if err != nil || d.ID != moved.ID {
			t.Errorf("moved onto itself: %+v, %v", d, err)
		}
		if text, err := v.Markdown(moved.ID); err != nil || text == "" {
			t.Errorf("Markdown: %q, %v", text, err)
		}
	})
}

func testSources(t *testing.T, c index.Catalog) {
	want := []string{
		" ", "%", "' OR ''='", "-- ;", "/A", "/a", "/a b/c.txt", "/a%b", "/a*", "/a?#", "/a[b]", "/a_b", "C:\\Документы\\a.txt",
		"\"quoted\"", "http://x/?q=1&r=%20#f", "line\nbreak", "NULL", "0", "1e3",
		"\u00e9", "e\u0301", "\U0001F600", "\xff\xfe", strings.Repeat("long/", 3000) + "end",
	}
	for i, s := range want {
		put(t, c, newDocument(s, strings.Repeat("x", i+1), 1))
	}
	view(t, c, func(v index.View) {
		for i, s := range want {
			d, err := v.Document(s)
			if err != nil || d.Source != s || d.From != index.Seq(i+1) {
				t.Errorf("Document(%q): %q from %d, %v", s, d.Source, d.From, err)
			}
			diff(t, "scope", sources(t, v, index.DocumentQuery{Scopes: []string{s + "/"}})[0], strings.TrimRight(s, "/"))
		}
		last := ""
		got := sources(t, v, index.DocumentQuery{})
		for _, s := range got {
			if s <= last {
				t.Errorf("%q after %q", s, last)
			}
			last = s
		}
		if len(got) != len(want) {
			t.Errorf("%d sources, want %d", len(got), len(want))
		}
	})
}

func testScopes(t *testing.T, c index.Catalog) {
	all := []string{
		"/", "//x", "/docs", "/docs-old/a", "/docs.txt", "/docs/a", "/docs/sub/b", "/docs0", "/docsX", "/d_cs/a", "/d%/a",
		"/r/Docs/a", "docs/a", "https://e.org", "https://e.org/a?b=1", "https://e.organ/a",
		`C:\docs`, `C:\docs\a`, `C:\docs\sub\b`, `C:\docs2\a`, `C:/docs/c`, `\\srv\share\a`, `\\srv\shared\a`,
	}
	for i, s := range all {
		d := newDocument(s, "text", 1)
		d.Kind = []index.Kind{index.File, index.Data}[i%2]
		put(t, c, d)
	}
	for _, test := range []struct {
		scopes []string
		want   []string
	}{
		{[]string{"/docs"}, []string{"/docs", "/docs/a", "/docs/sub/b"}},
		{[]string{"/docs///"}, []string{"/docs", "/docs/a", "/docs/sub/b"}},
		{[]string{"/docs/sub", "/docs", "/docs/a", "/docs"}, []string{"/docs", "/docs/a", "/docs/sub/b"}},
		{[]string{"/docs/a", "/docs-old"}, []string{"/docs-old/a", "/docs/a"}},
		{[]string{"/d_cs"}, []string{"/d_cs/a"}},
		{[]string{"/d%"}, []string{"/d%/a"}},
		{[]string{"/d*", "/[d]ocs", "/DOCS", "a", "/docs/s"}, nil},
		{[]string{"docs"}, []string{"docs/a"}},
		{[]string{"https://e.org/"}, []string{"https://e.org", "https://e.org/a?b=1"}},
		{[]string{`C:\docs`}, []string{`C:\docs`, `C:\docs\a`, `C:\docs\sub\b`}},
		{[]string{`C:\docs\`, `C:/docs`}, []string{`C:/docs/c`, `C:\docs`, `C:\docs\a`, `C:\docs\sub\b`}},
		{[]string{`C:\`}, []string{`C:/docs/c`, `C:\docs`, `C:\docs2\a`, `C:\docs\a`, `C:\docs\sub\b`}},
		{[]string{`\\srv\share`}, []string{`\\srv\share\a`}},
		{[]string{}, nil},
	} {
		view(t, c, func(v index.View) {
			diff(t, strings.Join(test.scopes, ","), sources(t, v, index.DocumentQuery{Scopes: test.scopes}), test.want)
			at := sources(t, v, index.DocumentQuery{Scopes: test.scopes, At: v.Seq() - 1})
			if n := len(at); n > len(test.want) || n < len(test.want)-1 {
				t.Errorf("%q one sequence before: %q", test.scopes, at)
			}
			n := 0
			for _, kind := range []index.Kind{index.File, index.Data, index.URL} {
				n += len(sources(t, v, index.DocumentQuery{Scopes: test.scopes, Kind: kind}))
			}
			if n != len(test.want) {
				t.Errorf("%q: %d of all kinds, want %d", test.scopes, n, len(test.want))
			}
		})
	}
	view(t, c, func(v index.View) {
		for _, root := range []string{"", "/"} {
			for _, s := range sources(t, v, index.DocumentQuery{Scopes: []string{root}}) {
				if !strings.HasPrefix(s, "/") {
					t.Errorf("scope %q returns %q", root, s)
				}
			}
			if n := len(sources(t, v, index.DocumentQuery{Scopes: []string{root}})); n != 12 {
				t.Errorf("scope %q returns %d sources, want 12", root, n)
			}
		}
	})
}
