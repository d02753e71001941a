package kernel

import (
	"encoding/binary"
	"math"
)

// q4Portable is the twin of q4Tiles: the same integers, and the same order of
// the sums in float32 but for fused rounding.
func q4Portable(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	for t := range tokens {
		row := act[t*groups*ActGroupBytes:][:groups*ActGroupBytes]
		var sums [Lanes]float32
		for g := range groups {
			a := (*[ActGroupBytes]byte)(row[g*ActGroupBytes:])
			w := (*[PanelGroupBytes]byte)(panel[g*PanelGroupBytes:])
			scale := math.Float32frombits(binary.LittleEndian.Uint32(a[Group:]))
			start := int32(int16(binary.LittleEndian.Uint16(a[Group+4:]))) +
				int32(int16(binary.LittleEndian.Uint16(a[Group+6:])))
			var acc [Lanes]int32
			for q := 0; q < Group; q += 4 {
				a0, a1, a2, a3 := int32(int8(a[q])), int32(int8(a[q+1])), int32(int8(a[q+2])), int32(int8(a[q+3]))
				wq := (*[4 * Lanes]byte)(w[q*Lanes:])
				for l := range acc {
					acc[l] += a0*int32(wq[4*l]) + a1*int32(wq[4*l+1]) + a2*int32(wq[4*l+2]) + a3*int32(wq[4*l+3])
				}
			}
			scales := w[Lanes*Group:]
			for l := range sums {
				sums[l] += float32(acc[l]+start) * scale * math.Float32frombits(binary.LittleEndian.Uint32(scales[4*l:]))
			}
		}
		dst := out[t*outStride:][:Lanes]
		for l := range dst {
			dst[l] = sums[l] + bias[l]
		}
	}
}

// f32Portable is the twin of f32Tiles.
func f32Portable(out []float32, outStride int, a []float32, aStride int, w []float32, wStride, k, tokens int) {
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
			dst[0], dst[1], dst[2], dst[3] = s0, s1, s2, s3
		}
	}
}

// smallest is the magnitude below which a group counts as zero: the inverse
// of its scale would not be finite.
const smallest = 1e-36

// quantizePortable is the twin of quantizeGroups, to the bit.
func quantizePortable(dst []byte, row []float32) {
	for len(row) >= Group {
		quantizeGroup((*[ActGroupBytes]byte)(dst), (*[Group]float32)(row))
		row, dst = row[Group:], dst[ActGroupBytes:]
	}
}

func quantizeGroup(dst *[ActGroupBytes]byte, row *[Group]float32) {
	// Bits without the sign order like magnitudes, and compare without branches.
	var top uint32
	for _, v := range row {
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
	var even, odd int32
	for i := 0; i < Group; i += 4 {
		a, b := round(row[i]*inv), round(row[i+1]*inv)
		c, d := round(row[i+2]*inv), round(row[i+3]*inv)
		even += a + b
		odd += c + d
		dst[i], dst[i+1], dst[i+2], dst[i+3] = byte(a), byte(b), byte(c), byte(d)
	}
	binary.LittleEndian.PutUint32(dst[Group:], math.Float32bits(scale))
	binary.LittleEndian.PutUint16(dst[Group+4:], uint16(-8*even))
	binary.LittleEndian.PutUint16(dst[Group+6:], uint16(-8*odd))
}

// round gives the nearest integer of a number within ±127: the sum with
// 1.5·2^23 has it in its low bits, whatever the number was.
func round(v float32) int32 {
	return int32(int8(math.Float32bits(v + 12582912)))
}
