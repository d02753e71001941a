package chromem_test

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"slices"
	"testing"

	"github.com/google/go-cmp/cmp"
	chromemgo "github.com/philippgille/chromem-go"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/chromem"
	"github.com/minirag/minirag/index/indextest"
)

func open(t testing.TB, origin index.Origin) *chromem.Store {
	t.Helper()
	s, err := chromem.New(origin)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

func TestContract(t *testing.T) {
	indextest.RunVectors(t, func(t testing.TB, _ string, origin index.Origin) index.VectorStore {
		return open(t, origin)
	}, &indextest.DerivedOptions{Memory: true})
}

var origin = index.Origin{Catalog: "c", Model: "m", Dims: 3}

var entries = []index.VectorEntry{
	{Chunk: 1, Doc: 1, Vector: []float32{1, 0, 0}},
	{Chunk: 2, Doc: 1, Vector: []float32{0, 1, 0}},
	{Chunk: 3, Doc: 2, Vector: []float32{0.6, 0.8, 0}},
	{Chunk: 4, Doc: 2, Vector: []float32{0, 0, 0}},
}

// add carries a store to seq with entries one by one.
func add(t *testing.T, s *chromem.Store, seq index.Seq, entries ...index.VectorEntry) {
	t.Helper()
	for i, e := range entries {
		err := s.Apply(t.Context(), index.Changes[index.VectorEntry]{From: seq + index.Seq(i), To: seq + index.Seq(i) + 1,
			Add: func(yield func(index.VectorEntry, error) bool) { yield(e, nil) }})
		if err != nil {
			t.Fatal(err)
		}
	}
}

// content is what a store can be seen to hold.
func content(t *testing.T, s *chromem.Store) (index.Seq, []index.ChunkID, []index.Hit) {
	t.Helper()
	seq, chunks, err := s.Verify(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snap, err := s.Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	hits, err := snap.Search(t.Context(), index.VectorQuery{Vector: []float32{1, 0, 0}, Limit: 10})
	if err != nil {
		t.Fatal(err)
	}
	return seq, chunks, hits
}

func TestFile(t *testing.T) {
	s := open(t, origin)
	add(t, s, 0, entries...)
	check := func(s *chromem.Store) {
		t.Helper()
		seq, chunks, hits := content(t, s)
		want := []index.Hit{{Chunk: 1, Doc: 1, Score: 1}, {Chunk: 3, Doc: 2, Score: float64(float32(0.6))}, {Chunk: 2, Doc: 1}}
		if diff := cmp.Diff(want, hits); seq != 4 || !slices.Equal(chunks, []index.ChunkID{1, 2, 3, 4}) || diff != "" {
			t.Errorf("at %d the chunks %v (-want +got):\n%s", seq, chunks, diff)
		}
	}
	check(s)
	var file bytes.Buffer
	if err := s.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	again := open(t, origin)
	add(t, again, 0, index.VectorEntry{Chunk: 9, Doc: 9, Vector: []float32{1, 0, 0}})
	if err := again.Import(t.Context(), bytes.NewReader(file.Bytes())); err != nil {
		t.Fatal(err)
	}
	check(again)
	if err := again.Compact(t.Context()); err != nil {
		t.Fatal(err)
	}
	check(again)
	add(t, again, 4, entries[0])
	if seq, chunks, _ := content(t, again); seq != 5 || len(chunks) != 4 {
		t.Errorf("at %d the chunks %v", seq, chunks)
	}

	db := chromemgo.NewDB()
	if err := db.ImportFromReader(bytes.NewReader(file.Bytes()), ""); err != nil || len(db.ListCollections()) != 2 {
		t.Errorf("chromem-go reads %v, %v", db.ListCollections(), err)
	}
}

func TestFileOfAnother(t *testing.T) {
	var file, foreign bytes.Buffer
	s := open(t, origin)
	add(t, s, 0, entries...)
	if err := s.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	if err := chromemgo.NewDB().ExportToWriter(&foreign, false, ""); err != nil {
		t.Fatal(err)
	}
	for name, o := range map[string]index.Origin{
		"catalog":    {Catalog: "d", Model: "m", Dims: 3},
		"model":      {Catalog: "c", Model: "n", Dims: 3},
		"dimensions": {Catalog: "c", Model: "m", Dims: 4},
	} {
		if err := open(t, o).Import(t.Context(), bytes.NewReader(file.Bytes())); !errors.Is(err, chromem.ErrOrigin) {
			t.Errorf("other %s: %v", name, err)
		}
	}
	if err := open(t, origin).Import(t.Context(), bytes.NewReader(foreign.Bytes())); !errors.Is(err, chromem.ErrOrigin) {
		t.Errorf("file of another program: %v", err)
	}
}

// A damaged file is refused and changes nothing, or is read as it was.
func TestDamagedFile(t *testing.T) {
	s := open(t, origin)
	add(t, s, 0, entries...)
	seq, chunks, hits := content(t, s)
	var file bytes.Buffer
	if err := s.Export(t.Context(), &file); err != nil {
		t.Fatal(err)
	}
	rng := rand.New(rand.NewPCG(2, 3))
	refused := 0
	for i := range 2 * file.Len() {
		data := bytes.Clone(file.Bytes())
		if i < len(data) {
			data[i] ^= 1 << rng.IntN(8)
		} else {
			data = data[:i-len(data)]
		}
		into := open(t, origin)
		err := into.Import(t.Context(), bytes.NewReader(data))
		gotSeq, gotChunks, gotHits := content(t, into)
		switch {
		case errors.Is(err, index.ErrDamaged) || errors.Is(err, chromem.ErrOrigin):
			refused++
			if gotSeq != 0 || len(gotChunks) != 0 || len(gotHits) != 0 {
				t.Errorf("damage %d: refused, but something was read", i)
			}
		case err != nil:
			t.Errorf("damage %d: %v", i, err)
		case gotSeq != seq || !slices.Equal(gotChunks, chunks) || !slices.Equal(gotHits, hits):
			t.Errorf("damage %d: at %d the chunks %v, %v", i, gotSeq, gotChunks, gotHits)
		}
	}
	if refused < file.Len() {
		t.Errorf("%d of %d damages are refused", refused, 2*file.Len())
	}
}

func TestInterruptedExport(t *testing.T) {
	s := open(t, origin)
	add(t, s, 0, entries...)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	var file bytes.Buffer
	if err := s.Export(ctx, &file); !errors.Is(err, context.Canceled) || file.Len() != 0 {
		t.Errorf("%v after %d bytes", err, file.Len())
	}
}
