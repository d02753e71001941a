//go:build !unix

package kernel_test

import "time"

// cpuTime is not known here.
func cpuTime() time.Duration { return 0 }
