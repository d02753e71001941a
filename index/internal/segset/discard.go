package segset

import (
	"errors"
	"io"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/minirag/minirag/internal/atomicfile"
)

// Discard removes the index in dir and the folder, whatever its format. Files
// that are none of an index stay, and so does the folder then. The caller
// holds the lock that changes need.
func Discard(dir string) error {
	entries, err := os.ReadDir(dir)
	if errors.Is(err, fs.ErrNotExist) {
		return nil
	}
	if err != nil {
		return err
	}
	manifest := filepath.Join(dir, manifestName)
	if !begins(manifest, manifestMagic) {
		return nil // it was never an index, or is one no more
	}
	var errs []error
	remove := func(path string) {
		if err := os.Remove(path); err != nil && !errors.Is(err, fs.ErrNotExist) {
			errs = append(errs, err)
		}
	}
	for _, e := range entries {
		path := filepath.Join(dir, e.Name())
		segment := strings.HasSuffix(e.Name(), segmentExt) && begins(path, segmentMagic)
		if e.Type().IsRegular() && (segment || atomicfile.IsTemp(e.Name())) {
			remove(path)
		}
	}
	if err := errors.Join(errs...); err != nil {
		return err // the manifest is what lets it be tried again
	}
	remove(manifest)
	os.Remove(dir) // unless something else is in it
	return errors.Join(errs...)
}

// begins reports whether a file begins with some bytes.
func begins(path, magic string) bool {
	f, err := atomicfile.Open(path)
	if err != nil {
		return false
	}
	defer f.Close()
	head := make([]byte, len(magic))
	_, err = io.ReadFull(f, head)
	return err == nil && string(head) == magic
}
