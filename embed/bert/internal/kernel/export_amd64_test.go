package kernel

// Pairs does ten products of 32 bytes, with their sums, in each round.
func Pairs(rounds int) { pairs(rounds) }

// WideSums does twenty products of 64 bytes, with their sums, in each round. It
// needs AVX-512 with VNNI.
func WideSums(rounds int) { wideSums(rounds) }
