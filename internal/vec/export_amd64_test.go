package vec

// EachWidth calls f with each set of kernels that this CPU can run.
func EachWidth(f func(width string)) {
	if wide {
		f("wide")
		wide = false
		defer func() { wide = true }()
	}
	f("narrow")
}
