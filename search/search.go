// Package search turns the hits of a vector and of a keyword search into one
// ranking: pure functions, safe for concurrent use. It imports index for its
// types and else the standard library.
package search

import (
	"cmp"
	"math"
	"slices"

	"github.com/minirag/minirag/index"
)

// A Hit is a chunk in the fused ranking.
type Hit struct {
	Chunk index.ChunkID
	Doc   index.DocID
	// Score orders the ranking; higher is better.
	Score float64
	// Cosine is the similarity of the vectors if Near is true.
	Cosine float64
	Near   bool
	// Keyword is the keyword score, 0 if no word was found.
	Keyword float64
	// VectorRank and KeywordRank count from 1 within each side; 0 means that
	// the side did not find the chunk.
	VectorRank, KeywordRank int
}

// Distance is the squared Euclidean distance of the unit vectors, 2 - 2·cosine.
func (h *Hit) Distance() float64 { return max(0, 2-2*h.Cosine) }

// rankConstant is the k of reciprocal rank fusion (Cormack, Clarke and
// Büttcher, SIGIR 2009).
const rankConstant = 60

// ReciprocalRanks fuses by weighted reciprocal ranks, as the reference does:
// weight is the keyword side's share. With weight 0 the order is that of the
// vectors and a score is 1/(1+distance). Ties keep the order of the vectors,
// then of the keywords. With weight 1 what only the vectors found scores 0.
func ReciprocalRanks(vectors, keywords []index.Hit, weight float64) []Hit {
	if weight == 0 {
		hits, _ := merge(vectors, nil)
		for i := range hits {
			hits[i].Score = 1 / (1 + hits[i].Distance())
		}
		return hits
	}
	hits, at := merge(vectors, keywords)
	for rank, h := range vectors {
		hits[at[h.Chunk]].Score += (1 - weight) / float64(rankConstant+rank+1)
	}
	for rank, h := range keywords {
		hits[at[h.Chunk]].Score += weight / float64(rankConstant+rank+1)
	}
	sortByScore(hits)
	return hits
}

// DocumentShare is the share of a keyword score that is for the whole document,
// see [index.KeywordQuery]. More would rank documents a little better and their
// chunks worse.
const DocumentShare = 0.3

// The constants of [Scores], chosen by 19 sets; docs/EVALUATION.md has what
// others give.
const (
	vectorShare = 0.5
	// enoughFound is the keyword score of the best hit from which on the
	// keyword side counts fully. A question in another language than the texts
	// has some name or number at most, and the chunks with it are no better
	// than others.
	enoughFound = 0.25
	// mostAbove and mostBelow bound standard scores: a chunk that alone has a
	// rare word is first on the keyword side and not beyond reach.
	mostAbove, mostBelow = 5, 3
)

// Scores fuses by standard scores: how many standard deviations a hit lies
// above the mean of its side. They keep how much better one hit is than the
// next, which ranks throw away, and a side whose best hits stand out counts
// more. The keyword scores must be those of [index.KeywordSnapshot]. A hit's
// score is from 0 to 1.
func Scores(vectors, keywords []index.Hit) []Hit {
	hits, _ := merge(vectors, keywords)
	if len(vectors) == 0 {
		standard, _ := standardise(keywords, len(keywords))
		for i := range hits {
			hits[i].Score = standard(hits[i].Keyword)
		}
	} else {
		strength := 0.0
		for _, h := range keywords {
			strength = max(strength, min(h.Score/enoughFound, 1))
		}
		near, far := standardise(vectors, len(vectors))
		// Chunks that share no word with the question have a score too: none.
		found, missed := standardise(keywords, len(vectors))
		for i := range hits {
			h := &hits[i]
			v, k := far, missed
			if h.Near {
				v = near(h.Cosine)
			}
			if h.Keyword > 0 {
				k = found(h.Keyword)
			}
			h.Score = vectorShare*v + strength*(1-vectorShare)*k
		}
	}
	for i := range hits {
		hits[i].Score = (hits[i].Score + mostBelow) / (mostAbove + mostBelow)
	}
	sortByScore(hits)
	return hits
}

