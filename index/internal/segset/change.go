package segset

import (
	"bufio"
	"bytes"
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
	"github.com/minirag/minirag/internal/mmap"
)

const (
	// mergeFactor is how many times larger than all younger segments together
	// a segment must be to stay out of their merge. It keeps n entries in
	// about log4(n) segments and writes each about 4·log4(n)/3 times.
	mergeFactor = 3
	// mergeLimit is the number of live entries from which on a segment is
	// merged no more, to bound the longest pause; only deletions make it
	// small enough again.
	mergeLimit = 250_000
)

// A Change carries a [Set] to a later sequence. Nothing of it is visible
// before [Change.Commit]. It is used by one goroutine.
type Change[S Segment] struct {
	set     *Set[S]
	old     *State[S] // nil once the change has ended
	to      index.Seq
	parts   []*Part[S]
	written []*Part[S] // by this change, which is a user of their files
	added   int        // entries since the last merge
}

// Begin starts a change. From 0 discards what the set holds; else it returns
// [index.ErrSequence] unless the set is at from. The change must end by
// [Change.Commit] or [Change.Abort].
func (s *Set[S]) Begin(from, to index.Seq) (*Change[S], error) {
	old, err := s.Acquire()
	if err != nil {
		return nil, err
	}
	if from != 0 && from != old.Seq || to < from {
		err := fmt.Errorf("apply changes from %d to %d to an index at %d: %w", from, to, old.Seq, index.ErrSequence)
		old.Release()
		return nil, err
	}
	if s.dir != "" {
		if err := os.MkdirAll(s.dir, 0o700); err != nil {
			old.Release()
			return nil, writeError(err)
		}
	}
	c := &Change[S]{set: s, old: old, to: to}
	if from != 0 {
		c.parts = slices.Clone(old.Parts)
	}
	return c, nil
}

// writeError marks the errors of a place that cannot be written.
func writeError(err error) error {
	if errors.Is(err, fs.ErrPermission) || errors.Is(err, syscall.EROFS) {
		return fmt.Errorf("%w: %w", index.ErrReadOnly, err)
	}
	return err
}

// Remove deletes chunks. Unknown ones are ignored.
func (c *Change[S]) Remove(chunks []index.ChunkID) {
	c.remove(len(chunks), func(i int) index.ChunkID { return chunks[i] }, nil)
}

// remove deletes n chunks, which lie within what span says if it is not nil.
func (c *Change[S]) remove(n int, chunk func(int) index.ChunkID, span *span) {
	for pi, p := range c.parts {
		if span != nil && p.span != nil && (span.first > p.span.last || span.last < p.span.first) {
			continue
		}
		changed := false
		for i := range n {
			e, ok := p.Find(chunk(i))
			if !ok || p.Deleted.Has(e) {
				continue
			}
			if !changed {
				// The old part may be in use by a reader.
				next := *p
				next.Deleted = make(Bits, (p.Data.Len()+63)/64)
				copy(next.Deleted, p.Deleted)
				p, changed = &next, true
			}
			p.Deleted[e>>6] |= 1 << (e & 63)
			p.live--
		}
		if changed {
			c.parts[pi] = p
		}
	}
}

// Add writes a segment. Its chunks replace those that the set has already.
func (c *Change[S]) Add(data []byte) error {
	return c.AddFrom(func(w io.Writer) error {
		_, err := w.Write(data)
		return err
	})
}

// AddFrom is Add for content that fill writes piece by piece. Segments of one
// change are merged when there is enough for one that is merged no more, so
// that most of a large change is merged once.
func (c *Change[S]) AddFrom(fill func(io.Writer) error) error {
	p, err := c.write(fill)
	if err != nil {
		return err
	}
	c.remove(p.Data.Len(), p.Data.Chunk, p.span)
	c.parts = append(c.parts, p)
	if c.added += p.Data.Len(); c.added < mergeLimit {
		return nil
	}
	c.added = 0
	return c.compact()
}

// write makes a segment file, brings it to the disk and opens it.
func (c *Change[S]) write(fill func(io.Writer) error) (*Part[S], error) {
	var nonce [8]byte
	rand.Read(nonce[:])
	f := file{Name: hex.EncodeToString(nonce[:]) + segmentExt}
	b := new(blob)
	b.users.Store(1)
	if c.set.dir == "" {
		var buf bytes.Buffer
		buf.Write(make([]byte, HeaderSize))
		if err := fill(&buf); err != nil {
			return nil, err
		}
		b.raw = buf.Bytes()
	} else {
		path := filepath.Join(c.set.dir, f.Name)
		err := writeSegment(path, &f, fill)
		if err == nil {
			b, err = openBlob(path, f, c.set.format.Mapped)
		}
		if err != nil {
			os.Remove(path)
			return nil, writeError(err)
		}
	}
	p, err := c.set.part(f, b)
	if err != nil {
		c.discard(f.Name, b)
		return nil, err
	}
	p.span = spanOf(p.Data)
	c.written = append(c.written, p)
	return p, nil
}

