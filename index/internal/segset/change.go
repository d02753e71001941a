package segset

import (
	"crypto/rand"
	"encoding/binary"
	"encoding/hex"
	"errors"
	"fmt"
	"hash/crc32"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"syscall"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
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
	set   *Set[S]
	old   *State[S]
	to    index.Seq
	parts []*Part[S]
	files []string // written by this change
}

// Begin starts a change. From 0 discards what the set holds; else it returns
// [index.ErrSequence] unless the set is at from. The change must end by
// [Change.Commit] or [Change.Abort].
func (s *Set[S]) Begin(from, to index.Seq) (*Change[S], error) {
	old, err := s.Current()
	if err != nil {
		return nil, err
	}
	if from != 0 && from != old.Seq || to < from {
		return nil, fmt.Errorf("apply changes from %d to %d to an index at %d: %w", from, to, old.Seq, index.ErrSequence)
	}
	if err := os.MkdirAll(s.dir, 0o700); err != nil {
		return nil, writeError(err)
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
	c.remove(len(chunks), func(i int) index.ChunkID { return chunks[i] })
}

func (c *Change[S]) remove(n int, chunk func(int) index.ChunkID) {
	for pi, p := range c.parts {
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
	p, err := c.write(data)
	if err != nil {
		return err
	}
	c.remove(p.Data.Len(), p.Data.Chunk)
	c.parts = append(c.parts, p)
	return c.compact()
}

func (c *Change[S]) write(data []byte) (*Part[S], error) {
	var nonce [8]byte
	rand.Read(nonce[:])
	f := file{
		Name: hex.EncodeToString(nonce[:]) + segmentExt,
		Size: int64(len(data)),
		Sum:  crc32.Checksum(data, castagnoli),
	}
	path := filepath.Join(c.set.dir, f.Name)
	c.files = append(c.files, path)
	if err := writeSync(path, encodeSegmentHeader(f.Size, f.Sum), data); err != nil {
		return nil, writeError(err)
	}
	decoded, err := c.set.decode(data)
	if err != nil {
		return nil, err
	}
	return newPart(decoded, f)
}

func writeSync(path string, blocks ...[]byte) error {
	f, err := os.OpenFile(path, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	for _, b := range blocks {
		if _, err := f.Write(b); err != nil {
			f.Close()
			return err
		}
	}
	if err := f.Sync(); err != nil {
		f.Close()
		return err
	}
	return f.Close()
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
	data, err := c.merge(victims)
	if err != nil {
		return err
	}
	p, err := c.write(data)
	if err != nil {
		return err
	}
	for _, v := range victims {
		// One of this change was never in a manifest.
		path := filepath.Join(c.set.dir, v.file.Name)
		if i := slices.Index(c.files, path); i >= 0 {
			os.Remove(path)
			c.files = slices.Delete(c.files, i, i+1)
		}
	}
	c.parts = append(c.parts[:first:first], p)
	return nil
}

func (c *Change[S]) merge(parts []*Part[S]) (data []byte, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("merge segments: %w: %v", index.ErrDamaged, r)
		}
	}()
	return c.set.format.Merge(parts)
}

// Commit makes the change durable and visible. If it returns an error nothing
// has changed.
func (c *Change[S]) Commit() (err error) {
	defer func() {
		if err != nil {
			c.Abort()
		}
	}()
	if err := c.compact(); err != nil {
		return err
	}
	m := &manifest{Identity: c.set.format.Identity, Seq: c.to}
	keep := make(map[string]bool)
	for i, p := range c.parts {
		f := p.file
		f.Deleted = nil
		if p.live < p.Data.Len() {
			for _, w := range p.Deleted {
				f.Deleted = binary.LittleEndian.AppendUint64(f.Deleted, w)
			}
		}
		next := *p
		next.file = f
		c.parts[i] = &next
		m.Segments = append(m.Segments, f)
		keep[f.Name] = true
	}
	for _, p := range c.old.Parts {
		keep[p.file.Name] = true
	}
	// The segments' names must be on the disk before the manifest is.
	if err := atomicfile.SyncDir(c.set.dir); err != nil {
		return writeError(err)
	}
	path := filepath.Join(c.set.dir, manifestName)
	mark, err := writeManifest(path, m)
	if err != nil {
		if now, _, _ := readManifest(path, stamp{}); now == mark {
			c.files = nil // in place, but maybe not on the disk: it needs them
		}
		return writeError(err)
	}
	c.set.mu.Lock()
	c.set.state = &State[S]{Seq: c.to, Parts: c.parts, stamp: mark}
	c.set.mu.Unlock()
	c.set.clean(keep)
	return nil
}

// Abort removes what the change has written. It does nothing after a
// successful [Change.Commit].
func (c *Change[S]) Abort() {
	c.set.mu.Lock()
	state := c.set.state
	c.set.mu.Unlock()
	for _, path := range c.files {
		used := state != nil && slices.ContainsFunc(state.Parts, func(p *Part[S]) bool {
			return p.file.Name == filepath.Base(path)
		})
		if !used {
			os.Remove(path)
		}
	}
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
