// Package archive writes and reads a whole corpus as one stream.
//
// The stream is the magic number, the version, records in a zstd frame, and
// the SHA-256 of all before it:
//
//	magic    8 bytes "mrexport"
//	version  4 bytes, little endian
//	records  one zstd frame, see below
//	sum     32 bytes
//
// A record is a kind of one byte, a length of 8 bytes, little endian, and so
// many bytes of content. Records of other kinds are passed over, so that a
// later version can add some.
//
//	H  first: JSON, a [Header]
//	D  a document, JSON: [index.Document] with its sections and chunks
//	M  its Markdown
//	V  its vectors: dimensions in 4 bytes, then binary16 numbers, by chunk
//	E  last: JSON, the numbers of documents and chunks
//
// D, M and V follow each other for each document.
//
// The package imports index, chunk, internal/f16 and
// github.com/klauspost/compress.
package archive

import (
	"bufio"
	"crypto/sha256"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash"
	"io"
	"math"
	"time"

	"github.com/klauspost/compress/zstd"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/f16"
)

const (
	magic   = "mrexport"
	version = 1
	sumSize = sha256.Size

	// mostRecord bounds a record: no document has more text than the catalog takes.
	mostRecord = 2 << 30
)

var (
	// ErrDamaged says that a stream is not what was written.
	ErrDamaged = errors.New("export is damaged")
	// ErrForeign says that a stream is no export.
	ErrForeign = errors.New("not an export of minirag")
	// ErrNewer says that a newer version wrote the stream.
	ErrNewer = errors.New("export was written by a newer version")
)

// A Header describes an export.
type Header struct {
	Created time.Time `json:"created"`
	Catalog string    `json:"catalog"` // its UUID
}

type counts struct {
	Documents int `json:"documents"`
	Chunks    int `json:"chunks"`
}

// document is the content of a D record.
type document struct {
	Document index.Document  `json:"document"`
	Sections []chunk.Section `json:"sections"`
	Chunks   []chunk.Chunk   `json:"chunks"`
}

// A Writer writes an export.
type Writer struct {
	out    io.Writer
	sum    hash.Hash
	zip    *zstd.Encoder
	counts counts
}

// NewWriter begins an export on out.
func NewWriter(out io.Writer, h Header) (*Writer, error) {
	w := &Writer{out: out, sum: sha256.New()}
	both := io.MultiWriter(out, w.sum)
	if _, err := both.Write(binary.LittleEndian.AppendUint32([]byte(magic), version)); err != nil {
		return nil, err
	}
	var err error
	if w.zip, err = zstd.NewWriter(both, zstd.WithEncoderConcurrency(1), zstd.WithWindowSize(1<<20)); err != nil {
		return nil, err
	}
	return w, w.json('H', h)
}

func (w *Writer) record(kind byte, content []byte) error {
	head := binary.LittleEndian.AppendUint64([]byte{kind}, uint64(len(content)))
	if _, err := w.zip.Write(head); err != nil {
		return err
	}
	_, err := w.zip.Write(content)
	return err
}

func (w *Writer) json(kind byte, v any) error {
	content, err := json.Marshal(v)
	if err != nil {
		return err
	}
	return w.record(kind, content)
}

// Add writes a document.
func (w *Writer) Add(d *index.NewDocument) error {
	if err := w.json('D', document{d.Document, d.Sections, d.Chunks}); err != nil {
		return err
	}
	if err := w.record('M', []byte(d.Markdown)); err != nil {
		return err
	}
	dims := 0
	if len(d.Vectors) > 0 {
		dims = len(d.Vectors[0])
	}
	content := binary.LittleEndian.AppendUint32(make([]byte, 0, 4+2*dims*len(d.Vectors)), uint32(dims))
	for _, v := range d.Vectors {
		if len(v) != dims {
			return fmt.Errorf("vectors of %d and of %d dimensions", dims, len(v))
		}
		for _, x := range v {
			content = binary.LittleEndian.AppendUint16(content, f16.From32(x))
		}
	}
	w.counts.Documents++
	w.counts.Chunks += len(d.Chunks)
	return w.record('V', content)
}

// Close ends the export. It does not close the stream below.
func (w *Writer) Close() error {
	if err := w.json('E', w.counts); err != nil {
		return err
	}
	if err := w.zip.Close(); err != nil {
		return err
	}
	_, err := w.out.Write(w.sum.Sum(nil))
	return err
}

// Check reads a whole stream and compares it with its checksum.
func Check(in io.ReadSeeker) error {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	if err := readHead(in); err != nil {
		return err
	}
	if size < int64(len(magic)+4+sumSize) {
		return fmt.Errorf("%w: it is cut off", ErrDamaged)
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return err
	}
	sum := sha256.New()
	if _, err := io.CopyN(sum, in, size-sumSize); err != nil {
		return err
	}
	var want [sumSize]byte
	if _, err := io.ReadFull(in, want[:]); err != nil {
		return err
	}
	if [sumSize]byte(sum.Sum(nil)) != want {
		return fmt.Errorf("%w: its checksum is wrong", ErrDamaged)
	}
	_, err = in.Seek(0, io.SeekStart)
	return err
}

