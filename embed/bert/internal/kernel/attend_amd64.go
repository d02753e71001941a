package kernel

func attentionAVX2() attention {
	return attention{tile: 6, rows: headRowsAVX2, scores: scoresAVX2, softmax: probabilitiesAVX2, values: valuesAVX2, mix: mixAVX2}
}

// attentionAVX512 quantises with AVX2.
func attentionAVX512() attention {
	return attention{tile: 12, rows: headRowsAVX2, scores: scoresAVX512, softmax: probabilitiesAVX512, values: valuesAVX2, mix: mixAVX512}
}

func headRowsAVX2(dst, scales, x []float32, stride, cols, rows int, factor float32) {
	headRows(&dst[0], &scales[0], &x[0], stride, cols, rows, factor)
}

func valuesAVX2(dst []uint32, scales, x []float32, stride, tokens int) {
	headValues(&dst[0], &scales[0], &x[0], stride, tokens)
}

func probabilitiesAVX2(probs []uint32, sums, scores []float32, stride, tokens, n int) {
	probabilities(&probs[0], &sums[0], &scores[0], stride, tokens, n)
}

func probabilitiesAVX512(probs []uint32, sums, scores []float32, stride, tokens, n int) {
	probabilitiesWide(&probs[0], &sums[0], &scores[0], stride, tokens, n)
}

func scoresAVX2(out []float32, outStride int, q []float32, words int, qScales, keys []float32, keyStride int, keyScales []float32, n int) {
	f := [...]func(out *float32, outStride int, q *float32, words int, qScales, keys *float32, keyStride int, keyScales *float32, panels int){
		scores1, scores2, scores3, scores4, scores5, scores6,
	}[n-1]
	f(&out[0], outStride, &q[0], words, &qScales[0], &keys[0], keyStride, &keyScales[0], len(keyScales)/Lanes)
}

func scoresAVX512(out []float32, outStride int, q []float32, words int, qScales, keys []float32, keyStride int, keyScales []float32, n int) {
	f := [...]func(out *float32, outStride int, q *float32, words int, qScales, keys *float32, keyStride int, keyScales *float32, twos int){
		scoresWide1, scoresWide2, scoresWide3, scoresWide4, scoresWide5, scoresWide6,
		scoresWide7, scoresWide8, scoresWide9, scoresWide10, scoresWide11, scoresWide12,
	}[n-1]
	f(&out[0], outStride, &q[0], words, &qScales[0], &keys[0], keyStride, &keyScales[0], len(keyScales)/(2*Lanes))
}

func mixAVX2(out []float32, outStride int, probs []uint32, probStride int, values []uint32, valueStride int, sums, scales []float32, pairs, n int) {
	f := [...]func(out *float32, outStride int, probs *uint32, probStride int, values *uint32, sums, scales *float32, pairs int){
		mix1, mix2, mix3, mix4, mix5, mix6,
	}[n-1]
	for p := range 2 {
		f(&out[p*Lanes], outStride, &probs[0], probStride, &values[p*valueStride], &sums[0], &scales[p*Lanes], pairs)
	}
}

func mixAVX512(out []float32, outStride int, probs []uint32, probStride int, values []uint32, valueStride int, sums, scales []float32, pairs, n int) {
	f := [...]func(out *float32, outStride int, probs *uint32, probStride int, values *uint32, valueStride int, sums, scales *float32, pairs int){
		mixWide1, mixWide2, mixWide3, mixWide4, mixWide5, mixWide6,
		mixWide7, mixWide8, mixWide9, mixWide10, mixWide11, mixWide12,
	}[n-1]
	f(&out[0], outStride, &probs[0], probStride, &values[0], valueStride, &sums[0], &scales[0], pairs)
}
