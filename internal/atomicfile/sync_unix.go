//go:build !windows

package atomicfile

import (
	"errors"
	"os"
	"syscall"
)

func replace(from, to string) error { return os.Rename(from, to) }

func open(path string) (*os.File, error) { return os.Open(path) }

func syncDir(dir string) error {
	d, err := os.Open(dir)
	if err != nil {
		return err
	}
	defer d.Close()
	// Some file systems, network ones above all, cannot sync a folder and
	// say so with one of these; the names are then as safe as they get.
	if err := d.Sync(); err != nil && !errors.Is(err, syscall.EINVAL) && !errors.Is(err, errors.ErrUnsupported) {
		return err
	}
	return nil
}
