package kernel

// Available lists the sets that this machine can run, the best first.
func Available() []*Set { return available() }

// PackPortable is the twin of PackQ4 of a set.
func PackPortable(s *Set, panel []byte, rows string, groups int) {
	packPortable(panel, rows, groups, s.starts)
}
