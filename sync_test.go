package minirag_test

import (
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"runtime"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

func later(t *testing.T, path string, hours int) {
	t.Helper()
	when := time.Date(2031, 5, 6, hours, 8, 9, 0, time.UTC)
	if err := os.Chtimes(path, when, when); err != nil {
		t.Fatal(err)
	}
}

func TestSyncFollowsTheFiles(t *testing.T) {
	root := library(t)
	path := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	c := testcorpus.New(t, root)
	must := func(err error) {
		t.Helper()
		if err != nil {
			t.Fatal(err)
		}
	}
	step := func(name string, want minirag.Counts) {
		t.Helper()
		report := syncAll(t, c)
		if diff := cmp.Diff(want, report.Counts); diff != "" {
			t.Errorf("%s (-want +got)\n%s%v", name, diff, report.Errors)
		}
	}
	step("first", minirag.Counts{Scanned: 3, Ingested: 3})
	step("unchanged", minirag.Counts{Scanned: 3, Skipped: 3})

	later(t, path("notes.txt"), 1)
	step("written again with the same bytes", minirag.Counts{Scanned: 3, Skipped: 3})

	testcorpus.WriteFile(t, path("notes.txt"), strings.Replace(notes, "October", "January", 1))
	later(t, path("notes.txt"), 2)
	step("changed", minirag.Counts{Scanned: 3, Ingested: 1, Skipped: 2})
	text, err := c.Read(t.Context(), path("notes.txt"))
	must(err)
	if !strings.Contains(text.Markdown, "January") {
		t.Errorf("the text is still %q", text.Markdown)
	}

	must(os.Mkdir(path("archive"), 0o755))
	must(os.Rename(path("policies/expenses.md"), path("archive/expenses.md")))
	step("moved", minirag.Counts{Scanned: 3, Skipped: 2, Moved: 1})
	if got := first(t, c, "when must an expense report be filed?"); got != "archive/expenses.md" {
		t.Errorf("after the move: %q", got)
	}

	must(os.Remove(path("notes.txt")))
	testcorpus.WriteFile(t, path("new.md"), "# New\n\nSomething else.\n")
	step("one gone, one new", minirag.Counts{Scanned: 3, Ingested: 1, Skipped: 2, Deleted: 1})
	if _, err := c.Read(t.Context(), path("notes.txt")); !errors.Is(err, minirag.ErrNotFound) {
		t.Errorf("a deleted file can be read: %v", err)
	}
	status, err := c.Status(t.Context())
	must(err)
	if status.Sources != 3 || status.KeywordSeq != status.Seq || status.VectorSeq != status.Seq {
		t.Errorf("status %+v", status)
	}
}

func TestSyncOfAScope(t *testing.T) {
	root := library(t)
	c := testcorpus.New(t, root)
	syncAll(t, c)
	if err := os.Remove(filepath.Join(root, "policies", "expenses.md")); err != nil {
		t.Fatal(err)
	}
	if err := os.Remove(filepath.Join(root, "notes.txt")); err != nil {
		t.Fatal(err)
	}
	report, err := c.Sync(t.Context(), &minirag.SyncOptions{Path: filepath.Join(root, "notes.txt")})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff(minirag.Counts{Deleted: 1}, report.Counts); diff != "" {
		t.Errorf("only the scope may be touched (-want +got)\n%s", diff)
	}
	if _, err := c.Sync(t.Context(), &minirag.SyncOptions{Path: filepath.Dir(root)}); !errors.Is(err, minirag.ErrOutsideRoots) {
		t.Errorf("a scope outside the roots: %v", err)
	}
}

func TestSyncGoesOnAfterBadFiles(t *testing.T) {
	root := library(t)
	bad := map[string]string{"empty.md": "", "fake.docx": "text", "cut.docx": "PK\x03\x04 cut", "binary.txt": "\x00\x01\x02\x03\x00\x00\xff\xfe\x00"}
	for name, content := range bad {
		testcorpus.WriteFile(t, filepath.Join(root, name), content)
	}
	c := testcorpus.New(t, root)
	report := syncAll(t, c)
	if want := (minirag.Counts{Scanned: 7, Ingested: 3, Failed: 4}); report.Counts != want {
		t.Errorf("counts %+v, want %+v", report.Counts, want)
	}
	for _, e := range report.Errors {
		delete(bad, filepath.Base(e.Source))
	}
	if len(bad) != 0 {
		t.Errorf("not reported: %v", bad)
	}
}

// A file that is refused before it is read says so too.
func TestGrownFileKeepsItsVersion(t *testing.T) {
	root := testcorpus.Write(t, map[string]string{"notes.txt": notes})
	c := testcorpus.At(t, filepath.Join(t.TempDir(), "index"), &minirag.Options{Roots: []string{root}, MaxFileSize: 1000})
	syncAll(t, c)
	path := filepath.Join(root, "notes.txt")
	testcorpus.WriteFile(t, path, strings.Repeat("grown ", 200))
	testcorpus.WriteFile(t, filepath.Join(root, "fresh.txt"), strings.Repeat("grown ", 200))
	report := syncAll(t, c)
	if len(report.Errors) != 2 {
		t.Fatalf("errors %v", report.Errors)
	}
	for _, e := range report.Errors {
		if kept := strings.Contains(e.Error(), "version indexed before is kept"); kept != (e.Source == path) {
			t.Errorf("kept is said: %v", e)
		}
	}
}

func TestFailedFileKeepsItsVersion(t *testing.T) {
	root := library(t)
	c := testcorpus.New(t, root)
	syncAll(t, c)
	path := filepath.Join(root, "notes.txt")
	testcorpus.WriteFile(t, path, "\x00\x01\x02\x03\x00\x00\xff\xfe\x00")
	report := syncAll(t, c)
	if report.Counts.Failed != 1 || report.Counts.Deleted != 0 {
		t.Errorf("counts %+v", report.Counts)
	}
	if text, err := c.Read(t.Context(), path); err != nil || text.Markdown != notes {
		t.Errorf("the old version is gone: %v", err)
	}
	const kept = "version indexed before is kept"
	if len(report.Errors) != 1 || !strings.Contains(report.Errors[0].Error(), kept) {
		t.Errorf("sync does not say that it is kept: %v", report.Errors)
	}
	if _, err := c.Ingest(t.Context(), minirag.Path(path)); err == nil || !strings.Contains(err.Error(), kept) {
		t.Errorf("ingest does not say that it is kept: %v", err)
	}
	fresh := filepath.Join(root, "fresh.txt")
	testcorpus.WriteFile(t, fresh, "\x00\x01\x02\x03\x00\x00\xff\xfe\x00")
	if _, err := c.Ingest(t.Context(), minirag.Path(fresh)); err == nil || strings.Contains(err.Error(), kept) {
		t.Errorf("a file that was never indexed: %v", err)
	}
}

func TestClosedFolderIsNamed(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	root := library(t)
	folder := filepath.Join(root, "closed")
	if err := os.Mkdir(folder, 0); err != nil {
		t.Fatal(err)
	}
	report := syncAll(t, testcorpus.New(t, root))
	if want := (minirag.Counts{Scanned: 3, Ingested: 3}); report.Counts != want {
		t.Errorf("counts %+v, want %+v", report.Counts, want)
	}
	if len(report.Errors) != 1 || report.Errors[0].Source != folder {
		t.Errorf("errors %v", report.Errors)
	}
}

func TestFoldersThatCannotBeListedHideTheirFiles(t *testing.T) {
	if runtime.GOOS == "windows" || os.Geteuid() == 0 {
		t.Skip("permissions do not bind this user")
	}
	root := library(t)
	c := testcorpus.New(t, root)
	syncAll(t, c)
	folder := filepath.Join(root, "policies")
	if err := os.Chmod(folder, 0); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { os.Chmod(folder, 0o755) })
	report := syncAll(t, c)
	if want := (minirag.Counts{Scanned: 1, Skipped: 1, Failed: 1}); report.Counts != want {
		t.Errorf("counts %+v, want %+v", report.Counts, want)
	}
	listing, err := c.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	if len(listing.UnlistedFolders) != 1 || listing.UnlistedFolders[0].Indexed != 2 {
		t.Errorf("unlisted folders %+v", listing.UnlistedFolders)
	}
}

