package minirag_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// TestRanking asks one question with each of the settings that order and cut.
func TestRanking(t *testing.T) {
	files := map[string]string{
		"pump.md":    "# Pump\n\nThe pump in the cellar runs at night.\n",
		"pumps.md":   "# Pumps\n\nA pump of the cellar is repaired in May.\n\n## Cellar\n\nThe pump in the cellar is loud.\n",
		"kitchen.md": "# Kitchen\n\nSoup is cooked at noon.\n",
	}
	for i := range 6 {
		files[fmt.Sprintf("other-%d.md", i)] = fmt.Sprintf("# Note %d\n\nSomething else altogether, number %d.\n", i, i)
	}
	c := testcorpus.New(t, testcorpus.Write(t, files))
	syncAll(t, c)
	weight := func(w float64) *float64 { return &w }
	ask := func(r *minirag.Ranking) []minirag.Hit {
		res, err := c.Query(t.Context(), minirag.Query{Text: "cellar pump at night", TopK: 50, Ranking: r})
		if err != nil {
			t.Fatal(err)
		}
		return res.Hits
	}
	all := 10 // chunks
	for _, tc := range []struct {
		name  string
		r     minirag.Ranking
		check func([]minirag.Hit) bool
	}{
		{"default", minirag.Ranking{}, func(h []minirag.Hit) bool { return h[0].Source.DisplayPath == "pump.md" }},
		{"weight 0: the order of the distances", minirag.Ranking{HybridWeight: weight(0)}, func(h []minirag.Hit) bool {
			for i := range h {
				if h[i].Score != 1/(1+*h[i].Distance) || i > 0 && *h[i].Distance < *h[i-1].Distance {
					return false
				}
			}
			return len(h) == all
		}},
		{"weight 1: distances too, and the rest behind at 0", minirag.Ranking{HybridWeight: weight(1)}, func(h []minirag.Hit) bool {
			return len(h) == all && h[0].Score == 1.0/61 && h[1].Score == 1.0/62 && h[0].Distance != nil && h[all-1].Score == 0 && h[all-1].Distance != nil
		}},
		{"weight 0.5: halves of both ranks", minirag.Ranking{HybridWeight: weight(0.5)}, func(h []minirag.Hit) bool {
			return len(h) == all && h[0].Score == 0.5/61+0.5/61
		}},
		{"a distance", minirag.Ranking{MaxDistance: weight(1.2)}, within(1.2)},
		{"a distance with keywords only", minirag.Ranking{HybridWeight: weight(1), MaxDistance: weight(1.2)}, within(1.2)},
		{"no distance is short enough", minirag.Ranking{MaxDistance: weight(0)}, func(h []minirag.Hit) bool { return len(h) == 0 }},
		{"one file", minirag.Ranking{MaxFiles: 1}, func(h []minirag.Hit) bool { return sources(h) == 1 }},
		{"two files", minirag.Ranking{MaxFiles: 2, HybridWeight: weight(0.6)}, func(h []minirag.Hit) bool { return sources(h) == 2 && len(h) == 3 }},
		{"what is similar", minirag.Ranking{Grouping: minirag.Similar}, func(h []minirag.Hit) bool { return len(h) > 0 && len(h) < 5 }},
		{"what is similar, with keywords only", minirag.Ranking{Grouping: minirag.Similar, HybridWeight: weight(1)}, func(h []minirag.Hit) bool { return len(h) > 0 && len(h) < 5 }},
	} {
		if h := ask(&tc.r); !tc.check(h) {
			t.Errorf("%s: %d hits", tc.name, len(h))
			for _, h := range h {
				t.Logf("%v %.4f %s", *h.Distance, h.Score, h.Source.DisplayPath)
			}
		}
	}
	want := ask(&minirag.Ranking{HybridWeight: weight(0.5)})
	for range 20 {
		for i, h := range ask(&minirag.Ranking{HybridWeight: weight(0.5)}) {
			if h.Source.ID != want[i].Source.ID || h.Index != want[i].Index {
				t.Fatalf("hit %d is another one (-want +got)\n%s", i, cmp.Diff(want[i].Source.ID, h.Source.ID))
			}
		}
	}
}

// within tests for hits none of which is farther.
func within(most float64) func([]minirag.Hit) bool {
	return func(hits []minirag.Hit) bool {
		for _, h := range hits {
			if h.Distance == nil || *h.Distance > most {
				return false
			}
		}
		return len(hits) > 0
	}
}

func sources(hits []minirag.Hit) int {
	seen := make(map[string]bool)
	for _, h := range hits {
		seen[h.Source.ID] = true
	}
	return len(seen)
}
