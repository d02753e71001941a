// Package mmap maps files into memory, for reading only.
//
// Bytes of a mapping come from the file when they are touched. If the file was
// cut off or its disk fails, touching them is a fault that ends the process,
// unless the goroutine has called [runtime/debug.SetPanicOnFault]: then it is a
// panic that can be recovered. [Guard] does both.
//
// The package imports the standard library and, on Windows, golang.org/x/sys.
package mmap

import (
	"errors"
	"fmt"
	"os"
	"runtime/debug"
)

// A Mapping is a mapped file. It may be read concurrently, but not after
// [Mapping.Close].
type Mapping struct {
	data []byte
}

// Map maps the first size bytes of a file, which may be closed afterwards. An
// empty mapping has no bytes.
func Map(f *os.File, size int) (*Mapping, error) {
	if size == 0 {
		return new(Mapping), nil
	}
	m, err := mapFile(f, size)
	if err != nil {
		return nil, fmt.Errorf("map %s: %w", f.Name(), err)
	}
	return m, nil
}

// Bytes returns the content. It must not be written.
func (m *Mapping) Bytes() []byte { return m.data }

// Close takes the mapping away. Whoever reads its bytes later faults.
func (m *Mapping) Close() error {
	if m.data == nil {
		return nil
	}
	err := m.unmap()
	m.data = nil
	return err
}

// ErrFault says that reading a mapping failed, or that what was read made the
// reader panic.
var ErrFault = errors.New("read mapped file")

// Guard calls fn and turns what it panics with, a fault of a mapping too, into
// an [ErrFault]. It guards only the goroutine that calls it.
func Guard(fn func() error) (err error) {
	before := debug.SetPanicOnFault(true)
	defer debug.SetPanicOnFault(before)
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: %v", ErrFault, r)
		}
	}()
	return fn()
}
