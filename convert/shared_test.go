package convert_test

import (
	"encoding/json"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/epub"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/convert/notebook"
	"github.com/minirag/minirag/convert/office"
	"github.com/minirag/minirag/convert/text"
)

// TestReportedBugs runs the collection of publicly reported conversion bugs
// that lies beside the project, when MINIRAG_SHARED names it.
func TestReportedBugs(t *testing.T) {
	shared := os.Getenv("MINIRAG_SHARED")
	if shared == "" {
		t.Skip("MINIRAG_SHARED is not set")
	}
	data, err := os.ReadFile(filepath.Join(shared, "bugcases", "cases.json"))
	if err != nil {
		t.Fatal(err)
	}
	type testCase struct {
		ID             string
		Kind           string
		Files          []string
		MustContain    []string `json:"must_contain"`
		MustNotContain []string `json:"must_not_contain"`
		Counts         map[string]int
		Title          *string
	}
	var cases []testCase
	if json.Unmarshal(data, &cases) != nil {
		var wrapped struct{ Cases []testCase }
		if err := json.Unmarshal(data, &wrapped); err != nil {
			t.Fatal(err)
		}
		cases = wrapped.Cases
	}
	formats := append(text.Formats(), html.Formats()...)
	formats = append(append(formats, epub.Formats()...), notebook.Formats()...)
	r := convert.NewRouter(append(formats, office.Formats(&office.Options{Embedded: html.HTML{}})...), nil)
	for _, tc := range cases {
		if tc.Kind != "convert" {
			continue
		}
		t.Run(tc.ID, func(t *testing.T) {
			var all strings.Builder
			for _, f := range tc.Files {
				if _, ok := r.Lookup(f); !ok {
					t.Skipf("no converter for %s", f)
				}
				data, err := os.ReadFile(filepath.Join(shared, "bugcases", tc.ID, f))
				if err != nil {
					t.Fatal(err)
				}
				doc, err := r.Convert(t.Context(), convert.Source{Name: f, Data: data}, convert.Limits{})
				if err != nil {
					t.Fatal(err)
				}
				if tc.Title != nil && doc.Title != *tc.Title {
					t.Errorf("%s: title %q, want %q", f, doc.Title, *tc.Title)
				}
				all.WriteString(doc.Markdown)
			}
			out := all.String()
			for _, s := range tc.MustContain {
				if !strings.Contains(out, s) {
					t.Errorf("lacks %q", s)
				}
			}
			for _, s := range tc.MustNotContain {
				if strings.Contains(out, s) {
					t.Errorf("contains %q", s)
				}
			}
			for s, n := range tc.Counts {
				if got := strings.Count(out, s); got != n {
					t.Errorf("%q occurs %d times, want %d", s, got, n)
				}
			}
		})
	}
}
