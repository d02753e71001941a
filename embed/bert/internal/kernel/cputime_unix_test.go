//go:build unix

package kernel_test

import (
	"syscall"
	"time"
)

// cpuTime is what the process has used so far: on a machine that others use,
// it says more than the time on the clock.
func cpuTime() time.Duration {
	var r syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &r) != nil {
		return 0
	}
	return time.Duration(r.Utime.Nano() + r.Stime.Nano())
}
