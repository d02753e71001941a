package minirag_test

import (
	"context"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/internal/testcorpus"
)

const (
	expenses = "# Expense policy\n\nHow money spent on business trips is paid back.\n\n## Deadlines\n\nAn expense report must be filed within ten working days after the trip.\n\n## Receipts\n\nKeep every receipt.\n"
	vacation = "# Отпуска П-22\n\nПорядок предоставления отпусков.\n\n## Ежегодный отпуск\n\nЕжегодный оплачиваемый отпуск составляет 28 календарных дней.\n\n## Перенос\n\nПеренос отпуска согласует руководитель.\n"
	notes    = "Meeting notes. The roadmap was moved to October and apply_secrets was renamed.\n"
)

func library(t *testing.T) string {
	return testcorpus.Write(t, map[string]string{
		"policies/expenses.md": expenses, "policies/Отпуска П-22.md": vacation, "notes.txt": notes,
	})
}

func syncAll(t *testing.T, c *minirag.Corpus) *minirag.SyncReport {
	t.Helper()
	report, err := c.Sync(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	return report
}

func query(t *testing.T, c *minirag.Corpus, text string, scope ...string) *minirag.Result {
	t.Helper()
	res, err := c.Query(t.Context(), minirag.Query{Text: text, Scope: scope})
	if err != nil {
		t.Fatal(err)
	}
	return res
}

func first(t *testing.T, c *minirag.Corpus, text string, scope ...string) string {
	t.Helper()
	res := query(t, c, text, scope...)
	if len(res.Hits) == 0 {
		return ""
	}
	return res.Hits[0].Source.DisplayPath
}

func TestQueryReturnsSectionsAndSources(t *testing.T) {
	root := library(t)
	c := testcorpus.New(t, root)
	syncAll(t, c)
	res := query(t, c, "when must an expense report be filed?")
	hit := res.Hits[0]
	if hit.Source.DisplayPath != "policies/expenses.md" || hit.Source.ID != filepath.Join(root, "policies", "expenses.md") {
		t.Errorf("first hit is %s (%s)", hit.Source.DisplayPath, hit.Source.ID)
	}
	const section = "## Deadlines\n\nAn expense report must be filed within ten working days after the trip."
	if hit.Section.Text != section {
		t.Errorf("section is %q", hit.Section.Text)
	}
	if diff := cmp.Diff([]string{"Expense policy", "Deadlines"}, hit.Section.Headings); diff != "" {
		t.Errorf("headings (-want +got)\n%s", diff)
	}
	if hit.Distance == nil || *hit.Distance < 0 || *hit.Distance > 4 {
		t.Errorf("distance %v", hit.Distance)
	}
	total := 0
	for _, s := range res.Sources {
		total += s.Hits
	}
	if total != len(res.Hits) || res.Sources[0].Source != hit.Source {
		t.Errorf("sources %+v do not add up to %d hits", res.Sources, len(res.Hits))
	}
	for i := 1; i < len(res.Hits); i++ {
		if res.Hits[i].Score > res.Hits[i-1].Score {
			t.Errorf("hit %d scores more than the one before", i)
		}
	}
	text, err := c.Read(t.Context(), hit.Source.ID)
	if err != nil || text.Markdown != expenses {
		t.Errorf("Read = %q, %v", text.Markdown, err)
	}
	if got := text.Markdown[hit.Section.Start:hit.Section.End]; strings.TrimSpace(got) != section {
		t.Errorf("the section's range holds %q", got)
	}
}

func TestWordsAreFound(t *testing.T) {
	c := testcorpus.New(t, library(t))
	syncAll(t, c)
	for text, want := range map[string]string{
		"отпусков":               "policies/Отпуска П-22.md",
		"П-22":                   "policies/Отпуска П-22.md",
		"apply_secrets":          "notes.txt",
		"apply secrets":          "notes.txt",
		"receipts AND (NOT \"x*": "policies/expenses.md",
		"предоставленье отпуск\u0430": "policies/Отпуска П-22.md",
	} {
		if got := first(t, c, text); got != want {
			t.Errorf("%q found %q, want %q", text, got, want)
		}
	}
}

func TestScope(t *testing.T) {
	root := library(t)
	c := testcorpus.New(t, root)
	syncAll(t, c)
	tests := []struct {
		scope []string
		want  string
	}{
		{nil, "policies/expenses.md"},
		{[]string{filepath.Join(root, "policies")}, "policies/expenses.md"},
		{[]string{"policies"}, "policies/expenses.md"},
		{[]string{"policies/"}, "policies/expenses.md"},
		{[]string{"notes.txt"}, "notes.txt"},
		{[]string{"notes.txt", "policies/Отпуска П-22.md"}, "notes.txt"},
		{[]string{"polic"}, ""},
		{[]string{"%"}, ""},
		{[]string{"o'neil\""}, ""},
	}
	for _, tc := range tests {
		res := query(t, c, "expense report notes", tc.scope...)
		got := ""
		if len(res.Hits) > 0 {
			got = res.Hits[0].Source.DisplayPath
		}
		if got != tc.want {
			t.Errorf("scope %q found %q, want %q", tc.scope, got, tc.want)
		}
		if (res.Notice != "") != (tc.want == "") {
			t.Errorf("scope %q: notice %q", tc.scope, res.Notice)
		}
	}
}

func TestIngestIsFoundAtOnce(t *testing.T) {
	c := testcorpus.New(t, library(t))
	src, err := c.Ingest(t.Context(), minirag.Bytes("note-1", "text/markdown", []byte("# Parking\n\nThe garage opens at seven.\n")))
	if err != nil {
		t.Fatal(err)
	}
	if src.ID != "note-1" || src.Title != "Parking" || src.Chunks == 0 || src.Kind != minirag.KindData {
		t.Errorf("Ingest = %+v", src)
	}
	if got := first(t, c, "when does the garage open"); got != "note-1" {
		t.Errorf("found %q", got)
	}
	if _, err := c.Ingest(t.Context(), minirag.Reader("note-1", "text/plain", strings.NewReader("Bicycles are stored in the cellar."))); err != nil {
		t.Fatal(err)
	}
	res := query(t, c, "garage opens at seven bicycles")
	for _, h := range res.Hits {
		if strings.Contains(h.Text, "garage") {
			t.Errorf("the old version is still found: %q", h.Text)
		}
	}
	if len(res.Hits) == 0 {
		t.Error("the new version is not found")
	}
	syncAll(t, c)
	if _, err := c.Read(t.Context(), "note-1"); err != nil {
		t.Errorf("a sync removed a document that is no file: %v", err)
	}
	gone, err := c.Delete(t.Context(), "note-1")
	if err != nil || gone.Chunks == 0 {
		t.Errorf("Delete = %+v, %v", gone, err)
	}
	if _, err := c.Read(t.Context(), "note-1"); !errors.Is(err, minirag.ErrNotFound) {
		t.Errorf("Read after Delete: %v", err)
	}
	if _, err := c.Delete(t.Context(), "note-1"); !errors.Is(err, minirag.ErrNotFound) {
		t.Errorf("second Delete: %v", err)
	}
}

func TestNeighbors(t *testing.T) {
	root := library(t)
	c := testcorpus.New(t, root)
	syncAll(t, c)
	source := filepath.Join(root, "policies", "expenses.md")
	indexes := func(chunk, before, after int) []int {
		hits, err := c.Neighbors(t.Context(), source, chunk, before, after)
		if err != nil {
			t.Fatal(err)
		}
		got := []int{}
		for _, h := range hits {
			got = append(got, h.Index)
		}
		return got
	}
	for _, tc := range []struct {
		chunk, before, after int
		want                 []int
	}{
		{1, 1, 1, []int{0, 1, 2}}, {0, 1, 1, []int{0, 1}}, {2, 0, 9, []int{2}}, {9, 1, 1, []int{}}, {1, -1, 1, []int{2}},
	} {
		if diff := cmp.Diff(tc.want, indexes(tc.chunk, tc.before, tc.after)); diff != "" {
			t.Errorf("%+v (-want +got)\n%s", tc, diff)
		}
	}
	if _, err := c.Neighbors(t.Context(), "none", 0, 1, 1); !errors.Is(err, minirag.ErrNotFound) {
		t.Errorf("unknown source: %v", err)
	}
}

func TestQueryArguments(t *testing.T) {
	c := testcorpus.New(t, library(t))
	if res := query(t, c, "anything"); res.Notice == "" || len(res.Hits) != 0 {
		t.Errorf("an empty index answers %+v", res)
	}
	syncAll(t, c)
	for _, text := range []string{"", " \n\t"} {
		if _, err := c.Query(t.Context(), minirag.Query{Text: text}); !errors.Is(err, minirag.ErrEmptyQuery) {
			t.Errorf("%q: %v", text, err)
		}
	}
	if _, err := c.Query(t.Context(), minirag.Query{Text: "x", TopK: -1}); !errors.Is(err, minirag.ErrInvalid) {
		t.Errorf("negative TopK: %v", err)
	}
	for _, text := range []string{"*", "\xff\xfe", "\"", "a:b^~{}", "…", strings.Repeat("expense ", 2000), strings.Repeat("語", 3000)} {
		if _, err := c.Query(t.Context(), minirag.Query{Text: text, TopK: 1}); err != nil {
			t.Errorf("%.20q: %v", text, err)
		}
	}
}

func TestIngestRefuses(t *testing.T) {
	root := library(t)
	outside := testcorpus.Write(t, map[string]string{"secret.md": "secret", "sub/x.md": "x"})
	testcorpus.WriteFile(t, filepath.Join(root, "empty.md"), "")
	testcorpus.WriteFile(t, filepath.Join(root, "blank.txt"), " \n\n ")
	testcorpus.WriteFile(t, filepath.Join(root, "fake.docx"), "this is only text")
	testcorpus.WriteFile(t, filepath.Join(root, "binary.md"), "\x00\x01\x02\xff\xfe\x00\x10 \x00\x03")
	testcorpus.WriteFile(t, filepath.Join(root, "picture.xyz"), "x")
	testcorpus.WriteFile(t, filepath.Join(root, "large.txt"), strings.Repeat("word ", 300))
	c := testcorpus.At(t, filepath.Join(t.TempDir(), "index"), &minirag.Options{Roots: []string{root}, MaxFileSize: 1000})
	for _, tc := range []struct {
		in   minirag.Input
		want error
		name string
	}{
		{minirag.Path(filepath.Join(outside, "secret.md")), minirag.ErrOutsideRoots, "secret.md"},
		{minirag.Path("notes.txt"), minirag.ErrNotAbsolute, "notes.txt"},
		{minirag.Path(filepath.Join(root, "policies")), minirag.ErrNotRegular, "policies"},
		{minirag.Path(filepath.Join(root, "gone.md")), os.ErrNotExist, "gone.md"},
		{minirag.Path(filepath.Join(root, "empty.md")), minirag.ErrNoText, "empty.md"},
		{minirag.Path(filepath.Join(root, "blank.txt")), minirag.ErrNoText, "blank.txt"},
		{minirag.Path(filepath.Join(root, "fake.docx")), minirag.ErrDamaged, "fake.docx"},
		{minirag.Path(filepath.Join(root, "binary.md")), minirag.ErrDamaged, "binary.md"},
		{minirag.Path(filepath.Join(root, "picture.xyz")), minirag.ErrUnsupported, "picture.xyz"},
		{minirag.Path(filepath.Join(root, "large.txt")), minirag.ErrTooLarge, "large.txt"},
		{minirag.Bytes("", "text/plain", []byte("x")), minirag.ErrInvalid, "source"},
		{minirag.Bytes("n", "text/plain", nil), minirag.ErrNoText, "n"},
		{minirag.Bytes("a\x00b", "text/plain", []byte("x")), minirag.ErrInvalid, "NUL"},
		{minirag.Bytes(filepath.Join(root, "notes.txt"), "text/plain", []byte("x")), minirag.ErrInvalid, "notes.txt"},
		{minirag.Bytes("big", "text/plain", make([]byte, 1001)), minirag.ErrTooLarge, "big"},
		{minirag.Reader("bigger", "text/plain", strings.NewReader(strings.Repeat("x", 5000))), minirag.ErrTooLarge, "bigger"},
		{minirag.Address("http://example.com/"), minirag.ErrNoFetcher, "example.com"},
		{minirag.Input{}, minirag.ErrInvalid, "Input"},
	} {
		_, err := c.Ingest(t.Context(), tc.in)
		if !errors.Is(err, tc.want) {
			t.Errorf("%s: %v, want %v", tc.name, err, tc.want)
		} else if !strings.Contains(err.Error(), tc.name) {
			t.Errorf("%s is not named by %q", tc.name, err)
		}
	}
}

func TestModelMismatch(t *testing.T) {
	root, dir := library(t), filepath.Join(t.TempDir(), "index")
	first := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	syncAll(t, first)
	other := embedtest.New(&embedtest.Options{Dims: 32})
	if other.Model().ID == embedtest.New(&embedtest.Options{Dims: 64}).Model().ID {
		t.Fatal("two models share an id")
	}
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}, Embedder: other})
	if _, err := c.Query(t.Context(), minirag.Query{Text: "expense"}); !errors.Is(err, minirag.ErrModelMismatch) {
		t.Errorf("query with another model: %v", err)
	}
	status, err := c.Status(t.Context())
	if err != nil || status.StaleChunks != status.Chunks || status.Chunks == 0 {
		t.Errorf("status %+v, %v", status, err)
	}
	if report := syncAll(t, c); report.Counts.Ingested != 3 {
		t.Errorf("counts %+v", report.Counts)
	}
	if got := query(t, c, "when must an expense report be filed?").Hits[0].Source.DisplayPath; got != "policies/expenses.md" {
		t.Errorf("found %q", got)
	}
}

