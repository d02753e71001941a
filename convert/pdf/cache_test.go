//go:build !lite

package pdf_test

import (
	"bytes"
	"context"
	"io/fs"
	"log/slog"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/pdf"
)

func TestCacheChecks(t *testing.T) {
	dir := t.TempDir()
	code := filepath.Join(dir, "wazero-v0", "code")
	write := func(file, content string) {
		t.Helper()
		if err := os.MkdirAll(filepath.Dir(file), 0o700); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o600); err != nil {
			t.Fatal(err)
		}
	}
	sound := func(want bool, when string) {
		t.Helper()
		if got := pdf.CacheSound(dir); got != want {
			t.Errorf("%s: sound = %v, want %v", when, got, want)
		}
	}
	seal := func() {
		t.Helper()
		if err := pdf.CacheSeal(dir); err != nil {
			t.Fatal(err)
		}
	}
	sound(false, "empty folder")
	write(code, "machine code")
	sound(false, "not sealed")
	seal()
	sound(true, "sealed")
	for _, damage := range []struct{ name, file, content string }{
		{"changed", code, "machine c0de"},
		{"cut", code, "machine"},
		{"empty", code, ""},
		{"another file", code + "2", "x"},
		{"broken manifest", filepath.Join(dir, "checksums.json"), "{"},
	} {
		write(damage.file, damage.content)
		sound(false, damage.name)
		if err := pdf.CacheSweep(dir); err != nil {
			t.Fatal(err)
		}
		if got, err := os.ReadFile(code); err == nil && string(got) != "machine code" {
			t.Errorf("%s: swept and still there: %q", damage.name, got)
		}
		write(code, "machine code")
		seal()
		sound(true, damage.name+", repaired")
	}
	write(code+".123.tmp", "another process is writing")
	sound(true, "with a temporary file")
}

// TestDamagedCache lets two converters start at once on a damaged folder.
func TestDamagedCache(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the engine")
	}
	dir := t.TempDir()
	if err := shared.Warm(t.Context()); err != nil { // fills the folder
		t.Fatal(err)
	}
	if err := os.CopyFS(dir, os.DirFS(cacheDir())); err != nil {
		t.Fatal(err)
	}
	damaged := 0
	err := filepath.WalkDir(filepath.Join(dir, "pdfium"), func(file string, d fs.DirEntry, err error) error {
		if err != nil || d.IsDir() || !strings.Contains(filepath.Dir(file), "wazero-") {
			return err
		}
		damaged++
		return os.WriteFile(file, bytes.Repeat([]byte{0xff}, 100), 0o600)
	})
	if err != nil || damaged == 0 {
		t.Fatalf("damaged %d files: %v", damaged, err)
	}
	var log lockedBuffer
	var wg sync.WaitGroup
	for range 2 {
		wg.Go(func() {
			c := pdf.New(&pdf.Options{CacheDir: dir, Logger: slog.New(slog.NewTextHandler(&log, nil))})
			defer c.Close()
			readsText(t, c)
		})
	}
	wg.Wait()
	if got := strings.Count(log.String(), "compiling"); got != 1 {
		t.Errorf("compiled %d times, want once; log:\n%s", got, log.String())
	}
	if !pdf.CacheSound(filepath.Join(dir, "pdfium")) {
		t.Error("the folder was not repaired")
	}
}

func TestUnusableCache(t *testing.T) {
	if testing.Short() {
		t.Skip("compiles the engine")
	}
	file := filepath.Join(t.TempDir(), "file")
	if err := os.WriteFile(file, nil, 0o600); err != nil {
		t.Fatal(err)
	}
	var log lockedBuffer
	c := pdf.New(&pdf.Options{CacheDir: filepath.Join(file, "below"), Logger: slog.New(slog.NewTextHandler(&log, nil))})
	defer c.Close()
	readsText(t, c)
	if !strings.Contains(log.String(), "level=WARN") {
		t.Errorf("no warning in the log:\n%s", log.String())
	}
}

func readsText(t *testing.T, c *pdf.Converter) {
	doc, err := c.Convert(context.Background(), convert.Source{Name: "a.pdf", Data: builder{pages: []string{text("Words")}}.bytes()}, convert.Limits{})
	if err != nil {
		t.Error(err)
	} else if doc.Markdown != "Words\n" {
		t.Errorf("Markdown = %q", doc.Markdown)
	}
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}
