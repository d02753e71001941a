package segset

import (
	"encoding/binary"
	"errors"
	"fmt"
	"hash/crc32"
	"io"
	"io/fs"
	"os"
	"sync/atomic"
	"time"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/atomicfile"
	"github.com/minirag/minirag/internal/mmap"
)

const segmentMagic = "mrsegm\x00\x01"

// HeaderSize is the length of what stands before the content of a segment
// file: magic, length, checksum and four zero bytes.
const HeaderSize = len(segmentMagic) + 8 + 4 + 4

var castagnoli = crc32.MakeTable(crc32.Castagnoli)

// A blob is a segment file that is open: in memory or mapped.
type blob struct {
	path    string // empty: there is no file
	raw     []byte // with the header
	mapping *mmap.Mapping
	users   atomic.Int64

	// Of a mapped file:
	want    file
	seen    atomic.Pointer[version] // that was checked last
	doubted atomic.Bool
}

// A version tells contents of a file apart, as far as the system does.
type version struct {
	size int64
	time time.Time
}

func versionOf(info fs.FileInfo) *version { return &version{info.Size(), info.ModTime()} }

func (v *version) same(w *version) bool { return v.size == w.size && v.time.Equal(w.time) }

func (b *blob) content() []byte { return b.raw[HeaderSize:] }

func (b *blob) release() {
	if b.users.Add(-1) == 0 && b.mapping != nil {
		b.mapping.Close()
	}
}

func damaged(path, what string) error {
	return fmt.Errorf("%s: %w: %s", path, index.ErrDamaged, what)
}

// openBlob opens a segment file with one user. It checks the size only.
func openBlob(path string, want file, mapped bool) (*blob, error) {
	in, err := atomicfile.Open(path)
	if err != nil {
		return nil, err
	}
	defer in.Close()
	info, err := in.Stat()
	if err != nil {
		return nil, err
	}
	if info.Size() != want.Size+int64(HeaderSize) || int64(int(info.Size())) != info.Size() {
		return nil, damaged(path, "its size is wrong")
	}
	b := &blob{path: path, want: want}
	b.users.Store(1)
	b.seen.Store(versionOf(info))
	if mapped {
		if b.mapping, err = mmap.Map(in, int(info.Size())); err != nil {
			return nil, err
		}
		b.raw = b.mapping.Bytes()
		return b, nil
	}
	b.raw = make([]byte, info.Size())
	if _, err := io.ReadFull(in, b.raw); errors.Is(err, io.ErrUnexpectedEOF) || errors.Is(err, io.EOF) {
		return nil, damaged(path, "it is cut off")
	} else if err != nil {
		return nil, err
	}
	return b, nil
}

// check compares the header and the content with the checksum.
func (b *blob) check() error {
	if err := b.checkHeader(); err != nil {
		return err
	}
	sum, err := checksum(b.content())
	switch {
	case err != nil:
		return damaged(b.path, err.Error())
	case sum != b.want.Sum:
		return damaged(b.path, "its checksum is wrong")
	}
	return nil
}

// checkHeader finds out whether the file is the one that the manifest names.
func (b *blob) checkHeader() error {
	right := false
	err := mmap.Guard(func() error {
		right = string(b.raw[:HeaderSize]) == string(encodeSegmentHeader(b.want.Size, b.want.Sum))
		return nil
	})
	switch {
	case err != nil:
		return damaged(b.path, err.Error())
	case !right:
		return damaged(b.path, "its header is wrong")
	}
	return nil
}

// verify checks a mapped file again if it may have been changed in place. A
// file that is gone is still mapped.
func (b *blob) verify() error {
	if b.mapping == nil {
		return nil
	}
	now, doubted := b.seen.Load(), b.doubted.Load()
	if info, err := os.Stat(b.path); err == nil {
		now = versionOf(info)
	}
	if b.seen.Load().same(now) && !doubted {
		return nil
	}
	if now.size != b.want.Size+int64(HeaderSize) {
		return damaged(b.path, "its size has changed")
	}
	if err := b.check(); err != nil {
		return err
	}
	b.seen.Store(now)
	b.doubted.Store(false)
	return nil
}

func encodeSegmentHeader(size int64, sum uint32) []byte {
	head := append([]byte(nil), segmentMagic...)
	head = binary.LittleEndian.AppendUint64(head, uint64(size))
	head = binary.LittleEndian.AppendUint32(head, sum)
	return binary.LittleEndian.AppendUint32(head, 0)
}

// A summer counts and sums what it passes on.
type summer struct {
	w    io.Writer
	size int64
	sum  uint32
}

func (s *summer) Write(p []byte) (int, error) {
	n, err := s.w.Write(p)
	s.size += int64(n)
	s.sum = crc32.Update(s.sum, castagnoli, p[:n])
	return n, err
}
