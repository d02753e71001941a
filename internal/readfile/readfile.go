// Package readfile reads regular files whole, and nothing else: a pipe or a
// device under a document's name neither blocks nor fills the memory. It
// imports the standard library only and is safe for concurrent use.
package readfile

import (
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
)

// ErrNotRegular says that a path does not name a regular file.
var ErrNotRegular = errors.New("not a regular file")

// ErrFolder says that a path names a folder; it is an [ErrNotRegular].
var ErrFolder = fmt.Errorf("%w: it is a folder", ErrNotRegular)

// A SizeError says that a file is larger than was allowed.
type SizeError struct {
	Size, Max int64 // bytes
}

func (e *SizeError) Error() string {
	return fmt.Sprintf("file has %d bytes, the limit is %d", e.Size, e.Max)
}

// open opens a regular file. A link in the last element is not followed: the
// caller has resolved the path, so a link there was put in its place since.
// The same goes for a link before it that leads out of root.
func open(root, path string, max int64) (*os.File, fs.FileInfo, error) {
	dir, err := openDir(root, path)
	if err != nil {
		return nil, nil, err
	}
	defer dir.Close()
	name, err := filepath.Rel(dir.Name(), path)
	if err != nil {
		return nil, nil, err
	}
	before, err := dir.Lstat(name)
	if err != nil {
		return nil, nil, err
	}
	if before.IsDir() {
		return nil, nil, ErrFolder
	}
	if !before.Mode().IsRegular() {
		return nil, nil, fmt.Errorf("%w: it is a %s", ErrNotRegular, kind(before.Mode()))
	}
	f, err := dir.OpenFile(name, os.O_RDONLY|nonBlock, 0)
	if err != nil {
		return nil, nil, err
	}
	info, err := f.Stat()
	if err == nil && !os.SameFile(before, info) {
		err = fmt.Errorf("%w: it was replaced while it was opened", ErrNotRegular)
	}
	if err == nil && max > 0 && info.Size() > max {
		err = &SizeError{Size: info.Size(), Max: max}
	}
	if err != nil {
		f.Close()
		return nil, nil, err
	}
	return f, info, nil
}

// openDir opens root, or the folder of path if root is empty or path itself.
func openDir(root, path string) (*os.Root, error) {
	if root == "" || root == path {
		root = filepath.Dir(path)
	}
	return os.OpenRoot(root)
}

// Read returns the content of a regular file of at most max bytes, and its
// metadata as it was before reading. Zero max means no limit. root is a folder
// above path that no link leads out of, whoever moves things while the file is
// opened; an empty one does not bind.
func Read(root, path string, max int64) ([]byte, fs.FileInfo, error) {
	f, info, err := open(root, path, max)
	if err != nil {
		return nil, nil, err
	}
	defer f.Close()
	data := make([]byte, 0, info.Size()+1)
	for {
		n, err := f.Read(data[len(data):cap(data)])
		data = data[:len(data)+n]
		if err == io.EOF {
			return data, info, nil
		}
		if err != nil {
			return nil, nil, err
		}
		if max > 0 && int64(len(data)) > max {
			return nil, nil, &SizeError{Size: int64(len(data)), Max: max}
		}
		if len(data) == cap(data) {
			data = append(data, 0)[:len(data)]
		}
	}
}

// Hash returns the SHA-256 of a regular file in lower-case hex. root is as in [Read].
func Hash(root, path string) (string, error) {
	f, _, err := open(root, path, 0)
	if err != nil {
		return "", err
	}
	defer f.Close()
	h := sha256.New()
	if _, err := io.Copy(h, f); err != nil {
		return "", err
	}
	return hex.EncodeToString(h.Sum(nil)), nil
}

// kind names what is not a regular file.
func kind(m fs.FileMode) string {
	switch {
	case m&fs.ModeNamedPipe != 0:
		return "pipe"
	case m&fs.ModeSocket != 0:
		return "socket"
	case m&fs.ModeDevice != 0:
		return "device"
	case m&fs.ModeSymlink != 0:
		return "symbolic link"
	}
	return "special file"
}
