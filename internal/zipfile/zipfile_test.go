package zipfile_test

import (
	"archive/zip"
	"bytes"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/internal/zipfile"
)

// archive has members whose content is their name, followed by n spaces.
func archive(t *testing.T, n int, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range names {
		w, err := z.Create(name)
		if err != nil {
			t.Fatal(err)
		}
		if strings.HasSuffix(name, "/") {
			continue
		}
		if _, err := w.Write([]byte(name + strings.Repeat(" ", n))); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestFind(t *testing.T) {
	a, err := zipfile.Open(archive(t, 0, "dir/", "dir/A.txt", `win\b.txt`, "/root.txt", "a%20b", "и\u0306", "../out", "x/../../out2"), 100, 1<<20)
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff([]string{"dir/A.txt", "win/b.txt", "root.txt", "a%20b", "и\u0306"}, a.Names()); diff != "" {
		t.Errorf("Names (-want +got)\n%s", diff)
	}
	for name, want := range map[string]string{
		"dir/A.txt": "dir/A.txt", "DIR/a.TXT": "dir/A.txt", "./dir/../dir/A.txt": "dir/A.txt", "win/b.txt": "win/b.txt", "root.txt": "root.txt", "a b": "a%20b", "й": "и\u0306",
		"out": "", "out2": "", "dir": "", "no": "",
	} {
		got, ok := a.Find(name)
		if ok != (want != "") || ok && got != want {
			t.Errorf("Find(%q) = %q, %v, want %q", name, got, ok, want)
		}
	}
	if a.Size("a b") != 5 || a.Size("no") != 0 {
		t.Errorf("Size = %d, %d", a.Size("a b"), a.Size("no"))
	}
	if data, err := a.Read("A B"); err != nil || string(data) != "a%20b" {
		t.Errorf("Read = %q, %v", data, err)
	}
	if _, err := a.Read("no"); !errors.Is(err, zipfile.ErrMissing) {
		t.Errorf("Read of a missing member: %v", err)
	}
}

func TestLimits(t *testing.T) {
	var limit *zipfile.LimitError
	data := archive(t, 1000, "a", "b", "c")
	if _, err := zipfile.Open(data, 2, 1<<20); !errors.As(err, &limit) {
		t.Errorf("members: %v", err)
	}
	a, err := zipfile.Open(data, 3, 2500)
	if err != nil {
		t.Fatal(err)
	}
	for i, name := range []string{"a", "b", "c"} {
		if _, err := a.Read(name); errors.As(err, &limit) != (i == 2) {
			t.Errorf("reading %s: %v", name, err)
		}
	}
	for _, bad := range [][]byte{nil, []byte("PK\x03\x04"), data[:len(data)-10]} {
		if _, err := zipfile.Open(bad, 10, 10); !errors.Is(err, zipfile.ErrDamaged) {
			t.Errorf("%d bytes: %v", len(bad), err)
		}
	}
	sealed := bytes.Clone(data)
	for i := bytes.Index(sealed, []byte("PK\x01\x02")); i >= 0 && i+8 < len(sealed); i = len(sealed) {
		sealed[i+8] |= 1 // general purpose bit 0 in the directory
	}
	if a, err = zipfile.Open(sealed, 10, 1<<20); err == nil {
		_, err = a.Read("a")
	}
	if !errors.Is(err, zipfile.ErrEncrypted) {
		t.Errorf("encrypted member: %v", err)
	}
}

// FuzzOpen holds names inside the archive and what is read within the limit.
func FuzzOpen(f *testing.F) {
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, name := range []string{"word/document.xml", `..\out`, "a%20b", "/x/../Y"} {
		w, err := z.Create(name)
		if err != nil {
			f.Fatal(err)
		}
		if _, err := w.Write([]byte(strings.Repeat(name, 20))); err != nil {
			f.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		f.Fatal(err)
	}
	f.Add(b.Bytes())
	f.Add(b.Bytes()[:b.Len()/2])
	f.Add([]byte("PK\x05\x06" + strings.Repeat("\x00", 18)))
	const expanded = 1000
	f.Fuzz(func(t *testing.T, data []byte) {
		known := func(err error) bool {
			var limit *zipfile.LimitError
			return errors.As(err, &limit) || errors.Is(err, zipfile.ErrDamaged) || errors.Is(err, zipfile.ErrEncrypted)
		}
		a, err := zipfile.Open(data, 10, expanded)
		if err != nil {
			if !known(err) {
				t.Errorf("Open: error of no kind: %v", err)
			}
			return
		}
		if len(a.Names()) > 10 {
			t.Errorf("%d members", len(a.Names()))
		}
		sum := 0
		for _, name := range a.Names() {
			if zipfile.Outside(name) || zipfile.Clean(name) != name || strings.HasPrefix(name, "/") {
				t.Errorf("name %q leads out", name)
			}
			if got, ok := a.Find(name); !ok || got != name {
				t.Errorf("Find(%q) = %q, %v", name, got, ok)
			}
			got, err := a.Read(name)
			if err != nil && !known(err) {
				t.Errorf("Read(%q): error of no kind: %v", name, err)
			}
			sum += len(got)
		}
		if sum > expanded {
			t.Errorf("%d bytes read, limit %d", sum, expanded)
		}
	})
}
