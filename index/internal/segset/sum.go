package segset

import (
	"hash/crc32"
	"runtime"
	"sync"

	"github.com/minirag/minirag/internal/mmap"
)

// UpdateSum adds data to a CRC-32C, 0 of nothing.
func UpdateSum(sum uint32, data []byte) uint32 { return crc32.Update(sum, castagnoli, data) }

// sumPart is how much of a file one goroutine sums at a time.
const sumPart = 4 << 20

// checksum is the CRC-32C of data, which may be mapped: parts of it are summed
// at once, as bringing the pages of a mapping in takes most of the time. A
// fault is an error.
func checksum(data []byte) (uint32, error) {
	parts := (len(data) + sumPart - 1) / sumPart
	sums, errs := make([]uint32, parts), make([]error, parts)
	var wg sync.WaitGroup
	workers := min(runtime.GOMAXPROCS(0), parts)
	for w := range workers {
		wg.Go(func() {
			for i := w; i < parts; i += workers {
				errs[i] = mmap.Guard(func() error {
					sums[i] = crc32.Checksum(data[i*sumPart:min((i+1)*sumPart, len(data))], castagnoli)
					return nil
				})
			}
		})
	}
	wg.Wait()
	var sum uint32
	for i := range parts {
		if errs[i] != nil {
			return 0, errs[i]
		}
		sum = combine(sum, sums[i], min(sumPart, len(data)-i*sumPart))
	}
	return sum, nil
}

// combine is the CRC-32C of two texts one after the other, of their sums and the
// length of the second: as bits are coefficients modulo the polynomial, the first
// is multiplied by x to the number of bits of the second.
func combine(first, second uint32, length int) uint32 {
	factor, power := uint32(1)<<31, uint32(1)<<23 // x⁰ and x⁸, the highest bit being x⁰
	for n := length; n > 0; n >>= 1 {
		if n&1 != 0 {
			factor = multiply(factor, power)
		}
		power = multiply(power, power)
	}
	return multiply(first, factor) ^ second
}

// multiply gives the product of two polynomials modulo that of CRC-32C.
func multiply(a, b uint32) uint32 {
	var product uint32
	for bit := uint32(1) << 31; bit != 0; bit >>= 1 {
		if a&bit != 0 {
			product ^= b
		}
		odd := b & 1
		b >>= 1
		if odd != 0 {
			b ^= crc32.Castagnoli
		}
	}
	return product
}
