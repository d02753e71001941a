package kernel

import "math"

// HeadUnit is what the columns of a head must be a multiple of for [Set.Attend].
const HeadUnit = 32

// MaxHead is the most columns of a head for [Set.Attend]: the sums of products of
// a query and a key stay int32.
const MaxHead = 128

// MaxAttend is the most tokens that [Set.Attend] takes: more of about the same
// probability would be too coarse.
const MaxAttend = 1 << 13

// An int32 holds the sum of probabilities times values: that of the former is at
// most probSum and a half for each token.
const (
	probMost  = 1<<15 - 1 // the most that a probability becomes,
	probSum   = 15 << 14  // those of a row together, unless one is alone,
	valueMost = 1<<13 - 1 // and the magnitude of a value.
)

// headMost is the largest magnitude of a query or key: MaxHead·headMost² < 2^31.
const headMost = 1<<12 - 1

// A HeadMemory is the working memory of [Set.Attend], for one caller at a time.
// It grows to the longest sequence and is kept.
type HeadMemory struct {
	rows, keys, queries    []float32 // bits of words of quantised elements
	keyScales, queryScales []float32
	values                 []uint32
	valueScales            []float32
	scores                 []float32
	probs                  []uint32
	sums                   []float32
}

// attention is what a set does of attention in integers, all of which are int16 in
// pairs: queries and keys have a scale for each row, probabilities too, values one
// for each column.
type attention struct {
	// tile is the most queries that are taken at once.
	tile int
	// rows quantises rows of cols queries or keys, stride apart. The scale of a row
	// is multiplied by factor.
	rows func(dst, scales []float32, x []float32, stride, cols, rows int, factor float32)
	// scores multiplies n rows of words words with the keys, of which word w of
	// key t is at keys[w*keyStride+t]; their number is a multiple of 2·[Lanes].
	scores func(out []float32, outStride int, q []float32, words int, qScales, keys []float32, keyStride int, keyScales []float32, n int)
	// softmax makes probabilities, pairs of int16 stride/2 words apart, of the
	// first tokens of each of n rows of base-2 logarithms, and zero of what follows
	// up to a multiple of [Lanes]. It may write to scores. sums gets what the
	// products of each row are multiplied by.
	softmax func(probs []uint32, sums, scores []float32, stride, tokens, n int)
	// values quantises [Lanes] columns: a word has two rows.
	values func(dst []uint32, scales, x []float32, stride, tokens int)
	// mix multiplies n rows of pairs of probabilities with two panels of
	// values, valueStride words apart.
	mix func(out []float32, outStride int, probs []uint32, probStride int, values []uint32, valueStride int, sums, scales []float32, pairs, n int)
}

// Attend computes softmax(Q·Kᵀ/√d)·V of a head with d columns, a multiple of
// [HeadUnit] and at most [MaxHead], for a sequence of 1 to [MaxAttend] tokens, in
// integers: the rows of Q and K are rounded to 13 bits, the probabilities to 15 with a scale for each row,
// and the columns of V to 14. Rows of q, k and v are stride apart, those of out outStride. What is not
// finite gives something that is not.
func (s *Set) Attend(m *HeadMemory, out []float32, outStride int, q, k, v []float32, stride, d, tokens int) {
	if d <= 0 || d%HeadUnit != 0 || d > MaxHead || tokens <= 0 || tokens > MaxAttend || stride < d || outStride < d {
		panic("kernel: Attend of a wrong shape")
	}
	n := (tokens-1)*stride + d
	q, k, v, out = q[:n], k[:n], v[:n], out[:(tokens-1)*outStride+d]
	a := &s.attention
	words, pairs := d/2, (tokens+1)/2
	padded := (tokens + 2*Lanes - 1) / (2 * Lanes) * (2 * Lanes)
	m.rows, m.keyScales = grow(m.rows, padded*words), grow(m.keyScales, padded)
	m.keys = grow(m.keys, padded*words)
	m.queries, m.queryScales = grow(m.queries, tokens*words), grow(m.queryScales, tokens)
	m.values, m.valueScales = grow(m.values, pairs*d), grow(m.valueScales, d)
	m.scores, m.probs, m.sums = grow(m.scores, a.tile*padded), grow(m.probs, a.tile*padded/2), grow(m.sums, a.tile)

	a.rows(m.rows, m.keyScales, k, stride, d, tokens, 1)
	clear(m.rows[tokens*words:])
	clear(m.keyScales[tokens:])
	for w := 0; w < words; w += 8 {
		s.Transpose(m.keys[w*padded:], padded, m.rows[w:], words, padded/8)
	}
	a.rows(m.queries, m.queryScales, q, stride, d, tokens, float32(math.Log2E/math.Sqrt(float64(d))))
	for p := 0; p < d; p += Lanes {
		a.values(m.values[p*pairs:][:pairs*Lanes], m.valueScales[p:][:Lanes], v[p:], stride, tokens)
	}
	tiles := (tokens + a.tile - 1) / a.tile
	tile := (tokens + tiles - 1) / tiles
	for t := 0; t < tokens; t += tile {
		n := min(tile, tokens-t)
		a.scores(m.scores, padded, m.queries[t*words:], words, m.queryScales[t:], m.keys, padded, m.keyScales, n)
		a.softmax(m.probs, m.sums, m.scores, padded, tokens, n)
		for p := 0; p < d; p += 2 * Lanes {
			a.mix(out[t*outStride+p:], outStride, m.probs, padded/2, m.values[p*pairs:], pairs*Lanes, m.sums, m.valueScales[p:], pairs, n)
		}
	}
}

