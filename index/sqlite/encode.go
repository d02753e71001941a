package sqlite

import (
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"math"
	"time"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/f16"
)

// maxText bounds what a compressed column may expand to. It is the most that
// SQLite takes as one value.
const maxText = 1_000_000_000

func checksum(parts ...[]byte) uint32 {
	table := crc32.MakeTable(crc32.Castagnoli)
	var sum uint32
	for _, p := range parts {
		sum = crc32.Update(sum, table, p)
	}
	return sum
}

// chunkSum covers everything that a chunk's row holds.
func chunkSum(c *index.Chunk) uint32 {
	var b [56]byte
	for i, v := range []int64{int64(c.ID), int64(c.Doc), int64(c.Index), int64(c.Section), int64(c.Start), int64(c.End), int64(c.Tokens)} {
		binary.LittleEndian.PutUint64(b[8*i:], uint64(v))
	}
	return checksum(b[:], []byte(c.Text))
}

// encodeVector appends v as binary16 numbers and a checksum.
func encodeVector(b []byte, id index.ChunkID, v []float32) []byte {
	start := len(b)
	for _, f := range v {
		b = binary.LittleEndian.AppendUint16(b, f16.From32(f))
	}
	return binary.LittleEndian.AppendUint32(b, vectorSum(id, b[start:]))
}

func vectorSum(id index.ChunkID, data []byte) uint32 {
	var b [8]byte
	binary.LittleEndian.PutUint64(b[:], uint64(id))
	return checksum(b[:], data)
}

var (
	errSum  = errors.New("the checksum does not match")
	errLost = errors.New("what is stored is not found")
)

// decodeVector is the inverse of encodeVector. Rounding to 11 bits changed
// the length a little; the result has length 1 again unless it is zero.
func decodeVector(id index.ChunkID, data []byte) ([]float32, error) {
	n := len(data) - 4
	if n < 0 || n%2 != 0 || binary.LittleEndian.Uint32(data[n:]) != vectorSum(id, data[:n]) {
		return nil, errSum
	}
	v := make([]float32, n/2)
	var square float64
	for i := range v {
		v[i] = f16.To32(binary.LittleEndian.Uint16(data[2*i:]))
		square += float64(v[i]) * float64(v[i])
	}
	if square > 0 {
		scale := float32(1 / math.Sqrt(square))
		for i := range v {
			v[i] *= scale
		}
	}
	return v, nil
}

// checkVectors refuses what would not come back as it was given.
func checkVectors(vectors [][]float32) error {
	for i, v := range vectors {
		if len(v) == 0 || len(v) != len(vectors[0]) {
			return fmt.Errorf("vector %d has %d dimensions and vector 0 has %d", i, len(v), len(vectors[0]))
		}
		for _, f := range v {
			if !(-65504 <= f && f <= 65504) { // the range of binary16; also false for NaN
				return fmt.Errorf("vector %d has the component %v", i, f)
			}
		}
	}
	return nil
}

func (c *Catalog) compress(text string) []byte { return c.enc.EncodeAll([]byte(text), nil) }

// expand is the inverse of compress for a text of size bytes.
func (c *Catalog) expand(data []byte, size int) (string, error) {
	if size < 0 || size > maxText {
		return "", fmt.Errorf("%d bytes of text", size)
	}
	out, err := c.dec.DecodeAll(data, make([]byte, 0, min(size, 64<<20)))
	if err != nil {
		return "", err
	}
	if len(out) != size {
		return "", fmt.Errorf("%d bytes of text instead of %d", len(out), size)
	}
	return string(out), nil
}

// A section is [chunk.Section] as it is stored.
type section struct {
	Start    int      `json:"s"`
	End      int      `json:"e"`
	Headings []string `json:"h,omitempty"`
	Label    string   `json:"l,omitempty"`
}

func (c *Catalog) encodeSections(sections []chunk.Section) ([]byte, error) {
	stored := make([]section, len(sections))
	for i, s := range sections {
		stored[i] = section(s)
	}
	b, err := json.Marshal(stored)
	if err != nil {
		return nil, err
	}
	return c.enc.EncodeAll(b, nil), nil
}

func (c *Catalog) decodeSections(data []byte) ([]chunk.Section, error) {
	b, err := c.dec.DecodeAll(data, nil)
	if err != nil {
		return nil, err
	}
	var stored []section
	if err := json.Unmarshal(b, &stored); err != nil {
		return nil, err
	}
	sections := make([]chunk.Section, len(stored))
	for i, s := range stored {
		sections[i] = chunk.Section(s)
	}
	return sections, nil
}

// encodeTime splits t, since not every file's time fits in nanoseconds. The
// zero time is NULL.
func encodeTime(t time.Time) (sec, nsec any) {
	if t.IsZero() {
		return nil, nil
	}
	return t.Unix(), int64(t.Nanosecond())
}
