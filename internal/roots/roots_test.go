package roots_test

import (
	"errors"
	"os"
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/internal/roots"
)

func TestResolve(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	join := func(p string) string { return filepath.Join(base, filepath.FromSlash(p)) }
	for _, dir := range []string{"docs/sub", "docs-private", "out"} {
		if err := os.MkdirAll(join(dir), 0o755); err != nil {
			t.Fatal(err)
		}
	}
	for _, file := range []string{"docs/a.md", "docs-private/s.md", "out/o.md"} {
		if err := os.WriteFile(join(file), nil, 0o644); err != nil {
			t.Fatal(err)
		}
	}
	links := map[string]string{
		"docs/in.md":       "a.md",
		"docs/escape.md":   "../out/o.md",
		"docs/dangling.md": "../out/none.md",
		"docs/loop.md":     "loop.md",
		"docs/outdir":      "../out",
	}
	for name, target := range links {
		if err := os.Symlink(filepath.FromSlash(target), join(name)); err != nil {
			t.Skip("symbolic links cannot be made here:", err)
		}
	}
	set, err := roots.New([]string{join("docs")})
	if err != nil {
		t.Fatal(err)
	}
	tests := []struct {
		path, want string
		err        error
	}{
		{join("docs"), join("docs"), nil},
		{join("docs/a.md"), join("docs/a.md"), nil},
		{join("docs/sub/../a.md"), join("docs/a.md"), nil},
		{join("docs/none/x.md"), join("docs/none/x.md"), nil},
		{join("docs/a.md/x"), join("docs/a.md/x"), nil},
		{join("docs/in.md"), join("docs/a.md"), nil},
		{join("docs/../out/o.md"), "", roots.ErrOutside},
		{join("docs-private/s.md"), "", roots.ErrOutside},
		{join("docs/escape.md"), "", roots.ErrOutside},
		{join("docs/dangling.md"), "", roots.ErrOutside},
		{join("docs/outdir/new.md"), "", roots.ErrOutside},
		{join("docs/a\x00.md"), "", roots.ErrOutside},
		{"docs/a.md", "", roots.ErrNotAbsolute},
		{"", "", roots.ErrNotAbsolute},
	}
	for _, tc := range tests {
		got, err := set.Resolve(tc.path)
		if got != tc.want || !errors.Is(err, tc.err) {
			t.Errorf("Resolve(%q) = %q, %v; want %q, %v", tc.path, got, err, tc.want, tc.err)
		}
	}
	if _, err := set.Resolve(join("docs/loop.md")); err == nil {
		t.Error("a link to itself was resolved")
	}
	if got := set.Display(join("docs/sub/é.md")); got != "sub/é.md" {
		t.Errorf("Display = %q", got)
	}
	if got := set.Display("note-1"); got != "note-1" {
		t.Errorf("Display = %q", got)
	}
}

func TestDisplayUsesTheInnermostRoot(t *testing.T) {
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	set, err := roots.New([]string{base, filepath.Join(base, "inner")})
	if err != nil {
		t.Fatal(err)
	}
	if got := set.Display(filepath.Join(base, "inner", "a.md")); got != "a.md" {
		t.Errorf("Display = %q, want a.md", got)
	}
}
