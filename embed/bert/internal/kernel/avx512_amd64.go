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

// q4AVX512 takes full tiles and divides what is left, with the last of them,
// into two of nearly the same size: a small tile loads as many weights as a full one.
func q4AVX512(out []float32, outStride int, act, panel []byte, bias []float32, groups, tokens int) {
	actStride := ActBytes(groups)
	full, first, second := tokens/tileWide, tokens%tileWide, 0
	if full > 0 && first > 0 {
		rest := first + tileWide
		full, first, second = full-1, rest-rest/2, rest/2
	}
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