func TestMissingAndEmptyRootsKeepTheirFiles(t *testing.T) {
	root := library(t)
	docs := filepath.Join(root, "policies")
	dir := filepath.Join(t.TempDir(), "index")
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{docs}})
	syncAll(t, c)
	aside := filepath.Join(root, "aside")
	if err := os.Rename(docs, aside); err != nil {
		t.Fatal(err)
	}
	for _, make := range []bool{false, true} {
		if make {
			if err := os.Mkdir(docs, 0o755); err != nil {
				t.Fatal(err)
			}
		}
		report := syncAll(t, c)
		if want := (minirag.Counts{Failed: 1}); report.Counts != want {
			t.Errorf("empty folder %v: counts %+v, want %+v", make, report.Counts, want)
		}
	}
	if err := os.Remove(docs); err != nil {
		t.Fatal(err)
	}
	if err := os.Rename(aside, docs); err != nil {
		t.Fatal(err)
	}
	if report := syncAll(t, c); report.Counts.Skipped != 2 || report.Counts.Ingested != 0 {
		t.Errorf("after it came back: %+v", report.Counts)
	}
}

// TestMovedOutOfARoot moves the only file of a root into another one: the empty
// root hides nothing any more.
func TestMovedOutOfARoot(t *testing.T) {
	a, b := library(t), testcorpus.Write(t, map[string]string{"b.md": "# B\n\nOther root.\n"})
	c := testcorpus.New(t, a, b)
	syncAll(t, c)
	if err := os.Rename(filepath.Join(b, "b.md"), filepath.Join(a, "b.md")); err != nil {
		t.Fatal(err)
	}
	if report := syncAll(t, c); report.Counts.Moved != 1 || report.Counts.Failed != 0 {
		t.Errorf("counts %+v, errors %v", report.Counts, report.Errors)
	}
}

