package kernel

// Pairs does ten products of 32 bytes, with their sums, in each round.
func Pairs(rounds int) { pairs(rounds) }
