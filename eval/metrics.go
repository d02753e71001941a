package eval

import (
	"cmp"
	"math"
	"slices"
	"time"
)

// A Score is the mean over the questions of what one ranking is worth.
// Documents count by their first hit.
type Score struct {
	// NDCG10 is the normalised discounted cumulative gain of the first 10
	// documents, with the gain 2^grade - 1 (Järvelin and Kekäläinen, TOIS
	// 2002; Burges et al., ICML 2005).
	NDCG10 float64 `json:"ndcg10"`
	// Recall10 is the share of the relevant documents among the first 10.
	Recall10 float64 `json:"recall10"`
	// MRR10 is the mean of 1 / the rank of the first relevant document, 0
	// beyond rank 10.
	MRR10 float64 `json:"mrr10"`
	// Hit1 is the share of questions whose first document is relevant.
	Hit1 float64 `json:"hit1"`
}

// score judges documents in their order by the grades of the relevant ones.
func score(ranked []string, grades map[string]float64) Score {
	var s Score
	ranked = ranked[:min(len(ranked), 10)]
	var gain float64
	found := 0
	for i, d := range ranked {
		g := grades[d]
		if g <= 0 {
			continue
		}
		gain += discounted(g, i)
		found++
		if s.MRR10 == 0 {
			s.MRR10 = 1 / float64(i+1)
		}
		if i == 0 {
			s.Hit1 = 1
		}
	}
	var ideal float64
	best := make([]float64, 0, len(grades))
	for _, g := range grades {
		best = append(best, g)
	}
	slices.SortFunc(best, func(a, b float64) int { return cmp.Compare(b, a) })
	for i, g := range best[:min(len(best), 10)] {
		ideal += discounted(g, i)
	}
	s.NDCG10 = gain / ideal
	s.Recall10 = float64(found) / float64(len(grades))
	return s
}

func discounted(grade float64, i int) float64 {
	return (math.Exp2(grade) - 1) / math.Log2(float64(i+2))
}

func (s *Score) add(t Score, weight float64) {
	s.NDCG10 += weight * t.NDCG10
	s.Recall10 += weight * t.Recall10
	s.MRR10 += weight * t.MRR10
	s.Hit1 += weight * t.Hit1
}

// AUC is the probability that a value of yes is above one of no, ties half:
// the area under the ROC curve. It is NaN if either is empty.
func AUC(yes, no []float64) float64 {
	no = slices.Sorted(slices.Values(no))
	var sum float64
	for _, y := range yes {
		below, _ := slices.BinarySearch(no, y)
		upTo, _ := slices.BinarySearchFunc(no, y, func(a, b float64) int {
			if a <= b {
				return -1
			}
			return 1
		})
		sum += float64(below+upTo) / 2
	}
	return sum / float64(len(yes)) / float64(len(no))
}

// quantile returns the time in milliseconds below which the share q of the
// sorted ones lies.
func quantile(sorted []time.Duration, q float64) float64 {
	d := sorted[int(q*float64(len(sorted)-1))]
	return float64(d) / float64(time.Millisecond)
}
