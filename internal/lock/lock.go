// Package lock lets one holder at a time, of all goroutines of all processes,
// into a section.
//
// A lock is a file that the kernel locks; it is dropped when its holder ends,
// however it ends, so nothing can be left stuck. The file is created when it
// is missing and never removed or replaced: a second file of the same name
// would let a second holder in.
//
// The package imports gofrs/flock, internal/atomicfile and the standard
// library.
package lock

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"sync"
	"time"

	"github.com/gofrs/flock"

	"github.com/minirag/minirag/internal/atomicfile"
)

// Pauses between two attempts of [File.Lock]: short at first, because most
// sections are, and then long enough to cost nothing.
const (
	firstPause = 2 * time.Millisecond
	lastPause  = 100 * time.Millisecond
)

// A File is a lock on a path. Two Files on one path exclude each other, in one
// process too, and so do two users of one File. It is safe for concurrent use.
type File struct {
	path string // fixed at creation

	// mu guards flock and held. It is never held while waiting.
	mu    sync.Mutex
	flock *flock.Flock
	held  bool
}

// New returns an unlocked lock on path. It does not touch the disk.
func New(path string) *File {
	return &File{path: path, flock: flock.New(path, flock.SetPermissions(0o600))}
}

// Path returns the path of the lock file.
func (f *File) Path() string { return f.path }

// TryLock takes the lock if it is free and reports whether it did.
// An error means that the file cannot be locked at all.
func (f *File) TryLock() (bool, error) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if f.held {
		return false, nil
	}
	ok, err := f.flock.TryLock()
	if err != nil {
		return false, fmt.Errorf("lock %s: %w", f.path, err)
	}
	f.held = ok
	return ok, nil
}

// Lock waits until it has the lock or ctx is done.
func (f *File) Lock(ctx context.Context) error {
	for pause := firstPause; ; pause = min(2*pause, lastPause) {
		if err := ctx.Err(); err != nil {
			return fmt.Errorf("lock %s: %w", f.path, err)
		}
		if ok, err := f.TryLock(); ok || err != nil {
			return err
		}
		timer := time.NewTimer(pause)
		select {
		case <-ctx.Done():
			timer.Stop()
		case <-timer.C:
		}
	}
}

// Unlock releases the lock. It does nothing if the lock is not held.
func (f *File) Unlock() error {
	f.mu.Lock()
	defer f.mu.Unlock()
	if !f.held {
		return nil
	}
	if err := f.flock.Unlock(); err != nil {
		return fmt.Errorf("unlock %s: %w", f.path, err)
	}
	f.held = false
	return nil
}

// A Holder says who holds a lock, for messages to people.
type Holder struct {
	PID       int       `json:"pid"`
	StartedAt time.Time `json:"startedAt"`
}

// holderPath is a file of its own because Windows lets nobody read a file that
// another process has locked.
func (f *File) holderPath() string { return f.path + ".holder" }

// WriteHolder records who holds the lock. The caller must hold it, and should
// call [File.ClearHolder] before it unlocks.
func (f *File) WriteHolder(h Holder) error {
	h.StartedAt = h.StartedAt.UTC()
	return atomicfile.Write(f.holderPath(), 0o600, func(w io.Writer) error {
		return json.NewEncoder(w).Encode(h)
	})
}

// ClearHolder removes the record. The caller must hold the lock.
func (f *File) ClearHolder() error {
	if err := os.Remove(f.holderPath()); err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("clear holder of lock: %w", err)
	}
	return nil
}

// ReadHolder returns the record of the holder and whether there is one that
// can be read, beside the lock file or, as the Python server leaves it, in
// the lock file. The record of a holder that was killed stays until the next
// one writes its own, so it means something only while the lock is taken.
func (f *File) ReadHolder() (Holder, bool) {
	for _, path := range []string{f.holderPath(), f.path} {
		var h Holder
		if readHolder(path, &h) == nil && h.PID > 0 {
			return h, true
		}
	}
	return Holder{}, false
}

func readHolder(path string, h *Holder) error {
	in, err := atomicfile.Open(path)
	if err != nil {
		return err
	}
	defer in.Close()
	return json.NewDecoder(in).Decode(h)
}
