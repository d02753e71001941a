package segment_test

import (
	"bytes"
	"encoding/binary"
	"slices"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
)

// FuzzPack: every value of what was packed can be read, alone and with others.
func FuzzPack(f *testing.F) {
	f.Add([]byte{1, 0, 0, 0, 255, 255, 255, 255, 0, 0, 0, 0})
	f.Add([]byte{0, 0, 0, 0})
	f.Fuzz(func(t *testing.T, data []byte) {
		var values []uint32
		for ; len(data) >= 4; data = data[4:] {
			values = append(values, binary.LittleEndian.Uint32(data))
		}
		packed, width := segment.Pack(values)
		if got := segment.Unpack(packed, width, 0, len(values)); !slices.Equal(got, values) {
			t.Errorf("%v is read as %v", values, got)
		}
		for i, v := range values {
			if got := segment.Unpack(packed, width, i, 1)[0]; got != v {
				t.Errorf("value %d is read as %d, want %d", i, got, v)
			}
		}
	})
}

func smallEntries(n int) []index.Entry {
	var entries []index.Entry
	for i := range n {
		e := index.Entry{Chunk: index.ChunkID(3*i + 1), Doc: index.DocID(i / 3), Title: "Lamps", Headings: "Care > Oil", Text: "the keeper trims the lamp and the wick of lamps"}
		if i%4 != 3 {
			e.Vector = []float32{0.6, float32(i % 2), 0.8}
		}
		entries = append(entries, e)
	}
	return entries
}

// FuzzDecode reads files that are anything, as if their checksum were right.
// What is found must be in the file, and what was merged can be merged again
// to the same bytes. Without -fuzzminimizetime 1x most of the time goes into
// making inputs smaller.
func FuzzDecode(f *testing.F) {
	for _, n := range []int{0, 1, 5, 300} {
		f.Add(segment.Encode(smallEntries(n), 3))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		words := &index.KeywordQuery{Text: "the lamp's keeper, Oil and zebras", Limit: 7}
		vector := &index.VectorQuery{Vector: []float32{0, 1, 0}, Limit: 7, Filter: &index.Filter{Docs: index.NewDocSet(0, 1, 5)}}
		ok, hits, merged, err := segment.Use(bytes.Clone(data), 3, words, vector)
		if !ok || err != nil {
			return
		}
		if len(hits) > 14 {
			t.Errorf("%d hits", len(hits))
		}
		_, _, again, err := segment.Use(bytes.Clone(merged), 3, words, vector)
		if err != nil || !bytes.Equal(merged, again) {
			t.Errorf("merged again to other bytes: %v", err)
		}
	})
}

func TestDecodeWhatWasEncoded(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 1000} {
		data := segment.Encode(smallEntries(n), 3)
		ok, hits, merged, err := segment.Use(data, 3, &index.KeywordQuery{Text: "wick", Limit: n + 1}, &index.VectorQuery{Vector: []float32{0, 1, 0}, Limit: n + 1})
		if !ok || err != nil {
			t.Fatalf("%d entries: %v", n, err)
		}
		if want := n + n - n/4; len(hits) != want {
			t.Errorf("%d entries: %d hits, want %d", n, len(hits), want)
		}
		if !bytes.Equal(data, merged) {
			t.Errorf("%d entries: merging one segment changes it", n)
		}
	}
}
