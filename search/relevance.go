package search

import (
	"math"

	"github.com/minirag/minirag/index"
)

// A Background says how near a question is to texts that have nothing to do
// with it. Cosines of one model mean little by themselves: those of E5 lie
// between 0.7 and 0.95 whatever is compared.
type Background struct {
	Mean, Deviation float64
}

// A Prior is what is known of a model's cosines before any are seen. The zero
// value is nothing.
type Prior struct {
	Mean, Deviation float64
}

// priorCount is how many cosines a prior is worth beside none. It is worth
// less and less up to sampleEnough cosines, which speak for themselves.
const (
	priorCount   = 16
	sampleEnough = 64
)

// NewBackground takes the cosines between a question and a sample of all
// chunks. It returns false if they and the prior say too little.
func NewBackground(sample []index.Hit, prior Prior) (Background, bool) {
	var count, sum, squares float64
	if n := len(sample); prior.Deviation > 0 && n < sampleEnough {
		count = priorCount * float64(sampleEnough-n) / sampleEnough
		sum = count * prior.Mean
		squares = count * (prior.Mean*prior.Mean + prior.Deviation*prior.Deviation)
	}
	for _, h := range sample {
		count++
		sum += h.Score
		squares += h.Score * h.Score
	}
	if count < priorCount/2 {
		return Background{}, false
	}
	mean := sum / count
	deviation := math.Sqrt(max(squares/count-mean*mean, 0))
	// Chunks that are all alike say nothing of what is far.
	return Background{mean, max(deviation, 0.002)}, true
}

// Evidence is what is known of a chunk as an answer to a question.
type Evidence struct {
	// Cosine is the similarity of the vectors, valid if Near.
	Cosine float64
	Near   bool
	// Found is the keyword score of the chunk, see [index.KeywordSnapshot]; 0
	// if it is not among the keyword hits.
	Found float64
	// OtherScript says that the chunk is written in another script than the
	// question, so that it has its words by their sound at most. Mixed says that
	// others which were found are in the question's.
	OtherScript, Mixed bool
}

// The coefficients of [Relevance]: logistic regressions on the best chunk, for
// eleven sets in one language each with their own questions and those of other
// sets, weighted to count alike, and two sets with questions in another
// script than the texts, each with those of three others. See docs/EVALUATION.md.
const (
	relevanceBias     = -11.65
	relevanceDistinct = 1.19  // for each deviation above the background
	relevanceFound    = 17.06 // times the root of the keyword score

	// A chunk may say the same in other words: what stands out as hardly any
	// foreign question does, 5.65 deviations, is relevant without them. This
	// is a judgement, as such questions are rare in the sets.
	nearBias     = -13
	nearDistinct = 2.3

	otherScriptBias     = -9.7
	otherScriptDistinct = 2.55
	otherScriptFound    = 10.5
	// Where texts in the question's script were found too, an answer in another
	// one is less likely. A compromise between documentation full of code and
	// corpora of two languages.
	mixedBias = -12

	wordsBias  = -9.28 // by the words alone
	wordsFound = 21.11
)

// Relevance estimates the probability that a chunk is about the question at
// all, where questions that the corpus answers and others are equally likely.
// known says whether background is.
func Relevance(e Evidence, background Background, known bool) float64 {
	found := math.Sqrt(e.Found)
	if !e.Near || !known {
		return logistic(wordsBias + wordsFound*found)
	}
	distinct := (e.Cosine - background.Mean) / background.Deviation
	x := max(relevanceBias+relevanceDistinct*distinct+relevanceFound*found, nearBias+nearDistinct*distinct)
	if e.OtherScript {
		bias := otherScriptBias
		if e.Mixed {
			bias = mixedBias
		}
		x = max(x, bias+otherScriptDistinct*distinct+otherScriptFound*found)
	}
	return logistic(x)
}

func logistic(x float64) float64 { return 1 / (1 + math.Exp(-x)) }
