package segset_test

import (
	"errors"
	"os"
	"path/filepath"
	"slices"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
)

func TestVerifyReadsTheDisk(t *testing.T) {
	dir := t.TempDir()
	s := new(counter).set(dir)
	apply(t, s, 0, 1, nil, 1, 2, 3)
	apply(t, s, 1, 2, []index.ChunkID{2}, 4)
	seq, chunks, err := s.Chunks(t.Context())
	if diff := cmp.Diff([]index.ChunkID{1, 3, 4}, chunks); seq != 2 || err != nil || diff != "" {
		t.Fatal(seq, err, diff)
	}
	for _, name := range segments(t, dir) {
		path := filepath.Join(dir, name)
		data, err := os.ReadFile(path)
		must(t, err)
		data[len(data)-1] ^= 1
		must(t, os.WriteFile(path, data, 0o600))
	}
	if _, _, err := s.Chunks(t.Context()); !errors.Is(err, index.ErrDamaged) {
		t.Errorf("damaged behind an open state: %v", err)
	}
	for _, name := range segments(t, dir) {
		must(t, os.Remove(filepath.Join(dir, name)))
	}
	if seq, _, err := new(counter).set(dir).Chunks(t.Context()); err == nil && seq != 0 {
		t.Errorf("removed: sequence %d", seq)
	}
}

func TestTidy(t *testing.T) {
	dir := t.TempDir()
	s := new(counter).set(dir)
	apply(t, s, 0, 1, nil, 1, 2, 3)
	named := segments(t, dir)
	must(t, os.WriteFile(filepath.Join(dir, "notes.txt"), []byte("mine"), 0o600))
	manifest, err := os.Stat(filepath.Join(dir, "manifest"))
	must(t, err)
	for _, name := range []string{"00.seg", ".minirag-tmp-1-manifest"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("left"), 0o600))
		later := manifest.ModTime().Add(time.Millisecond)
		must(t, os.Chtimes(filepath.Join(dir, name), later, later))
	}
	// The next writer may have been so quick that this one is not newer.
	early := filepath.Join(dir, ".minirag-tmp-2-manifest")
	must(t, os.WriteFile(early, []byte("left"), 0o600))
	must(t, os.Chtimes(early, manifest.ModTime(), manifest.ModTime()))
	left, err := s.Tidy(t.Context())
	if diff := cmp.Diff([]string{filepath.Join(dir, "notes.txt")}, left); err != nil || diff != "" {
		t.Error(err, diff)
	}
	if diff := cmp.Diff(named, segments(t, dir)); diff != "" {
		t.Error(diff)
	}
	if _, err := os.Stat(early); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("a temporary file is left: %v", err)
	}
	if _, chunks := live(t, s); !slices.Equal(chunks, []index.ChunkID{1, 2, 3}) {
		t.Error(chunks)
	}
}

func TestCompact(t *testing.T) {
	dir := t.TempDir()
	s := new(counter).set(dir)
	must(t, s.Compact(t.Context())) // nothing is there
	for i := range index.Seq(9) {
		var add []index.ChunkID
		for j := range 1 << (9 - i) {
			add = append(add, index.ChunkID(1000*int(i)+j+1))
		}
		apply(t, s, i, i+1, nil, add...)
	}
	apply(t, s, 9, 10, []index.ChunkID{1, 1001})
	_, want := live(t, s)
	must(t, s.Compact(t.Context()))
	seq, got := live(t, s)
	if diff := cmp.Diff(want, got); seq != 10 || diff != "" {
		t.Error(seq, diff)
	}
	if seq, got, err := new(counter).set(dir).Chunks(t.Context()); err != nil || seq != 10 || !slices.Equal(got, want) {
		t.Error(seq, err)
	}
	st, err := s.Current()
	must(t, err)
	if len(st.Parts) != 1 || st.Parts[0].Live() != st.Parts[0].Data.Len() {
		t.Errorf("%d segments", len(st.Parts))
	}
	before := segments(t, dir)
	must(t, s.Compact(t.Context()))
	if diff := cmp.Diff(before, segments(t, dir)); diff != "" {
		t.Errorf("a second time: %s", diff)
	}
}
