package segment_test

import (
	"bytes"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/segment"
)

func TestVerifyWhatWasEncoded(t *testing.T) {
	for _, n := range []int{0, 1, 127, 128, 129, 1000} {
		if err := segment.Verify(segment.Encode(smallEntries(n), 3), 3); err != nil {
			t.Errorf("%d entries: %v", n, err)
		}
	}
}

// Most bits of the postings, the dictionary and the footer follow from others.
// The rest are the low ones of positions, padding, and limits that got wider.
func TestVerifyFindsWhatChecksumsDoNot(t *testing.T) {
	good := segment.Encode(smallEntries(300), 3)
	rng := rand.New(rand.NewPCG(4, 4))
	const flips = 2000
	found := 0
	for range flips {
		data := bytes.Clone(good)
		// The postings, the dictionary and the footer.
		at := len(data)/2 + rng.IntN(len(data)/2)
		data[at] ^= 1 << rng.IntN(8)
		if segment.Verify(data, 3) != nil {
			found++
		}
	}
	if found < flips*7/10 {
		t.Errorf("%d of %d lost bits are found", found, flips)
	}
}

// FuzzVerify: what is found to be right can be searched and merged.
func FuzzVerify(f *testing.F) {
	for _, n := range []int{0, 1, 5} {
		f.Add(segment.Encode(smallEntries(n), 3))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		if segment.Verify(bytes.Clone(data), 3) != nil {
			return
		}
		words := &index.KeywordQuery{Text: "the lamp's keeper", Limit: 7}
		vector := &index.VectorQuery{Vector: []float32{0, 1, 0}, Limit: 7}
		if _, _, _, err := segment.Use(bytes.Clone(data), 3, words, vector); err != nil {
			t.Errorf("verified, and still: %v", err)
		}
	})
}
