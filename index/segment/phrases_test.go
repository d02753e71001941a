package segment_test

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/analysis"
)

// TestPhrases compares with a look at every text.
func TestPhrases(t *testing.T) {
	rng := rand.New(rand.NewPCG(6, 6))
	vocabulary := strings.Fields("keeper lamps wick wicks oil OPS-4711 of the 東京都 C++ маяка")
	words := func(n int) string {
		var out []string
		for range n {
			out = append(out, vocabulary[rng.IntN(len(vocabulary))])
		}
		return strings.Join(out, " ")
	}
	var entries []index.KeywordEntry
	for i := range 1200 {
		entries = append(entries, index.KeywordEntry{
			Chunk: index.ChunkID(i + 1), Doc: index.DocID(i % 90), Title: words(rng.IntN(4)), Headings: words(rng.IntN(4)), Body: words(rng.IntN(40))})
	}
	tokens := make([][][]analysis.Token, len(entries))
	for i, e := range entries {
		tokens[i] = tokensOf(e)
	}
	k := open(t, "", index.Origin{}, nil).Keywords()
	defer k.Close()
	for seq, part := range [][]index.KeywordEntry{entries[:900], entries[900:1180]} {
		if err := k.Apply(t.Context(), index.Changes[index.KeywordEntry]{From: index.Seq(seq), To: index.Seq(seq + 1), Add: sequence(part)}); err != nil {
			t.Fatal(err)
		}
	}
	few := &index.Filter{Docs: index.NewDocSet(3, 4, 70)}
	found := 0
	for i := range 50 {
		q := index.KeywordQuery{Text: strings.Join(vocabulary, " "), Limit: 2000, Overlay: entries[1180:]}
		for range 1 + i%2 {
			q.Phrases = append(q.Phrases, words(1+rng.IntN(4)))
		}
		if i%5 == 0 {
			q.Filter = few
		}
		var want []index.ChunkID
		for i, e := range entries {
			if q.Filter.Allows(e.Doc) && !slices.ContainsFunc(q.Phrases, func(p string) bool { return !contains(tokens[i], p) }) {
				want = append(want, e.Chunk)
			}
		}
		var got []index.ChunkID
		for _, h := range search(t, k, q) {
			got = append(got, h.Chunk)
		}
		slices.Sort(got)
		if diff := cmp.Diff(want, got); diff != "" {
			t.Fatalf("%q (-want +got):\n%s", q.Phrases, diff)
		}
		found += len(got)
	}
	if found == 0 {
		t.Error("no phrase was found anywhere")
	}
}

// tokensOf analyses the fields of a chunk.
func tokensOf(e index.KeywordEntry) (fields [][]analysis.Token) {
	for _, text := range []string{e.Title, e.Headings, e.Body} {
		fields = append(fields, analysis.Tokens(text))
	}
	return fields
}

func contains(fields [][]analysis.Token, phrase string) bool {
	terms := analysis.Phrase(phrase)
	return slices.ContainsFunc(fields, func(tokens []analysis.Token) bool { return analysis.Contains(tokens, terms) })
}
