package sqlite_test

import (
	"errors"
	"os"
	"path/filepath"
	"runtime"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

// One lost bit of the schema, before the catalog is opened or after: an error
// that says so, or the right content.
func TestDamagedSchema(t *testing.T) {
	dir := t.TempDir()
	path := filepath.Join(dir, "sound.sqlite")
	c := open(t, path)
	put(t, c, document("/a", "one", 2), document("/b", "two", 2))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	sound, err := os.ReadFile(path)
	if err != nil {
		t.Fatal(err)
	}
	path = filepath.Join(dir, "damaged.sqlite")
	read := func(c *sqlite.Catalog) error {
		return c.View(t.Context(), func(v index.View) error {
			for source, want := range map[string]string{"/a": "one", "/b": "two"} {
				d, err := v.Document(source)
				if err != nil {
					return err
				}
				text, err := v.Markdown(d.ID)
				if err != nil {
					return err
				}
				if text != want {
					return differs(text)
				}
			}
			n := 0
			for e, err := range v.Added(0, v.Seq(), "m") {
				if err != nil {
					return err
				}
				if len(e.Vector) != 384 || e.Text != "one" && e.Text != "two" {
					return differs(e)
				}
				n++
			}
			if n != 4 {
				return differs(n)
			}
			return nil
		})
	}
	step := 5
	if testing.Short() {
		step = 29
	}
	const first, end = 100, 4096 // the page after the header of the file
	for at := first; at < end; at += step {
		for _, isOpen := range []bool{false, true} {
			if isOpen && runtime.GOOS == "windows" {
				continue // what fails to be closed cannot be removed there
			}
			damaged := append([]byte(nil), sound...)
			damaged[at] ^= 1 << (at % 8)
			if isOpen {
				err = os.WriteFile(path, sound, 0o600)
			} else {
				err = os.WriteFile(path, damaged, 0o600)
			}
			if err != nil {
				t.Fatal(err)
			}
			c, err := sqlite.Open(t.Context(), path, nil)
			if err == nil && isOpen {
				if err := os.WriteFile(path, damaged, 0o600); err != nil {
					t.Fatal(err)
				}
			}
			if err == nil {
				err = read(c)
				c.Close() // whether it can be closed well does not matter
			}
			if err != nil && !errors.Is(err, index.ErrDamaged) {
				t.Errorf("byte %d, open %v: %v", at, isOpen, err)
			}
			for _, suffix := range []string{"", "-wal", "-shm"} {
				if err := os.Remove(path + suffix); err != nil && !errors.Is(err, os.ErrNotExist) {
					t.Fatal(err)
				}
			}
		}
	}
}
