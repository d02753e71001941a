package segment_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/index"
)

const benchDims = 384

func benchEntries(first, n int) func(func(index.Entry, error) bool) {
	return func(yield func(index.Entry, error) bool) {
		rng := rand.New(rand.NewPCG(1, uint64(first)))
		z := rand.NewZipf(rng, 1.1, 3, 50_000)
		v := make([]float32, benchDims)
		for i := first; i < first+n; i++ {
			for d := range v {
				v[d] = rng.Float32()*0.17 - 0.085
			}
			e := index.Entry{Chunk: index.ChunkID(i + 1), Doc: index.DocID(i / 10), Title: zipf(z, 3), Text: zipf(z, 60), Vector: v}
			if !yield(e, nil) {
				return
			}
		}
	}
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 50_000} {
		e := open(b, "", index.Origin{Dims: benchDims}, nil)
		if err := e.Apply(b.Context(), index.Changes[index.Entry]{To: 1, Add: benchEntries(0, n)}); err != nil {
			b.Fatal(err)
		}
		few := index.NewDocSet()
		for i := range max(n/10_000, 1) {
			few.Add(index.DocID(i * 1000))
		}
		for name, filter := range map[string]*index.Filter{"all": nil, "filtered": {Docs: few}} {
			b.Run(fmt.Sprintf("words/%dk/%s", n/1000, name), func(b *testing.B) {
				z := rand.NewZipf(rand.New(rand.NewPCG(5, 5)), 1.1, 3, 50_000)
				b.ReportAllocs()
				for b.Loop() {
					search(b, e.Keywords(), index.KeywordQuery{Text: zipf(z, 6), Limit: 100, Filter: filter})
				}
			})
			b.Run(fmt.Sprintf("vectors/%dk/%s", n/1000, name), func(b *testing.B) {
				q := index.VectorQuery{Vector: make([]float32, benchDims), Limit: 100, Filter: filter}
				q.Vector[3], q.Vector[200] = 0.6, 0.8
				b.ReportAllocs()
				for b.Loop() {
					snap, err := e.Vectors().Snapshot(b.Context())
					if err != nil {
						b.Fatal(err)
					}
					if _, err := snap.Search(b.Context(), q); err != nil {
						b.Fatal(err)
					}
					snap.Close()
				}
			})
		}
	}
}

func BenchmarkApply(b *testing.B) {
	for _, n := range []int{10, 5000} {
		b.Run(fmt.Sprint(n), func(b *testing.B) {
			e := open(b, b.TempDir(), index.Origin{Dims: benchDims}, nil)
			seq := index.Seq(0)
			for b.Loop() {
				if err := e.Apply(b.Context(), index.Changes[index.Entry]{From: seq, To: seq + 1, Add: benchEntries(int(seq)*n, n)}); err != nil {
					b.Fatal(err)
				}
				seq++
			}
		})
	}
}
