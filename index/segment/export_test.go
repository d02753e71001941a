package segment

import (
	"bytes"
	"context"
	"io"

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

// SumSize is the number of bytes under one checksum.
const SumSize = sumSize

// Sums returns the sums of data that is written in pieces, before and after
// more bytes were written.
func Sums(data []byte, piece, more int) (before, after []uint32) {
	var s summer
	for len(data) > 0 {
		n := min(piece, len(data))
		s.add(data[:n])
		data = data[n:]
	}
	before = s.all()
	after = before
	before = append([]uint32(nil), before...)
	s.add(make([]byte, more))
	return before, after
}

// Search searches the content of a segment file as it is opened from the disk.
// read says that all of it was compared with its checksums.
func Search(data []byte, dims int, words *index.KeywordQuery, vector *index.VectorQuery) (hits []index.Hit, read bool, err error) {
	err = mmap.Guard(func() error {
		s, err := openSegment(data, dims, true)
		if err != nil {
			return err
		}
		parts := []*segset.Part[*segment]{segset.NewPart(s)}
		found, err := searchWords(context.Background(), parts, words, 2)
		if err != nil {
			return err
		}
		near, err := scan(context.Background(), parts, vector, 2)
		hits = append(found, near...)
		read = true
		for i := range s.checked.sums {
			read = read && s.checked.seen[i>>6].Load()&(1<<(i&63)) != 0
		}
		return err
	})
	return hits, read, err
}

// Merge reads all of a segment file as it is opened from the disk.
func Merge(data []byte, dims int) error {
	return mmap.Guard(func() error {
		s, err := openSegment(data, dims, true)
		if err != nil {
			return err
		}
		return merge([]*segset.Part[*segment]{segset.NewPart(s)}, io.Discard, dims, true)
	})
}

// Encode returns the content of a segment file.
func Encode(entries []index.Entry, dims int) []byte {
	b := newBatch(dims, true)
	for i := range entries {
		b.add(&entries[i])
	}
	var out bytes.Buffer
	b.prepare()
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
