package mcpserver

import (
	"errors"
	"io"
	"syscall"
)

// errNoData is the ERROR_NO_DATA of a pipe that is being closed.
const errNoData = syscall.Errno(232)

// gone reports whether a write failed because nobody reads any more.
func gone(err error) bool {
	return errors.Is(err, syscall.ERROR_BROKEN_PIPE) || errors.Is(err, errNoData) || errors.Is(err, io.ErrClosedPipe)
}
