package eval_test

import (
	"os"
	"path/filepath"
	"testing"

	"github.com/minirag/minirag/eval"
)

// FuzzLoad tests that a set either is refused or can be written, each
// document into a file of its own inside the folder.
func FuzzLoad(f *testing.F) {
	f.Add(`{"id":"../a","text":"x"}`, `{"id":"1","text":"q"}`, "1\t../a\t1")
	f.Add(`{"id":"A"}`+"\n"+`{"id":"%"}`, `{"id":"1"}`, "1\tA\t2")
	f.Fuzz(func(t *testing.T, corpus, queries, qrels string) {
		dir := t.TempDir()
		for name, text := range map[string]string{"corpus.jsonl": corpus, "queries.jsonl": queries, "qrels.tsv": qrels} {
			if err := os.WriteFile(filepath.Join(dir, name), []byte(text), 0o600); err != nil {
				t.Fatal(err)
			}
		}
		s, err := eval.Load(dir, nil)
		if err != nil {
			return
		}
		out := filepath.Join(dir, "out")
		if err := s.WriteFiles(out); err != nil {
			t.Skip(err) // a name longer than the file system takes
		}
		files, err := os.ReadDir(out)
		if err != nil || len(files) != len(s.Documents) {
			t.Fatalf("%d files of %d documents, %v", len(files), len(s.Documents), err)
		}
	})
}
