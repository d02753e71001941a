package minirag_test

import (
	"database/sql"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
	"github.com/minirag/minirag/index/sqlite"
	"github.com/minirag/minirag/internal/testcorpus"
)

// examine runs the doctor and returns what is wrong.
func examine(t *testing.T, c *minirag.Corpus, repair bool) []minirag.Finding {
	t.Helper()
	report, err := c.Doctor(t.Context(), &minirag.DoctorOptions{Repair: repair})
	if err != nil {
		t.Fatal(err)
	}
	for _, f := range report.Findings {
		if f.Part == "" || f.Problem == "" || f.Remedy == "" {
			t.Errorf("%+v", f)
		}
	}
	if report.Clean() != !slices.ContainsFunc(report.Findings, func(f minirag.Finding) bool { return !f.Advice && !f.Repaired }) {
		t.Errorf("clean %v: %+v", report.Clean(), report.Findings)
	}
	return report.Findings
}

// indexed returns a synced corpus, with the folder of its index.
func indexed(t *testing.T) (c *minirag.Corpus, root, dir string) {
	t.Helper()
	root, dir = library(t), filepath.Join(t.TempDir(), "index")
	c = testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	syncAll(t, c)
	return c, root, dir
}

func execute(t *testing.T, dir string, statements ...string) {
	t.Helper()
	db, err := sql.Open("sqlite", filepath.Join(dir, "catalog.sqlite"))
	if err != nil {
		t.Fatal(err)
	}
	defer db.Close()
	for _, s := range statements {
		if _, err := db.Exec(s); err != nil {
			t.Fatal(s, err)
		}
	}
}

func TestDoctorFindsNothing(t *testing.T) {
	c, _, _ := indexed(t)
	for _, repair := range []bool{false, true} {
		if found := examine(t, c, repair); len(found) != 0 {
			t.Errorf("%+v", found)
		}
	}
}

func TestDoctorRepairsTheCatalog(t *testing.T) {
	c, root, dir := indexed(t)
	want := first(t, c, "apply_secrets")
	if _, err := c.Ingest(t.Context(), minirag.Bytes("note", "text/plain", []byte("A note about fog."))); err != nil {
		t.Fatal(err)
	}
	execute(t, dir, "UPDATE chunks SET text = 'x' WHERE content = (SELECT content FROM documents WHERE source LIKE '%notes.txt')")
	found := examine(t, c, false)
	if len(found) == 0 || found[0].Subject != filepath.Join(root, "notes.txt") || found[0].Repaired {
		t.Fatalf("%+v", found)
	}
	found = examine(t, c, true)
	if !found[0].Repaired {
		t.Errorf("%+v", found)
	}
	report, err := c.Sync(t.Context(), nil)
	if err != nil || report.Counts.Ingested != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	if found := examine(t, c, false); len(found) != 0 {
		t.Errorf("after the sync: %+v", found)
	}
	if got := first(t, c, "apply_secrets"); got != want {
		t.Errorf("found %q, want %q", got, want)
	}
}

func TestDoctorBuildsIndexesAnew(t *testing.T) {
	for name, open := range indexFolders() {
		t.Run(name, func(t *testing.T) {
			root, dir := library(t), filepath.Join(t.TempDir(), "index")
			c, err := open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
			if err != nil {
				t.Fatal(err)
			}
			defer c.Close()
			syncAll(t, c)
			files, err := filepath.Glob(filepath.Join(dir, name, "*.seg"))
			if err != nil || len(files) == 0 {
				t.Fatal(files, err)
			}
			info, err := os.Stat(files[0])
			if err != nil {
				t.Fatal(err)
			}
			lost := harm{Dir: filepath.Dir(files[0]), File: filepath.Base(files[0]), At: info.Size() / 2, Bit: 1}
			if err := lost.do(); err != nil {
				t.Fatal(err)
			}
			if name != "segments" { // which notices by itself, at the next use
				found := examine(t, c, false)
				if len(found) != 1 || found[0].Repaired || !strings.Contains(found[0].Problem, files[0]) {
					t.Errorf("%+v", found)
				}
				found = examine(t, c, true)
				if len(found) != 1 || !found[0].Repaired {
					t.Errorf("repair: %+v", found)
				}
			}
			if found := examine(t, c, false); len(found) != 0 {
				t.Errorf("afterwards: %+v", found)
			}
			if got := first(t, c, "apply_secrets"); got != "notes.txt" {
				t.Errorf("found %q", got)
			}
		})
	}
}

