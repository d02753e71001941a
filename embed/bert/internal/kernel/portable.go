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
