package kernel

import "golang.org/x/sys/cpu"

//go:generate go -C ../asm run ./avx512 -pkg kernel -out ../kernel/avx512_amd64.s -stubs ../kernel/avx512_stubs_amd64.go

// hasAVX512 tells whether the machine has the instructions of the wide kernels.
func hasAVX512() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512VNNI
}

// tileWide is the most tokens that a wide kernel takes at once, of one panel.
const tileWide = 12

// wideTiles divides tokens into full tiles and two of nearly the same size, as a
// small tile loads as many weights as a full one.
func wideTiles(tokens, tile int) (full, first, second int) {
	full, first = tokens/tile, tokens%tile
	if full > 0 && first > 0 {
		rest := first + tile
		return full - 1, rest - rest/2, rest / 2
	}
	return full, first, 0
}

// A q4Wide is the product of one tile size: a panel, or two panelBytes and
// panelStride apart.
type q4Wide func(out *float32, outStride, panelStride int, act *byte, actStride int, panel *byte, panelBytes int, bias *float32, groups, tiles, ahead, step int)

func q4AVX512(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	q4Tiled(out, outStride, 0, act, panel, len(panel), bias, groups, tokens, tileWide, q4Wide12, q4WideFew)
}

func q4PairAVX512(out []float32, outStride, panelStride int, act, panels []byte, bias []float32, groups, tokens int) {
	q4Tiled(out, outStride, panelStride, act, panels, len(panels)/2, bias, groups, tokens, tileWide/2, q4Pair6, q4PairFew)
}

// q4Tiled multiplies in tiles of the given size: many at once with one kernel,
// what is left with that of few for its size.
func q4Tiled(out []float32, outStride, panelStride int, act, panels []byte, panelBytes int, bias []float32, groups, tokens, tile int, many q4Wide, few func(int) q4Wide) {
	actStride := ActBytes(groups)
	full, first, second := wideTiles(tokens, tile)
	// As with AVX2, what follows comes into the cache meanwhile.
	lines, fewLines := 2*groups, len(panels)/panelBytes*groupBytes/64*groups
	if tokens <= fewTokens {
		many, lines = few(tile), fewLines
	}
	asks := full * lines
	for _, n := range [2]int{first, second} {
		if n > 0 {
			asks += fewLines
		}
	}
	step, ahead := min(len(panels)/asks+1, 64), len(panels)
	if full > 0 {
		many(&out[0], outStride, panelStride, &act[0], actStride, &panels[0], panelBytes, &bias[0], groups, full, ahead, step)
		ahead += full * lines * step
	}
	done := full * tile
	for _, n := range [2]int{first, second} {
		if n > 0 {
			few(n)(&out[done*outStride], outStride, panelStride, &act[done*actStride], actStride, &panels[0], panelBytes, &bias[0], groups, 1, ahead, step)
			ahead += fewLines * step
			done += n
		}
	}
}

func q4WideFew(tokens int) q4Wide {
	return [...]q4Wide{
		q4WideFew1, q4WideFew2, q4WideFew3, q4WideFew4, q4WideFew5, q4WideFew6,
		q4WideFew7, q4WideFew8, q4WideFew9, q4WideFew10, q4WideFew11, q4WideFew12,
	}[tokens-1]
}

func q4PairFew(tokens int) q4Wide {
	return [...]q4Wide{q4PairFew1, q4PairFew2, q4PairFew3, q4PairFew4, q4PairFew5, q4PairFew6}[tokens-1]
}

// An f32Wide is the float32 product of one tile size.
type f32Wide func(out *float32, outStride int, a *float32, aStride int, w *float32, wStride int, scale *float32, k, tiles int)

func f32AVX512(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int) {
	full, first, second := wideTiles(tokens, tileWide)
	if full > 0 {
		f32Wide12(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, full)
	}
	done := full * tileWide
	for _, n := range [2]int{first, second} {
		if n > 0 {
			f32WideFew(n)(&out[done*outStride], outStride, &a[done*aStride], aStride, &w[0], wStride, &scale[done], k, 1)
			done += n
		}
	}
}

func f32WideFew(tokens int) f32Wide {
	return [...]f32Wide{
		f32Wide1, f32Wide2, f32Wide3, f32Wide4, f32Wide5, f32Wide6,
		f32Wide7, f32Wide8, f32Wide9, f32Wide10, f32Wide11, f32Wide12,
	}[tokens-1]
}

func quantizeAVX512(dst, scales []byte, dstStride int, x []float32, stride, cols, rows int) {
	quantizeWide(&dst[0], &scales[0], dstStride, &x[0], stride, cols/Group, rows)
}

// What is not a number of whole vectors is left to AVX2.

func geluAVX512(x []float32) {
	if len(x)%16 != 0 {
		geluAVX2(x)
		return
	}
	geluWide(&x[0], len(x)/16)
}

func softmaxAVX512(x []float32) float32 {
	if len(x)%16 != 0 {
		return softmaxAVX2(x)
	}
	return softmaxWide(&x[0], len(x)/16)
}

func addNormAVX512(x, y, weight, bias []float32, eps float32) {
	if len(x)%16 != 0 {
		addNormAVX2(x, y, weight, bias, eps)
		return
	}
	addNormWide(&x[0], &y[0], &weight[0], &bias[0], eps, len(x)/16)
}
