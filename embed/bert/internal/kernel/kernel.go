// Package kernel holds the matrix products of the encoder, each as a portable
// Go function and, where there is one for the machine, in assembly. Tests
// compare the two.
//
// It imports the standard library and golang.org/x/sys/cpu only. Its functions
// check the lengths of their operands and panic on a wrong one; they write to
// their outputs only and are safe for concurrent use on different outputs.
//
// Weights are kept in panels of [Lanes] output rows, so that a vector register
// holds one column of a panel and a product needs no sum across lanes.
package kernel

import (
	"encoding/binary"
	"fmt"
	"math"
)

//go:generate go -C ../asm run . -pkg kernel -out ../kernel/kernel_amd64.s -stubs ../kernel/stubs_amd64.go

const (
	// Lanes is the number of output rows of a panel.
	Lanes = 16
	// Group is the number of columns that share a scale.
	Group = 32

	// ActGroupBytes is the size of a group of a quantised activation row:
	// 32 int8, their scale (float32), and two int16 that hold the sums of the
	// columns 4i, 4i+1 and of 4i+2, 4i+3, each times -8. They start the two
	// int16 lanes of an output, which so lose the zero point 8 of the weights
	// at no cost: |sum| <= 8·128·16 fits, as does every result.
	ActGroupBytes = Group + 8
	// PanelGroupBytes is the size of a group of a panel: for each four columns
	// 16 rows of four bytes (weight + 8, so 0..15), then 16 scales (float32).
	PanelGroupBytes = Lanes*Group + 4*Lanes
)

// A Set is a choice of kernels.
type Set struct {
	name string
	q4   func(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int)
	f32  func(out []float32, outStride int, a []float32, aStride int, w []float32, wStride, k, tokens int)
}

// Name says which instructions the set uses: "portable" or "avx2".
func (s *Set) Name() string { return s.name }

// Portable returns the kernels in Go.
func Portable() *Set { return &Set{name: "portable", q4: q4Portable, f32: f32Portable} }

// Named returns the kernels of that name, or the best for this machine when
// name is empty.
func Named(name string) (*Set, error) {
	sets := available()
	if name == "" {
		return sets[0], nil
	}
	names := make([]string, len(sets))
	for i, s := range sets {
		if s.name == name {
			return s, nil
		}
		names[i] = s.name
	}
	return nil, fmt.Errorf("kernel %q is not one of this machine's: %q", name, names)
}

// MulQ4 multiplies tokens rows of quantised activations, each of groups ×
// [ActGroupBytes], with one panel of groups × [PanelGroupBytes], adds bias and
// writes [Lanes] values of each row at out[row*outStride:].
func (s *Set) MulQ4(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	if tokens == 0 {
		return
	}
	if groups <= 0 || outStride < Lanes || tokens < 0 {
		panic("kernel: MulQ4 of a wrong shape")
	}
	s.q4(out[:(tokens-1)*outStride+Lanes], outStride, act[:tokens*groups*ActGroupBytes],
		panel[:groups*PanelGroupBytes], bias[:Lanes], groups, tokens)
}

// MulF32 multiplies tokens rows of k activations, aStride apart, with k rows
// of [Lanes] weights, wStride apart, and writes [Lanes] values of each token at
// out[token*outStride:].
func (s *Set) MulF32(out []float32, outStride int, a []float32, aStride int, w []float32, wStride, k, tokens int) {
	if tokens == 0 {
		return
	}
	if k <= 0 || outStride < Lanes || aStride < 0 || wStride < 0 || tokens < 0 {
		panic("kernel: MulF32 of a wrong shape")
	}
	s.f32(out[:(tokens-1)*outStride+Lanes], outStride, a[:(tokens-1)*aStride+k], aStride,
		w[:(k-1)*wStride+Lanes], wStride, k, tokens)
}

// Quantize writes row, whose length is a multiple of [Group], as signed bytes
// with one scale for each group, to dst of len(row)/Group × [ActGroupBytes].
// A group with an infinity or NaN gets a scale that is no finite number, so
// that the products show it.
func Quantize(dst []byte, row []float32) {
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
	scale := largest / 127
	inv := float32(0)
	if largest > 0 {
		inv = 127 / largest
	}
	if inv > math.MaxFloat32 { // a subnormal: too small to matter
		inv, scale = 0, 0
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
