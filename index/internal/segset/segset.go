// Package segset keeps a derived index as a folder of immutable segment files
// and one small manifest that names the live ones.
//
// A segment file is written whole, brought to the disk and never touched
// again; a deletion is a bit in the manifest. A change of the index writes new
// segment files under new names and then replaces the manifest in one step, so
// a reader sees all of the change or nothing of it. Files that neither the new
// manifest nor the one before names are removed at the next change.
//
// Segments are read into memory, not mapped: whatever happens to a file later,
// to a full disk or to a network drive, an open state goes on answering, and
// no file is kept from being removed on Windows.
//
// The package imports index, internal/atomicfile and the standard library.
package segset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"sync"

	"github.com/minirag/minirag/index"
)

const (
	manifestName = "manifest"
	segmentExt   = ".seg"

	segmentMagic  = "mrsegm\x00\x01"
	segmentHeader = len(segmentMagic) + 8 + 4 + 4 // magic, length, checksum, zero

	// reloads bounds how often a reader begins anew because a writer removed
	// a file under it. Two whole changes must pass for each of them.
	reloads = 50
)

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A Segment is the decoded content of a segment file. It must not change.
type Segment interface {
	Len() int
	// Chunk returns the chunk of entry i. No chunk occurs twice.
	Chunk(i int) index.ChunkID
}

// A Format says what is in the segments of a [Set].
type Format[S Segment] struct {
	// Identity is all that must be equal for a stored index to be usable:
	// format, origin, version of the analysis. Another one is as good as none.
	Identity string
	// Decode reads what was given to [Change.Add]. It may keep data.
	Decode func(data []byte) (S, error)
	// Merge joins what is left of several segments.
	Merge func(parts []*Part[S]) ([]byte, error)
}

// A Set is the index in one folder. It is safe for concurrent use; changes are
// made by one caller at a time, of all processes.
type Set[S Segment] struct {
	dir    string // fixed at creation
	format Format[S]

	// mu guards state, the newest that was read.
	mu    sync.Mutex
	state *State[S]
}

// New returns the set in dir. It does not touch the disk.
func New[S Segment](dir string, format Format[S]) *Set[S] {
	return &Set[S]{dir: dir, format: format}
}

// A State is the index at one sequence. It does not change.
type State[S Segment] struct {
	Seq   index.Seq
	Parts []*Part[S]
	stamp stamp // of the manifest that it was read from
}

// A Part is a segment with its deletions.
type Part[S Segment] struct {
	Data    S
	Deleted Bits
	live    int
	file    file
	order   func() []uint32 // entries by chunk
}

// Live returns the number of entries that are not deleted.
func (p *Part[S]) Live() int { return p.live }

// Find returns the entry of a chunk, deleted or not.
func (p *Part[S]) Find(chunk index.ChunkID) (int, bool) {
	order := p.order()
	i, ok := slices.BinarySearchFunc(order, chunk, func(e uint32, c index.ChunkID) int {
		return int(min(max(p.Data.Chunk(int(e))-c, -1), 1))
	})
	if !ok {
		return 0, false
	}
	return int(order[i]), true
}

// Bits is a set of entries of a segment.
type Bits []uint64

// Has reports whether i is in the set.
func (b Bits) Has(i int) bool {
	w := i >> 6
	return w < len(b) && b[w]&(1<<(i&63)) != 0
}

// Current returns the newest state, also if another process wrote it. If the
// index is missing, damaged or of another identity, the state is empty at
// sequence 0; an error means that it cannot be read at all for now.
func (s *Set[S]) Current() (*State[S], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	for range reloads {
		mark, m, err := readManifest(filepath.Join(s.dir, manifestName), s.state.mark())
		if errors.Is(err, errSame) {
			return s.state, nil
		}
		if errors.Is(err, index.ErrDamaged) || errors.Is(err, fs.ErrNotExist) {
			s.state = &State[S]{stamp: mark}
			return s.state, nil
		}
		if err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		state, err := s.load(mark, m)
		if err == nil {
			s.state = state
			return state, nil
		}
		missing := errors.Is(err, fs.ErrNotExist)
		if !missing && !errors.Is(err, index.ErrDamaged) {
			return nil, fmt.Errorf("read index: %w", err)
		}
		if now, _, _ := readManifest(filepath.Join(s.dir, manifestName), stamp{}); now == mark {
			s.state = &State[S]{stamp: mark}
			return s.state, nil
		}
	}
	return nil, fmt.Errorf("read index: %s changes faster than it can be read", s.dir)
}

