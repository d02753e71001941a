package main

import "fmt"

const (
	maxHeadTokens = 4
	// Scores have twice as many sums.
	maxScoreTokens = 2
)

// halves is the Go assembler's list of the registers v to v+3 as int16.
func halves(v int) string {
	return fmt.Sprintf("[V%d.H8, V%d.H8, V%d.H8, V%d.H8]", v, v+1, v+2, v+3)
}

// headRows writes the twin of quantizeHeadPortable.
func (f writer) headRows() {
	at := f.Func("headRows", "quantises rows of queries or keys.",
		"(dst *float32, scales *float32, x *float32, stride int, cols int, rows int, factor float32)")
	const factor, top = 20, 16
	s := scaling{limit: 24, smallest: 25, infinite: 26, scale: 17, inv: 18, mask: 19}
	f.load(at, 0, "dst", "scales", "x", "stride", "cols", "rows")
	f.Go("FMOVS %s, F%d", at["factor"], factor)
	f.Go("LSL $2, R3")
	f.Go("LSR $5, R4")
	f.begin(s, 1<<12-1)
	f.Label("row")
	f.Go("MOVD R2, R6")
	f.Go("MOVD R4, R7")
	f.Zero(top, 1)
	f.Label("top")
	f.largest(top, "R6")
	f.Go("SUBS $1, R7")
	f.Go("BNE top")
	f.Op("umaxv s%d, v%d.4s", top, top)
	f.Op("dup v%d.4s, v%d.s[0]", top, top)
	f.inverse(s, top)
	f.Go("FMULS F%d, F%d, F0", factor, s.scale)
	f.Go("FMOVS F0, (R1)")
	f.Go("ADD $4, R1")
	f.Go("MOVD R2, R6")
	f.Go("MOVD R4, R7")
	f.Label("group")
	f.rounded("R6", s.inv)
	f.Go("VST1.P %s, 64(R0)", halves(8))
	f.Go("SUBS $1, R7")
	f.Go("BNE group")
	f.Go("ADD R3, R2")
	f.Go("SUBS $1, R5")
	f.Go("BNE row")
	f.Go("RET")
}

// headValues writes the quantisation of 16 columns of values: the int16 of a
// row and then those of the next.
func (f writer) headValues() {
	at := f.Func("headValues", "quantises 16 columns of values.",
		"(dst *uint32, scales *float32, x *float32, stride int, tokens int)")
	const top, scale, inv = 12, 16, 20
	s := scaling{limit: 24, smallest: 25, infinite: 26, mask: 27}
	f.load(at, 0, "dst", "scales", "x", "stride", "tokens")
	f.Go("LSL $2, R3")
	f.begin(s, 1<<13-1)
	f.Zero(top, 4)
	f.Go("MOVD R2, R6")
	f.Go("MOVD R4, R7")
	f.Label("top")
	f.Go("VLD1.P (R6)(R3), %s", four(0))
	f.Each(0, 4, "fabs v%[1]d.4s, v%[1]d.4s")
	for i := range 4 {
		f.Op("umax v%d.4s, v%d.4s, v%d.4s", top+i, top+i, i)
	}
	f.Go("SUBS $1, R7")
	f.Go("BNE top")
	for i := range 4 {
		s.scale, s.inv = scale+i, inv+i
		f.inverse(s, top+i)
	}
	f.Go("VST1 %s, (R1)", four(scale))

	// put writes two rows, of which the second may be zero.
	put := func(rows int) {
		for r := range rows {
			f.Go("VLD1.P (R2)(R3), %s", four(4*r))
			for i := range 4 {
				f.Op("fmul v%d.4s, v%d.4s, v%d.4s", 4*r+i, 4*r+i, inv+i)
				f.Op("fcvtns v%d.4s, v%d.4s", 4*r+i, 4*r+i)
			}
		}
		f.Zero(4*rows, 4*(2-rows))
		for i := range 4 {
			f.Op("sqxtn v%d.4h, v%d.4s", 8+i, 2*i)
			f.Op("sqxtn2 v%d.8h, v%d.4s", 8+i, 2*i+1)
		}
		f.Go("VST1.P %s, 64(R0)", halves(8))
	}
	f.Go("SUBS $2, R4")
	f.Go("BLT last")
	f.Label("pair")
	put(2)
	f.Go("SUBS $2, R4")
	f.Go("BGE pair")
	f.Label("last")
	f.Go("ADDS $2, R4")
	f.Go("BEQ end")
	put(1)
	f.Label("end")
	f.Go("RET")
}

