package search_test

import (
	"math"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/search"
)

func sample(cosines ...float64) []index.Hit {
	out := make([]index.Hit, 0, len(cosines))
	for _, c := range cosines {
		out = append(out, index.Hit{Score: c})
	}
	return out
}

func TestBackground(t *testing.T) {
	prior := search.Prior{Mean: 0.8, Deviation: 0.02}
	many := make([]float64, 100)
	for i := range many {
		many[i] = 0.5 + 0.1*float64(i%2)
	}
	for _, tc := range []struct {
		name            string
		sample          []index.Hit
		prior           search.Prior
		mean, deviation float64
		known           bool
	}{
		{"nothing", nil, search.Prior{}, 0, 0, false},
		{"too few", sample(0.5, 0.6), search.Prior{}, 0, 0, false},
		{"the prior alone", nil, prior, 0.8, 0.02, true},
		{"enough of its own", sample(many...), prior, 0.55, 0.05, true},
		{"all alike", sample(make([]float64, 70)...), search.Prior{}, 0, 0.002, true},
	} {
		got, known := search.NewBackground(tc.sample, tc.prior)
		if known != tc.known || math.Abs(got.Mean-tc.mean) > 1e-9 || math.Abs(got.Deviation-tc.deviation) > 1e-9 {
			t.Errorf("%s: %+v, %v", tc.name, got, known)
		}
	}
	between, _ := search.NewBackground(sample(many[:32]...), prior)
	if between.Mean <= 0.55 || between.Mean >= 0.8 {
		t.Errorf("a small sample and the prior have the mean %v", between.Mean)
	}
}

func TestRelevance(t *testing.T) {
	background := search.Background{Mean: 0.75, Deviation: 0.02}
	relevance := func(e search.Evidence) float64 { return search.Relevance(e, background, true) }
	near := func(cosine, found float64) search.Evidence {
		return search.Evidence{Cosine: cosine, Near: true, Found: found}
	}
	for _, tc := range []struct {
		name      string
		e         search.Evidence
		low, high float64
	}{
		{"near and with the words", near(0.88, 0.4), 0.95, 1},
		{"as near as anything, few words", near(0.81, 0.1), 0, 0.1},
		{"the words of the question, whatever the meaning", near(0.80, 0.7), 0.9, 1},
		{"by other words", near(0.88, 0), 0.5, 1},
		{"another script", search.Evidence{Cosine: 0.85, Near: true, OtherScript: true}, 0.8, 1},
		{"another script among texts in the question's", search.Evidence{Cosine: 0.85, Near: true, OtherScript: true, Mixed: true}, 0.5, 0.8},
		{"another script, and its words by their sound", search.Evidence{Cosine: 0.85, Near: true, OtherScript: true, Mixed: true, Found: 0.1}, 0.9, 1},
		{"a text in the question's script among others", search.Evidence{Cosine: 0.83, Near: true, Mixed: true}, 0, 0.1},
		{"the words alone", search.Evidence{Found: 0.5}, 0.9, 1},
		{"hardly a word", search.Evidence{Found: 0.05}, 0, 0.1},
	} {
		if got := relevance(tc.e); got < tc.low || got > tc.high {
			t.Errorf("%s: %.3f, want %v to %v", tc.name, got, tc.low, tc.high)
		}
	}
	last := 0.0
	for cosine := -1.0; cosine <= 1; cosine += 0.01 {
		got := relevance(near(cosine, 0.3))
		if got < last || got > 1 || math.IsNaN(got) {
			t.Fatalf("cosine %.2f: %v after %v", cosine, got, last)
		}
		last = got
	}
}
