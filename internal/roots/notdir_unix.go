//go:build !windows

package roots

import (
	"errors"
	"syscall"
)

// IsNotDir reports whether a path runs through a file.
func IsNotDir(err error) bool { return errors.Is(err, syscall.ENOTDIR) }
