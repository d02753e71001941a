package minirag_test

import (
	"fmt"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// TestRelevance asks corpora from empty to large about what they hold and
// what they do not.
func TestRelevance(t *testing.T) {
	for _, others := range []int{0, 3, 40, 700} {
		files := map[string]string{"pump.md": "# Pump\n\nThe pump in the cellar runs at night and stops at dawn.\n"}
		for i := range others {
			files[fmt.Sprintf("%d.md", i)] = fmt.Sprintf("# Order %d\n\nCustomer %d bought %d chairs and %d tables of oak.\n", i, i*7, i%5, i%11)
		}
		c := testcorpus.New(t, testcorpus.Write(t, files))
		syncAll(t, c)
		best := func(text string) float64 {
			most := 0.0
			for _, h := range query(t, c, text).Hits {
				if h.Relevance < 0 || h.Relevance > 1 {
					t.Errorf("relevance %v", h.Relevance)
				}
				most = max(most, h.Relevance)
			}
			return most
		}
		yes, no := best("when does the pump in the cellar run"), best("emperors of ancient Babylon")
		if yes < 0.6 || no > 0.4 {
			t.Errorf("%d other documents: %.3f for what is there, %.3f for what is not", others, yes, no)
		}
		if again := best("when does the pump in the cellar run"); again != yes {
			t.Errorf("%d other documents: %v, then %v", others, yes, again)
		}
	}
}

func TestRelevanceWithoutVectors(t *testing.T) {
	c := testcorpus.New(t, testcorpus.Write(t, map[string]string{"pump.md": "# Pump\n\nThe pump runs at night.\n"}))
	syncAll(t, c)
	one := 1.0
	for text, found := range map[string]bool{"pump at night": true, "night trains to Vienna and Rome": false} {
		res, err := c.Query(t.Context(), minirag.Query{Text: text, Ranking: &minirag.Ranking{HybridWeight: &one}})
		if err != nil || len(res.Hits) != 1 {
			t.Fatalf("%+v, %v", res, err)
		}
		if got := res.Hits[0].Relevance; (got > 0.5) != found {
			t.Errorf("%q: %v", text, got)
		}
	}
	two := 2.0
	if _, err := c.Query(t.Context(), minirag.Query{Text: "x", Ranking: &minirag.Ranking{HybridWeight: &two}}); err == nil {
		t.Error("a weight of 2 was taken")
	}
}
