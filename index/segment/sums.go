package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"slices"
	"sync/atomic"

	"github.com/minirag/minirag/index/internal/segset"
)

// sumSize is the number of bytes of content under one checksum. A smaller one
// would make rare terms cheaper to read first, and the table longer.
const sumSize = 16 << 10

var errSum = errors.New("a checksum of the segment is wrong")

// A summer sums up what it is given in blocks of sumSize.
type summer struct {
	sums []uint32
	last uint32 // of the block that is not full yet
	n    int    // its bytes
}

func (s *summer) add(data []byte) {
	for len(data) > 0 {
		part := data[:min(len(data), sumSize-s.n)]
		s.last = segset.UpdateSum(s.last, part)
		s.n += len(part)
		if data = data[len(part):]; s.n == sumSize {
			s.sums, s.last, s.n = append(s.sums, s.last), 0, 0
		}
	}
}

// all returns the sums, with that of the last block. What is added later does
// not change them.
func (s *summer) all() []uint32 {
	if s.n > 0 {
		return append(slices.Clip(s.sums), s.last)
	}
	return slices.Clip(s.sums)
}

// footerSum is the checksum of the table of sums and of the footer's numbers.
func footerSum(table, numbers []byte) uint64 {
	return uint64(segset.UpdateSum(segset.UpdateSum(0, table), numbers))
}

// blocks compares the content of a segment with its checksums when it is first
// read: to open a large segment must not take as long as to read it. It is safe
// for concurrent use. Nil compares nothing.
type blocks struct {
	data []byte // that is under sums
	sums []uint32
	seen []atomic.Uint64 // bit i: block i was compared
}

// newBlocks finds the checksums of a segment's content, and compares those that
// are not of blocks.
func newBlocks(data []byte) (*blocks, error) {
	if len(data) < footerSize {
		return nil, errShape
	}
	numbers := data[len(data)-footerSize:]
	var f footer
	f.decode(numbers)
	sec := f.sections[secSums]
	if end := uint64(len(data) - footerSize); sec.start > end || sec.size != end-sec.start || (sec.start+sumSize-1)/sumSize*4 != sec.size {
		return nil, fmt.Errorf("%w: section %d", errShape, secSums)
	}
	table := data[sec.start : len(data)-footerSize]
	if footerSum(table, numbers[:footerSize-8]) != f.sum {
		return nil, errSum
	}
	b := &blocks{data: data[:sec.start]}
	for ; len(table) > 0; table = table[4:] {
		b.sums = append(b.sums, binary.LittleEndian.Uint32(table))
	}
	b.seen = make([]atomic.Uint64, (len(b.sums)+63)/64)
	return b, nil
}

// check panics, as all readers of mapped bytes do, unless the bytes from start
// to before end are those that were written.
func (b *blocks) check(start, end uint64) {
	if b == nil || start >= end {
		return
	}
	for i := start / sumSize; i*sumSize < end; i++ {
		word, bit := &b.seen[i>>6], uint64(1)<<(i&63)
		if word.Load()&bit != 0 {
			continue
		}
		if segset.UpdateSum(0, b.data[i*sumSize:min((i+1)*sumSize, uint64(len(b.data)))]) != b.sums[i] {
			panic(errSum)
		}
		word.Or(bit)
	}
}
