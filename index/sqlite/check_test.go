package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

// harmed returns a catalog whose file was changed behind its back.
func harmed(t *testing.T, statements ...string) *sqlite.Catalog {
	t.Helper()
	path := filepath.Join(t.TempDir(), "catalog.sqlite")
	c := open(t, path)
	put(t, c, wantFixture()...)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	raw(t, path, statements...)
	return open(t, path)
}

func about(subject string) func(index.Finding) bool {
	return func(f index.Finding) bool { return strings.HasSuffix(f.Subject, subject) }
}

func TestCheck(t *testing.T) {
	for name, tc := range map[string]struct {
		harm    string
		subject string // of the finding; empty: none
		gone    bool   // by the repair
		left    bool   // after the repair
	}{
		"nothing":            {harm: "SELECT 1"},
		"text":               {harm: "UPDATE contents SET markdown = zeroblob(20) WHERE id = 1", subject: "/docs/harbour.md", gone: true},
		"sections":           {harm: "UPDATE contents SET sections = (SELECT sections FROM contents WHERE id = 2) WHERE id = 1", subject: "/docs/harbour.md", gone: true},
		"text of another":    {harm: "UPDATE contents SET markdown = (SELECT markdown FROM contents WHERE id = 2), bytes = (SELECT bytes FROM contents WHERE id = 2) WHERE id = 1", subject: "/docs/harbour.md", gone: true},
		"chunk":              {harm: "UPDATE chunks SET text = 'x' WHERE id = 3", subject: "/docs/moved.md", gone: true},
		"range":              {harm: "UPDATE chunks SET stop = 1000000 WHERE id = 3", subject: "/docs/moved.md", gone: true},
		"lost chunk":         {harm: "DELETE FROM chunks WHERE id = 3", subject: "/docs/moved.md", gone: true},
		"lost vector":        {harm: "DELETE FROM vectors WHERE chunk = 4", subject: "/docs/moved.md", gone: true},
		"vector":             {harm: "UPDATE vectors SET data = zeroblob(20) WHERE chunk = 4", subject: "/docs/moved.md", gone: true},
		"title":              {harm: "UPDATE documents SET title = 'x' WHERE source = '/docs/moved.md'", subject: "/docs/moved.md", gone: true},
		"what cannot return": {harm: "UPDATE chunks SET text = 'x' WHERE id = 5", subject: "note", left: true},
		"fingerprint":        {harm: "UPDATE fingerprints SET model = 'x' WHERE model = 'older'", subject: "note", left: true},
		"lost document":      {harm: "DELETE FROM documents WHERE source = '/docs/moved.md'", subject: "catalog.sqlite", gone: true},
	} {
		t.Run(name, func(t *testing.T) {
			c := harmed(t, "PRAGMA foreign_keys = 0", tc.harm)
			found, err := c.Check(t.Context(), nil)
			if err != nil {
				t.Fatal(err)
			}
			if (len(found) > 0) != (tc.subject != "") || len(found) > 0 && !slices.ContainsFunc(found, about(tc.subject)) {
				t.Errorf("found %+v", found)
			}
			for _, f := range found {
				if f.Problem == "" || f.Remedy == "" || f.Repaired {
					t.Errorf("%+v", f)
				}
			}
			reread := func(source string, kind index.Kind) bool { return kind == index.File }
			found, err = c.Check(t.Context(), &index.CheckOptions{Repair: true, Reread: reread})
			if err != nil {
				t.Fatal(err)
			}
			for _, f := range found {
				if f.Repaired == tc.left {
					t.Errorf("repair: %+v", f)
				}
			}
			again, err := c.Check(t.Context(), nil)
			if err != nil || (len(again) > 0) != tc.left {
				t.Errorf("after the repair: %+v, %v", again, err)
			}
			err = c.View(t.Context(), func(v index.View) error { _, err := v.Document("/docs/moved.md"); return err })
			if gone := errors.Is(err, index.ErrNotFound); tc.subject == "/docs/moved.md" && gone != tc.gone {
				t.Errorf("the damaged document: %v", err)
			}
			// Whatever is damaged can be replaced and deleted.
			put(t, c, wantFixture()...)
			if found, err := c.Check(t.Context(), nil); err != nil || len(found) != 0 {
				t.Errorf("after storing anew: %+v, %v", found, err)
			}
		})
	}
}

// A document with a checksum that is wrong can be deleted.
func TestDeleteDamaged(t *testing.T) {
	c := harmed(t, "UPDATE documents SET title = 'x' WHERE source = 'note'")
	if _, err := c.Update(t.Context(), func(tx index.Tx) error { _, err := tx.Delete("note"); return err }); err != nil {
		t.Fatal(err)
	}
	if found, err := c.Check(t.Context(), nil); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

// An index of SQLite that does not fit its table is made anew.
func TestRepairReindexes(t *testing.T) {
	c := harmed(t, "PRAGMA writable_schema = 1",
		`UPDATE sqlite_schema SET sql = 'CREATE INDEX documents_content ON documents (content) WHERE content > 1' WHERE name = 'documents_content'`,
		"PRAGMA writable_schema = RESET", "REINDEX documents_content", "PRAGMA writable_schema = 1",
		`UPDATE sqlite_schema SET sql = 'CREATE INDEX documents_content ON documents (content)' WHERE name = 'documents_content'`)
	found, err := c.Check(t.Context(), nil)
	if err != nil || len(found) == 0 || !strings.Contains(found[0].Problem, "documents_content") {
		t.Fatalf("%+v, %v", found, err)
	}
	found, err = c.Check(t.Context(), &index.CheckOptions{Repair: true})
	if err != nil || len(found) == 0 || !found[0].Repaired {
		t.Errorf("%+v, %v", found, err)
	}
	if found, err := c.Check(t.Context(), nil); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}

func TestCompact(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.sqlite")
	c := open(t, path)
	reader := open(t, path)
	var last index.Seq
	for range 20 {
		last = put(t, c, document("/a", strings.Repeat("Some words of a text. ", 30), 100))
	}
	size := func() (n int64) {
		for _, name := range []string{path, path + "-wal"} {
			info, err := os.Stat(name)
			if err != nil {
				t.Fatal(err)
			}
			n += info.Size()
		}
		return n
	}
	before := size()
	if err := c.Purge(t.Context(), last); err != nil {
		t.Fatal(err)
	}
	err := reader.View(t.Context(), func(v index.View) error {
		if _, err := v.Document("/a"); err != nil {
			return err
		}
		return c.Compact(t.Context()) // beside a reader
	})
	if err != nil {
		t.Fatal(err)
	}
	if err := c.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	if after := size(); after*5 > before {
		t.Errorf("%d bytes before, %d after", before, after)
	}
	if found, err := reader.Check(t.Context(), nil); err != nil || len(found) != 0 {
		t.Errorf("%+v, %v", found, err)
	}
}
