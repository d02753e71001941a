package minirag

import (
	"cmp"
	"slices"
	"strings"
)

const (
	// apartFirst hits are in different sections where they are nearly as good:
	// a section is given whole, so its second hit says nothing new.
	apartFirst = 3
	// apartMost is how much better a second hit in one section must be to
	// stay before the first one of another.
	apartMost = 0.15
	// apartAmong is the least number of hits from which the first ones are
	// taken.
	apartAmong = 10
)

// byScore orders hits from the best.
func byScore(hits []Hit, sources bool) {
	slices.SortStableFunc(hits, func(a, b Hit) int {
		by := cmp.Compare(b.Score, a.Score)
		if by == 0 && sources {
			// The order of the index depends on what was ingested when.
			by = cmp.Or(strings.Compare(a.Source.ID, b.Source.ID), cmp.Compare(a.Index, b.Index))
		}
		return by
	})
}

// apart brings hits of other sections among the first of an ordered list. Hits
// that have to make room get the score of the one before them.
func apart(hits []Hit) {
	seen := make(map[*Section]int)
	for i := range min(apartFirst, len(hits)) {
		best, most := i, 0.0
		for j := i; j < len(hits); j++ {
			score := hits[j].Score - apartMost*float64(seen[hits[j].Section])
			if j == i || score > most {
				best, most = j, score
			}
		}
		hit := hits[best]
		copy(hits[i+1:best+1], hits[i:best])
		hits[i] = hit
		seen[hit.Section]++
	}
	for i := 1; i < len(hits); i++ {
		hits[i].Score = min(hits[i].Score, hits[i-1].Score)
	}
}
