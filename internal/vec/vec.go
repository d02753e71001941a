// Package vec has the inner loops of vector search: products of a question
// with stored vectors, in AVX2 where the CPU has it and in Go elsewhere, with
// the same result. It imports golang.org/x/sys/cpu and is safe for concurrent
// use.
package vec

//go:generate go run -C internal/asm . -out ../../dot_amd64.s -stubs ../../dot_amd64.go -pkg vec

// round is the number of values that the kernel takes at a time; most bounds
// them, so that sums of products stay within 32 bits.
const (
	round = 32
	most  = 8192
)

// DotInt8 returns the product of a question of 16-bit and a vector of 8-bit
// integers. v must have at least the length of q, and no value -128 where q
// has -32768.
func DotInt8(q []int16, v []int8) int64 {
	v = v[:len(q)]
	var sum int64
	for len(q) > most {
		sum += dotInt8(q[:most], v[:most])
		q, v = q[most:], v[most:]
	}
	return sum + dotInt8(q, v)
}

// dotPortable is unrolled by hand, with sums that do not wait for each other:
// the compiler does neither.
func dotPortable(q []int16, v []int8) int64 {
	var a, b, c, d int64
	for len(q) >= 8 && len(v) >= 8 {
		x, y := (*[8]int16)(q), (*[8]int8)(v)
		a += int64(x[0])*int64(y[0]) + int64(x[4])*int64(y[4])
		b += int64(x[1])*int64(y[1]) + int64(x[5])*int64(y[5])
		c += int64(x[2])*int64(y[2]) + int64(x[6])*int64(y[6])
		d += int64(x[3])*int64(y[3]) + int64(x[7])*int64(y[7])
		q, v = q[8:], v[8:]
	}
	for i := range q {
		a += int64(q[i]) * int64(v[i])
	}
	return a + b + c + d
}
