package flat_test

import (
	"fmt"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/flat"
)

const benchDims = 384

func randomEntries(n int) func(func(index.VectorEntry, error) bool) {
	return func(yield func(index.VectorEntry, error) bool) {
		rng := rand.New(rand.NewPCG(1, uint64(n)))
		for i := range n {
			if !yield(index.VectorEntry{Chunk: index.ChunkID(i + 1), Doc: index.DocID(i / 10), Vector: randomVector(rng)}, nil) {
				return
			}
		}
	}
}

func randomVector(rng *rand.Rand) []float32 {
	v := make([]float32, benchDims)
	for i := range v {
		v[i] = rng.Float32()*0.17 - 0.085
	}
	return v
}

func BenchmarkSearch(b *testing.B) {
	for _, n := range []int{10_000, 100_000} {
		s, err := flat.Open(b.TempDir(), index.Origin{Dims: benchDims}, nil)
		if err != nil {
			b.Fatal(err)
		}
		if err := s.Apply(b.Context(), index.Changes[index.VectorEntry]{To: 1, Add: randomEntries(n)}); err != nil {
			b.Fatal(err)
		}
		few := index.NewDocSet()
		for i := range n / 10_000 {
			few.Add(index.DocID(i * 1000))
		}
		for name, filter := range map[string]*index.Filter{"all": nil, "filtered": {Docs: few}} {
			b.Run(fmt.Sprintf("%dk/%s", n/1000, name), func(b *testing.B) {
				q := index.VectorQuery{Vector: randomVector(rand.New(rand.NewPCG(2, 2))), Limit: 50, Filter: filter}
				b.ReportAllocs()
				for b.Loop() {
					snap, err := s.Snapshot(b.Context())
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

func BenchmarkSnapshot(b *testing.B) {
	s, err := flat.Open(b.TempDir(), index.Origin{Dims: benchDims}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Apply(b.Context(), index.Changes[index.VectorEntry]{To: 1, Add: randomEntries(100)}); err != nil {
		b.Fatal(err)
	}
	for b.Loop() {
		snap, err := s.Snapshot(b.Context())
		if err != nil {
			b.Fatal(err)
		}
		snap.Close()
	}
}

func BenchmarkApplyOne(b *testing.B) {
	s, err := flat.Open(b.TempDir(), index.Origin{Dims: benchDims}, nil)
	if err != nil {
		b.Fatal(err)
	}
	if err := s.Apply(b.Context(), index.Changes[index.VectorEntry]{To: 1, Add: randomEntries(10_000)}); err != nil {
		b.Fatal(err)
	}
	seq := index.Seq(1)
	for b.Loop() {
		err := s.Apply(b.Context(), index.Changes[index.VectorEntry]{From: seq, To: seq + 1, Add: func(yield func(index.VectorEntry, error) bool) {
			for e := range randomEntries(1) {
				e.Chunk = 100_000 + index.ChunkID(seq)
				yield(e, nil)
			}
		}})
		if err != nil {
			b.Fatal(err)
		}
		seq++
	}
}
