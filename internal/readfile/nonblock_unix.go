//go:build !windows

package readfile

import "syscall"

// nonBlock keeps the opening of a pipe from waiting for its writer.
const nonBlock = syscall.O_NONBLOCK
