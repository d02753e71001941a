package minirag_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

func TestDuplicatesAreFolded(t *testing.T) {
	const rules = "# Hall rules\n\nThe committee meets on the first Monday of each month at ten in the large hall, and the minutes are sent to all members within five working days. Guests sit at the back and speak when the chair asks them.\n"
	c := testcorpus.New(t, testcorpus.Write(t, map[string]string{
		"rules.md": rules, "archive/rules.md": rules, "draft.md": strings.Replace(rules, "large hall", "great hall", 1),
		"old.md": strings.Replace(rules, "five", "5", 1), "other.md": "# Committee\n\nThe committee of the hall likes coffee.\n",
	}))
	syncAll(t, c)
	ask := func(q minirag.Query) *minirag.Result {
		q.Text = "when does the committee meet in the hall"
		res, err := c.Query(t.Context(), q)
		if err != nil {
			t.Fatal(err)
		}
		return res
	}
	paths := func(res *minirag.Result) (hits []string, also int) {
		for _, h := range res.Hits {
			hits = append(hits, h.Source.DisplayPath)
			also += len(h.AlsoIn)
		}
		return hits, also
	}
	hits, also := paths(ask(minirag.Query{}))
	if len(hits) != 3 || also != 2 {
		t.Errorf("hits %v with %d folded, want rules, old and other, with 2", hits, also)
	}
	if hits, also := paths(ask(minirag.Query{Duplicates: true})); len(hits) != 5 || also != 0 {
		t.Errorf("with duplicates: %v, %d folded", hits, also)
	}
	if hits, also := paths(ask(minirag.Query{TopK: 1})); len(hits) != 1 || also != 2 && hits[0] != "other.md" && hits[0] != "old.md" {
		t.Errorf("the best one: %v, %d folded", hits, also)
	}
	weight := 0.6
	if hits, also := paths(ask(minirag.Query{Ranking: &minirag.Ranking{HybridWeight: &weight}})); len(hits) != 5 || also != 0 {
		t.Errorf("the plain fusion: %v, %d folded", hits, also)
	}
}

func TestPerDocument(t *testing.T) {
	files := map[string]string{}
	var long strings.Builder
	long.WriteString("# Wolves\n\n")
	for i := range 30 {
		fmt.Fprintf(&long, "## Pack %d\n\nWolves of pack %d hunt deer in winter.\n\n", i, i)
	}
	files["wolves.md"] = long.String()
	for i := range 10 {
		files[fmt.Sprintf("deer%d.md", i)] = fmt.Sprintf("# Deer %d\n\nDeer of herd %d fear the winter.\n", i, i)
	}
	c := testcorpus.New(t, testcorpus.Write(t, files))
	syncAll(t, c)
	for _, tc := range []struct {
		q    minirag.Query
		want int // of wolves.md
	}{
		{minirag.Query{}, 5},
		{minirag.Query{TopK: 16}, 8},
		{minirag.Query{PerDocument: 2}, 2},
		{minirag.Query{PerDocument: -1}, 8},
		{minirag.Query{Scope: []string{"wolves.md"}}, 8}, // nothing else is there
	} {
		tc.q.Text = "wolves hunt deer in winter"
		tc.q.Explain = true
		res, err := c.Query(t.Context(), tc.q)
		if err != nil {
			t.Fatal(err)
		}
		got := 0
		for i, h := range res.Hits {
			if h.Source.DisplayPath == "wolves.md" {
				got++
			}
			if s := h.Signals; s == nil || s.VectorRank == 0 && s.KeywordRank == 0 || s.Matched < 0 || s.Matched > 1 {
				t.Errorf("signals %+v", s)
			}
			if i > 0 && h.Score > res.Hits[i-1].Score {
				t.Errorf("hit %d scores more than the one before", i)
			}
		}
		if got != tc.want {
			t.Errorf("%+v: %d of wolves.md among %d, want %d", tc.q, got, len(res.Hits), tc.want)
		}
	}
	if diff := cmp.Diff((*minirag.Signals)(nil), query(t, c, "wolves").Hits[0].Signals); diff != "" {
		t.Errorf("signals without Explain\n%s", diff)
	}
}