// headSums is the first of four registers for each row: its sums.
const headSums = 16

// scaled writes the sums of n rows as float32, times those of 16 lanes at R11 and
// then that of each row at R10, to R14 and on.
func (f writer) scaled(n int) {
	f.Go("VLD1 (R11), %s", four(4))
	f.Go("MOVD R10, R15")
	for t := range n {
		f.Go("VLD1R.P 4(R15), [V0.S4]")
		for i := range 4 {
			v := headSums + 4*t + i
			f.Op("scvtf v%d.4s, v%d.4s", v, v)
			f.Op("fmul v%d.4s, v%d.4s, v%d.4s", v, v, 4+i)
			f.Op("fmul v%d.4s, v%d.4s, v0.4s", v, v)
		}
		f.Go("VST1 %s, (R14)", four(headSums+4*t))
		f.Go("ADD R1, R14")
	}
}

// scores writes the products of n queries with panels of keys, of pairs of int16.
// v0 to v(8n-1) have the sums, two for each key.
func (f writer) scores(n int) {
	at := f.Func(fmt.Sprintf("scores%d", n), fmt.Sprintf("multiplies %d queries with panels of keys.", n),
		"(out *float32, outStride int, q *float32, words int, qScales *float32, keys *float32, keyStride int, keyScales *float32, panels int)")
	const keys, q = 16, 24
	f.load(at, 0, "out", "outStride", "q")
	f.load(at, 6, "words", "keys")
	f.load(at, 9, "keyStride", "qScales", "keyScales", "panels")
	f.Go("LSL $2, R1")
	f.Go("LSL $2, R9")
	for t := 1; t < n; t++ {
		f.Go("ADD R6<<2, R%d, R%d", 1+t, 2+t)
	}
	f.Label("panel")
	f.Zero(0, 8*n)
	f.Go("MOVD R7, R8")
	f.Go("MOVD R6, R13")
	f.Label("word")
	f.Go("VLD1.P (R8)(R9), %s", halves(keys))
	for t := range n {
		f.Go("VLD1R.P 4(R%d), [V%d.S4]", 2+t, q+t)
		for i := range 4 {
			f.Op("smlal v%d.4s, v%d.4h, v%d.4h", 8*t+2*i, keys+i, q+t)
			f.Op("smlal2 v%d.4s, v%d.8h, v%d.8h", 8*t+2*i+1, keys+i, q+t)
		}
	}
	f.Go("SUBS $1, R13")
	f.Go("BNE word")
	for t := range n {
		f.Go("SUB R6<<2, R%d", 2+t)
		for i := range 4 {
			f.Op("addp v%d.4s, v%d.4s, v%d.4s", headSums+4*t+i, 8*t+2*i, 8*t+2*i+1)
		}
	}
	f.Go("MOVD R0, R14")
	f.scaled(n)
	f.Go("ADD $%d, R0", 4*lanes)
	f.Go("ADD $%d, R7", 4*lanes)
	f.Go("ADD $%d, R11", 4*lanes)
	f.Go("SUBS $1, R12")
	f.Go("BNE panel")
	f.Go("RET")
}

// mix writes the products of n rows of probabilities with a panel of values.
func (f writer) mix(n int) {
	at := f.Func(fmt.Sprintf("mix%d", n), fmt.Sprintf("multiplies %d rows of probabilities with a panel of values.", n),
		"(out *float32, outStride int, probs *uint32, probStride int, values *uint32, sums *float32, scales *float32, pairs int)")
	f.load(at, 14, "out")
	f.load(at, 1, "outStride", "probs")
	f.load(at, 6, "probStride", "values")
	f.load(at, 10, "sums", "scales", "pairs")
	f.Go("LSL $2, R1")
	for t := 1; t < n; t++ {
		f.Go("ADD R6<<2, R%d, R%d", 1+t, 2+t)
	}
	f.Zero(headSums, 4*n)
	f.Label("pair")
	f.Go("VLD1.P 64(R7), %s", halves(4))
	for t := range n {
		f.Go("VLD1R.P 4(R%d), [V%d.S4]", 2+t, t)
		for row := range 2 {
			for i := range 2 {
				sum, v := headSums+4*t+2*i, 4+2*row+i
				f.Op("smlal v%d.4s, v%d.4h, v%d.h[%d]", sum, v, t, row)
				f.Op("smlal2 v%d.4s, v%d.8h, v%d.h[%d]", sum+1, v, t, row)
			}
		}
	}
	f.Go("SUBS $1, R12")
	f.Go("BNE pair")
	f.scaled(n)
	f.Go("RET")
}
