package minirag_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// FuzzQuery asks anything with any ranking: only a blank question is an error,
// and no result has more hits than were asked for or scores out of order.
func FuzzQuery(f *testing.F) {
	for _, text := range []string{
		"when must an expense report be filed?", "", " \t\n", "\x00", "a\x00b", "\xff\xfe", "expense \xf0\x9f", `"`, `"unbalanced`, `un"balanced`, `""`, `" "`, `"" ""`,
		`"a" "b" "c" -"d`, "-receipt", "-receipt -expense -report", `-"expense report"`, "- - -", "-", "--", "---", "-\"", "the of and", "и в на",
		"...", "?!", "*", "a*", "(", ")", "[a-z]+", "col:val", "AND OR NOT", "NEAR(a b)", "^x~2", "\\", "'; drop table chunks; --", "%s %d", "{}",
		"🙂", "👩‍👩‍👧‍👦", "e\u0301\u0301\u0301", "\u202e\u200b\ufeff", "報告", "отпуск", "İıſ", "ﬁ", "C++ C# .NET", "a\nb", "a\r\n-b", strings.Repeat("a ", 2000), strings.Repeat("x", 5000),
		strings.Repeat(`"`, 999), strings.Repeat("-a", 999), strings.Repeat(`-"`, 999), strings.Repeat("語", 999), "«", "„a“ “b”", "\u00a0", "\ufffd",
	} {
		f.Add(text, 3, uint8(0))
		f.Add(text, 0, uint8(len(text)))
	}
	c := testcorpus.New(f, testcorpus.Write(f, map[string]string{"expenses.md": expenses, "Отпуска П-22.md": vacation, "notes.txt": notes}))
	if _, err := c.Sync(f.Context(), nil); err != nil {
		f.Fatal(err)
	}
	weights := []float64{0, 0.5, 1}
	distance := 1.5
	f.Fuzz(func(t *testing.T, text string, topK int, how uint8) {
		q := minirag.Query{Text: text, TopK: max(topK, 0), Explain: how&1 != 0, Duplicates: how&2 != 0, PerDocument: int(how>>2&3) - 1}
		if w := how >> 4 & 3; w < 3 {
			q.Ranking = &minirag.Ranking{HybridWeight: &weights[w]}
			if how&64 != 0 {
				q.Ranking.Grouping, q.Ranking.MaxDistance, q.Ranking.MaxFiles = minirag.Similar, &distance, 2
			}
		}
		res, err := c.Query(t.Context(), q)
		if blank := strings.TrimSpace(strings.ToValidUTF8(text, "�")) == ""; blank || err != nil {
			if !blank || !errors.Is(err, minirag.ErrEmptyQuery) {
				t.Fatalf("%q: %v", text, err)
			}
			return
		}
		if most := q.TopK; most > 0 && len(res.Hits) > most {
			t.Fatalf("%q: %d hits, %d were asked for", text, len(res.Hits), most)
		}
		for i, h := range res.Hits {
			if i > 0 && h.Score > res.Hits[i-1].Score || h.Relevance < 0 || h.Relevance > 1 || q.Explain != (h.Signals != nil) {
				t.Fatalf("%q: hit %d is %+v", text, i, h)
			}
		}
	})
}
