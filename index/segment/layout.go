package segment

import (
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"sort"
	"unsafe"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// A segment is the decoded form of a segment file, whose sections stay where
// they are. On the disk, little endian, each section at a multiple of 64 bytes
// from the start of the file:
//
//	vectors   dims signed bytes for each entry
//	scales    4 bytes, float32, for each entry; NaN: it has no vector
//	chunks    8 bytes for each entry, ascending
//	lengths   8 bytes for each entry: words of title (2), headings (2), body (4)
//	runs      4 bytes for each run: its first entry
//	docs      8 bytes for each run: the document of all its entries
//	postings  see postings.go
//	terms     see dict.go
//	blocks    4 bytes for each block of terms: its offset in terms
//	sums      4 bytes for each sumSize bytes before it: their CRC-32C
//	footer    see footer
//
// An entry is a chunk; its place in the columns is its number in the postings
// and in the vectors alike. Without vectors the first two sections are empty,
// without keywords the postings and the terms.
//
// Vectors and postings are compared with their sums when they are first read,
// the rest when the file is opened.
type segment struct {
	footer
	checked  *blocks
	vectors  []int8
	scales   []float32
	chunks   []index.ChunkID
	lengths  []length
	runs     []uint32
	docs     []index.DocID
	postings []byte
	terms    []byte
	blocks   []uint32
}

// A length is that of the fields of a chunk, in words. More than fit count as
// the most that fit.
type length struct {
	title, headings uint16
	body            uint32
}

func (l length) of(f int) int {
	switch f {
	case title:
		return int(l.title)
	case headings:
		return int(l.headings)
	}
	return int(l.body)
}

func newLength(words [fields]int) length {
	return length{
		title:    uint16(min(words[title], math.MaxUint16)),
		headings: uint16(min(words[headings], math.MaxUint16)),
		body:     uint32(min(words[body], math.MaxUint32)),
	}
}

// The fields of a chunk.
const (
	title = iota
	headings
	body
	fields
)

// The sections of a file, in order.
const (
	secVectors = iota
	secScales
	secChunks
	secLengths
	secRuns
	secDocs
	secPostings
	secTerms
	secBlocks
	secSums
	sections
)

// sectionAlign is where sections begin: vectors at a line of the cache.
const sectionAlign = 64

// A footer ends a file: these numbers in order, 8 bytes each.
type footer struct {
	sections [sections]struct{ start, size uint64 }
	count    uint64         // of entries
	dims     uint64         // 0: no vectors
	total    [fields]uint64 // sums of lengths
	sum      uint64         // CRC-32C of the sums and of the numbers before this one
}

const footerSize = 8 * (2*sections + 2 + fields + 1)

func (f *footer) numbers() []*uint64 {
	var all []*uint64
	for i := range f.sections {
		all = append(all, &f.sections[i].start, &f.sections[i].size)
	}
	all = append(all, &f.count, &f.dims)
	for i := range f.total {
		all = append(all, &f.total[i])
	}
	return append(all, &f.sum)
}

func (f *footer) decode(data []byte) {
	for i, n := range f.numbers() {
		*n = binary.LittleEndian.Uint64(data[8*i:])
	}
}

func (f *footer) encode() []byte {
	var data []byte
	for _, n := range f.numbers() {
		data = binary.LittleEndian.AppendUint64(data, *n)
	}
	return data
}

// average is the mean length of a field, at least 1.
func (f *footer) average(field int) float64 {
	return max(float64(f.total[field])/float64(max(f.count, 1)), 1)
}

// Len returns the number of entries.
func (s *segment) Len() int { return len(s.chunks) }

// Chunk returns the chunk of entry i.
func (s *segment) Chunk(i int) index.ChunkID { return s.chunks[i] }

// Find returns the entry of a chunk.
func (s *segment) Find(chunk index.ChunkID) (int, bool) {
	return slices.BinarySearch(s.chunks, chunk)
}

// rows returns the vectors of entries, before their scales.
func (s *segment) rows(start, end int) []int8 {
	dims := int(s.dims)
	first := s.sections[secVectors].start
	s.checked.check(first+uint64(start*dims), first+uint64(end*dims))
	return s.vectors[start*dims : end*dims]
}

// vector returns the vector of entry i, before its scale.
func (s *segment) vector(i int) []int8 { return s.rows(i, i+1) }

// doc returns the document of entry i.
func (s *segment) doc(i int) index.DocID { return s.docs[s.run(i)] }

// run returns the run of entry i.
func (s *segment) run(i int) int {
	return sort.Search(len(s.runs), func(r int) bool { return int(s.runs[r]) > i }) - 1
}

// runEnd returns the entry after the last one of a run.
func (s *segment) runEnd(r int) int {
	if r+1 < len(s.runs) {
		return int(s.runs[r+1])
	}
	return len(s.chunks)
}

// view returns a section as values of a fixed size. All systems that the
// module is built for are little endian and the sections are aligned.
func view[T any](data []byte) []T {
	var zero T
	n := len(data) / int(unsafe.Sizeof(zero))
	if n == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(data))), n)
}

