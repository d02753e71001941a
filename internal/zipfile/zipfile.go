// Package zipfile opens the zip container of a document within limits.
//
// Nothing in an archive is believed: the number of members and what is
// unpacked in sum are bounded, and names are only keys, which cannot lead out of
// the archive. It imports the standard library, internal/limit and golang.org/x/text/unicode/norm only. An
// Archive is for one goroutine.
package zipfile

import (
	"archive/zip"
	"bytes"
	"errors"
	"fmt"
	"io"
	"math"
	"net/url"
	"path"
	"strings"

	"golang.org/x/text/unicode/norm"

	"github.com/minirag/minirag/internal/limit"
)

var (
	// ErrDamaged says that the bytes are not a sound archive.
	ErrDamaged = errors.New("not a valid zip archive")
	// ErrEncrypted says that a member needs a password.
	ErrEncrypted = errors.New("protected by a password")
	// ErrMissing says that a member is not in the archive.
	ErrMissing = errors.New("missing member")
)

// A LimitError says which limit was met.
type LimitError = limit.Error

// An Archive is an open archive.
type Archive struct {
	max, left int64
	exact     map[string]*zip.File
	folded    map[string]*zip.File
	names     []string
}

// Open reads the directory of the archive in data, without members whose name
// leads out of it. entries bounds its members,
// expanded the bytes of all members that are read, in sum; a member that is read twice counts twice.
func Open(data []byte, entries int, expanded int64) (*Archive, error) {
	z, err := zip.NewReader(bytes.NewReader(data), int64(len(data)))
	if err != nil {
		return nil, fmt.Errorf("%w: %v", ErrDamaged, err)
	}
	if len(z.File) > entries {
		return nil, &LimitError{What: "members of the archive", Max: int64(entries)}
	}
	a := &Archive{max: expanded, left: expanded, exact: map[string]*zip.File{}, folded: map[string]*zip.File{}}
	for _, f := range z.File {
		if strings.HasSuffix(f.Name, "/") || Outside(f.Name) {
			continue
		}
		name := Clean(f.Name)
		if _, dup := a.exact[name]; dup {
			continue
		}
		a.exact[name] = f
		a.names = append(a.names, name)
		if key := fold(name); a.folded[key] == nil {
			a.folded[key] = f
		}
	}
	return a, nil
}

// Clean returns name as a path inside an archive: with forward slashes and
// without a leading one or dots.
func Clean(name string) string {
	return strings.TrimPrefix(path.Clean("/"+strings.ReplaceAll(name, `\`, "/")), "/")
}

// Outside reports whether name leads out of the archive, as "../x" does.
func Outside(name string) bool {
	name = path.Clean(strings.TrimLeft(strings.ReplaceAll(name, `\`, "/"), "/"))
	return name == ".." || strings.HasPrefix(name, "../")
}

// fold is the key under which a member is found when no name fits exactly:
// without case, percent escapes and differences of Unicode composition.
func fold(name string) string {
	if s, err := url.PathUnescape(name); err == nil {
		name = s
	}
	return strings.ToLower(norm.NFC.String(name))
}

// Names returns the members' names in the archive's order.
func (a *Archive) Names() []string { return a.names }

// Find returns the name of the member that name means: the one of exactly
// that name, else one that differs in case, percent escapes or composition only.
func (a *Archive) Find(name string) (string, bool) {
	name = Clean(name)
	if _, ok := a.exact[name]; ok {
		return name, true
	}
	if f, ok := a.folded[fold(name)]; ok {
		return Clean(f.Name), true
	}
	return name, false
}

// Has reports whether [Archive.Find] finds name.
func (a *Archive) Has(name string) bool {
	_, ok := a.Find(name)
	return ok
}

// Size returns the size of a member that its entry declares, which is also the
// most that Read gives, or 0 when there is none.
func (a *Archive) Size(name string) int64 {
	found, ok := a.Find(name)
	if !ok {
		return 0
	}
	return int64(min(a.exact[found].UncompressedSize64, math.MaxInt64))
}

// Open returns a reader of a member; the caller closes it. What it gives counts
// against the bound on all members, whatever size the entry declares.
func (a *Archive) Open(name string) (io.ReadCloser, error) {
	_, r, err := a.open(name)
	return r, err
}

func (a *Archive) open(name string) (*zip.File, io.ReadCloser, error) {
	found, ok := a.Find(name)
	if !ok {
		return nil, nil, fmt.Errorf("%w %q", ErrMissing, name)
	}
	f := a.exact[found]
	if f.Flags&1 != 0 {
		return nil, nil, fmt.Errorf("%w: %s", ErrEncrypted, name)
	}
	if f.UncompressedSize64 > uint64(max(a.left, 0)) {
		return nil, nil, a.tooLarge()
	}
	r, err := f.Open()
	if err != nil {
		return nil, nil, fmt.Errorf("%w: read %s: %v", ErrDamaged, f.Name, err)
	}
	return f, &member{ReadCloser: r, a: a, name: f.Name}, nil
}

func (a *Archive) tooLarge() error {
	return &LimitError{What: "expanded size in bytes", Max: a.max}
}

// A member takes what it reads off the archive's limit.
type member struct {
	io.ReadCloser
	a    *Archive
	name string
}

func (m *member) Read(b []byte) (int, error) {
	n, err := m.ReadCloser.Read(b)
	if m.a.left -= int64(n); m.a.left < 0 {
		return 0, m.a.tooLarge()
	}
	if err != nil && !errors.Is(err, io.EOF) {
		err = fmt.Errorf("%w: read %s: %v", ErrDamaged, m.name, err)
	}
	return n, err
}

// Read returns the bytes of a member.
func (a *Archive) Read(name string) ([]byte, error) {
	f, r, err := a.open(name)
	if err != nil {
		return nil, err
	}
	defer r.Close()
	// Deflate expands to no more than 1032 times, so a false size reserves little.
	buf := bytes.NewBuffer(make([]byte, 0, min(f.UncompressedSize64, f.CompressedSize64*1032)+bytes.MinRead))
	if _, err := buf.ReadFrom(r); err != nil {
		return nil, err
	}
	return buf.Bytes(), nil
}
