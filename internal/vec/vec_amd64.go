package vec

import "golang.org/x/sys/cpu"

func dotInt8(q []int16, v []int8) int64 {
	n := len(q) &^ (round - 1)
	if n == 0 || !cpu.X86.HasAVX2 {
		return dotPortable(q, v)
	}
	return dotInt8AVX2(&q[0], &v[0], n) + dotPortable(q[n:], v[n:])
}