func (st *State[S]) mark() stamp {
	if st == nil {
		return stamp{}
	}
	return st.stamp
}

// load reads the segments that a manifest names, except those that the last
// state has already.
func (s *Set[S]) load(mark stamp, m *manifest) (*State[S], error) {
	state := &State[S]{stamp: mark}
	if m.Identity != s.format.Identity {
		return state, nil
	}
	state.Seq = m.Seq
	for _, f := range m.Segments {
		data, ok := s.loaded(f)
		if !ok {
			raw, err := readSegment(filepath.Join(s.dir, f.Name), f)
			if err != nil {
				return nil, err
			}
			if data, err = s.decode(raw); err != nil {
				return nil, fmt.Errorf("%s: %w: %v", f.Name, index.ErrDamaged, err)
			}
		}
		p, err := newPart(data, f)
		if err != nil {
			return nil, err
		}
		state.Parts = append(state.Parts, p)
	}
	return state, nil
}

func (s *Set[S]) loaded(f file) (data S, ok bool) {
	if s.state != nil {
		for _, p := range s.state.Parts {
			if p.file.Name == f.Name && p.file.Size == f.Size && p.file.Sum == f.Sum {
				return p.Data, true
			}
		}
	}
	return data, false
}

// decode turns a panic of the decoder into an error: what a checksum cannot
// tell, a library may find out the hard way.
func (s *Set[S]) decode(raw []byte) (data S, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("decode segment: %v", r)
		}
	}()
	return s.format.Decode(raw)
}

func newPart[S Segment](data S, f file) (*Part[S], error) {
	p := &Part[S]{Data: data, file: f, live: data.Len()}
	p.order = sync.OnceValue(func() []uint32 {
		order := make([]uint32, data.Len())
		for i := range order {
			order[i] = uint32(i)
		}
		slices.SortFunc(order, func(a, b uint32) int {
			return int(min(max(data.Chunk(int(a))-data.Chunk(int(b)), -1), 1))
		})
		return order
	})
	if len(f.Deleted)%8 != 0 || len(f.Deleted) > (data.Len()+63)/64*8 {
		return nil, fmt.Errorf("%s: %w: its deletions do not fit", f.Name, index.ErrDamaged)
	}
	for i := 0; i < len(f.Deleted); i += 8 {
		p.Deleted = append(p.Deleted, binary.LittleEndian.Uint64(f.Deleted[i:]))
	}
	for i := range data.Len() {
		if p.Deleted.Has(i) {
			p.live--
		}
	}
	return p, nil
}

// readSegment returns the content of a segment file after checking it.
func readSegment(path string, f file) ([]byte, error) {
	damaged := func(what string) error {
		return fmt.Errorf("%s: %w: %s", path, index.ErrDamaged, what)
	}
	in, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != f.Size+int64(segmentHeader) {
		return nil, damaged("its size is wrong")
	}
	raw := make([]byte, info.Size())
	if _, err := io.ReadFull(in, raw); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, damaged("it is cut off")
	} else if err != nil {
		return nil, err
	}
	head, data := raw[:segmentHeader:segmentHeader], raw[segmentHeader:]
	if string(head) != string(encodeSegmentHeader(f.Size, f.Sum)) {
		return nil, damaged("its header is wrong")
	}
	if crc32.Checksum(data, castagnoli) != f.Sum {
		return nil, damaged("its checksum is wrong")
	}
	return data, nil
}

func encodeSegmentHeader(size int64, sum uint32) []byte {
	head := append([]byte(nil), segmentMagic...)
	head = binary.LittleEndian.AppendUint64(head, uint64(size))
	head = binary.LittleEndian.AppendUint32(head, sum)
	return binary.LittleEndian.AppendUint32(head, 0)
}