func TestFilesOfOtherRootsStay(t *testing.T) {
	a, b := library(t), testcorpus.Write(t, map[string]string{"b.md": "# B\n\nOther root.\n"})
	dir := filepath.Join(t.TempDir(), "index")
	both := testcorpus.At(t, dir, &minirag.Options{Roots: []string{a, b}})
	syncAll(t, both)
	one := testcorpus.At(t, dir, &minirag.Options{Roots: []string{b}})
	if report := syncAll(t, one); report.Counts.Deleted != 0 {
		t.Errorf("files of a root that is not configured were deleted: %+v", report.Counts)
	}
}

func TestFilesIngestedByNameStayWhileTheyExist(t *testing.T) {
	root := library(t)
	path := filepath.Join(root, ".hidden.md")
	testcorpus.WriteFile(t, path, "# Hidden\n\nA hidden note about lighthouses.\n")
	c := testcorpus.New(t, root)
	if _, err := c.Ingest(t.Context(), minirag.Path(path)); err != nil {
		t.Fatal(err)
	}
	syncAll(t, c)
	testcorpus.WriteFile(t, path, "# Hidden\n\nNow about harbours.\n")
	if report := syncAll(t, c); report.Counts.Ingested != 1 || report.Counts.Deleted != 0 {
		t.Errorf("counts %+v", report.Counts)
	}
	if err := os.Remove(path); err != nil {
		t.Fatal(err)
	}
	if report := syncAll(t, c); report.Counts.Deleted != 1 {
		t.Errorf("counts %+v", report.Counts)
	}
}

func TestOneSyncAtATime(t *testing.T) {
	root, dir := library(t), filepath.Join(t.TempDir(), "index")
	a := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	b := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	tried := 0
	_, err := a.Sync(t.Context(), &minirag.SyncOptions{Progress: func(minirag.Progress) {
		if tried++; tried > 1 {
			return
		}
		for _, c := range []*minirag.Corpus{a, b} {
			if _, err := c.Sync(t.Context(), nil); !errors.Is(err, minirag.ErrSyncRunning) || c == b && !strings.Contains(err.Error(), fmt.Sprintf("process %d", os.Getpid())) {
				t.Errorf("a second sync: %v", err)
			}
		}
		if _, err := b.Ingest(t.Context(), minirag.Bytes("n", "text/plain", []byte("not blocked by a sync"))); err != nil {
			t.Errorf("ingest while a sync runs: %v", err)
		}
	}})
	if err != nil || tried == 0 {
		t.Fatal(err)
	}
	if _, err := b.Sync(t.Context(), nil); err != nil {
		t.Errorf("after the first ended: %v", err)
	}
}

func TestListStates(t *testing.T) {
	root := library(t)
	path := func(name string) string { return filepath.Join(root, filepath.FromSlash(name)) }
	c := testcorpus.New(t, root)
	syncAll(t, c)
	testcorpus.WriteFile(t, path("fresh.md"), "# Fresh\n\nNew.\n")
	testcorpus.WriteFile(t, path("notes.txt"), notes+"more")
	if err := os.Remove(path("policies/expenses.md")); err != nil {
		t.Fatal(err)
	}
	if _, err := c.Ingest(t.Context(), minirag.Bytes("memo", "text/plain", []byte("a memo"))); err != nil {
		t.Fatal(err)
	}
	listing, err := c.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	got := map[string]minirag.State{}
	for _, s := range listing.Sources {
		got[s.DisplayPath] = s.State
	}
	want := map[string]minirag.State{
		"fresh.md": minirag.StateNotIngested, "notes.txt": minirag.StateStale, "memo": minirag.StateIngested,
		"policies/expenses.md": minirag.StateMissing, "policies/Отпуска П-22.md": minirag.StateIngested,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	scoped, err := c.List(t.Context(), &minirag.ListOptions{Scope: []string{"policies"}})
	if err != nil || len(scoped.Sources) != 2 {
		t.Errorf("scoped: %+v, %v", scoped, err)
	}
}

func TestProgressAddsUp(t *testing.T) {
	root := library(t)
	testcorpus.WriteFile(t, filepath.Join(root, "empty.md"), "")
	c := testcorpus.New(t, root)
	var last minirag.Progress
	events := map[minirag.Event]int{}
	_, err := c.Sync(t.Context(), &minirag.SyncOptions{Progress: func(p minirag.Progress) {
		events[p.Event]++
		last = p
	}})
	if err != nil {
		t.Fatal(err)
	}
	if last.Done != last.Total || last.Total != 4 || last.Event != minirag.EventIndexed {
		t.Errorf("ended with %+v", last)
	}
	want := map[minirag.Event]int{minirag.EventScanned: 1, minirag.EventStarted: 4, minirag.EventIngested: 3, minirag.EventFailed: 1, minirag.EventIndexed: 1}
	if diff := cmp.Diff(want, events); diff != "" {
		t.Errorf("events (-want +got)\n%s", diff)
	}
}
