package kernel

import "golang.org/x/sys/cpu"

//go:generate go -C ../asm run ./avx512 -pkg kernel -out ../kernel/avx512_amd64.s -stubs ../kernel/avx512_stubs_amd64.go

// hasAVX512 tells whether the machine has the instructions of the wide kernels.
func hasAVX512() bool {
	x := &cpu.X86
	return x.HasAVX512F && x.HasAVX512BW && x.HasAVX512VL && x.HasAVX512DQ && x.HasAVX512VNNI
}

// tileWide is the most tokens that a wide kernel takes at once.
const tileWide = 12

// wideTiles divides tokens into full tiles and two of nearly the same size, as a
// small tile loads as many weights as a full one.
func wideTiles(tokens int) (full, first, second int) {
	full, first = tokens/tileWide, tokens%tileWide
	if full > 0 && first > 0 {
		rest := first + tileWide
		return full - 1, rest - rest/2, rest / 2
	}
	return full, first, 0
}

func q4AVX512(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	actStride := ActBytes(groups)
	full, first, second := wideTiles(tokens)
	// As with AVX2, the next panel comes into the cache meanwhile.
	lines := 2 * groups
	if tokens <= fewTokens {
		lines = groupBytes / 64 * groups
	}
	tiles := full
	if first > 0 {
		tiles++
	}
	if second > 0 {
		tiles++
	}
	step, ahead := min(len(panel)/(tiles*lines)+1, 64), len(panel)
	if full > 0 {
		kernel := q4Wide12
		if tokens <= fewTokens {
			kernel = q4WideFew12
		}
		kernel(&out[0], outStride, &act[0], actStride, &panel[0], &bias[0], groups, full, ahead, step)
		ahead += full * lines * step
	}
	done := full * tileWide
	for _, n := range [2]int{first, second} {
		if n == 0 {
			break
		}
		q4WideFew(n, &out[done*outStride], outStride, &act[done*actStride], actStride, &panel[0], &bias[0], groups, ahead, step)
		ahead += lines * step
		done += n
	}
}

func q4WideFew(n int, out *float32, outStride int, act *byte, actStride int, panel *byte, bias *float32, groups, ahead, step int) {
	switch n {
	case 1:
		q4WideFew1(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 2:
		q4WideFew2(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 3:
		q4WideFew3(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 4:
		q4WideFew4(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 5:
		q4WideFew5(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 6:
		q4WideFew6(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 7:
		q4WideFew7(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 8:
		q4WideFew8(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 9:
		q4WideFew9(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 10:
		q4WideFew10(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 11:
		q4WideFew11(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	case 12:
		q4WideFew12(out, outStride, act, actStride, panel, bias, groups, 1, ahead, step)
	}
}

func f32AVX512(out []float32, outStride int, a []float32, aStride int, w []float32, wStride int, scale []float32, k, tokens int) {
	full, first, second := wideTiles(tokens)
	if full > 0 {
		f32Wide12(&out[0], outStride, &a[0], aStride, &w[0], wStride, &scale[0], k, full)
	}
	done := full * tileWide
	for _, n := range [2]int{first, second} {
		if n == 0 {
			break
		}
		f32Wide(n, &out[done*outStride], outStride, &a[done*aStride], aStride, &w[0], wStride, &scale[done], k)
		done += n
	}
}

func f32Wide(n int, out *float32, outStride int, a *float32, aStride int, w *float32, wStride int, scale *float32, k int) {
	switch n {
	case 1:
		f32Wide1(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 2:
		f32Wide2(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 3:
		f32Wide3(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 4:
		f32Wide4(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 5:
		f32Wide5(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 6:
		f32Wide6(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 7:
		f32Wide7(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 8:
		f32Wide8(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 9:
		f32Wide9(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 10:
		f32Wide10(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 11:
		f32Wide11(out, outStride, a, aStride, w, wStride, scale, k, 1)
	case 12:
		f32Wide12(out, outStride, a, aStride, w, wStride, scale, k, 1)
	}
}

func quantizeAVX512(dst, scales []byte, row []float32) {
	quantizeWide(&dst[0], &scales[0], &row[0], len(row)/Group)
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
