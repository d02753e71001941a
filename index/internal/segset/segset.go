// Package segset keeps a derived index as a folder of immutable segment files
// and one small manifest that names the live ones.
//
// A segment file is written whole, brought to the disk and never touched
// again; a deletion is a bit in the manifest. A change of the index writes new
// segment files under new names and then replaces the manifest in one step, so
// a reader sees all of the change or nothing of it. Files that neither the new
// manifest nor the one before names are removed at the next change.
//
// Segments are read into memory or, if the [Format] says so, mapped. In memory
// an open state goes on answering whatever happens to a file, to a full disk
// or to a network drive, and no file is kept from being removed on Windows.
// Mapped segments take no memory of the process; in exchange reading one may
// fault (see package mmap), a file that was changed in place is noticed by its
// size or time and checked again, and on Windows a file that is still mapped
// is removed by a later change.
//
// A set without a folder keeps everything in memory and ends with the process.
//
// The package imports index, internal/atomicfile, internal/mmap and the
// standard library.
package segset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"math/bits"
	"path/filepath"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/mmap"
)

const (
	manifestName = "manifest"
	segmentExt   = ".seg"

	// reloads bounds how often a reader begins anew because a writer removed
	// a file under it. Two whole changes must pass for each of them.
	reloads = 50
)

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
	// Decode reads what was given to [Change.Add]. It may keep data, which
	// begins [HeaderSize] bytes after a multiple of the page size if Mapped.
	Decode func(data []byte) (S, error)
	// Merge writes what is left of several segments as one.
	Merge func(parts []*Part[S], w io.Writer) error
	// Damaged, if it is set, is told why what is stored cannot be used.
	Damaged func(error)
	// Verify, if it is set, reads all of a segment and says what in it is wrong
	// although it has its checksum.
	Verify func(S) error
	// Mapped says that segments are mapped instead of read. States are then
	// taken by [Set.Acquire] only.
	Mapped bool
	// Checks says that what Decode returns compares content with checksums of
	// its own before it is used, and panics if they differ. The checksum of a
	// file is then compared only after a fault, after a change in place and by
	// [Set.Chunks].
	Checks bool
}

// A Set is the index in one folder. It is safe for concurrent use; changes are
// made by one caller at a time, of all processes.
type Set[S Segment] struct {
	dir    string // fixed at creation; empty: in memory
	format Format[S]

	// mu guards state, the newest that was read.
	mu    sync.Mutex
	state *State[S]
}

// New returns the set in dir, or one in memory if dir is empty. It does not
// touch the disk.
func New[S Segment](dir string, format Format[S]) *Set[S] {
	return &Set[S]{dir: dir, format: format}
}

// A State is the index at one sequence. It does not change.
type State[S Segment] struct {
	Seq   index.Seq
	Parts []*Part[S]
	stamp stamp        // of the manifest that it was read from
	users atomic.Int64 // the set is one while this is its newest state
}

func newState[S Segment](mark stamp) *State[S] {
	st := &State[S]{stamp: mark}
	st.users.Store(1)
	return st
}

func (st *State[S]) add(p *Part[S]) {
	p.blob.users.Add(1)
	st.Parts = append(st.Parts, p)
}

// Retain makes the state usable until one more [State.Release]. The caller
// must be a user of the state.
func (st *State[S]) Retain() { st.users.Add(1) }

// Release ends a use of the state. Mapped segments go with the last one.
func (st *State[S]) Release() {
	if st == nil || st.users.Add(-1) != 0 {
		return
	}
	for _, p := range st.Parts {
		p.blob.release()
	}
}

// Verify looks whether mapped files were changed in place, and if so whether
// they still have the right content. The error wraps [index.ErrDamaged].
func (st *State[S]) Verify() error {
	for _, p := range st.Parts {
		if err := p.blob.verify(); err != nil {
			return err
		}
	}
	return nil
}

// Doubt makes the next [State.Verify] read all files. It is for a reader that
// met a fault.
func (st *State[S]) Doubt() {
	for _, p := range st.Parts {
		p.blob.doubted.Store(true)
	}
}

// A Part is a segment with its deletions.
type Part[S Segment] struct {
	Data    S
	Deleted Bits
	live    int
	file    file
	blob    *blob
	order   func() []uint32 // entries by chunk
	span    *span           // nil: not known
}

// A span is the range of the chunks of a part.
type span struct{ first, last index.ChunkID }

func spanOf(s Segment) *span {
	var all span
	for i := range s.Len() {
		c := s.Chunk(i)
		if i == 0 {
			all = span{c, c}
		}
		all.first, all.last = min(all.first, c), max(all.last, c)
	}
	return &all
}

// A finder is a [Segment] that finds entries by itself.
type finder interface {
	Find(chunk index.ChunkID) (int, bool)
}

// NewPart returns a segment of which nothing is deleted and that no set has.
func NewPart[S Segment](data S) *Part[S] { return &Part[S]{Data: data, live: data.Len()} }

// Live returns the number of entries that are not deleted.
func (p *Part[S]) Live() int { return p.live }