func TestDoctorTidies(t *testing.T) {
	c, _, dir := indexed(t)
	left := []string{"segments/00.seg", "segments/.minirag-tmp-1-manifest", ".minirag-tmp-1-.sync.lock.holder"}
	for _, name := range left {
		testcorpus.WriteFile(t, filepath.Join(dir, filepath.FromSlash(name)), "left by a killed process")
	}
	testcorpus.WriteFile(t, filepath.Join(dir, "segments", "notes.txt"), "somebody's")
	found := examine(t, c, true)
	found = slices.DeleteFunc(found, func(f minirag.Finding) bool { return f.Part == "permissions" })
	if len(found) != 1 || !found[0].Advice || !strings.HasSuffix(found[0].Subject, "notes.txt") {
		t.Errorf("%+v", found)
	}
	for _, name := range left {
		if _, err := os.Stat(filepath.Join(dir, filepath.FromSlash(name))); err == nil {
			t.Errorf("%s is still there", name)
		}
	}
}

func TestDoctorNarrowsPermissions(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("Windows has no modes")
	}
	c, _, dir := indexed(t)
	path := filepath.Join(dir, "catalog.sqlite")
	if err := os.Chmod(path, 0o644); err != nil {
		t.Fatal(err)
	}
	if err := os.Chmod(dir, 0o755); err != nil {
		t.Fatal(err)
	}
	if found := examine(t, c, false); len(found) != 2 || found[0].Subject != path || found[1].Subject != dir {
		t.Errorf("%+v", found)
	}
	examine(t, c, true)
	if found := examine(t, c, false); len(found) != 0 {
		t.Errorf("after the repair: %+v", found)
	}
}

// A segment whose checksums and numbers are right, and that lacks a word of a
// text: the catalog tells.
func TestDoctorComparesTheWords(t *testing.T) {
	c, _, dir := indexed(t)
	catalog, err := sqlite.Open(t.Context(), filepath.Join(dir, "catalog.sqlite"), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer catalog.Close()
	model := embedtest.New(&embedtest.Options{Dims: 64}).Model()
	engine, err := segment.Open(filepath.Join(dir, "segments"), index.Origin{Catalog: catalog.UUID(), Model: model.ID, Dims: model.Dims}, nil)
	if err != nil {
		t.Fatal(err)
	}
	defer engine.Close()
	err = catalog.View(t.Context(), func(v index.View) error {
		changed := func(yield func(index.Entry, error) bool) {
			for e, err := range v.Added(0, v.Seq(), model.ID) {
				e.Text = strings.ReplaceAll(e.Text, "apply_secrets", "applied")
				if !yield(e, err) {
					return
				}
			}
		}
		return engine.Apply(t.Context(), index.Changes[index.Entry]{To: v.Seq(), Add: changed})
	})
	if err != nil {
		t.Fatal(err)
	}
	found := examine(t, c, false)
	if len(found) != 1 || found[0].Repaired || !strings.Contains(found[0].Problem, "words") {
		t.Errorf("%+v", found)
	}
	found = examine(t, c, true)
	if len(found) != 1 || !found[0].Repaired {
		t.Errorf("repair: %+v", found)
	}
	report, err := c.Doctor(t.Context(), nil)
	if err != nil || len(report.Findings) != 0 || report.Compared != report.Chunks || report.Chunks == 0 {
		t.Errorf("afterwards: %+v, %v", report, err)
	}
	if got := first(t, c, "apply_secrets"); got != "notes.txt" {
		t.Errorf("found %q", got)
	}
}
