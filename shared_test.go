package minirag_test

import (
	"encoding/json"
	"errors"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// TestReportedQueries asks the queries of public bug reports, by words alone:
// the embedder of these tests knows no meanings.
func TestReportedQueries(t *testing.T) {
	shared := os.Getenv("MINIRAG_SHARED")
	if shared == "" {
		t.Skip("MINIRAG_SHARED is not set")
	}
	cases, err := filepath.Glob(filepath.Join(shared, "bugcases", "Q*", "queries.json"))
	if err != nil || len(cases) == 0 {
		t.Fatalf("no cases: %v", err)
	}
	words := 1.0
	for _, file := range cases {
		dir := filepath.Dir(file)
		t.Run(filepath.Base(dir), func(t *testing.T) {
			data, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			c := testcorpus.At(t, filepath.Join(t.TempDir(), "index"), &minirag.Options{Roots: []string{filepath.Join(dir, "docs")}, Ranking: minirag.Ranking{HybridWeight: &words}})
			syncAll(t, c)
			var wanted map[string]string
			if json.Unmarshal(data, &wanted) == nil {
				for text, want := range wanted {
					if got := "docs/" + first(t, c, text); got != want {
						t.Errorf("%q found %q, want %q", text, got, want)
					}
				}
				return
			}
			var texts []string // queries of which none may fail
			if err := json.Unmarshal(data, &texts); err != nil {
				t.Fatal(err)
			}
			for _, text := range texts {
				_, err := c.Query(t.Context(), minirag.Query{Text: text})
				if blank := strings.TrimSpace(text) == ""; blank != errors.Is(err, minirag.ErrEmptyQuery) || !blank && err != nil {
					t.Errorf("%.30q: %v", text, err)
				}
			}
		})
	}
}
