package segment_test

import (
	"context"
	"errors"
	"fmt"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
)

var damageOrigin = index.Origin{Catalog: "c", Model: "m", Dims: 3}

// ask returns the hits of both sides of the newest state, or of a snapshot.
func ask(ctx context.Context, e *segment.Engine, words index.KeywordSnapshot, vectors index.VectorSnapshot) (seq index.Seq, hits []index.Hit, err error) {
	if words == nil {
		if words, err = e.Keywords().Snapshot(ctx); err != nil {
			return 0, nil, err
		}
		defer words.Close()
		if vectors, err = e.Vectors().Snapshot(ctx); err != nil {
			return 0, nil, err
		}
		defer vectors.Close()
	}
	found, err := words.Search(ctx, index.KeywordQuery{Text: "wick keeper oil", Limit: 20})
	if err != nil {
		return 0, nil, err
	}
	near, err := vectors.Search(ctx, index.VectorQuery{Vector: []float32{0, 1, 0}, Limit: 20})
	return words.Seq(), append(found, near...), err
}

// TestDamageWhileOpen damages the files of an engine that has them mapped. Its
// answers are right or none, and it can be made anew.
func TestDamageWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file can neither be cut off nor written there")
	}
	ctx := t.Context()
	rng := rand.New(rand.NewPCG(8, 8))
	all := smallEntries(3000)
	fill := func(e *segment.Engine) {
		t.Helper()
		for seq, part := range [][]index.Entry{all[:2000], all[2000:2900], all[2900:]} {
			if err := e.Apply(ctx, index.Changes[index.Entry]{From: index.Seq(seq), To: index.Seq(seq + 1), Add: sequence(part)}); err != nil {
				t.Fatal(err)
			}
		}
	}
	for round := range 40 {
		dir := filepath.Join(t.TempDir(), "index")
		e := open(t, dir, damageOrigin, nil)
		fill(e)
		_, want, err := ask(ctx, e, nil, nil)
		if err != nil {
			t.Fatal(err)
		}
		words, err := e.Keywords().Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		vectors, err := e.Vectors().Snapshot(ctx)
		if err != nil {
			t.Fatal(err)
		}
		files, err := filepath.Glob(filepath.Join(dir, "*.seg"))
		if err != nil || len(files) == 0 {
			t.Fatal(files, err)
		}
		path := files[rng.IntN(len(files))]
		what := damage(t, rng, path, round)
		seq, hits, err := ask(ctx, e, words, vectors)
		if diff := cmp.Diff(want, hits); err == nil && (diff != "" || seq != 3) || err != nil && !errors.Is(err, index.ErrDamaged) {
			t.Errorf("%s: a snapshot answers at %d, %v\n%s", what, seq, err, diff)
		}
		words.Close()
		vectors.Close()
		seq, hits, err = ask(ctx, e, nil, nil)
		diff := cmp.Diff(want, hits)
		if empty := seq == 0 && len(hits) == 0; err == nil && !empty && diff != "" || err != nil && !errors.Is(err, index.ErrDamaged) {
			t.Errorf("%s: the engine answers at %d, %v\n%s", what, seq, err, diff)
		}
		if err := e.Apply(ctx, index.Changes[index.Entry]{To: 9, Add: sequence(all)}); err != nil {
			t.Errorf("%s: it cannot be made anew: %v", what, err)
		}
		if seq, hits, err := ask(ctx, e, nil, nil); seq != 9 || err != nil || !cmp.Equal(want, hits) {
			t.Errorf("%s: made anew it answers at %d, %v\n%s", what, seq, err, cmp.Diff(want, hits))
		}
		e.Close()
	}
}