// writeSegment creates a file with its header, whose values it returns in f.
func writeSegment(path string, f *file, fill func(io.Writer) error) (err error) {
	out, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, out.Close()) }()
	buf := bufio.NewWriterSize(out, 1<<18)
	if _, err := buf.Write(make([]byte, HeaderSize)); err != nil {
		return err
	}
	sum := &summer{w: buf}
	if err := fill(sum); err != nil {
		return err
	}
	if err := buf.Flush(); err != nil {
		return err
	}
	f.Size, f.Sum = sum.size, sum.sum
	if _, err := out.WriteAt(encodeSegmentHeader(f.Size, f.Sum), 0); err != nil {
		return err
	}
	return out.Sync()
}

// discard removes a file that no manifest names.
func (c *Change[S]) discard(name string, b *blob) {
	b.release()
	if c.set.dir != "" {
		os.Remove(filepath.Join(c.set.dir, name))
	}
}

// compact merges segments until they are few.
func (c *Change[S]) compact() error {
	c.parts = slices.DeleteFunc(c.parts, func(p *Part[S]) bool { return p.live == 0 })
	// Largest first; equal ones in the order in which they came.
	slices.SortStableFunc(c.parts, func(a, b *Part[S]) int { return b.live - a.live })
	first, sum := len(c.parts), 0
	for i := len(c.parts) - 1; i >= 0; i-- {
		p := c.parts[i]
		small := p.live < mergeFactor*sum && p.live < mergeLimit
		if small || 2*p.live < p.Data.Len() {
			first = i
		}
		sum += p.live
	}
	victims := c.parts[first:]
	if len(victims) == 0 || len(victims) == 1 && 2*victims[0].live >= victims[0].Data.Len() {
		return nil
	}
	p, err := c.write(func(w io.Writer) error { return c.merge(victims, w) })
	if err != nil {
		return err
	}
	for _, v := range victims {
		// One of this change was never in a manifest.
		if i := slices.IndexFunc(c.written, func(p *Part[S]) bool { return p.blob == v.blob }); i >= 0 {
			c.discard(v.file.Name, v.blob)
			c.written = slices.Delete(c.written, i, i+1)
		}
	}
	c.parts = append(c.parts[:first:first], p)
	return nil
}

func (c *Change[S]) merge(parts []*Part[S], w io.Writer) error {
	var written error // by w, whose errors are not those of damage
	err := mmap.Guard(func() error {
		return c.set.format.Merge(parts, writerFunc(func(p []byte) (n int, err error) {
			n, written = w.Write(p)
			return n, written
		}))
	})
	if err != nil && written == nil {
		for _, p := range parts {
			p.blob.doubted.Store(true)
		}
		return fmt.Errorf("merge segments: %w: %w", index.ErrDamaged, err)
	}
	return err
}

type writerFunc func(p []byte) (int, error)

func (f writerFunc) Write(p []byte) (int, error) { return f(p) }

// Commit makes the change durable and visible. If it returns an error nothing
// has changed.
func (c *Change[S]) Commit() error {
	defer c.Abort()
	if err := c.compact(); err != nil {
		return err
	}
	state := newState[S](stamp{})
	state.Seq = c.to
	m := &manifest{Identity: c.set.format.Identity, Seq: c.to}
	keep := make(map[string]bool)
	for _, p := range c.parts {
		next := *p
		next.file.Deleted = nil
		if p.live < p.Data.Len() {
			for _, w := range p.Deleted {
				next.file.Deleted = binary.LittleEndian.AppendUint64(next.file.Deleted, w)
			}
		}
		state.add(&next)
		m.Segments = append(m.Segments, next.file)
		keep[next.file.Name] = true
	}
	for _, p := range c.old.Parts {
		keep[p.file.Name] = true
	}
	if c.set.dir != "" {
		if err := c.publish(m, &state.stamp); err != nil {
			state.Release()
			return err
		}
	}
	c.release() // the files are the state's now
	c.set.mu.Lock()
	c.set.replace(state)
	c.set.mu.Unlock()
	if c.set.dir != "" {
		c.set.clean(keep)
	}
	return nil
}

// publish writes the manifest.
func (c *Change[S]) publish(m *manifest, mark *stamp) (err error) {
	// The segments' names must be on the disk before the manifest is.
	if err := atomicfile.SyncDir(c.set.dir); err != nil {
		return writeError(err)
	}
	path := filepath.Join(c.set.dir, manifestName)
	if *mark, err = writeManifest(path, m); err != nil {
		if now, _, _ := readManifest(path, stamp{}); now == *mark {
			c.release() // in place, but maybe not on the disk: it needs the files
		}
		return writeError(err)
	}
	return nil
}

func (c *Change[S]) release() {
	for _, p := range c.written {
		p.blob.release()
	}
	c.written = nil
}

// Abort removes what the change has written. It does nothing after a
// successful [Change.Commit].
func (c *Change[S]) Abort() {
	for _, p := range c.written {
		c.discard(p.file.Name, p.blob)
	}
	c.written = nil
	c.old.Release()
	c.old = nil
}

// clean removes the files that no reader can need: those that neither of the
// last two manifests names, and what killed writers left. A file that cannot
// be removed now is tried again after the next change.
func (s *Set[S]) clean(keep map[string]bool) {
	entries, err := os.ReadDir(s.dir)
	if err != nil {
		return
	}
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), segmentExt) && !keep[e.Name()] && e.Type().IsRegular() {
			os.Remove(filepath.Join(s.dir, e.Name()))
		}
	}
	atomicfile.Clean(s.dir)
}
