package indextest

import (
	"cmp"
	"context"
	"math"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/minirag/minirag/index"
)

// testDims is the number of dimensions of the suite's vectors: not a multiple
// of anything that a kernel might like.
const testDims = 43

// RunVectors tests the contract of [index.VectorStore]. open opens the store
// in a folder, which may hold one already; the suite closes it.
func RunVectors(t *testing.T, open func(t testing.TB, dir string, origin index.Origin) index.VectorStore, opts *DerivedOptions) {
	openDerived(func(t testing.TB, dir string, origin index.Origin) derivedStore {
		return vectorStore{open(t, dir, origin)}
	}).run(t, opts)
	t.Run("Cosine", func(t *testing.T) { testCosine(t, open(t, t.TempDir(), testOrigin())) })
	t.Run("WrongShape", func(t *testing.T) { testWrongShape(t, open(t, t.TempDir(), testOrigin())) })
}

type vectorStore struct{ s index.VectorStore }

func (v vectorStore) apply(ctx context.Context, c index.Changes[item]) error {
	out := index.Changes[index.VectorEntry]{From: c.From, To: c.To, Remove: c.Remove}
	if c.Add != nil {
		out.Add = func(yield func(index.VectorEntry, error) bool) {
			for it, err := range c.Add {
				if !yield(it.vectorEntry(), err) {
					return
				}
			}
		}
	}
	return v.s.Apply(ctx, out)
}

func (v vectorStore) snapshot(ctx context.Context) (derivedSnapshot, error) {
	s, err := v.s.Snapshot(ctx)
	return vectorSnapshot{s}, err
}

func (v vectorStore) close() error { return v.s.Close() }

type vectorSnapshot struct{ s index.VectorSnapshot }

func (v vectorSnapshot) seq() index.Seq { return v.s.Seq() }

func (v vectorSnapshot) close() error { return v.s.Close() }

func (v vectorSnapshot) search(ctx context.Context, topic, limit int, f *index.Filter, overlay []item) ([]index.Hit, error) {
	q := index.VectorQuery{Vector: topicVector(topic), Limit: limit, Filter: f}
	for _, it := range overlay {
		q.Overlay = append(q.Overlay, it.vectorEntry())
	}
	hits, err := v.s.Search(ctx, q)
	// Every chunk has a cosine; those of the topic have 1.
	return slices.DeleteFunc(hits, func(h index.Hit) bool { return h.Score < 0.95 }), err
}

func (it item) vectorEntry() index.VectorEntry {
	return index.VectorEntry{Chunk: it.chunk, Doc: it.doc, Vector: topicVector(it.topic)}
}

func topicVector(topic int) []float32 {
	return unitVector(rand.New(rand.NewPCG(uint64(topic), 1)), testDims)
}

func unitVector(rng *rand.Rand, dims int) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		x := rng.NormFloat64()
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// testCosine compares scores and order with exact arithmetic.
func testCosine(t *testing.T, s index.VectorStore) {
	defer s.Close()
	const n, limit = 5000, 20
	rng := rand.New(rand.NewPCG(9, 9))
	entries := make([]index.VectorEntry, n)
	for i := range entries {
		entries[i] = index.VectorEntry{Chunk: index.ChunkID(i + 1), Doc: 1, Vector: unitVector(rng, testDims)}
	}
	entries[7].Vector = make([]float32, testDims) // no direction
	entries[7].Vector[3] = 1                      // one only
	check(t, s.Apply(t.Context(), index.Changes[index.VectorEntry]{To: 1, Add: func(yield func(index.VectorEntry, error) bool) {
		for _, e := range entries {
			if !yield(e, nil) {
				return
			}
		}
	}}))
	snap, err := s.Snapshot(t.Context())
	check(t, err)
	defer snap.Close()
	found := 0
	const queries = 20
	for range queries {
		q := unitVector(rng, testDims)
		exact := make([]index.Hit, n)
		for i, e := range entries {
			exact[i] = index.Hit{Chunk: e.Chunk, Score: cosine(q, e.Vector)}
		}
		slices.SortFunc(exact, func(a, b index.Hit) int { return cmp.Compare(b.Score, a.Score) })
		hits, err := snap.Search(t.Context(), index.VectorQuery{Vector: q, Limit: limit})
		check(t, err)
		if len(hits) != limit {
			t.Fatalf("%d hits, want %d", len(hits), limit)
		}
		best := make(map[index.ChunkID]bool)
		for _, h := range exact[:limit] {
			best[h.Chunk] = true
		}
		for _, h := range hits {
			if want := cosine(q, entries[h.Chunk-1].Vector); math.Abs(h.Score-want) > 0.01 {
				t.Errorf("score of chunk %d is %v, its cosine is %v", h.Chunk, h.Score, want)
			}
			if best[h.Chunk] {
				found++
			}
		}
	}
	if share := float64(found) / (queries * limit); share < 0.95 {
		t.Errorf("%.3f of the nearest are found, want 0.95", share)
	}
}

func cosine(a, b []float32) float64 {
	var sum float64
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

func testWrongShape(t *testing.T, s index.VectorStore) {
	defer s.Close()
	short := index.VectorEntry{Chunk: 1, Doc: 1, Vector: make([]float32, testDims-1)}
	err := s.Apply(t.Context(), index.Changes[index.VectorEntry]{To: 1, Add: func(yield func(index.VectorEntry, error) bool) {
		yield(short, nil)
	}})
	if err == nil {
		t.Error("a vector of too few dimensions is stored")
	}
	snap, err := s.Snapshot(t.Context())
	check(t, err)
	defer snap.Close()
	if snap.Seq() != 0 {
		t.Errorf("sequence is %d after changes that failed", snap.Seq())
	}
	if _, err := snap.Search(t.Context(), index.VectorQuery{Vector: short.Vector, Limit: 1}); err == nil {
		t.Error("a question of too few dimensions is answered")
	}
}
