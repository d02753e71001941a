package kernel

// Available lists the sets that this machine can run, the best first.
func Available() []*Set { return available() }
