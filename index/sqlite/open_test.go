package sqlite_test

import (
	"bytes"
	"database/sql"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

func TestPaths(t *testing.T) {
	for _, name := range []string{
		"a b.db", "100%.db", "%41.db", "a#b.db", "a&b=c;d.db", "a'b.db", "Каталог.db", "\U0001F600.db", "file:x.db", "-.db", ":memory:", "a+b.db",
		`back\slash.db`, "a?mode=memory.db", "line\nbreak.db", `"quoted".db`, "bytes\xff.db",
	} {
		if runtime.GOOS != "linux" && (strings.ContainsAny(name, "\\?:\n\"") || !utf8.ValidString(name)) {
			continue
		}
		dir := filepath.Join(t.TempDir(), name+" folder")
		path := filepath.Join(dir, name)
		c := open(t, path)
		put(t, c, document("/a", "text", 1))
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
		entries, err := os.ReadDir(dir)
		if err != nil || len(entries) != 1 || entries[0].Name() != name {
			t.Errorf("%q: the folder has %v, %v", name, entries, err)
		}
	}
	t.Chdir(t.TempDir())
	c := open(t, "relative.db")
	if _, err := os.Stat("relative.db"); err != nil || !filepath.IsAbs(c.Path()) {
		t.Errorf("relative path: %s, %v", c.Path(), err)
	}
	for _, path := range []string{"", "a\x00b"} {
		if _, err := sqlite.Open(t.Context(), path, nil); err == nil {
			t.Errorf("%q: no error", path)
		}
	}
}

func put(t testing.TB, c *sqlite.Catalog, docs ...*index.NewDocument) index.Seq {
	t.Helper()
	seq, err := c.Update(t.Context(), func(tx index.Tx) error {
		for _, d := range docs {
			if _, err := tx.Put(d); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

func TestModes(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	dir := filepath.Join(t.TempDir(), "new", "folder")
	path := filepath.Join(dir, "catalog.db")
	c := open(t, path)
	put(t, c, document("/a", "text", 1))
	for name, want := range map[string]os.FileMode{dir: 0o700, path: 0o600, path + "-wal": 0o600, path + "-shm": 0o600} {
		info, err := os.Stat(name)
		if err != nil {
			t.Fatal(err)
		}
		if got := info.Mode().Perm(); got != want {
			t.Errorf("%s has mode %o, want %o", filepath.Base(name), got, want)
		}
	}
}

func TestClosed(t *testing.T) {
	c := open(t, filepath.Join(t.TempDir(), "catalog.db"))
	put(t, c, document("/a", "text", 1))
	var kept index.View
	c.View(t.Context(), func(v index.View) error { kept = v; return nil })
	if _, err := kept.Document("/a"); err == nil || errors.Is(err, index.ErrNotFound) {
		t.Errorf("a View after its function: %v", err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if err := c.View(t.Context(), func(index.View) error { return nil }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("View: %v", err)
	}
	if _, err := c.Update(t.Context(), func(index.Tx) error { return nil }); !errors.Is(err, os.ErrClosed) {
		t.Errorf("Update: %v", err)
	}
	if _, err := os.Stat(c.Path() + "-wal"); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("the log is left: %v", err)
	}
}

// raw runs statements on a database file behind the catalog's back.
func raw(t *testing.T, path string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", path)
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(err)
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	catalog := func(statements ...string) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			c := open(t, path)
			put(t, c, document("/a", "text", 200))
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if len(statements) > 0 {
				raw(t, path, statements...)
			}
		}
	}
	bytesOf := func(change func([]byte) []byte) func(*testing.T, string) {
		return func(t *testing.T, path string) {
			catalog()(t, path)
			data, err := os.ReadFile(path)
			if err != nil {
				t.Fatal(err)
			}
			if err := os.WriteFile(path, change(data), 0o600); err != nil {
				t.Fatal(err)
			}
		}
	}
	for _, test := range []struct {
		name  string
		make  func(t *testing.T, path string)
		is    error
		tells string
	}{
		{"newer", catalog("PRAGMA user_version = 9999"), index.ErrNewer, "format 9999"},
		{"text", bytesOf(func([]byte) []byte { return bytes.Repeat([]byte("not a database\n"), 1000) }), index.ErrDamaged, "restore the file from a backup"},
		{"short text", bytesOf(func([]byte) []byte { return []byte("hello") }), index.ErrDamaged, "restore the file from a backup"},
		{"truncated", bytesOf(func(b []byte) []byte { return b[:len(b)/2/4096*4096] }), index.ErrDamaged, "sync again"},
		{"header", bytesOf(func(b []byte) []byte { copy(b[20:], "\xff\xff\xff\xff\xff\xff"); return b }), index.ErrDamaged, "sync again"},
		{"first page", bytesOf(func(b []byte) []byte { clear(b[100:4096]); return b }), index.ErrDamaged, "sync again"},
		{"no version", catalog("PRAGMA user_version = 0"), index.ErrDamaged, "format 0"},
		{"other program", func(t *testing.T, path string) { raw(t, path, "CREATE TABLE theirs (x)") }, nil, "another program"},
		{"folder", func(t *testing.T, path string) {
			if err := os.Mkdir(path, 0o700); err != nil {
				t.Fatal(err)
			}
		}, nil, "it is a folder"},
	} {
		t.Run(test.name, func(t *testing.T) {
			path := filepath.Join(t.TempDir(), "catalog.db")
			test.make(t, path)
			before, _ := os.ReadFile(path)
			c, err := sqlite.Open(t.Context(), path, nil)
			if err == nil {
				c.Close()
				t.Fatal("no error")
			}
			if test.is != nil && !errors.Is(err, test.is) || test.is == nil && errors.Is(err, index.ErrDamaged) {
				t.Errorf("error %v, want %v", err, test.is)
			}
			if !strings.Contains(err.Error(), test.tells) || !strings.Contains(err.Error(), path) || strings.Count(err.Error(), "open catalog") != 1 {
				t.Errorf("error %q does not tell %q and the file, once", err, test.tells)
			}
			if after, _ := os.ReadFile(path); !bytes.Equal(before, after) {
				t.Error("the file was changed")
			}
		})
	}
	t.Run("folder is a file", func(t *testing.T) {
		file := filepath.Join(t.TempDir(), "file")
		if err := os.WriteFile(file, nil, 0o600); err != nil {
			t.Fatal(err)
		}
		_, err := sqlite.Open(t.Context(), filepath.Join(file, "catalog.db"), nil)
		if err == nil || !strings.Contains(err.Error(), "DB_PATH") || !strings.Contains(err.Error(), file) {
			t.Errorf("error %v", err)
		}
	})
}

// A lost bit in what has a checksum (texts, chunks, vectors) is noticed, or
// it was in space that is not used and everything reads back right.
func TestDamage(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	c := open(t, path)
	doc := document("/a", strings.Repeat("Some words of a text. ", 30), 60)
	doc.Title = "title"
	put(t, c, doc)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	whole, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	for name, mark := range map[string][]byte{
		"chunk": []byte("Some words of a text."), "compressed": {0x28, 0xb5, 0x2f, 0xfd}, "vector": {0x00, 0x3c, 0x00, 0x00},
	} {
		t.Run(name, func(t *testing.T) {
			noticed := 0
			for at := 0; ; at += 1000 {
				n := bytes.Index(whole[at:], mark)
				if n < 0 {
					break
				}
				at += n
				broken := filepath.Join(t.TempDir(), "broken.db")
				data := bytes.Clone(whole)
				data[at+1] ^= 0x10
				if err := os.WriteFile(broken, data, 0o600); err != nil {
					t.Fatal(err)
				}
				switch err := readAll(t, broken, doc); {
				case errors.Is(err, index.ErrDamaged) && strings.Contains(err.Error(), broken):
					noticed++
				case err != nil:
					t.Errorf("byte %d: %v", at+1, err)
				}
				if at+1000 > len(whole) {
					break
				}
			}
			if noticed == 0 {
				t.Error("no damage was noticed")
			}
		})
	}
}

func readAll(t *testing.T, path string, want *index.NewDocument) error {
	c, err := sqlite.Open(t.Context(), path, nil)
	if err != nil {
		return err
	}
	defer c.Close()
	return c.View(t.Context(), func(v index.View) error {
		d, err := v.Document(want.Source)
		if err != nil {
			return err
		}
		if text, err := v.Markdown(d.ID); err != nil || text != want.Markdown {
			return errors.Join(err, errors.New("text"))
		}
		i := 0
		for e, err := range v.Added(0, v.Seq(), "m") {
			if err != nil {
				return err
			}
			if e.Text != want.Chunks[i].Text || !slices.Equal(e.Vector, want.Vectors[i]) {
				return fmt.Errorf("chunk %d is %q", i, e.Text)
			}
			i++
		}
		if _, err := v.Sections(d.ID); err != nil || i != len(want.Chunks) {
			return errors.Join(err, fmt.Errorf("%d chunks", i))
		}
		return nil
	})
}
