package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

// available lists the sets that this machine can run, the best first.
func available() []*Set {
	sets := []*Set{Portable()}
	if !cpu.X86.HasAVX2 || !cpu.X86.HasFMA {
		return sets
	}
	avx2 := &Set{name: "avx2", q4: q4AVX2, f32: f32AVX2, pack: packAVX2,
		quantize: quantizeAVX2, gelu: geluAVX2, softmax: softmaxAVX2,
		addNorm: addNormAVX2, transpose: transposeAVX2, attention: attentionAVX2()}
	sets = append([]*Set{avx2}, sets...)
	if !hasAVX512() {
		return sets
	}
	wide := &Set{name: "avx512vnni", starts: pairStarts, q4: q4AVX512, q4Pair: q4PairAVX512, f32: f32AVX512, pack: packAVX2,
		quantize: quantizeAVX512, gelu: geluAVX512, softmax: softmaxAVX512,
		addNorm: addNormAVX512, transpose: transposeAVX2, attention: attentionAVX512()}
	return append([]*Set{wide}, sets...)
}

// The numbers of tokens that the kernels take at once, so that their sums and
// operands fill the registers.
const (
	tileF32 = 6
	tileQ4  = 3
	// Up to fewTokens are taken by kernels that ask for more lines of the next
	// panel in each group.
	fewTokens = 24
	fewLines  = 3
)

func q4AVX2(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	actStride := ActBytes(groups)
	three, two, one := tokens/tileQ4, 0, 0
	switch tokens % tileQ4 {
	case 1:
		// Twice two tokens cost less than three and one.
		if three > 0 {
			three, two = three-1, 2
		} else {
			one = 1
		}
	case 2:
		two = 1
	}
	// Most products take one panel after the other: the next one comes into the
	// cache meanwhile. Few tokens leave little time for it.
	tiles3, tiles2, tiles1, lines := q4Tiles3, q4Tiles2, q4Tiles1, groups
	if tokens <= fewTokens {
		tiles3, tiles2, tiles1, lines = q4Few3, q4Few2, q4Few1, fewLines*groups
	}
	step, ahead := min(len(panel)/((three+two+one)*lines)+1, 64), len(panel)
	if three > 0 {
		tiles3(&out[0], outStride, &act[0], actStride, &panel[0], &bias[0], groups, three, ahead, step)
		ahead += three * lines * step
	}
	done := three * tileQ4
	if two > 0 {
		tiles2(&out[done*outStride], outStride, &act[done*actStride], actStride, &panel[0], &bias[0], groups, two, ahead, step)
	}
	if one > 0 {
		tiles1(&out[0], outStride, &act[0], actStride, &panel[0], &bias[0], groups, one, ahead, step)
	}
}

func f32AVX2(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int) {
	done := tokens / tileF32 * tileF32
	if done > 0 {
		f32Tiles6(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, done/tileF32)
	}
	if done == tokens {
		return
	}
	out, a, scale = out[done*outStride:], a[done*aStride:], scale[done:]
	switch tokens - done {
	case 1:
		f32Tiles1(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, 1)
	case 2:
		f32Tiles2(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, 1)
	case 3:
		f32Tiles3(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, 1)
	case 4:
		f32Tiles4(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, 1)
	case 5:
		f32Tiles5(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, 1)
	}
}

func quantizeAVX2(dst, scales []byte, dstStride int, x []float32, stride, cols, rows int) {
	quantizeRows(&dst[0], &scales[0], dstStride, &x[0], stride, cols/Group, rows)
}

func geluAVX2(x []float32) { geluVectors(&x[0], len(x)/8) }

func softmaxAVX2(x []float32) float32 { return softmaxVectors(&x[0], len(x)/8) }

func addNormAVX2(x, y, weight, bias []float32, eps float32) {
	addNormVectors(&x[0], &y[0], &weight[0], &bias[0], eps, len(x)/8)
}

func transposeAVX2(dst []float32, dstStride int, src []float32, srcStride, blocks int) {
	transposeBlocks(&dst[0], dstStride, &src[0], srcStride, blocks)
}

func packAVX2(panel []byte, rows string, groups int, starts starts) {
	pack := packRows
	if starts == pairStarts {
		pack = packPairs
	}
	rowBytes := groups * BlockBytes
	end := len(panel) - panelEnd
	for half := range 2 {
		pack(&panel[32*half], &panel[end+32*half], unsafe.StringData(rows[8*half*rowBytes:]), rowBytes, groups)
	}
}
