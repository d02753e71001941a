package bluge_test

import (
	"fmt"
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

func texts(n int) func(func(index.KeywordEntry, error) bool) {
	return func(yield func(index.KeywordEntry, error) bool) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		z := rand.NewZipf(rng, 1.1, 3, 50_000)
		for i := range n {
			if !yield(index.KeywordEntry{Chunk: index.ChunkID(i + 1), Doc: index.DocID(i / 10), Title: zipf(z, 3), Body: zipf(z, 60)}, nil) {
				return
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000} {
		ix, err := bluge.Open(b.TempDir(), nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := ix.Apply(b.Context(), index.Changes[index.KeywordEntry]{To: 1, Add: texts(n)}); err != nil {
			b.Fatal(err)
		}
		b.Run(fmt.Sprintf("%dk", n/1000), func(b *testing.B) {
			z := rand.NewZipf(rand.New(rand.NewPCG(5, 5)), 1.1, 3, 50_000)
			b.ReportAllocs()
			for b.Loop() {
				snap, err := ix.Snapshot(b.Context())
				if err != nil {
					b.Fatal(err)
				}
				if _, err := snap.Search(b.Context(), index.KeywordQuery{Text: zipf(z, 6), Limit: 50}); err != nil {
					b.Fatal(err)
				}
				snap.Close()
			}
		})
	}
}

func BenchmarkApplyOne(b *testing.B) {
	ix, err := bluge.Open(b.TempDir(), nil)
	if err != nil {
		b.Fatal(err)
	}
	seq := index.Seq(0)
	for b.Loop() {
		err := ix.Apply(b.Context(), index.Changes[index.KeywordEntry]{From: seq, To: seq + 1, Add: func(yield func(index.KeywordEntry, error) bool) {
			yield(index.KeywordEntry{Chunk: index.ChunkID(seq + 1), Doc: 1, Title: "Notes", Body: "The committee reviews travel requests."}, nil)
		}})
		if err != nil {
			b.Fatal(err)
		}
		seq++
	}
}
