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
// zero. float16 widens the scale of a block.
//
// The scales of a row become int16, relative to the largest: its error is
// 1/32768 of that.
func PackQ4(panel []byte, rows string, groups int, float16 func(uint16) float32) {
	panel = panel[:PanelBytes(groups)]
	clear(panel)
	rowBytes := groups * BlockBytes
	end := panel[len(panel)-panelEnd:]
	for lane := 0; len(rows) > 0; lane++ {
		row := rows[:rowBytes]
		rows = rows[rowBytes:]
		var top float32
		for b := row; len(b) > 0; b = b[BlockBytes:] {
			d := float16(uint16(b[0]) | uint16(b[1])<<8)
			if d < 0 {
				d = -d
			}
			if !(d <= top) {
				top = d
			}
		}
		binary.LittleEndian.PutUint32(end[4*lane:], math.Float32bits(top/maxScale))
		inv := maxScale / top
		if top == 0 || top-top != 0 {
			inv = 0 // a top that is no finite number shows in the products
		}
		dst := panel
		for g := 0; g < groups; g += PartGroups {
			start := dst[4*lane:]
			dst = dst[partStart:]
			var offset int32
			for range min(PartGroups, groups-g) {
				scale := int32(0)
				if inv != 0 {
					d := float16(uint16(row[0])|uint16(row[1])<<8) * inv
					scale = int32(math.Round(float64(d)))
				}
				sum := 0
				for q := range 4 {
					b := row[2+4*q : 6+4*q]
					packed := uint64(b[0]) | uint64(b[1])<<8 | uint64(b[2])<<16 | uint64(b[3])<<24
					// Low and high halves as eight bytes of 0..15.
					both := packed&0x0f0f0f0f | packed>>4&0x0f0f0f0f<<32
					sum += int(both * 0x0101010101010101 >> 56)
					// Less 8 in each byte: no borrow crosses into the next.
					both = (both | 0x8080808080808080) - 0x0808080808080808 ^ 0x8080808080808080
					binary.LittleEndian.PutUint32(dst[q*64+lane*4:], uint32(both))
					binary.LittleEndian.PutUint32(dst[(q+4)*64+lane*4:], uint32(both>>32))
				}
				offset -= 128 * int32(sum-8*Group) * scale
				binary.LittleEndian.PutUint32(dst[Lanes*Group+4*lane:], uint32(uint16(scale))|uint32(uint16(scale))<<16)
				row, dst = row[BlockBytes:], dst[groupBytes:]
			}
			binary.LittleEndian.PutUint32(start, uint32(offset))
		}
	}
}
