package minirag_test

import (
	"bytes"
	"errors"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"syscall"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/atomicfile"
	"github.com/minirag/minirag/internal/testcorpus"
)

// smallDisk returns a folder on a disk of its own.
func smallDisk(t *testing.T, size string) string {
	t.Helper()
	disk := t.TempDir()
	if err := syscall.Mount("tmpfs", disk, "tmpfs", 0, "size="+size); err != nil {
		t.Skip("a small disk cannot be mounted here:", err)
	}
	t.Cleanup(func() {
		if err := syscall.Unmount(disk, syscall.MNT_DETACH); err != nil {
			t.Error(err)
		}
	})
	return disk
}

// fill leaves some KB free of a disk, until the function that it returns is called.
func fill(t *testing.T, disk string, left int) (free func()) {
	t.Helper()
	path := filepath.Join(disk, "filler")
	f, err := os.Create(path)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	for err == nil {
		_, err = f.Write(make([]byte, 1024))
	}
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	if err := f.Truncate(max(0, info.Size()-int64(left)<<10)); err != nil {
		t.Fatal(err)
	}
	return func() {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
}

func wordy(n int) map[string]string {
	files := make(map[string]string)
	for i := range n {
		var b strings.Builder
		for w := range 1500 {
			fmt.Fprintf(&b, "word%d ", (i+1)*w*7919%100_003)
		}
		files[fmt.Sprintf("doc-%02d.txt", i)] = b.String()
	}
	return files
}

func TestFullDisk(t *testing.T) {
	disk := smallDisk(t, "1500k")
	files := wordy(40)
	root := testcorpus.Write(t, files)
	c := testcorpus.At(t, filepath.Join(disk, "index"), &minirag.Options{Roots: []string{root}})
	var stored []string
	_, err := c.Sync(t.Context(), &minirag.SyncOptions{Progress: func(p minirag.Progress) {
		if p.Event == minirag.EventIngested {
			stored = append(stored, p.Source)
		}
	}})
	if !errors.Is(err, syscall.ENOSPC) {
		t.Fatalf("sync on a full disk: %v (%d stored)", err, len(stored))
	}
	if !strings.Contains(err.Error(), "doc-") && !strings.Contains(err.Error(), "apply") {
		t.Errorf("the error does not say what was not stored: %v", err)
	}
	for _, source := range stored {
		text, err := c.Read(t.Context(), source)
		if err != nil || text.Markdown != files[filepath.Base(source)] {
			t.Errorf("%s was reported as stored: %v", source, err)
		}
	}
	if len(stored) == 0 {
		t.Error("nothing was stored before the disk was full")
	} else if _, err := c.Query(t.Context(), minirag.Query{Text: "word7919"}); err != nil {
		t.Errorf("query on a full disk: %v", err)
	}
}

// With any amount of space left, whatever is done succeeds or says that the
// disk is full; the answers stay right; and with space all is well again.
func TestFullDiskAnyOperation(t *testing.T) {
	files := wordy(6)
	root := testcorpus.Write(t, files)
	var exported bytes.Buffer
	whole := testcorpus.New(t, root)
	syncAll(t, whole)
	want := state(t, whole)
	if _, err := whole.Export(t.Context(), &exported); err != nil {
		t.Fatal(err)
	}
	note := minirag.Bytes("note", "text/plain", []byte(files["doc-00.txt"]))
	for name, do := range map[string]func(c *minirag.Corpus, disk string) error{
		"ingest": func(c *minirag.Corpus, _ string) error {
			_, err := c.Ingest(t.Context(), note)
			return err
		},
		"delete": func(c *minirag.Corpus, _ string) error {
			_, err := c.Delete(t.Context(), filepath.Join(root, "doc-01.txt"))
			return err
		},
		"compact": func(c *minirag.Corpus, _ string) error {
			_, err := c.Compact(t.Context())
			return err
		},
		"export": func(c *minirag.Corpus, disk string) error {
			path := filepath.Join(disk, "export")
			err := atomicfile.Write(path, 0o600, func(w io.Writer) error {
				_, err := c.Export(t.Context(), w)
				return err
			})
			if _, serr := os.Stat(path); err != nil && serr == nil {
				t.Error("half an export is left")
			}
			return err
		},
		"doctor": func(c *minirag.Corpus, _ string) error {
			_, err := c.Doctor(t.Context(), &minirag.DoctorOptions{Repair: true})
			return err
		},
	} {
		t.Run(name, func(t *testing.T) {
			refused := 0
			for _, left := range []int{0, 16, 64, 200} {
				disk := smallDisk(t, "8m")
				c := testcorpus.At(t, filepath.Join(disk, "index"), &minirag.Options{Roots: []string{root}})
				syncAll(t, c)
				for range 3 { // so that there is something to compact
					if _, err := c.Ingest(t.Context(), note); err != nil {
						t.Fatal(err)
					}
				}
				free := fill(t, disk, left)
				err := do(c, disk)
				if err != nil && !errors.Is(err, syscall.ENOSPC) {
					t.Errorf("with %d KB left: %v", left, err)
				}
				if err != nil {
					refused++
				}
				if _, err := c.Query(t.Context(), minirag.Query{Text: "word7919"}); err != nil {
					t.Errorf("with %d KB left, query: %v", left, err)
				}
				free()
				if _, err := c.Delete(t.Context(), "note"); err != nil && !errors.Is(err, minirag.ErrNotFound) {
					t.Errorf("with space again: %v", err)
				}
				syncAll(t, c)
				if found := examine(t, c, false); len(found) != 0 {
					t.Errorf("with %d KB left, the doctor then finds %+v", left, found)
				}
				if diff := cmp.Diff(want, state(t, c)); diff != "" {
					t.Errorf("with %d KB left (-undisturbed +then)\n%s", left, diff)
				}
			}
			t.Logf("%d refused", refused)
		})
	}
	t.Run("import", func(t *testing.T) {
		for _, left := range []int{0, 16, 64, 200, 400, 8000} {
			disk := smallDisk(t, "8m")
			c := testcorpus.At(t, filepath.Join(disk, "index"), &minirag.Options{Roots: []string{root}})
			free := fill(t, disk, left)
			_, err := c.Import(t.Context(), bytes.NewReader(exported.Bytes()))
			if err != nil && !errors.Is(err, syscall.ENOSPC) || left == 8000 && err != nil {
				t.Errorf("with %d KB left: %v", left, err)
			}
			free()
			status, serr := c.Status(t.Context())
			if serr != nil || err != nil && status.Sources != 0 || err == nil && status.Sources != len(files) {
				t.Errorf("with %d KB left: %v, and then %+v, %v", left, err, status, serr)
			}
			if found := examine(t, c, false); len(found) != 0 {
				t.Errorf("with %d KB left, the doctor then finds %+v", left, found)
			}
		}
	})
}
