package segset

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
)

// Chunks implements [index.Verifier]: every file is read from the disk.
func (s *Set[S]) Chunks(ctx context.Context) (index.Seq, []index.ChunkID, error) {
	if s.dir != "" {
		_, m, err := readManifest(filepath.Join(s.dir, manifestName), stamp{})
		switch {
		case errors.Is(err, fs.ErrNotExist):
			return 0, nil, nil
		case err != nil:
			return 0, nil, err
		case m.Identity != s.format.Identity:
			return 0, nil, nil
		}
	}
	st, err := s.Acquire()
	if err != nil {
		return 0, nil, err
	}
	defer st.Release()
	var chunks []index.ChunkID
	for _, p := range st.Parts {
		if err := ctx.Err(); err != nil {
			return 0, nil, err
		}
		if s.dir != "" {
			onDisk, err := openBlob(filepath.Join(s.dir, p.file.Name), p.file, false)
			if err == nil {
				err = onDisk.check()
				onDisk.release()
			}
			if errors.Is(err, fs.ErrNotExist) {
				err = fmt.Errorf("%w: %w", index.ErrDamaged, err)
			}
			if err != nil {
				return 0, nil, err
			}
		}
		if verify := s.format.Verify; verify != nil {
			if err := verify(p.Data); err != nil {
				return 0, nil, damaged(filepath.Join(s.dir, p.file.Name), err.Error())
			}
		}
		for i := range p.Data.Len() {
			if !p.Deleted.Has(i) {
				chunks = append(chunks, p.Data.Chunk(i))
			}
		}
	}
	slices.Sort(chunks)
	return st.Seq, chunks, nil
}

// Tidy implements [index.Tidier]. What a killed writer left is newer than the
// manifest; an older file may be one of the state before, which a reader that
// is just opening it may want, and goes with the next change.
func (s *Set[S]) Tidy(context.Context) (left []string, err error) {
	if s.dir == "" {
		return nil, nil
	}
	entries, err := os.ReadDir(s.dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil, nil
	}
	if err != nil {
		return nil, fmt.Errorf("tidy index: %w", err)
	}
	path := filepath.Join(s.dir, manifestName)
	_, m, err := readManifest(path, stamp{})
	if err != nil && !errors.Is(err, fs.ErrNotExist) && !errors.Is(err, index.ErrDamaged) {
		return nil, fmt.Errorf("tidy index: %w", err)
	}
	named := map[string]bool{manifestName: true}
	if m != nil {
		for _, f := range m.Segments {
			named[f.Name] = true
		}
	}
	manifest, _ := os.Stat(path)
	for _, e := range entries {
		name := filepath.Join(s.dir, e.Name())
		switch ours := strings.HasSuffix(e.Name(), segmentExt) || atomicfile.IsTemp(e.Name()); {
		case named[e.Name()]:
		case !ours || !e.Type().IsRegular():
			left = append(left, name)
		default:
			// No reader needs a temporary file, and who wrote it held the lock.
			if info, err := e.Info(); err == nil && m != nil && manifest != nil && !info.ModTime().After(manifest.ModTime()) && !atomicfile.IsTemp(e.Name()) {
				continue
			}
			if err := os.Remove(name); err != nil && !errors.Is(err, fs.ErrNotExist) {
				left = append(left, name)
			}
		}
	}
	return left, nil
}

// Compact implements [index.Compacter]: what is deleted goes, and small
// segments become one.
func (s *Set[S]) Compact(context.Context) error {
	st, err := s.Acquire()
	if err != nil {
		return err
	}
	defer st.Release()
	if st.Seq == 0 {
		return nil // nothing, or nothing that can be used
	}
	c, err := s.Begin(st.Seq, st.Seq)
	if err != nil {
		return err
	}
	if err := c.squeeze(); err != nil {
		c.Abort()
		return err
	}
	if c.written == nil {
		c.Abort()
		return nil
	}
	return c.Commit()
}

// squeeze merges segments that have deletions, and all that fit into one.
func (c *Change[S]) squeeze() error {
	c.parts = slices.DeleteFunc(c.parts, func(p *Part[S]) bool { return p.live == 0 })
	slices.SortStableFunc(c.parts, func(a, b *Part[S]) int { return b.live - a.live })
	var kept, victims []*Part[S]
	sum := 0
	flush := func() error {
		if len(victims) == 0 || len(victims) == 1 && victims[0].live == victims[0].Data.Len() {
			kept = append(kept, victims...)
			victims, sum = nil, 0
			return nil
		}
		parts := victims
		p, err := c.write(func(w io.Writer) error { return c.merge(parts, w) })
		if err != nil {
			return err
		}
		kept = append(kept, p)
		victims, sum = nil, 0
		return nil
	}
	for _, p := range c.parts {
		if sum > 0 && sum+p.live > mergeLimit {
			if err := flush(); err != nil {
				return err
			}
		}
		victims = append(victims, p)
		sum += p.live
	}
	if err := flush(); err != nil {
		return err
	}
	c.parts = kept
	return nil
}
