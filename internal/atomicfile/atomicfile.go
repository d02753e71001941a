// Package atomicfile writes files that are there whole or not at all.
//
// [Write] fills a temporary file beside the target, brings it to the disk,
// gives it the target's name in one step and brings the folder to the disk.
// Whatever interrupts it, a reader finds the old content or the new one. A
// writer that is killed leaves its temporary file behind; [IsTemp] knows it by
// its name and [Clean] removes it.
//
// The package imports only the standard library and, on Windows,
// golang.org/x/sys.
package atomicfile

import (
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
)

// tempPrefix begins the name of every temporary file.
const tempPrefix = ".minirag-tmp-"

// Write creates or replaces the file at path with what fill writes. If it
// returns an error the file at path is as it was, except that an error of the
// last step, bringing the folder to the disk, leaves the new content in place.
// An error of fill is wrapped.
//
// Concurrent calls for one path are safe: the last one wins.
func Write(path string, perm fs.FileMode, fill func(io.Writer) error) (err error) {
	dir, base := filepath.Split(path)
	if dir == "" {
		dir = "."
	}
	f, err := os.CreateTemp(dir, tempPrefix+"*-"+base)
	if err != nil {
		return fmt.Errorf("write %s: %w", path, err)
	}
	temp := f.Name()
	open := true
	defer func() {
		if err == nil {
			return
		}
		if open {
			f.Close()
		}
		os.Remove(temp)
		err = fmt.Errorf("write %s: %w", path, err)
	}()
	if err := f.Chmod(perm); err != nil && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	if err := fill(f); err != nil {
		return err
	}
	if err := f.Sync(); err != nil {
		return err
	}
	open = false
	if err := f.Close(); err != nil {
		return err
	}
	if err := replace(temp, path); err != nil {
		return err
	}
	return SyncDir(dir)
}

// Open opens a file for reading that a [Write] may be replacing. On Windows,
// unlike [os.Open], it does not stand in the way of the writer, and waits for
// it if it has the file for itself just now.
func Open(path string) (*os.File, error) { return open(path) }

// SyncDir brings the names in a folder to the disk, so that a file that was
// created or renamed there is found after a loss of power. It does nothing
// where the system has no such call.
func SyncDir(dir string) error { return syncDir(dir) }

// IsTemp reports whether a file name, without its folder, is that of a
// temporary file of [Write].
func IsTemp(name string) bool { return strings.HasPrefix(name, tempPrefix) }

// Clean removes the temporary files in dir. It must not run while another
// writer may be at work there: call it under the lock that writers share.
func Clean(dir string) error {
	entries, err := os.ReadDir(dir)
	if err != nil {
		return fmt.Errorf("clean %s: %w", dir, err)
	}
	var errs []error
	for _, e := range entries {
		if !IsTemp(e.Name()) || !e.Type().IsRegular() {
			continue
		}
		if err := os.Remove(filepath.Join(dir, e.Name())); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	return errors.Join(errs...)
}