// grow returns s with n elements, whose values are arbitrary.
func grow[T any](s []T, n int) []T {
	if cap(s) < n {
		return make([]T, n)
	}
	return s[:n]
}

func attentionPortable() attention {
	return attention{tile: 4, rows: quantizeHeadPortable, scores: scoresPortable, softmax: probabilitiesPortable, values: valuesPortable, mix: mixPortable}
}

// scaleOf is the scale of numbers of which top has the bits of the largest
// magnitude, when that becomes limit, and its inverse.
func scaleOf(top uint32, limit float32) (scale, inv float32) {
	largest := math.Float32frombits(top)
	if largest < smallest {
		return 0, 0
	}
	scale, inv = largest/limit, limit/largest
	if !(inv <= math.MaxFloat32) {
		inv = 0
	}
	return scale, inv
}

// quantizeHeadPortable is the twin of headRows, to the bit: two int16 in a word.
func quantizeHeadPortable(dst, scales, x []float32, stride, cols, rows int, factor float32) {
	for r := range rows {
		row := x[r*stride:][:cols]
		var top uint32
		for _, v := range row {
			top = max(top, math.Float32bits(v)&^(1<<31))
		}
		scale, inv := scaleOf(top, headMost)
		scales[r] = float32(scale * factor)
		for c := 0; c < cols; c += 2 {
			// The conversion keeps the compiler from rounding once for two operations.
			lo, hi := roundWhole(float32(row[c]*inv)), roundWhole(float32(row[c+1]*inv))
			dst[(r*cols+c)/2] = math.Float32frombits(uint32(uint16(lo)) | uint32(hi)<<16)
		}
	}
}

// scoresPortable is the twin of scores, to the bit.
func scoresPortable(out []float32, outStride int, q []float32, words int, qScales, keys []float32, keyStride int, keyScales []float32, n int) {
	for i := range n {
		row := q[i*words:][:words]
		for t, scale := range keyScales {
			var sum int32
			for w, v := range row {
				a, b := math.Float32bits(v), math.Float32bits(keys[w*keyStride+t])
				sum += int32(int16(a))*int32(int16(b)) + int32(int16(a>>16))*int32(int16(b>>16))
			}
			out[i*outStride+t] = float32(float32(sum)*scale) * qScales[i]
		}
	}
}

// exp2Least is below the logarithm of what can become a probability: 2^exp2Least
// times probMost is rounded to zero.
const exp2Least = -30

// exp2Poly approximates 2^r for |r| <= 1/2 with a relative error below 3e-6: a
// fit of ours, constant term first.
var exp2Poly = [...]float32{0.9999993, 0.6931218, 0.24024744, 0.055917863, 0.009570102}

// exp2 returns 2^x for x <= 0, and 2^exp2Least for what is less.
func exp2(x float32) float32 {
	// 1.5·2^23 and the bias of an exponent: the sum with it is rounded to a whole
	// number, whose low bits are the exponent of 2^n.
	const shift = 12582912 + 127
	if x < exp2Least {
		x = exp2Least
	}
	n := x + shift
	r := x - (n - shift)
	p := exp2Poly[0] + r*(exp2Poly[1]+r*(exp2Poly[2]+r*(exp2Poly[3]+r*exp2Poly[4])))
	return p * math.Float32frombits(math.Float32bits(n)<<23)
}

// probabilitiesPortable is the twin of probabilities.
func probabilitiesPortable(probs []uint32, sums, scores []float32, stride, tokens, n int) {
	for i := range n {
		row := scores[i*stride:][:tokens]
		top := row[0]
		for _, v := range row {
			if v > top {
				top = v
			}
		}
		var total float32
		for t, v := range row {
			row[t] = exp2(v - top)
			total += row[t]
		}
		unit := probSum / total
		if unit > probMost {
			unit = probMost
		}
		dst := probs[i*stride/2:][:(tokens+Lanes-1)/Lanes*Lanes/2]
		clear(dst)
		var whole int32
		for t, v := range row {
			p := roundWhole(float32(v * unit))
			whole += p
			dst[t/2] |= uint32(uint16(p)) << (t % 2 * 16)
		}
		// What is not finite stays so.
		sums[i] = 1 / (float32(whole) + (total - total))
	}
}

// valuesPortable is the twin of headValues, to the bit.
func valuesPortable(dst []uint32, scales, x []float32, stride, tokens int) {
	for l := range Lanes {
		var top uint32
		for t := range tokens {
			top = max(top, math.Float32bits(x[t*stride+l])&^(1<<31))
		}
		scale, inv := scaleOf(top, valueMost)
		scales[l] = scale
		for t := 0; t < tokens; t += 2 {
			word := uint32(uint16(roundWhole(float32(x[t*stride+l] * inv))))
			if t+1 < tokens {
				word |= uint32(roundWhole(float32(x[(t+1)*stride+l]*inv))) << 16
			}
			dst[t/2*Lanes+l] = word
		}
	}
}

// mixPortable is the twin of mix, to the bit.
func mixPortable(out []float32, outStride int, probs []uint32, probStride int, values []uint32, valueStride int, sums, scales []float32, pairs, n int) {
	for i := range n {
		for panel := range 2 {
			var acc [Lanes]int32
			for j, p := range probs[i*probStride:][:pairs] {
				lo, hi := int32(int16(p)), int32(int16(p>>16))
				for l, v := range values[panel*valueStride+j*Lanes:][:Lanes] {
					acc[l] += lo*int32(int16(v)) + hi*int32(int16(v>>16))
				}
			}
			for l, v := range acc {
				out[i*outStride+panel*Lanes+l] = float32(float32(v)*scales[panel*Lanes+l]) * sums[i]
			}
		}
	}
}
