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

	// PartGroups is the number of groups over which a row of activations has one
	// scale, and over which sums stay integers. With 4 products are a twentieth
	// faster, but ranks of near ties change more often.
	PartGroups = 2

	// groupBytes is the size of a group of a panel: for each four columns 16
	// rows of four signed bytes (weights of -8..7), then for each row its scale
	// as int16, twice.
	groupBytes = Lanes*Group + 4*Lanes
	// partStart is the size of what begins a part: where the int32 sum of each
	// row starts, which takes back the offset of the activations.
	partStart = 4 * Lanes
	// panelEnd is the size of what ends a panel: the float32 of each row by
	// which its integers are multiplied.
	panelEnd = 4 * Lanes

	// maxScale is the largest scale of a group. The sums of a part fit int32,
	// 8·127·Group·maxScale·PartGroups < 2^31; what overflows on the way to them
	// comes back. The two int16 that become the sum of a group take eight
	// products of two with an activation of up to 255: 8·255·16 < 2^15.
	maxScale = 1 << 14
)

// ActBytes is the size of a quantised row of groups × [Group] activations: a
// byte each, which is the value plus 128, then the scale (float32) of each
// part of [PartGroups] groups, then nothing up to a multiple of 32.
func ActBytes(groups int) int { return (groups*Group + 4*parts(groups) + 31) &^ 31 }

// PanelBytes is the size of a panel of 4-bit weights with groups × [Group]
// columns, as [Set.PackQ4] makes it.
func PanelBytes(groups int) int { return parts(groups)*partStart + groups*groupBytes + panelEnd }

func parts(groups int) int { return (groups + PartGroups - 1) / PartGroups }

// A Set is a choice of kernels.
type Set struct {
	name string
	q4   func(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int)
	// q4Pair does two panels that follow each other, if it is not nil.
	q4Pair func(out []float32, outStride, panelStride int, act, panels []byte, bias []float32, groups, tokens int)
	f32    func(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int)

	pack   func(panel []byte, rows string, groups int, starts starts)
	starts starts

	// quantize quantises rows of cols values, stride apart, to the beginnings of dst
	// and scales and on every dstStride.
	quantize func(dst, scales []byte, dstStride int, x []float32, stride, cols, rows int)
	gelu     func(x []float32)
	softmax  func(x []float32) float32

	addNorm   func(x, y, weight, bias []float32, eps float32)
	transpose func(dst []float32, dstStride int, src []float32, srcStride, blocks int)

	attention attention
}

// Name says which instructions the set uses: "portable", "avx2", "avx512vnni",
// which is AVX-512 with VNNI, "neon" or "dotprod", which is neon with the dot
// product instructions.
func (s *Set) Name() string { return s.name }

// Portable returns the kernels in Go.
func Portable() *Set {
	return &Set{name: "portable", q4: q4Portable, f32: f32Portable, pack: packPortable,
		quantize: quantizePortable, gelu: geluPortable, softmax: softmaxPortable,
		addNorm: addNormPortable, transpose: transposePortable, attention: attentionPortable()}
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

// MulQ4 multiplies tokens rows of quantised activations, each of
// [ActBytes], with panels that follow each other, each of [PanelBytes], adds bias and
// writes [Lanes] values of each row and panel at
// out[row*outStride+panel*panelStride:].
func (s *Set) MulQ4(out []float32, outStride, panelStride int, act, panels []byte, bias []float32, groups, tokens int) {
	if tokens == 0 || len(panels) == 0 {
		return
	}
	size := PanelBytes(groups)
	count := len(panels) / size
	if groups <= 0 || tokens < 0 || outStride < Lanes || panelStride < Lanes || len(panels)%size != 0 {
		panic("kernel: MulQ4 of a wrong shape")
	}
	act = act[:tokens*ActBytes(groups)]
	for p := 0; p < count; {
		n := 1
		if s.q4Pair != nil && p+1 < count {
			n = 2
		}
		dst := out[p*panelStride:][:(n-1)*panelStride+(tokens-1)*outStride+Lanes]
		weights, b := panels[p*size:][:n*size], bias[p*Lanes:][:n*Lanes]
		if n == 2 {
			s.q4Pair(dst, outStride, panelStride, act, weights, b, groups, tokens)
		} else {
			s.q4(dst, outStride, act, weights, b, groups, tokens)
		}
		p += n
	}
}

// MulF32 multiplies tokens rows of k activations, aStride apart, with k rows
// of [Lanes] weights, wStride apart, and writes [Lanes] values of each token,
// times its scale, at out[token*outStride:].
func (s *Set) MulF32(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int) {
	if tokens == 0 {
		return
	}
	if k <= 0 || outStride < Lanes || aStride < 0 || wStride < 0 || tokens < 0 {
		panic("kernel: MulF32 of a wrong shape")
	}
	s.f32(out[:(tokens-1)*outStride+Lanes], outStride, a[:(tokens-1)*aStride+k], aStride,
		w[:(k-1)*wStride+Lanes], wStride, scale[:tokens], k, tokens)
}

// Quantize writes rows of groups × [Group] values, stride apart, to dst, which
// has [ActBytes] for each. A part with an infinity or NaN gets a scale that is no
// finite number, so that the products show it.
func (s *Set) Quantize(dst []byte, x []float32, stride, groups, rows int) {
	s.QuantizeFrom(dst, x, stride, groups*Group, rows, 0, groups)
}

// QuantizeFrom is [Set.Quantize] for cols columns of rows of groups × [Group] that
// begin with the given part.
func (s *Set) QuantizeFrom(dst []byte, x []float32, stride, cols, rows, part, groups int) {
	if cols < 0 || cols%Group != 0 || part < 0 || part*PartGroups*Group+cols > groups*Group || rows < 0 || stride < cols {
		panic("kernel: Quantize of a wrong shape")
	}
	if cols == 0 || rows == 0 {
		return
	}
	size := ActBytes(groups)
	dst, x = dst[:rows*size], x[:(rows-1)*stride+cols]
	s.quantize(dst[part*PartGroups*Group:], dst[groups*Group+4*part:], size, x, stride, cols, rows)
}
