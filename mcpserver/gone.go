//go:build !windows

package mcpserver

import (
	"errors"
	"io"
	"syscall"
)

// gone reports whether a write failed because nobody reads any more.
func gone(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}