func readHead(in io.Reader) error {
	var head [len(magic) + 4]byte
	if n, err := io.ReadFull(in, head[:]); err != nil && string(head[:min(n, len(magic))]) != magic {
		if errors.Is(err, io.EOF) || errors.Is(err, io.ErrUnexpectedEOF) {
			return ErrForeign
		}
		return err
	}
	if string(head[:len(magic)]) != magic {
		return ErrForeign
	}
	if v := binary.LittleEndian.Uint32(head[len(magic):]); v != version {
		if v == 0 {
			return fmt.Errorf("%w: version 0", ErrDamaged)
		}
		return fmt.Errorf("%w: version %d, and this one reads %d", ErrNewer, v, version)
	}
	return nil
}

// A Reader reads an export.
type Reader struct {
	Header Header
	zip    *zstd.Decoder
	in     *bufio.Reader
	counts counts
	done   bool
}

// NewReader begins to read a stream, which [Check] has passed. The reader must
// be closed.
func NewReader(in io.ReadSeeker) (*Reader, error) {
	size, err := in.Seek(0, io.SeekEnd)
	if err != nil {
		return nil, err
	}
	if _, err := in.Seek(0, io.SeekStart); err != nil {
		return nil, err
	}
	if err := readHead(in); err != nil {
		return nil, err
	}
	body := size - int64(len(magic)+4+sumSize)
	if body < 0 {
		return nil, fmt.Errorf("%w: it is cut off", ErrDamaged)
	}
	r := new(Reader)
	r.zip, err = zstd.NewReader(io.LimitReader(in, body), zstd.WithDecoderConcurrency(1), zstd.WithDecoderMaxWindow(8<<20))
	if err != nil {
		return nil, err
	}
	r.in = bufio.NewReaderSize(r.zip, 64<<10)
	err = r.json('H', &r.Header)
	if err != nil {
		r.Close()
		return nil, err
	}
	return r, nil
}

// Close frees what the reader holds.
func (r *Reader) Close() { r.zip.Close() }

// record reads the next record that this version knows.
func (r *Reader) record() (byte, []byte, error) {
	for {
		var head [9]byte
		if _, err := io.ReadFull(r.in, head[:]); err != nil {
			return 0, nil, fmt.Errorf("%w: %v", ErrDamaged, err)
		}
		size := binary.LittleEndian.Uint64(head[1:])
		if size > mostRecord {
			return 0, nil, fmt.Errorf("%w: a record of %d bytes", ErrDamaged, size)
		}
		// The length is not trusted with memory.
		content, err := io.ReadAll(io.LimitReader(r.in, int64(size)))
		if err == nil && uint64(len(content)) != size {
			err = io.ErrUnexpectedEOF
		}
		if err != nil {
			return 0, nil, fmt.Errorf("%w: %v", ErrDamaged, err)
		}
		switch head[0] {
		case 'H', 'D', 'M', 'V', 'E':
			return head[0], content, nil
		}
	}
}

func (r *Reader) expect(kind byte) ([]byte, error) {
	got, content, err := r.record()
	if err == nil && got != kind {
		err = fmt.Errorf("%w: a record %q instead of %q", ErrDamaged, got, kind)
	}
	return content, err
}

func (r *Reader) json(kind byte, v any) error {
	content, err := r.expect(kind)
	if err != nil {
		return err
	}
	return unmarshal(content, v)
}

func unmarshal(content []byte, v any) error {
	if err := json.Unmarshal(content, v); err != nil {
		return fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	return nil
}

// Next returns the next document, or [io.EOF] after the last one.
func (r *Reader) Next() (*index.NewDocument, error) {
	if r.done {
		return nil, io.EOF
	}
	kind, content, err := r.record()
	if err != nil {
		return nil, err
	}
	switch kind {
	case 'E':
		var want counts
		if err := unmarshal(content, &want); err != nil {
			return nil, err
		}
		if want != r.counts {
			return nil, fmt.Errorf("%w: %d documents instead of %d", ErrDamaged, r.counts.Documents, want.Documents)
		}
		r.done = true
		return nil, io.EOF
	case 'D':
	default:
		return nil, fmt.Errorf("%w: a record %q in place of a document", ErrDamaged, kind)
	}
	var d document
	if err := unmarshal(content, &d); err != nil {
		return nil, err
	}
	text, err := r.expect('M')
	if err != nil {
		return nil, err
	}
	raw, err := r.expect('V')
	if err != nil {
		return nil, err
	}
	out := &index.NewDocument{Document: d.Document, Markdown: string(text), Sections: d.Sections, Chunks: d.Chunks}
	if out.Vectors, err = decodeVectors(raw, len(d.Chunks)); err != nil {
		return nil, err
	}
	r.counts.Documents++
	r.counts.Chunks += len(d.Chunks)
	return out, nil
}

func decodeVectors(raw []byte, n int) ([][]float32, error) {
	if len(raw) < 4 {
		return nil, fmt.Errorf("%w: no vectors", ErrDamaged)
	}
	dims := int(binary.LittleEndian.Uint32(raw))
	raw = raw[4:]
	if dims > mostRecord || len(raw) != 2*dims*n {
		return nil, fmt.Errorf("%w: %d bytes of vectors for %d chunks", ErrDamaged, len(raw), n)
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		v := make([]float32, dims)
		var square float64
		for j := range v {
			v[j] = f16.To32(binary.LittleEndian.Uint16(raw[2*(i*dims+j):]))
			square += float64(v[j]) * float64(v[j])
		}
		// Rounding has changed the length a little.
		if square > 0 {
			scale := float32(1 / math.Sqrt(square))
			for j := range v {
				v[j] *= scale
			}
		}
		vectors[i] = v
	}
	return vectors, nil
}
