package kernel

import (
	"encoding/binary"
	"math"
)

// BlockBytes is the size of a block of a Q4_0 row in a GGUF file: a scale
// (binary16) and [Group] weights of four bits, which are 8 too large. Byte i has
// the weight i low and the weight i+16 high.
const BlockBytes = 2 + Group/2

// PackQ4 makes a panel of [PanelBytes] of up to [Lanes] rows, each of groups
// blocks of Q4_0, that follow each other in rows. Rows that are missing become
// zero.
//
// The scales of a row become int16, relative to the largest: their error is
// 1/32768 of that.
func (s *Set) PackQ4(panel []byte, rows string, groups int) {
	panel = panel[:PanelBytes(groups)]
	rowBytes := groups * BlockBytes
	if groups <= 0 || len(rows)%rowBytes != 0 || len(rows) > Lanes*rowBytes {
		panic("kernel: PackQ4 of a wrong shape")
	}
	if len(rows) < Lanes*rowBytes {
		clear(panel)
		packPortable(panel, rows, groups, s.starts)
		return
	}
	s.pack(panel, rows, groups, s.starts)
}

// starts says what begins a part of a panel, for each row.
type starts int

const (
	// Without a name, they are where the sums of parts start: int32 which take back
	// the offset of the activations.
	_ starts = iota
	// pairStarts are where the sums of the first group of a part and of the second
	// start, in the lower and the upper half of a word, without their scales: each
	// takes back the offset of the activations and adds pairBias, so that what
	// becomes of it is within uint16.
	pairStarts
)

// pairBias keeps the sum of a group above zero: its magnitude is at most
// 8·127·Group, and that of a start 8·128·Group less in one direction.
const pairBias = 1<<15 - 1

// packScales writes the scales of a row.
func packScales(panel []byte, lane int, row string, groups int) {
	top := uint16(0)
	for at := 0; at < len(row); at += BlockBytes {
		top = max(top, (uint16(row[at])|uint16(row[at+1])<<8)&0x7fff)
	}
	largest := halfMagnitude(top)
	inv := maxScale / largest
	switch {
	case top == 0:
		inv = 0
	case top >= 0x7c00: // infinite or NaN, which the products are to show
		largest, inv = float32(math.NaN()), 0
	}
	binary.LittleEndian.PutUint32(panel[len(panel)-panelEnd+4*lane:], math.Float32bits(largest/maxScale))
	dst := panel[4*lane:]
	for g := range groups {
		if g%PartGroups == 0 {
			dst = dst[partStart:]
		}
		h := uint16(row[g*BlockBytes]) | uint16(row[g*BlockBytes+1])<<8
		// The conversion keeps the compiler from rounding once for two operations.
		scale := roundWhole(float32(halfMagnitude(h&0x7fff) * inv))
		if h>>15 != 0 {
			scale = -scale
		}
		binary.LittleEndian.PutUint32(dst[Lanes*Group:], uint32(uint16(scale))|uint32(scale)<<16)
		dst = dst[min(groupBytes, len(dst)):]
	}
}

// halfMagnitude widens a binary16 without a sign, which must be finite: its
// bits are those of a float32 but for the bias of the exponent.
func halfMagnitude(h uint16) float32 {
	return math.Float32frombits(uint32(h)<<13) * (1 << 112)
}

// roundWhole gives the nearest integer of a number within ±2^22.
func roundWhole(v float32) int32 { return int32(math.Float32bits(v+12582912)) - 0x4b400000 }

// packPortable is the twin of packRows, for any number of rows.
func packPortable(panel []byte, rows string, groups int, starts starts) {
	rowBytes := groups * BlockBytes
	for lane := range len(rows) / rowBytes {
		packScales(panel, lane, rows[lane*rowBytes:][:rowBytes], groups)
		row, dst := rows[lane*rowBytes:][:rowBytes], panel[4*lane:]
		for g := 0; g < groups; g += PartGroups {
			start := dst
			dst = dst[partStart:]
			var offset int32
			if starts == pairStarts {
				offset = pairBias<<16 | pairBias
			}
			for i := range min(PartGroups, groups-g) {
				sum := 0
				for q := range 4 {
					b := row[2+4*q : 6+4*q]
					packed := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
					// Low and high halves as eight bytes of 0..15.
					both := packed&0x0f0f0f0f | packed>>4&0x0f0f0f0f<<32
					sum += int(both * 0x0101010101010101 >> 56)
					// Less 8 in each byte: no borrow crosses into the next.
					both = (both | 0x8080808080808080) - 0x0808080808080808 ^ 0x8080808080808080
					binary.LittleEndian.PutUint32(dst[q*4*Lanes:], uint32(both))
					binary.LittleEndian.PutUint32(dst[(q+4)*4*Lanes:], uint32(both>>32))
				}
				shift := 128 * int32(sum-8*Group)
				if starts == pairStarts {
					offset -= shift << (16 * i)
				} else {
					offset -= shift * int32(int16(binary.LittleEndian.Uint16(dst[Lanes*Group:])))
				}
				row, dst = row[BlockBytes:], dst[groupBytes:]
			}
			binary.LittleEndian.PutUint32(start, uint32(offset))
		}
	}
}
