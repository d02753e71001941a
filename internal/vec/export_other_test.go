//go:build !amd64

package vec

// EachWidth calls f with each set of kernels that this CPU can run.
func EachWidth(f func(width string)) { f("narrow") }
