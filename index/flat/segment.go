package flat

import (
	"encoding/binary"
	"errors"
	"math"
	"slices"
	"unsafe"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// A segment holds vectors by column. On the disk, little endian:
//
//	count   4 bytes
//	dims    4 bytes
//	chunks  8 bytes each, ascending
//	docs    8 bytes each
//	scales  4 bytes each, float32
//	vectors dims bytes each
type segment struct {
	dims    int
	ids     []index.ChunkID
	docs    []index.DocID
	scales  []float32
	vectors []int8
}

// Len returns the number of vectors.
func (s *segment) Len() int { return len(s.ids) }

// Chunk returns the chunk of entry i.
func (s *segment) Chunk(i int) index.ChunkID { return s.ids[i] }

func decodeSegment(data []byte, dims int) (*segment, error) {
	if len(data) < 8 {
		return nil, errors.New("segment is too short")
	}
	n := int(binary.LittleEndian.Uint32(data))
	if int(binary.LittleEndian.Uint32(data[4:])) != dims || len(data) != 8+n*(20+dims) {
		return nil, errors.New("segment has another shape")
	}
	data = data[8:]
	s := &segment{dims: dims, ids: make([]index.ChunkID, n), docs: make([]index.DocID, n), scales: make([]float32, n)}
	for i := range n {
		s.ids[i] = index.ChunkID(binary.LittleEndian.Uint64(data[8*i:]))
		s.docs[i] = index.DocID(binary.LittleEndian.Uint64(data[8*(n+i):]))
		s.scales[i] = math.Float32frombits(binary.LittleEndian.Uint32(data[16*n+4*i:]))
	}
	if n > 0 {
		// Bytes and int8 have the same layout: the vectors stay where they are.
		s.vectors = unsafe.Slice((*int8)(unsafe.Pointer(&data[20*n])), n*dims)
	}
	return s, nil
}

func (s *segment) encode() []byte {
	n := len(s.ids)
	data := make([]byte, 0, 8+n*(20+s.dims))
	data = binary.LittleEndian.AppendUint32(data, uint32(n))
	data = binary.LittleEndian.AppendUint32(data, uint32(s.dims))
	for _, id := range s.ids {
		data = binary.LittleEndian.AppendUint64(data, uint64(id))
	}
	for _, id := range s.docs {
		data = binary.LittleEndian.AppendUint64(data, uint64(id))
	}
	for _, x := range s.scales {
		data = binary.LittleEndian.AppendUint32(data, math.Float32bits(x))
	}
	if len(s.vectors) > 0 {
		data = append(data, unsafe.Slice((*byte)(unsafe.Pointer(&s.vectors[0])), len(s.vectors))...)
	}
	return data
}

// merge joins the live entries of segments, by chunk.
func merge(parts []*segset.Part[*segment], dims int) []byte {
	type place struct {
		s *segment
		i int
	}
	var places []place
	for _, p := range parts {
		for i := range p.Data.Len() {
			if !p.Deleted.Has(i) {
				places = append(places, place{p.Data, i})
			}
		}
	}
	slices.SortFunc(places, func(a, b place) int { return compare(a.s.ids[a.i], b.s.ids[b.i]) })
	out := &segment{dims: dims, vectors: make([]int8, 0, len(places)*dims)}
	for _, p := range places {
		out.ids = append(out.ids, p.s.ids[p.i])
		out.docs = append(out.docs, p.s.docs[p.i])
		out.scales = append(out.scales, p.s.scales[p.i])
		out.vectors = append(out.vectors, p.s.vectors[p.i*dims:(p.i+1)*dims]...)
	}
	return out.encode()
}

func compare(a, b index.ChunkID) int { return int(min(max(a-b, -1), 1)) }

// A builder collects entries; of several of one chunk it keeps the last.
type builder struct {
	seg *segment
	at  map[index.ChunkID]int
}

func newBuilder(dims int) *builder {
	return &builder{seg: &segment{dims: dims}, at: make(map[index.ChunkID]int)}
}

func (b *builder) len() int { return len(b.seg.ids) }

func (b *builder) add(e index.VectorEntry) {
	s := b.seg
	i, ok := b.at[e.Chunk]
	if !ok {
		i = len(s.ids)
		b.at[e.Chunk] = i
		s.ids = append(s.ids, e.Chunk)
		s.docs = append(s.docs, 0)
		s.scales = append(s.scales, 0)
		s.vectors = slices.Grow(s.vectors, s.dims)[:(i+1)*s.dims]
	}
	s.docs[i] = e.Doc
	s.scales[i] = quantise(s.vectors[i*s.dims:(i+1)*s.dims], e.Vector)
}

// segment returns the entries in the order in which they came.
func (b *builder) segment() *segment { return b.seg }

func (b *builder) chunks() map[index.ChunkID]bool {
	set := make(map[index.ChunkID]bool, len(b.at))
	for id := range b.at {
		set[id] = true
	}
	return set
}

func (b *builder) encode() []byte {
	return merge([]*segset.Part[*segment]{{Data: b.seg}}, b.seg.dims)
}

// quantise rounds v to dst times the scale that it returns.
func quantise(dst []int8, v []float32) float32 {
	var peak float32
	for _, x := range v {
		peak = max(peak, x, -x)
	}
	if peak == 0 {
		clear(dst)
		return 0
	}
	scale := float64(peak) / 127
	for i, x := range v {
		dst[i] = int8(math.RoundToEven(float64(x) / scale))
	}
	return float32(scale)
}