// standardise returns the standard scores of hits among count, of which those
// that are not in hits score 0, and that of what is not among hits.
func standardise(hits []index.Hit, count int) (standard func(float64) float64, missed float64) {
	if len(hits) == 0 {
		return nil, 0
	}
	low, high := hits[0].Score, hits[0].Score
	var sum, squares float64
	for _, h := range hits {
		low, high = min(low, h.Score), max(high, h.Score)
		sum += h.Score
		squares += h.Score * h.Score
	}
	if count > len(hits) {
		low = 0
	}
	n := float64(max(count, len(hits)))
	mean := sum / n
	deviation := max(math.Sqrt(max(squares/n-mean*mean, 0)), (high-mean)/mostAbove)
	standard = func(score float64) float64 {
		if high == low {
			return 0
		}
		return max((score-mean)/deviation, -mostBelow)
	}
	return standard, standard(low)
}

// merge lists each chunk once: those of the vectors in their order, then
// those that only the keywords found; at has their positions.
func merge(vectors, keywords []index.Hit) (hits []Hit, at map[index.ChunkID]int) {
	hits = make([]Hit, 0, len(vectors)+len(keywords))
	at = make(map[index.ChunkID]int, cap(hits))
	for _, v := range vectors {
		at[v.Chunk] = len(hits)
		hits = append(hits, Hit{Chunk: v.Chunk, Doc: v.Doc, Cosine: v.Score, Near: true, VectorRank: len(hits) + 1})
	}
	for rank, k := range keywords {
		i, ok := at[k.Chunk]
		if !ok {
			i = len(hits)
			at[k.Chunk] = i
			hits = append(hits, Hit{Chunk: k.Chunk, Doc: k.Doc})
		}
		hits[i].Keyword, hits[i].KeywordRank = k.Score, rank+1
	}
	return hits, at
}

func sortByScore(hits []Hit) {
	slices.SortStableFunc(hits, func(a, b Hit) int { return cmp.Compare(b.Score, a.Score) })
}

// Leap cuts hits where the distances make a leap: a gap of more than twice
// the mean gap, over all hits that have a distance. It keeps what lies before
// the leap with the given number, counted from 1, or everything if there are
// fewer leaps; hits without a distance stay. The order does not change.
func Leap(hits []Hit, number int) []Hit {
	var distances []float64
	for i := range hits {
		if hits[i].Near {
			distances = append(distances, hits[i].Distance())
		}
	}
	if len(distances) < 3 {
		return hits
	}
	slices.Sort(distances)
	bound := 2 * (distances[len(distances)-1] - distances[0]) / float64(len(distances)-1)
	if bound <= 0 {
		return hits
	}
	for i := 1; i < len(distances); i++ {
		if distances[i]-distances[i-1] <= bound {
			continue
		}
		if number--; number == 0 {
			return Within(hits, distances[i-1], true)
		}
	}
	return hits
}

// Within keeps the hits whose distance is at most most, and those without a
// distance if far is true.
func Within(hits []Hit, most float64, far bool) []Hit {
	return slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool {
		if !h.Near {
			return !far
		}
		return h.Distance() > most
	})
}

// FirstDocuments keeps the hits of the first n documents. Zero keeps all.
func FirstDocuments(hits []Hit, n int) []Hit {
	if n == 0 {
		return hits
	}
	seen := make(map[index.DocID]bool, n)
	return slices.DeleteFunc(slices.Clone(hits), func(h Hit) bool {
		if len(seen) < n {
			seen[h.Doc] = true
		}
		return !seen[h.Doc]
	})
}

// Spread puts the hits beyond the first n of each document behind all others.
// Else the order does not change. Zero changes nothing.
func Spread(hits []Hit, n int) []Hit {
	if n == 0 {
		return hits
	}
	out := make([]Hit, 0, len(hits))
	var beyond []Hit
	count := make(map[index.DocID]int)
	for _, h := range hits {
		if count[h.Doc]++; count[h.Doc] > n {
			beyond = append(beyond, h)
		} else {
			out = append(out, h)
		}
	}
	return append(out, beyond...)
}
