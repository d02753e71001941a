package main

import "fmt"

// products are the inner loops of the 4-bit × 8-bit product: how the registers
// are used, and what is done with a group.
type products struct {
	totals int // the first of four registers for each token: int32 sums of a part
	spare  int // the first of four that are free between groups
	spare2 int // and of another four
	act    int // a register that is free between groups
	// group adds the products of a group, whose weights are at R7 and whose
	// activations at R2 to R4, to the totals, and moves all of them on.
	group func(f writer)
	// start sets v31 to what group needs.
	start func(f writer)
}

// offset sets all bytes of v31 to 0x80, by which activations become signed.
func offset(f writer) {
	f.Go("MOVD $128, R20")
	f.Op("dup v31.16b, w20")
}

// dotProducts uses the dot product instructions: v0 to v(4n-1) have the sums
// of the group, v24 to v27 weights, and v28 to v(28+n-1) activations.
func dotProducts(n int) products {
	const totals, w, act = 12, 24, 28
	return products{totals: totals, spare: w, spare2: 0, act: act, start: offset, group: func(f writer) {
		f.Zero(0, 4*n)
		for range 2 {
			for t := range n {
				f.Go("VLD1.P 16(R%d), [V%d.B16]", 2+t, act+t)
				f.Op("eor v%d.16b, v%d.16b, v31.16b", act+t, act+t)
			}
			for q := range 4 {
				f.Go("VLD1.P 64(R7), %s", four(w))
				for t := range n {
					for i := range 4 {
						f.Op("sdot v%d.4s, v%d.16b, v%d.4b[%d]", 4*t+i, w+i, act+t, q)
					}
				}
			}
		}
		f.Go("VLD1.P 64(R7), %s", four(w))
		f.Each(w, 4, "sshr v%[1]d.4s, v%[1]d.4s, #16")
		for t := range n {
			for i := range 4 {
				f.Op("mla v%d.4s, v%d.4s, v%d.4s", totals+4*t+i, 4*t+i, w+i)
			}
		}
	}}
}

// longProducts uses products of bytes that become int16: v0 to v(8n-1) have
// their sums, each of eight products of at most 8·127, two lanes for a row in
// the low and two in the high half of the four bytes. v24 and v25 are weights,
// v26 and v27 activations, v28 and v29 four of them again and again.
func longProducts(n int) products {
	const totals, w, act, four4 = 16, 24, 26, 28
	return products{totals: totals, spare: 24, spare2: 0, act: 28, start: offset, group: func(f writer) {
		for half := range 2 {
			for t := range n {
				f.Go("VLD1.P 16(R%d), [V%d.B16]", 2+t, act+t)
				f.Op("eor v%d.16b, v%d.16b, v31.16b", act+t, act+t)
			}
			op := "smlal"
			for q := range 4 {
				if half == 0 && q == 0 {
					op = "smull"
				} else {
					op = "smlal"
				}
				for t := range n {
					f.Op("dup v%d.4s, v%d.s[%d]", four4+t, act+t, q)
				}
				for pair := range 2 {
					f.Go("VLD1.P 32(R7), [V%d.B16, V%d.B16]", w, w+1)
					for t := range n {
						for i := range 2 {
							sum := 8*t + 4*pair + 2*i
							f.Op("%s v%d.8h, v%d.8b, v%d.8b", op, sum, w+i, four4+t)
							f.Op("%s2 v%d.8h, v%d.16b, v%d.16b", op, sum+1, w+i, four4+t)
						}
					}
				}
			}
		}
		// Sums of all 32 columns stay below 2^15.
		for t := range n {
			for i := range 4 {
				f.Op("addp v%d.8h, v%d.8h, v%d.8h", 8*t+i, 8*t+2*i, 8*t+2*i+1)
			}
			for i := range 2 {
				f.Op("addp v%d.8h, v%d.8h, v%d.8h", 8*t+i, 8*t+2*i, 8*t+2*i+1)
			}
		}
		f.Go("VLD1.P 64(R7), %s", four(24))
		f.Op("uzp1 v24.8h, v24.8h, v25.8h")
		f.Op("uzp1 v25.8h, v26.8h, v27.8h")
		for t := range n {
			for i := range 2 {
				total := totals + 4*t + 2*i
				f.Op("smlal v%d.4s, v%d.4h, v%d.4h", total, 8*t+i, 24+i)
				f.Op("smlal2 v%d.4s, v%d.8h, v%d.8h", total+1, 8*t+i, 24+i)
			}
		}
	}}
}

