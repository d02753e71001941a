package segment_test

import (
	"bytes"
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
)

// TestSums writes content in pieces of any size: the sums do not depend on
// them, nor on what is written afterwards.
func TestSums(t *testing.T) {
	rng := rand.New(rand.NewPCG(4, 4))
	for _, size := range []int{0, 1, segment.SumSize - 1, segment.SumSize, segment.SumSize + 1, 5*segment.SumSize + 7} {
		data := make([]byte, size)
		for i := range data {
			data[i] = byte(rng.Uint32())
		}
		want, _ := segment.Sums(data, size, 0)
		if blocks := (size + segment.SumSize - 1) / segment.SumSize; len(want) != blocks {
			t.Errorf("%d bytes have %d sums, want %d", size, len(want), blocks)
		}
		for range 20 {
			before, after := segment.Sums(data, 1+rng.IntN(2*segment.SumSize), 9*segment.SumSize)
			if !slices.Equal(before, want) || !slices.Equal(after, want) {
				t.Errorf("%d bytes in pieces: %x, and %x after more, want %x", size, before, after, want)
			}
		}
	}
}

// TestFlippedBits flips bits of a segment file that spans many sums. Every
// search gives what it should or fails, and reading all of it fails.
func TestFlippedBits(t *testing.T) {
	data := segment.Encode(longEntries(1200), 64)
	words := &index.KeywordQuery{Text: "w17 w3 w90", Limit: 30}
	vector := &index.VectorQuery{Vector: longEntries(1)[0].Vector, Limit: 30}
	want, read, err := segment.Search(data, 64, words, vector)
	if err != nil || len(want) != 60 || read {
		t.Fatalf("%d hits, %v; all was read: %v", len(want), err, read)
	}
	rng := rand.New(rand.NewPCG(6, 6))
	unseen := 0
	for range 300 {
		at, bit := rng.IntN(len(data)), byte(1)<<rng.IntN(8)
		flipped := bytes.Clone(data)
		flipped[at] ^= bit
		hits, _, err := segment.Search(flipped, 64, words, vector)
		if err == nil {
			unseen++
			if diff := cmp.Diff(want, hits); diff != "" {
				t.Errorf("byte %d of %d: other hits\n%s", at, len(data), diff)
			}
		}
		if err := segment.Merge(flipped, 64); err == nil {
			t.Errorf("byte %d of %d: it can be merged", at, len(data))
		}
	}
	if unseen == 0 || unseen > 200 {
		t.Errorf("%d of 300 flips were in nothing that the searches read", unseen)
	}
}

// longEntries make a file whose postings take many blocks.
func longEntries(n int) []index.Entry {
	rng := rand.New(rand.NewPCG(5, 5))
	var entries []index.Entry
	for i := range n {
		e := index.Entry{Chunk: index.ChunkID(i + 1), Doc: index.DocID(i/5 + 1), Title: "t", Vector: make([]float32, 64)}
		for d := range e.Vector {
			e.Vector[d] = rng.Float32() - 0.5
		}
		var text strings.Builder
		for range 80 {
			fmt.Fprintf(&text, "w%d ", rng.IntN(100))
		}
		e.Text = text.String()
		entries = append(entries, e)
	}
	return entries
}
