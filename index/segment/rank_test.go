package segment_test

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
)

// zipf returns n words of a vocabulary with the frequencies of a language.
func zipf(z *rand.Zipf, n int) string {
	words := make([]string, n)
	for i := range words {
		var word []byte
		for n := z.Uint64() + 26; n > 0; n /= 26 {
			word = append(word, byte('a'+n%26))
		}
		words[i] = string(word)
	}
	return strings.Join(words, " ")
}

// text is a random chunk: often without title or headings, of very different
// lengths.
func text(rng *rand.Rand, z *rand.Zipf, chunk int) index.KeywordEntry {
	e := index.KeywordEntry{Chunk: index.ChunkID(chunk), Doc: index.DocID(chunk / 5), Body: zipf(z, rng.IntN(120))}
	if rng.IntN(3) > 0 {
		e.Title = zipf(z, rng.IntN(8))
	}
	if rng.IntN(2) > 0 {
		e.Headings = zipf(z, rng.IntN(12))
	}
	if rng.IntN(50) == 0 {
		e.Body += " " + strings.Repeat(zipf(z, 3)+" ", 400)
	}
	return e
}

func sequence[E any](entries []E) func(func(E, error) bool) {
	return func(yield func(E, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}
}

// TestRankingIsThatOfBluge compares with the engine that scores every match.
func TestRankingIsThatOfBluge(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	z := rand.NewZipf(rng, 1.1, 3, 3000)
	var entries []index.KeywordEntry
	for i := range 6600 {
		entries = append(entries, text(rng, z, i+1))
	}
	ours := open(t, t.TempDir(), index.Origin{}, nil).Keywords()
	defer ours.Close()
	theirs, err := bluge.Open(t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	overlay := entries[6500:]
	apply := func(from, to index.Seq, remove []index.ChunkID, add []index.KeywordEntry) {
		for _, k := range []index.KeywordIndex{ours, theirs} {
			c := index.Changes[index.KeywordEntry]{From: from, To: to, Remove: remove, Add: sequence(add)}
			if err := k.Apply(t.Context(), c); err != nil {
				t.Fatal(err)
			}
		}
	}
	compare := func(what string) {
		for i := range 30 {
			q := index.KeywordQuery{Text: zipf(z, 1+rng.IntN(8)), Limit: []int{1, 10, 100, 20000}[i%4]}
			switch i % 6 {
			case 1:
				q.Filter = &index.Filter{Docs: index.NewDocSet()}
				for range 1 + rng.IntN(20) {
					q.Filter.Docs.Add(index.DocID(rng.IntN(1300)))
				}
			case 2:
				q.Filter = &index.Filter{Docs: index.NewDocSet()}
				for d := range index.DocID(1300) {
					if d%3 > 0 {
						q.Filter.Docs.Add(d)
					}
				}
			case 3:
				q.Overlay = overlay
			}
			want, got := search(t, theirs, q), search(t, ours, q)
			if diff := compareHits(want, got); diff != "" {
				t.Fatalf("%s: %q, limit %d, case %d: %s", what, q.Text, q.Limit, i%6, diff)
			}
		}
	}
	apply(0, 1, nil, entries[:5000])
	compare("one segment")
	// Several segments, which hold replaced and removed entries alike.
	at := 5000
	for seq := index.Seq(1); seq < 7; seq++ {
		n := 20 + rng.IntN(150)
		var remove []index.ChunkID
		for range 30 {
			remove = append(remove, index.ChunkID(1+rng.IntN(at)))
		}
		again := entries[rng.IntN(at)]
		again.Body = zipf(z, 30)
		apply(seq, seq+1, remove, append(entries[at:at+n:at+n], again))
		at += n
		compare(fmt.Sprintf("after change %d", seq))
	}
}

func search(t testing.TB, k index.KeywordIndex, q index.KeywordQuery) []index.Hit {
	t.Helper()
	snap, err := k.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	defer snap.Close()
	hits, err := snap.Search(t.Context(), q)
	if err != nil {
		t.Fatal(err)
	}
	return hits
}

// compareHits allows hits of equal scores to be in either order.
func compareHits(want, got []index.Hit) string {
	const slack = 1e-7
	if len(want) != len(got) {
		return fmt.Sprintf("%d hits, want %d", len(got), len(want))
	}
	for i := range want {
		if math.Abs(want[i].Score-got[i].Score) > slack {
			return fmt.Sprintf("hit %d is %+v, want %+v", i, got[i], want[i])
		}
		last := want[len(want)-1].Score
		if want[i] != got[i] && (want[i].Chunk != got[i].Chunk || want[i].Doc != got[i].Doc) {
			// The other one must be there too, unless it is as good as the last.
			found := math.Abs(want[i].Score-last) < slack
			for _, h := range got {
				found = found || h.Chunk == want[i].Chunk && h.Doc == want[i].Doc && math.Abs(h.Score-want[i].Score) < slack
			}
			if !found {
				return fmt.Sprintf("hit %d is %+v, want %+v", i, got[i], want[i])
			}
		}
	}
	return ""
}
