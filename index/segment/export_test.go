package segment

import (
	"bytes"
	"context"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/internal/mmap"
)

// Pack and Unpack pack values and read them back.
func Pack(values []uint32) (packed []byte, width int) {
	width = widthOf(values)
	return pack(nil, values, width), width
}

// Unpack reads n values from the i-th on.
func Unpack(packed []byte, width, i, n int) []uint32 {
	out := make([]uint32, n)
	bit := i * width
	unpack(out, append(bytes.Clone(packed), make([]byte, packTail)...)[bit>>3:], width, bit&7)
	return out
}

// Encode returns the content of a segment file.
func Encode(entries []index.Entry, dims int) []byte {
	b := newBatch(dims, true)
	for i := range entries {
		b.add(&entries[i])
	}
	var out bytes.Buffer
	if err := b.writeTo(&out); err != nil {
		panic(err)
	}
	return out.Bytes()
}

// Verify says what is wrong with the content of a segment file.
func Verify(data []byte, dims int) error {
	s, err := decodeSegment(data, dims, true)
	if err != nil {
		return err
	}
	return s.verify()
}

// Use reads the content of a segment file in every way: it searches and merges
// it. ok says that it can be decoded; the rest may fail all the same.
func Use(data []byte, dims int, words *index.KeywordQuery, vector *index.VectorQuery) (ok bool, hits []index.Hit, merged []byte, err error) {
	s, err := decodeSegment(data, dims, true)
	if err != nil {
		return false, nil, nil, err
	}
	parts := []*segset.Part[*segment]{segset.NewPart(s)}
	err = mmap.Guard(func() error {
		found, err := searchWords(context.Background(), parts, words, 2)
		if err != nil {
			return err
		}
		near, err := scan(context.Background(), parts, vector, 2)
		hits = append(found, near...)
		return err
	})
	if err != nil {
		return true, nil, nil, err
	}
	var out bytes.Buffer
	err = mmap.Guard(func() error { return merge(parts, &out, dims, true) })
	return true, hits, out.Bytes(), err
}
