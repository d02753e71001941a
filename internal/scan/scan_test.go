package scan_test

import (
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/internal/roots"
	"github.com/minirag/minirag/internal/scan"
)

func markdown(name string) bool { return strings.HasSuffix(strings.ToLower(name), ".md") }

func tree(t *testing.T, files ...string) string {
	t.Helper()
	base, err := filepath.EvalSymlinks(t.TempDir())
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range files {
		path := filepath.Join(base, filepath.FromSlash(f))
		if err := os.MkdirAll(filepath.Dir(path), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(path, []byte(f), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return base
}

func walk(t *testing.T, scope string, folders ...string) *scan.Result {
	t.Helper()
	set, err := roots.New(folders)
	if err != nil {
		t.Fatal(err)
	}
	res, err := scan.Walk(t.Context(), scan.Options{Roots: set, Match: markdown, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func names(t *testing.T, base string, res *scan.Result) []string {
	t.Helper()
	var got []string
	for _, f := range res.Files {
		rel, err := filepath.Rel(base, f.Path)
		if err != nil {
			t.Fatal(err)
		}
		got = append(got, filepath.ToSlash(rel))
	}
	return got
}

func TestWalk(t *testing.T) {
	base := tree(t, "in/a.md", "in/B.MD", "in/sub/c.md", "in/x.bin", "in/.h.md", "in/~$l.md", "in/.git/g.md",
		"in/node_modules/n.md", "in/sub/venv/v.md", "out/o.md", "in/-rf.md", "in/# 5 %.md")
	if runtime.GOOS != "windows" {
		for link, target := range map[string]string{"0.md": "sub/c.md", "esc.md": "../out/o.md", "none.md": "gone.md", "dir": "../out"} {
			if err := os.Symlink(target, filepath.Join(base, "in", link)); err != nil {
				t.Fatal(err)
			}
		}
	}
	want := []string{"in/# 5 %.md", "in/-rf.md", "in/B.MD", "in/a.md", "in/sub/c.md"}
	res := walk(t, "", filepath.Join(base, "in"), filepath.Join(base, "in", "sub"))
	if diff := cmp.Diff(want, names(t, base, res)); diff != "" {
		t.Errorf("files (-want +got)\n%s", diff)
	}
	if len(res.Blind) != 0 {
		t.Errorf("blind folders: %v", res.Blind)
	}

	scoped := walk(t, filepath.Join(base, "in", "sub"), filepath.Join(base, "in"))
	if diff := cmp.Diff([]string{"in/sub/c.md"}, names(t, base, scoped)); diff != "" {
		t.Errorf("scoped to a folder (-want +got)\n%s", diff)
	}
	scoped = walk(t, filepath.Join(base, "in", "a.md"), filepath.Join(base, "in"))
	if diff := cmp.Diff([]string{"in/a.md"}, names(t, base, scoped)); diff != "" {
		t.Errorf("scoped to a file (-want +got)\n%s", diff)
	}
}

func TestBlindFolders(t *testing.T) {
	base := tree(t, "in/a.md")
	empty, missing := filepath.Join(base, "empty"), filepath.Join(base, "missing")
	if err := os.Mkdir(empty, 0o755); err != nil {
		t.Fatal(err)
	}
	res := walk(t, "", filepath.Join(base, "in"), empty, missing)
	if len(res.Blind) != 2 || res.Blind[0].Err != nil || res.Blind[1].Err == nil {
		t.Fatalf("blind folders: %+v", res.Blind)
	}
	if f, ok := res.Hides(filepath.Join(missing, "x.md")); !ok || f.Path != missing {
		t.Errorf("Hides = %v, %v", f, ok)
	}
	if _, ok := res.Hides(missing + "-not.md"); ok {
		t.Error("a sibling with the same prefix is hidden")
	}
}
