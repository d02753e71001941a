package kernel

func attentionNEON() attention {
	return attention{tile: 4, rows: headRowsNEON, scores: scoresNEON, softmax: probabilitiesNEON, values: valuesNEON, mix: mixNEON}
}

func headRowsNEON(dst, scales, x []float32, stride, cols, rows int, factor float32) {
	headRows(&dst[0], &scales[0], &x[0], stride, cols, rows, factor)
}

func valuesNEON(dst []uint32, scales, x []float32, stride, tokens int) {
	headValues(&dst[0], &scales[0], &x[0], stride, tokens)
}

func probabilitiesNEON(probs []uint32, sums, scores []float32, stride, tokens, n int) {
	probabilities(&probs[0], &sums[0], &scores[0], stride, tokens, n)
}

func scoresNEON(out []float32, outStride int, q []float32, words int, qScales, keys []float32, keyStride int, keyScales []float32, n int) {
	panels := len(keyScales) / Lanes
	for ; n >= 2; n -= 2 {
		scores2(&out[0], outStride, &q[0], words, &qScales[0], &keys[0], keyStride, &keyScales[0], panels)
		if n > 2 {
			out, q, qScales = out[2*outStride:], q[2*words:], qScales[2:]
		}
	}
	if n == 1 {
		scores1(&out[0], outStride, &q[0], words, &qScales[0], &keys[0], keyStride, &keyScales[0], panels)
	}
}

func mixNEON(out []float32, outStride int, probs []uint32, probStride int, values []uint32, valueStride int, sums, scales []float32, pairs, n int) {
	f := [...]func(out *float32, outStride int, probs *uint32, probStride int, values *uint32, sums, scales *float32, pairs int){
		mix1, mix2, mix3, mix4,
	}[n-1]
	for p := range 2 {
		f(&out[p*Lanes], outStride, &probs[0], probStride, &values[p*valueStride], &sums[0], &scales[p*Lanes], pairs)
	}
}
