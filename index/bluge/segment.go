package bluge

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"math"

	"github.com/RoaringBitmap/roaring"
	segapi "github.com/blugelabs/bluge_segment_api"
	"github.com/blugelabs/ice"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// A segment holds the terms of chunks. On the disk, little endian:
//
//	count   4 bytes
//	chunks  8 bytes each
//	docs    8 bytes each
//	lengths 4 bytes for each field of each chunk, in words
//	terms   a segment of bluge to the end
//
// Chunk i is document i of bluge's segment. Its dictionaries, one for a field,
// have the names in fieldNames.
type segment struct {
	ids     []index.ChunkID
	docs    []index.DocID
	lengths [][fields]uint32
	total   [fields]float64 // sums of lengths
	terms   segapi.Segment
}

const (
	title = iota
	headings
	body
	fields
)

var fieldNames = [fields]string{"t", "h", "b"}

// Len returns the number of chunks.
func (s *segment) Len() int { return len(s.ids) }

// Chunk returns the chunk of entry i.
func (s *segment) Chunk(i int) index.ChunkID { return s.ids[i] }

func decodeSegment(data []byte) (*segment, error) {
	if len(data) < 4 {
		return nil, errors.New("segment is too short")
	}
	n := int(binary.LittleEndian.Uint32(data))
	data = data[4:]
	const perEntry = 16 + 4*fields
	if len(data)/perEntry < n {
		return nil, errors.New("segment has another shape")
	}
	s := &segment{ids: make([]index.ChunkID, n), docs: make([]index.DocID, n), lengths: make([][fields]uint32, n)}
	for i := range n {
		s.ids[i] = index.ChunkID(binary.LittleEndian.Uint64(data[8*i:]))
		s.docs[i] = index.DocID(binary.LittleEndian.Uint64(data[8*(n+i):]))
		for f := range fields {
			s.lengths[i][f] = binary.LittleEndian.Uint32(data[16*n+4*(i*fields+f):])
			s.total[f] += float64(s.lengths[i][f])
		}
	}
	terms, err := ice.Load(segapi.NewDataBytes(data[perEntry*n:]))
	if err != nil {
		return nil, err
	}
	if terms.Count() != uint64(n) {
		return nil, fmt.Errorf("segment has terms of %d chunks and names %d", terms.Count(), n)
	}
	s.terms = terms
	return s, nil
}

// encodeHeader returns what stands before the terms.
func encodeHeader(ids []index.ChunkID, docs []index.DocID, lengths [][fields]uint32) []byte {
	data := binary.LittleEndian.AppendUint32(nil, uint32(len(ids)))
	for _, id := range ids {
		data = binary.LittleEndian.AppendUint64(data, uint64(id))
	}
	for _, id := range docs {
		data = binary.LittleEndian.AppendUint64(data, uint64(id))
	}
	for _, l := range lengths {
		for _, n := range l {
			data = binary.LittleEndian.AppendUint32(data, n)
		}
	}
	return data
}

// merge joins the live chunks of segments in the order of the parts.
func merge(parts []*segset.Part[*segment], w io.Writer) error {
	var ids []index.ChunkID
	var docs []index.DocID
	var lengths [][fields]uint32
	var segments []segapi.Segment
	var drops []*roaring.Bitmap
	for _, p := range parts {
		var drop *roaring.Bitmap
		for i := range p.Data.Len() {
			if p.Deleted.Has(i) {
				if drop == nil {
					drop = roaring.New()
				}
				drop.Add(uint32(i))
				continue
			}
			ids = append(ids, p.Data.ids[i])
			docs = append(docs, p.Data.docs[i])
			lengths = append(lengths, p.Data.lengths[i])
		}
		segments = append(segments, p.Data.terms)
		drops = append(drops, drop)
	}
	if _, err := w.Write(encodeHeader(ids, docs, lengths)); err != nil {
		return err
	}
	_, err := ice.Merge(segments, drops, 1<<20).WriteTo(w, nil)
	return err
}

// norm is what bluge stores beside each count. Lengths are in the header, and
// bluge takes a norm of 0 for none, so all have the smallest.
func norm(string, int) float32 { return math.Float32frombits(1) }
