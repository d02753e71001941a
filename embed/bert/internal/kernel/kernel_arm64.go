package kernel

import (
	"unsafe"

	"golang.org/x/sys/cpu"
)

//go:generate go run ../neon

// available lists the sets that this machine can run, the best first.
func available() []*Set {
	// NEON is a part of arm64.
	neon := &Set{name: "neon", q4: q4Long, f32: f32NEON, pack: packNEON,
		quantize: quantizeNEON, gelu: geluNEON, softmax: softmaxNEON,
		addNorm: addNormNEON, transpose: transposeNEON, attention: attentionNEON()}
	if !cpu.ARM64.HasASIMDDP {
		return []*Set{neon, Portable()}
	}
	dotprod := *neon
	dotprod.name, dotprod.q4 = "dotprod", q4Dot
	return []*Set{&dotprod, neon, Portable()}
}

func q4Dot(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	actStride := ActBytes(groups)
	three, two, one := tokens/3, 0, 0
	switch tokens % 3 {
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
	if three > 0 {
		q4DotTiles3(&out[0], outStride, &act[0], actStride, &panel[0], &bias[0], groups, three)
	}
	done := 3 * three
	if two > 0 {
		q4DotTiles2(&out[done*outStride], outStride, &act[done*actStride], actStride, &panel[0], &bias[0], groups, two)
	}
	if one > 0 {
		q4DotTiles1(&out[0], outStride, &act[0], actStride, &panel[0], &bias[0], groups, one)
	}
}

func q4Long(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	actStride := ActBytes(groups)
	two := tokens / 2
	if two > 0 {
		q4LongTiles2(&out[0], outStride, &act[0], actStride, &panel[0], &bias[0], groups, two)
	}
	if done := 2 * two; done < tokens {
		q4LongTiles1(&out[done*outStride], outStride, &act[done*actStride], actStride, &panel[0], &bias[0], groups, 1)
	}
}

func f32NEON(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int) {
	done := tokens &^ 3
	if done > 0 {
		f32Tiles4(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, done/4)
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
	}
}

func packNEON(panel []byte, rows string, groups int, _ starts) {
	rowBytes := groups * BlockBytes
	end := len(panel) - panelEnd
	for i := range 4 {
		packRows(&panel[16*i], &panel[end+16*i], unsafe.StringData(rows[4*i*rowBytes:]), rowBytes, groups)
	}
}

func quantizeNEON(dst, scales []byte, dstStride int, x []float32, stride, cols, rows int) {
	quantizeRows(&dst[0], &scales[0], dstStride, &x[0], stride, cols/Group, rows)
}

func geluNEON(x []float32) { geluVectors(&x[0], len(x)/8) }

func softmaxNEON(x []float32) float32 { return softmaxVectors(&x[0], len(x)/8) }

func addNormNEON(x, y, weight, bias []float32, eps float32) {
	addNormVectors(&x[0], &y[0], &weight[0], &bias[0], eps, len(x)/8)
}

func transposeNEON(dst []float32, dstStride int, src []float32, srcStride, blocks int) {
	transposeBlocks(&dst[0], dstStride, &src[0], srcStride, blocks)
}