// raw is the opposite of view.
func raw[T any](values []T) []byte {
	var zero T
	if len(values) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(values))), len(values)*int(unsafe.Sizeof(zero)))
}

// aligned returns data at an address that views of 8 bytes may have.
func aligned(data []byte) []byte {
	if uintptr(unsafe.Pointer(unsafe.SliceData(data)))%8 == 0 {
		return data
	}
	words := make([]uint64, len(data)/8+1)
	moved := raw(words)[:len(data)]
	copy(moved, data)
	return moved
}

var errShape = errors.New("segment has another shape")

// openSegment reads the content of a segment file and compares with their
// checksums what is small or read by every search.
func openSegment(data []byte, dims int, keywords bool) (*segment, error) {
	data = aligned(data)
	checked, err := newBlocks(data)
	if err != nil {
		return nil, err
	}
	var f footer
	f.decode(data[len(data)-footerSize:])
	end := uint64(len(checked.data))
	checked.check(min(f.sections[secScales].start, end), min(f.sections[secPostings].start, end))
	checked.check(min(f.sections[secTerms].start, end), end)
	s, err := decodeSegment(data, dims, keywords)
	if err != nil {
		return nil, err
	}
	s.checked = checked
	return s, nil
}

// decodeSegment reads the content of a segment file. Nothing is read but what
// columns need to be safe to use.
func decodeSegment(data []byte, dims int, keywords bool) (*segment, error) {
	if len(data) < footerSize {
		return nil, errShape
	}
	data = aligned(data)
	s := new(segment)
	s.footer.decode(data[len(data)-footerSize:])
	var parts [sections][]byte
	for i, sec := range s.sections {
		end := uint64(len(data) - footerSize)
		if sec.start > end || sec.size > end-sec.start || (sec.start+uint64(segset.HeaderSize))%8 != 0 {
			return nil, fmt.Errorf("%w: section %d", errShape, i)
		}
		parts[i] = data[sec.start : sec.start+sec.size : sec.start+sec.size]
	}
	s.vectors, s.scales = view[int8](parts[secVectors]), view[float32](parts[secScales])
	s.chunks, s.lengths = view[index.ChunkID](parts[secChunks]), view[length](parts[secLengths])
	s.runs, s.docs = view[uint32](parts[secRuns]), view[index.DocID](parts[secDocs])
	s.postings, s.terms, s.blocks = parts[secPostings], parts[secTerms], view[uint32](parts[secBlocks])
	n := len(s.chunks)
	switch {
	case s.count != uint64(n), s.count > math.MaxInt32, s.dims != uint64(dims):
		return nil, errShape
	case dims > 0 && (len(s.scales) != n || len(s.vectors) != n*dims):
		return nil, errShape
	case keywords && len(s.lengths) != n:
		return nil, errShape
	case len(s.runs) != len(s.docs), n > 0 && (len(s.runs) == 0 || s.runs[0] != 0):
		return nil, errShape
	}
	for r, first := range s.runs {
		if int(first) >= n || r > 0 && first <= s.runs[r-1] {
			return nil, errShape
		}
	}
	return s, nil
}
