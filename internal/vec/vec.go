// Package vec has the inner loops of vector search: products of a question
// with one stored vector or with many that follow each other, of 8-bit
// integers, float32 and binary16. They use AVX-512 with VNNI or AVX2 on amd64
// and NEON on arm64, where the CPU has them, and Go elsewhere. It imports
// golang.org/x/sys/cpu, is safe for concurrent use, and panics when an operand
// is too short.
//
// Products of integers are exact. Those of floating-point numbers are rounded
// to float32 in an order that depends on the CPU, with an error of at most
// (n/4+8)/2^24 of the sum of the n products' magnitudes. NaN and infinities count
// as in any sum.
package vec

//go:generate go run -C internal/asm . -out ../../dot_amd64.s -stubs ../../dot_amd64.go -pkg vec
//go:generate go run -C internal/asm ./avx512 -out ../../avx512_amd64.s -stubs ../../avx512_stubs_amd64.go -pkg vec
//go:generate go run ./internal/neon

// most is the largest number of integers of which every order of the sums
// stays within 32 bits in two registers of eight: 2·127·32768·8192/32 < 2^31.
const most = 8192

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

// RowsInt8 sets each dst[i] to [DotInt8] of q and row i of rows, which has the
// length of q. It is faster than as many calls of DotInt8.
func RowsInt8(dst []int64, q []int16, rows []int8) {
	n := len(q)
	rows = rows[:len(dst)*n]
	done := 0
	if n > 0 && n <= most {
		done = rowsInt8(dst, q, rows)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = DotInt8(q, rows[i*n:])
	}
}

// DotF32 returns the product of a question and a vector, which must have at
// least its length.
func DotF32(q, v []float32) float32 { return dotF32(q, v[:len(q)]) }

// RowsF32 sets each dst[i] to [DotF32] of q and row i of rows, which has the
// length of q.
func RowsF32(dst, q, rows []float32) {
	n := len(q)
	rows = rows[:len(dst)*n]
	done := 0
	if n > 0 {
		done = rowsF32(dst, q, rows)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = dotF32(q, rows[i*n:][:n])
	}
}

// DotF16 returns the product of a question and a vector of binary16, of which
// v has the bits. It must have at least the length of q.
func DotF16(q []float32, v []uint16) float32 { return dotF16(q, v[:len(q)]) }

// RowsF16 sets each dst[i] to [DotF16] of q and row i of rows, which has the
// length of q.
func RowsF16(dst, q []float32, rows []uint16) {
	n := len(q)
	rows = rows[:len(dst)*n]
	done := 0
	if n > 0 {
		done = rowsF16(dst, q, rows)
	}
	for i := done; i < len(dst); i++ {
		dst[i] = dotF16(q, rows[i*n:][:n])
	}
}