// q4 writes the 4-bit × 8-bit product for tiles of n tokens and 16 lanes.
// Activations become signed, so that the parts' starts, which take back their
// offset, are passed over. The sums of the parts so far are kept in the result.
func (f writer) q4(name string, n int, p products) {
	at := f.Func(fmt.Sprintf("%sTiles%d", name, n), fmt.Sprintf("is the product for tiles of %d tokens.", n),
		"(out *float32, outStride int, act *byte, actStride int, panel *byte, bias *float32, groups int, tiles int)")
	f.load(at, 0, "out", "outStride")
	f.load(at, 2, "act")
	f.load(at, 5, "actStride", "panel")
	f.load(at, 8, "bias", "groups", "tiles")
	f.Go("LSL $2, R1")
	p.start(f)
	// From the end of a token's activations to the same token of the next tile.
	f.Go("MOVD $%d, R21", n)
	f.Go("MUL R5, R21")
	f.Go("SUB R9<<5, R21")
	for t := 1; t < n; t++ {
		f.Go("ADD R5, R%d, R%d", 1+t, 2+t)
	}
	out := []int{14, 15, 16}

	f.Label("tile")
	f.Go("MOVD R6, R7")
	f.Go("MOVD R9, R11")
	f.Go("ADD R9<<5, R2, R13") // the scales of the first token
	f.Zero(p.spare, 4)
	for t := range n {
		f.Go("MOVD R0, R%d", out[t])
		f.Go("VST1 %s, (R0)", four(p.spare))
		f.Go("ADD R1, R0")
	}

	f.Label("part")
	f.Go("ADD $%d, R7", partStart)
	f.Go("MOVD $%d, R12", partGroups)
	f.Go("CMP $%d, R11", partGroups)
	f.Go("CSEL LT, R11, R12, R12")
	f.Go("SUB R12, R11")
	f.Zero(p.totals, 4*n)

	f.Label("group")
	p.group(f)
	f.Go("SUBS $1, R12")
	f.Go("BNE group")

	f.Go("MOVD R13, R17")
	for t := range n {
		f.Go("FMOVS (R17), F%d", p.act)
		if t+1 < n {
			f.Go("ADD R5, R17")
		}
		f.Go("VLD1 (R%d), %s", out[t], four(p.spare))
		f.Each(p.totals+4*t, 4, "scvtf v%[1]d.4s, v%[1]d.4s")
		for i := range 4 {
			f.Op("fmla v%d.4s, v%d.4s, v%d.s[0]", p.spare+i, p.totals+4*t+i, p.act)
		}
		f.Go("VST1 %s, (R%d)", four(p.spare), out[t])
	}
	f.Go("ADD $4, R13")
	f.Go("CBNZ R11, part")

	f.Go("VLD1 (R7), %s", four(p.spare)) // what the integers of each row are multiplied by
	f.Go("VLD1 (R8), %s", four(p.spare2))
	for t := range n {
		f.Go("VLD1 (R%d), %s", out[t], four(p.totals))
		for i := range 4 {
			f.Op("mov v%d.16b, v%d.16b", p.totals+4+i, p.spare2+i)
			f.Op("fmla v%d.4s, v%d.4s, v%d.4s", p.totals+4+i, p.totals+i, p.spare+i)
		}
		f.Go("VST1 %s, (R%d)", four(p.totals+4), out[t])
	}
	for t := range n {
		f.Go("ADD R21, R%d", 2+t)
	}
	f.Go("SUBS $1, R10")
	f.Go("BNE tile")
	f.Go("RET")
}

// f32 writes the float32 product for tiles of n tokens and 16 lanes. Four
// tokens have 16 sums, enough for four that take four cycles each to be added
// to in every cycle.
func (f writer) f32(n int) {
	at := f.Func(fmt.Sprintf("f32Tiles%d", n), fmt.Sprintf("is the product for tiles of %d tokens.", n),
		"(out *float32, outStride int, a *float32, aStride int, w *float32, wStride int, scale *float32, k int, tiles int)")
	const act, w = 16, 20
	f.load(at, 0, "out", "outStride", "a")
	f.load(at, 6, "aStride", "w")
	f.load(at, 9, "wStride", "scale", "k")
	f.load(at, 13, "tiles")
	f.Go("LSL $2, R1")
	f.Go("LSL $2, R6")
	f.Go("LSL $2, R9")
	f.Go("MOVD $%d, R14", n)
	f.Go("MUL R6, R14")
	f.Go("SUB R11<<2, R14")
	for t := 1; t < n; t++ {
		f.Go("ADD R6, R%d, R%d", 1+t, 2+t)
	}
	f.Label("tile")
	f.Go("MOVD R7, R8")
	f.Zero(0, 4*n)
	f.Go("SUBS $4, R11, R12")
	f.Go("BLT few")
	f.Label("loop")
	for t := range n {
		f.Go("VLD1.P 16(R%d), [V%d.S4]", 2+t, act+t)
	}
	for j := range 4 {
		from := w + j%2*4
		f.Go("VLD1.P (R8)(R9), %s", four(from))
		for t := range n {
			for i := range 4 {
				f.Op("fmla v%d.4s, v%d.4s, v%d.s[%d]", 4*t+i, from+i, act+t, j)
			}
		}
	}
	f.Go("SUBS $4, R12")
	f.Go("BGE loop")
	f.Label("few")
	f.Go("ADDS $4, R12")
	f.Go("BEQ done")
	f.Label("one")
	f.Go("VLD1.P (R8)(R9), %s", four(w))
	for t := range n {
		f.Go("VLD1R.P 4(R%d), [V%d.S4]", 2+t, act+t)
		for i := range 4 {
			f.Op("fmla v%d.4s, v%d.4s, v%d.4s", 4*t+i, w+i, act+t)
		}
	}
	f.Go("SUBS $1, R12")
	f.Go("BNE one")
	f.Label("done")
	for t := range n {
		f.Go("VLD1R.P 4(R10), [V%d.S4]", act)
		f.Each(4*t, 4, fmt.Sprintf("fmul v%%[1]d.4s, v%%[1]d.4s, v%d.4s", act))
		f.Go("VST1 %s, (R0)", four(4*t))
		f.Go("ADD R1, R0")
		f.Go("ADD R14, R%d", 2+t)
	}
	f.Go("SUBS $1, R13")
	f.Go("BNE tile")
	f.Go("RET")
}
