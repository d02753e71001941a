package kernel

import (
	"encoding/binary"
	"math"
)

// q4Portable is the twin of q4Tiles: the same integers, and the same order of
// the sums in float32 but for fused rounding.
func q4Portable(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	for t := range tokens {
		row := act[t*ActBytes(groups):][:ActBytes(groups)]
		scales, w := row[groups*Group:], panel
		var sums [Lanes]float32
		for left := groups; left > 0; left -= PartGroups {
			var total [Lanes]int32
			for l := range total {
				total[l] = int32(binary.LittleEndian.Uint32(w[4*l:]))
			}
			w = w[partStart:]
			for range min(left, PartGroups) {
				var acc [Lanes]int32
				for q := 0; q < Group; q += 4 {
					a0, a1, a2, a3 := int32(row[q]), int32(row[q+1]), int32(row[q+2]), int32(row[q+3])
					wq := (*[4 * Lanes]byte)(w[q*Lanes:])
					for l := range acc {
						acc[l] += a0*int32(int8(wq[4*l])) + a1*int32(int8(wq[4*l+1])) + a2*int32(int8(wq[4*l+2])) + a3*int32(int8(wq[4*l+3]))
					}
				}
				for l := range total {
					total[l] += acc[l] * int32(int16(binary.LittleEndian.Uint16(w[Lanes*Group+4*l:])))
				}
				row, w = row[Group:], w[groupBytes:]
			}
			scale := math.Float32frombits(binary.LittleEndian.Uint32(scales))
			scales = scales[4:]
			for l := range sums {
				sums[l] += float32(total[l]) * scale
			}
		}
		dst := out[t*outStride:][:Lanes]
		for l := range dst {
			dst[l] = sums[l]*math.Float32frombits(binary.LittleEndian.Uint32(w[4*l:])) + bias[l]
		}
	}
}

// f32Portable is the twin of f32Tiles.
func f32Portable(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int) {
	for t := range tokens {
		row := a[t*aStride:][:k]
		// Four sums at a time stay in registers.
		for l := 0; l < Lanes; l += 4 {
			var s0, s1, s2, s3 float32
			for i, v := range row {
				q := (*[4]float32)(w[i*wStride+l:])
				s0 += v * q[0]
				s1 += v * q[1]
				s2 += v * q[2]
				s3 += v * q[3]
			}
			dst := (*[4]float32)(out[t*outStride+l:])
			c := scale[t]
			dst[0], dst[1], dst[2], dst[3] = c*s0, c*s1, c*s2, c*s3
		}
	}
}

// smallest is the magnitude below which a part counts as zero: the inverse
// of its scale would not be finite.
const smallest = 1e-36

// quantizePortable is the twin of quantizeRows, to the bit.
func quantizePortable(dst, scales []byte, dstStride int, x []float32, stride, cols, rows int) {
	for r := range rows {
		quantizeRow(dst[r*dstStride:], scales[r*dstStride:], x[r*stride:][:cols])
	}
}

func quantizeRow(dst, scales []byte, row []float32) {
	for len(row) > 0 {
		part := row[:min(len(row), PartGroups*Group)]
		// Bits without the sign order like magnitudes, and compare without branches.
		var top uint32
		for _, v := range part {
			top = max(top, math.Float32bits(v)&^(1<<31))
		}
		largest := math.Float32frombits(top)
		scale, inv := largest/127, 127/largest
		if largest < smallest {
			scale, inv = 0, 0
		}
		if !(inv <= math.MaxFloat32) {
			inv = 0
		}
		for i, v := range part {
			// The conversion keeps the compiler from rounding once for two operations.
			dst[i] = byte(round(float32(v*inv))) ^ 0x80
		}
		binary.LittleEndian.PutUint32(scales, math.Float32bits(scale))
		dst, row, scales = dst[len(part):], row[len(part):], scales[4:]
	}
}

// round gives the nearest integer of a number within ±127: the sum with
// 1.5·2^23 has it in its low bits, whatever the number was.
func round(v float32) int32 {
	return int32(int8(math.Float32bits(v + 12582912)))
}
