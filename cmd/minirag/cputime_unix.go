//go:build unix

package main

import (
	"syscall"
	"time"
)

// processorTime is what the process has used so far: on a machine that others
// use, it says more than the time on the clock.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
