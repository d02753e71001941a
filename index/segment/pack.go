package segment

import (
	"encoding/binary"
	"math/bits"
)

// packTail is how many bytes unpack may read beyond what pack has written.
const packTail = 8

// widthOf returns the bits that the largest of the values needs.
func widthOf(values []uint32) int {
	var all uint32
	for _, v := range values {
		all |= v
	}
	return bits.Len32(all)
}

// pack appends values of width bits each, lowest bits first.
func pack(dst []byte, values []uint32, width int) []byte {
	if width == 0 {
		return dst
	}
	var acc uint64
	n := 0
	for _, v := range values {
		acc |= uint64(v) << n
		for n += width; n >= 8; n -= 8 {
			dst = append(dst, byte(acc))
			acc >>= 8
		}
	}
	if n > 0 {
		dst = append(dst, byte(acc))
	}
	return dst
}

func packedSize(n, width int) int { return (n*width + 7) / 8 }

// unpack reads len(dst) values of width bits, the first of them from a bit of
// the first byte on. src must have packTail more bytes than they take.
func unpack(dst []uint32, src []byte, width, bit int) {
	if width == 0 {
		clear(dst)
		return
	}
	mask := uint64(1)<<width - 1
	for i := range dst {
		dst[i] = uint32(binary.LittleEndian.Uint64(src[bit>>3:]) >> (bit & 7) & mask)
		bit += width
	}
}
