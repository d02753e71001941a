package main

// packRows writes the twin of packPortable for four rows, a quarter of the
// lanes.
func (f writer) packRows() {
	const (
		block      = 2 + group/2
		groupBytes = lanes*group + 4*lanes

		magnitude, nan, finite, power, most, unit, shift   = 16, 17, 18, 19, 20, 21, 22
		nibble, eight, zeroPoints, inv, top, offsets, sums = 23, 24, 25, 26, 27, 28, 29
		largest, mask                                      = 30, 31
	)
	at := f.Func("packRows", "is pack for four rows. It begins at their place in the panel and in its end.",
		"(panel *byte, end *byte, rows *byte, rowBytes int, groups int)")
	f.load(at, 0, "panel", "end")
	f.load(at, 4, "rows")
	f.load(at, 3, "rowBytes")
	f.load(at, 8, "groups")
	for r := 5; r < 8; r++ {
		f.Go("ADD R3, R%d, R%d", r-1, r)
	}
	f.bits(magnitude, 0x7fff)
	f.bits(nan, 0x7fc00000)
	f.bits(finite, 0x7bff)
	f.bits(power, (127+112)<<23)
	f.constant(most, 1<<14)
	f.constant(unit, 1./(1<<14))
	f.constant(shift, 12582912)
	f.bits(nibble, 0x0f0f0f0f)
	f.bits(eight, 0x08080808)
	f.bits(zeroPoints, 8*group)

	// The first words of four blocks begin with their scales.
	words := func(v int) {
		for r := range 4 {
			f.Go("VLD1 (R%d), V%d.S[%d]", 4+r, v, r)
		}
	}
	next := func() {
		for r := range 4 {
			f.Go("ADD $%d, R%d", block, 4+r)
		}
	}
	f.Zero(top, 1)
	f.Go("MOVD R8, R9")
	f.Label("top")
	words(0)
	f.Op("and v0.16b, v0.16b, v%d.16b", magnitude)
	f.Op("umax v%d.4s, v%d.4s, v0.4s", top, top)
	next()
	f.Go("SUBS $1, R9")
	f.Go("BNE top")
	f.Go("MOVD $%d, R9", block)
	f.Go("MUL R8, R9")
	for r := range 4 {
		f.Go("SUB R9, R%d", 4+r)
	}

	// Zero gives no inverse, and what is not finite neither, but shows.
	f.Op("shl v%d.4s, v%d.4s, #13", largest, top)
	f.Op("fmul v%d.4s, v%d.4s, v%d.4s", largest, largest, power)
	f.Op("fdiv v%d.4s, v%d.4s, v%d.4s", inv, most, largest)
	f.Zero(0, 1)
	f.Op("cmeq v%d.4s, v%d.4s, v0.4s", mask, top)
	f.Op("bic v%d.16b, v%d.16b, v%d.16b", inv, inv, mask)
	f.Op("cmhi v%d.4s, v%d.4s, v%d.4s", mask, top, finite)
	f.Op("bic v%d.16b, v%d.16b, v%d.16b", inv, inv, mask)
	f.Op("fmul v%d.4s, v%d.4s, v%d.4s", largest, largest, unit)
	f.Op("bit v%d.16b, v%d.16b, v%d.16b", largest, nan, mask)
	f.Go("VST1 [V%d.S4], (R1)", largest)

	f.Label("part")
	f.Go("MOVD R0, R10")
	f.Go("ADD $%d, R0", partStart)
	f.Go("MOVD $%d, R9", partGroups)
	f.Go("CMP $%d, R8", partGroups)
	f.Go("CSEL LT, R8, R9, R9")
	f.Go("SUB R9, R8")
	f.Zero(offsets, 1)

	f.Label("group")
	for r := range 4 {
		f.Go("ADD $2, R%d, R11", 4+r)
		f.Go("VLD1 (R11), [V%d.B16]", r)
	}
	// Four words of four rows become the rows' first words, and so on.
	for pair := range 2 {
		f.Op("trn1 v%d.4s, v%d.4s, v%d.4s", 4+2*pair, 2*pair, 2*pair+1)
		f.Op("trn2 v%d.4s, v%d.4s, v%d.4s", 5+2*pair, 2*pair, 2*pair+1)
	}
	for i := range 2 {
		f.Op("zip1 v%d.2d, v%d.2d, v%d.2d", i, 4+i, 6+i)
		f.Op("zip2 v%d.2d, v%d.2d, v%d.2d", 2+i, 4+i, 6+i)
	}
	f.Zero(sums, 1)
	f.Go("MOVD R0, R11")
	for q := range 4 {
		f.Op("ushr v%d.16b, v%d.16b, #4", 4+q, q)
		f.Op("and v%d.16b, v%d.16b, v%d.16b", q, q, nibble)
	}
	for v := range 8 {
		f.Op("add v%d.16b, v%d.16b, v%d.16b", sums, sums, v)
		f.Op("sub v%d.16b, v%d.16b, v%d.16b", v, v, eight)
		f.Go("VST1 [V%d.B16], (R11)", v)
		f.Go("ADD $%d, R11", 4*lanes)
	}
	f.Op("uaddlp v%d.8h, v%d.16b", sums, sums)
	f.Op("uaddlp v%d.4s, v%d.8h", sums, sums)
	f.Op("sub v%d.4s, v%d.4s, v%d.4s", sums, zeroPoints, sums) // less what the zero points add, and negative
	f.Op("shl v%d.4s, v%d.4s, #7", sums, sums)

	words(0)
	f.Op("and v1.16b, v0.16b, v%d.16b", magnitude)
	f.Op("shl v1.4s, v1.4s, #13")
	f.Op("fmul v1.4s, v1.4s, v%d.4s", power)
	f.Op("fmul v1.4s, v1.4s, v%d.4s", inv)
	f.Op("fadd v1.4s, v1.4s, v%d.4s", shift)
	f.Op("sub v1.4s, v1.4s, v%d.4s", shift)
	f.Op("shl v0.4s, v0.4s, #16") // the sign of the scale
	f.Op("sshr v0.4s, v0.4s, #31")
	f.Op("eor v1.16b, v1.16b, v0.16b")
	f.Op("sub v1.4s, v1.4s, v0.4s")
	f.Op("mla v%d.4s, v%d.4s, v1.4s", offsets, sums)
	f.Op("mov v0.16b, v1.16b")
	f.Op("sli v0.4s, v1.4s, #16")
	f.Go("VST1 [V0.S4], (R11)")
	f.Go("ADD $%d, R0", groupBytes)
	next()
	f.Go("SUBS $1, R9")
	f.Go("BNE group")
	f.Go("VST1 [V%d.S4], (R10)", offsets)
	f.Go("CBNZ R8, part")
	f.Go("RET")
}