func damage(t *testing.T, rng *rand.Rand, path string, round int) string {
	t.Helper()
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	info, err := f.Stat()
	if err != nil {
		t.Fatal(err)
	}
	at := rng.Int64N(info.Size())
	if round%3 == 0 {
		if err := f.Truncate(at); err != nil {
			t.Fatal(err)
		}
		return fmt.Sprintf("%d of %d bytes left", at, info.Size())
	}
	b := make([]byte, 1)
	if _, err := f.ReadAt(b, at); err != nil {
		t.Fatal(err)
	}
	b[0] ^= 1 << rng.IntN(8)
	if _, err := f.WriteAt(b, at); err != nil {
		t.Fatal(err)
	}
	// Clocks of file systems are coarse.
	later := info.ModTime().Add(time.Second)
	if err := os.Chtimes(path, later, later); err != nil {
		t.Fatal(err)
	}
	return fmt.Sprintf("byte %d of %d changed", at, info.Size())
}

// TestFilesRemovedWhileOpen: what is mapped stays readable.
func TestFilesRemovedWhileOpen(t *testing.T) {
	if runtime.GOOS == "windows" {
		t.Skip("a mapped file cannot be removed")
	}
	dir := t.TempDir()
	e := open(t, dir, damageOrigin, nil)
	defer e.Close()
	if err := e.Apply(t.Context(), index.Changes[index.Entry]{To: 1, Add: sequence(smallEntries(500))}); err != nil {
		t.Fatal(err)
	}
	_, want, err := ask(t.Context(), e, nil, nil)
	if err != nil {
		t.Fatal(err)
	}
	files, err := filepath.Glob(filepath.Join(dir, "*.seg"))
	if err != nil {
		t.Fatal(err)
	}
	for _, path := range files {
		if err := os.Remove(path); err != nil {
			t.Fatal(err)
		}
	}
	if _, hits, err := ask(t.Context(), e, nil, nil); err != nil || !cmp.Equal(want, hits) {
		t.Errorf("after the files went: %v\n%s", err, cmp.Diff(want, hits))
	}
	other := open(t, dir, damageOrigin, nil)
	defer other.Close()
	if seq, hits, err := ask(t.Context(), other, nil, nil); seq != 0 || len(hits) != 0 || err != nil {
		t.Errorf("another process: at %d with %d hits, %v", seq, len(hits), err)
	}
}

func TestJointEngine(t *testing.T) {
	e := open(t, t.TempDir(), damageOrigin, nil)
	defer e.Close()
	joint, ok := e.Keywords().(index.JointIndex)
	if !ok || !joint.Joins(e.Vectors()) {
		t.Error("the sides do not know each other")
	}
	other := open(t, t.TempDir(), damageOrigin, nil)
	defer other.Close()
	if joint.Joins(other.Vectors()) {
		t.Error("sides of different engines are joined")
	}
	if err := e.Keywords().Apply(t.Context(), index.Changes[index.KeywordEntry]{To: 1}); err == nil {
		t.Error("one side was changed alone")
	}
	if err := e.Vectors().Apply(t.Context(), index.Changes[index.VectorEntry]{To: 1}); err == nil {
		t.Error("one side was changed alone")
	}
	// A chunk of another model is found by its words only.
	entries := smallEntries(2)
	entries[1].Vector = nil
	if err := joint.ApplyJoint(t.Context(), index.Changes[index.Entry]{To: 1, Add: sequence(entries)}); err != nil {
		t.Fatal(err)
	}
	seq, hits, err := ask(t.Context(), e, nil, nil)
	var chunks []index.ChunkID
	for _, h := range hits {
		chunks = append(chunks, h.Chunk)
	}
	if diff := cmp.Diff([]index.ChunkID{1, 4, 1}, chunks); seq != 1 || err != nil || diff != "" {
		t.Errorf("at %d, %v\n%s", seq, err, diff)
	}
	snap, err := e.Vectors().Snapshot(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	snap.Close()
	if _, err := snap.Search(t.Context(), index.VectorQuery{Vector: []float32{1, 0, 0}, Limit: 1}); err == nil {
		t.Error("a snapshot that is closed answers")
	}
}
