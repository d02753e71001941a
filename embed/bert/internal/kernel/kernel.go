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
	"fmt"
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

	quantize func(dst []byte, row []float32)
	gelu     func(x []float32)
	softmax  func(x []float32) float32
}

// Name says which instructions the set uses: "portable" or "avx2".
func (s *Set) Name() string { return s.name }

// Portable returns the kernels in Go.
func Portable() *Set {
	return &Set{name: "portable", q4: q4Portable, f32: f32Portable,
		quantize: quantizePortable, gelu: geluPortable, softmax: softmaxPortable}
}

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
func (s *Set) Quantize(dst []byte, row []float32) {
	groups := len(row) / Group
	if groups*Group != len(row) {
		panic("kernel: Quantize of a wrong length")
	}
	if groups > 0 {
		s.quantize(dst[:groups*ActGroupBytes], row)
	}
}