func TestClosedCorpus(t *testing.T) {
	c, err := testcorpus.Open(t.Context(), filepath.Join(t.TempDir(), "index"), &minirag.Options{Roots: []string{library(t)}})
	if err != nil {
		t.Fatal(err)
	}
	for range 2 {
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
	if _, err := c.Query(t.Context(), minirag.Query{Text: "x"}); !errors.Is(err, minirag.ErrClosed) {
		t.Errorf("Query: %v", err)
	}
	if _, err := c.Sync(t.Context(), nil); !errors.Is(err, minirag.ErrClosed) {
		t.Errorf("Sync: %v", err)
	}
}

func TestOptionsAreChecked(t *testing.T) {
	weight, distance := 1.5, -1.0
	_, err := minirag.Open(t.Context(), minirag.Options{Budget: 3, MaxFileSize: -1, Workers: -1, Roots: []string{""},
		Ranking: minirag.Ranking{HybridWeight: &weight, Grouping: "x", MaxDistance: &distance, MaxFiles: -1}})
	if !errors.Is(err, minirag.ErrInvalid) {
		t.Fatal(err)
	}
	for _, name := range []string{"Catalog", "Vectors", "Keywords", "Embedder", "Converter", "Budget", "MaxFileSize", "Workers", "Roots", "HybridWeight", "Grouping", "MaxDistance", "MaxFiles"} {
		if !strings.Contains(err.Error(), name) {
			t.Errorf("%s is not reported: %v", name, err)
		}
	}
}

type opener func(ctx context.Context, dir string, o *minirag.Options) (*minirag.Corpus, error)

// indexFolders are the folders of derived indexes, with what opens a corpus
// that has one.
func indexFolders() map[string]opener {
	return map[string]opener{"segments": testcorpus.Open, "keywords": testcorpus.OpenSeparate, "vectors": testcorpus.OpenSeparate}
}

func TestDerivedIndexesAreRebuilt(t *testing.T) {
	for what, open := range indexFolders() {
		t.Run(what, func(t *testing.T) {
			root, dir := library(t), filepath.Join(t.TempDir(), "index")
			c, err := open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
			if err != nil {
				t.Fatal(err)
			}
			syncAll(t, c)
			if err := c.Close(); err != nil {
				t.Fatal(err)
			}
			if err := os.RemoveAll(filepath.Join(dir, what)); err != nil {
				t.Fatal(err)
			}
			again, err := open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
			if err != nil {
				t.Fatal(err)
			}
			defer again.Close()
			status, err := again.Status(t.Context())
			if err != nil || status.KeywordSeq != status.Seq || status.VectorSeq != status.Seq {
				t.Errorf("status %+v, %v", status, err)
			}
			if got := first(t, again, "apply_secrets"); got != "notes.txt" {
				t.Errorf("found %q", got)
			}
			if report := syncAll(t, again); report.Counts.Ingested != 0 {
				t.Errorf("documents were embedded again: %+v", report.Counts)
			}
		})
	}
}
