//go:build unix

package sqlite_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
	"github.com/minirag/minirag/internal/testcorpus"
)

// otherUser gives up the rights of root, to which no permission applies, and
// prints what it can do with a catalog.
func otherUser(ctx context.Context, path string) error {
	fmt.Println("ready")
	if os.Getuid() == 0 {
		if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
			return err
		}
	}
	c, err := sqlite.Open(ctx, path, nil)
	if err != nil {
		fmt.Printf("open: %v\n", err)
		return nil
	}
	if os.Getenv(childVariable+"_FIXTURE") != "" {
		err := c.View(ctx, func(v index.View) error { return hasFixture(v, wantFixture()) })
		fmt.Printf("read-only: %v; fixture: %v; closed: %v\n", c.ReadOnly(), err, c.Close())
		return nil
	}
	var title string
	for range 2 {
		err = c.View(ctx, func(v index.View) error {
			d, err := v.Document("/a")
			title = d.Title
			return err
		})
	}
	fmt.Printf("read-only: %v; view: %s, %v\n", c.ReadOnly(), title, err)
	_, err = c.Update(ctx, func(tx index.Tx) error { _, err := tx.Delete("/a"); return err })
	fmt.Printf("update: %v: %v\n", errors.Is(err, index.ErrReadOnly), err)
	fmt.Printf("purge: %v\n", errors.Is(c.Purge(ctx, 1), index.ErrReadOnly))
	return c.Close()
}

// asOther returns what otherUser prints.
func asOther(t *testing.T, path string) string {
	t.Helper()
	p := start(t, "other user", path)
	p.in.Close()
	var out strings.Builder
	for p.out.Scan() {
		out.WriteString(p.out.Text() + "\n")
	}
	if err := p.Wait(); err != nil {
		t.Fatalf("%v: %s", err, &p.stderr)
	}
	return out.String()
}

const wantReadOnly = "read-only: true; view: text, <nil>\nupdate: true: "

func TestReadOnlyFolder(t *testing.T) {
	dir := testcorpus.OpenFolder(t)
	path := filepath.Join(dir, "catalog.db")
	c := open(t, path)
	put(t, c, document("/a", "text", 1))
	for _, name := range []string{path, path + "-wal", path + "-shm"} {
		if err := os.Chmod(name, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	// Without the right to write, but beside a process that does.
	if os.Getuid() == 0 {
		if got := asOther(t, path); !strings.HasPrefix(got, wantReadOnly) || !strings.HasSuffix(got, "purge: true\n") {
			t.Errorf("beside a writer: %s", got)
		}
	}
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	// Alone, as on a medium that is read-only.
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o555} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if got := asOther(t, path); !strings.HasPrefix(got, wantReadOnly) || !strings.HasSuffix(got, "purge: true\n") {
		t.Errorf("alone: %s", got)
	}
	entries, err := os.ReadDir(dir)
	if err != nil || len(entries) != 1 {
		t.Errorf("the folder has %v, %v", entries, err)
	}
}

// A catalog of any format can be read where it cannot be written, and what is
// made for it elsewhere is removed.
func TestReadOnlyOldFormats(t *testing.T) {
	files, err := filepath.Glob(filepath.Join("testdata", "v*.sqlite"))
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	temp := testcorpus.OpenFolder(t)
	if err := os.Chmod(temp, 0o777); err != nil {
		t.Fatal(err)
	}
	t.Setenv("TMPDIR", temp)
	t.Setenv(childVariable+"_FIXTURE", "1")
	for _, file := range files {
		dir := testcorpus.OpenFolder(t)
		path := filepath.Join(dir, "catalog.sqlite")
		data, err := os.ReadFile(file)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, data, 0o444); err != nil {
			t.Fatal(err)
		}
		if err := os.Chmod(dir, 0o555); err != nil {
			t.Fatal(err)
		}
		if got := asOther(t, path); got != "read-only: true; fixture: <nil>; closed: <nil>\n" {
			t.Errorf("%s: %s", file, got)
		}
		if after, err := os.ReadFile(path); err != nil || string(after) != string(data) {
			t.Errorf("%s was changed, %v", file, err)
		}
		if err := os.Chmod(dir, 0o755); err != nil {
			t.Fatal(err)
		}
	}
	entries, err := os.ReadDir(temp)
	if err != nil {
		t.Fatal(err)
	}
	for _, e := range entries {
		if strings.HasPrefix(e.Name(), "minirag-catalog-") {
			t.Errorf("%s is left", e.Name())
		}
	}
}

func TestReadOnlyFile(t *testing.T) {
	dir := testcorpus.OpenFolder(t)
	path := filepath.Join(dir, "catalog.db")
	c := open(t, path)
	put(t, c, document("/a", "text", 1))
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	for name, mode := range map[string]os.FileMode{path: 0o444, dir: 0o777} {
		if err := os.Chmod(name, mode); err != nil {
			t.Fatal(err)
		}
	}
	if os.Getuid() != 0 {
		t.Skip("the owner may make the file writable again, and Open does")
	}
	if got := asOther(t, path); !strings.HasPrefix(got, wantReadOnly) {
		t.Error(got)
	}
}

func TestNoPermission(t *testing.T) {
	dir := testcorpus.OpenFolder(t)
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	for _, path := range []string{filepath.Join(dir, "catalog.db"), filepath.Join(dir, "sub", "catalog.db")} {
		got := asOther(t, path)
		for _, want := range []string{"open: open catalog", dir, "permission denied", "DB_PATH must name a folder that can be created and written"} {
			if !strings.Contains(got, want) {
				t.Errorf("%q does not tell %q", got, want)
			}
		}
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	secret := filepath.Join(dir, "secret.db")
	if err := os.WriteFile(secret, []byte("secret"), 0o000); err != nil {
		t.Fatal(err)
	}
	if got := asOther(t, secret); os.Getuid() == 0 && !strings.Contains(got, "permission denied") {
		t.Error(got)
	}
}

// A log that was left where it cannot be read is not passed over.
func TestReadOnlyLog(t *testing.T) {
	from := filepath.Join(t.TempDir(), "catalog.db")
	put(t, open(t, from), document("/a", "text", 1))
	dir := testcorpus.OpenFolder(t)
	path := filepath.Join(dir, "catalog.db")
	for _, suffix := range []string{"", "-wal"} {
		data, err := os.ReadFile(from + suffix)
		if err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path+suffix, data, 0o444); err != nil {
			t.Fatal(err)
		}
	}
	if err := os.Chmod(dir, 0o555); err != nil {
		t.Fatal(err)
	}
	if got := asOther(t, path); !strings.Contains(got, path+"-wal") || !strings.Contains(got, "open it there once") {
		t.Error(got)
	}
}