// Find returns the entry of a chunk, deleted or not.
func (p *Part[S]) Find(chunk index.ChunkID) (int, bool) {
	if f, ok := any(p.Data).(finder); ok {
		return f.Find(chunk)
	}
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
	return s.current()
}

// Acquire is Current for a user of the state, who must release it.
func (s *Set[S]) Acquire() (*State[S], error) {
	s.mu.Lock()
	defer s.mu.Unlock()
	state, err := s.current()
	if err == nil {
		state.Retain()
	}
	return state, err
}

// Close gives the newest state up. A set that is used afterwards reads it
// again; one in memory is empty.
func (s *Set[S]) Close() {
	s.mu.Lock()
	defer s.mu.Unlock()
	s.replace(nil)
}

func (s *Set[S]) replace(st *State[S]) *State[S] {
	old := s.state
	s.state = st
	old.Release()
	return st
}

func (s *Set[S]) current() (*State[S], error) {
	if s.dir == "" {
		if s.state == nil {
			s.state = newState[S](stamp{})
		}
		return s.state, nil
	}
	for range reloads {
		mark, m, err := readManifest(filepath.Join(s.dir, manifestName), s.state.mark())
		if errors.Is(err, errSame) {
			if err := s.state.Verify(); err != nil {
				return s.unusable(mark, err), nil
			}
			return s.state, nil
		}
		if errors.Is(err, fs.ErrNotExist) {
			return s.replace(newState[S](mark)), nil
		}
		if errors.Is(err, index.ErrDamaged) {
			return s.unusable(mark, err), nil
		}
		if err != nil {
			return nil, fmt.Errorf("read index: %w", err)
		}
		state, err := s.load(mark, m)
		if err == nil {
			return s.replace(state), nil
		}
		missing := errors.Is(err, fs.ErrNotExist)
		if !missing && !errors.Is(err, index.ErrDamaged) {
			return nil, fmt.Errorf("read index: %w", err)
		}
		if now, _, _ := readManifest(filepath.Join(s.dir, manifestName), stamp{}); now == mark {
			return s.unusable(mark, err), nil
		}
	}
	return nil, fmt.Errorf("read index: %s changes faster than it can be read", s.dir)
}

// unusable makes the newest state an empty one.
func (s *Set[S]) unusable(mark stamp, why error) *State[S] {
	if s.format.Damaged != nil && (s.state == nil || s.state.stamp != mark || s.state.Parts != nil) {
		s.format.Damaged(why)
	}
	return s.replace(newState[S](mark))
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
	state := newState[S](mark)
	if m.Identity != s.format.Identity {
		return state, nil
	}
	state.Seq = m.Seq
	parts := make([]*Part[S], len(m.Segments))
	errs := make([]error, len(parts))
	var wg sync.WaitGroup
	for i, f := range m.Segments {
		if p := s.loaded(f); p != nil {
			p.blob.users.Add(1)
			parts[i], errs[i] = newPart(p.Data, f, p.blob)
			continue
		}
		wg.Go(func() { parts[i], errs[i] = s.read(f) })
	}
	wg.Wait()
	// The state takes the uses over.
	for _, p := range parts {
		if p != nil {
			state.Parts = append(state.Parts, p)
		}
	}
	if err := errors.Join(errs...); err != nil {
		state.Release()
		return nil, err
	}
	return state, nil
}

func (s *Set[S]) loaded(f file) *Part[S] {
	if s.state != nil {
		for _, p := range s.state.Parts {
			if p.file.Name == f.Name && p.file.Size == f.Size && p.file.Sum == f.Sum {
				return p
			}
		}
	}
	return nil
}

// read opens and checks a segment file. The part comes with one use.
func (s *Set[S]) read(f file) (*Part[S], error) {
	blob, err := openBlob(filepath.Join(s.dir, f.Name), f, s.format.Mapped)
	if err != nil {
		return nil, err
	}
	check := blob.check
	if s.format.Checks {
		check = blob.checkHeader
	}
	if err := check(); err != nil {
		blob.release()
		return nil, err
	}
	p, err := s.part(f, blob)
	if err != nil {
		blob.release()
		return nil, fmt.Errorf("%s: %w: %v", f.Name, index.ErrDamaged, err)
	}
	return p, nil
}

func (s *Set[S]) part(f file, b *blob) (*Part[S], error) {
	data, err := s.decode(b.content())
	if err != nil {
		return nil, err
	}
	return newPart(data, f, b)
}

// decode turns a panic of the decoder into an error: what a checksum cannot
// tell, a library may find out the hard way.
func (s *Set[S]) decode(raw []byte) (data S, err error) {
	err = mmap.Guard(func() (err error) {
		data, err = s.format.Decode(raw)
		return err
	})
	return data, err
}

func newPart[S Segment](data S, f file, b *blob) (*Part[S], error) {
	p := &Part[S]{Data: data, file: f, blob: b, live: data.Len()}
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
	if n := len(p.Deleted); n > 0 && n == (data.Len()+63)/64 && data.Len()%64 != 0 {
		p.Deleted[n-1] &= 1<<(data.Len()%64) - 1
	}
	for _, w := range p.Deleted {
		p.live -= bits.OnesCount64(w)
	}
	return p, nil
}
