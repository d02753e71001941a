//go:build !amd64 && !arm64

package kernel

// available lists the sets that this machine can run, the best first.
func available() []*Set { return []*Set{Portable()} }
