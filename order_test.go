package minirag

import (
	"testing"

	"github.com/google/go-cmp/cmp"
)

func TestApart(t *testing.T) {
	a, b, c := &Section{ID: "a"}, &Section{ID: "b"}, &Section{ID: "c"}
	type hit struct {
		Section string
		Index   int
		Score   float64
	}
	tests := []struct {
		name     string
		sections []*Section
		scores   []float64
		want     []hit
	}{
		{"none", nil, nil, nil},
		{"one", []*Section{a}, []float64{0.5}, []hit{{"a", 0, 0.5}}},
		{"all in one", []*Section{a, a, a}, []float64{0.9, 0.8, 0.7}, []hit{{"a", 0, 0.9}, {"a", 1, 0.8}, {"a", 2, 0.7}}},
		{"apart already", []*Section{a, b, c, a}, []float64{0.9, 0.8, 0.7, 0.7}, []hit{{"a", 0, 0.9}, {"b", 1, 0.8}, {"c", 2, 0.7}, {"a", 3, 0.7}}},
		{"a second one makes room", []*Section{a, a, b, c}, []float64{0.9, 0.85, 0.8, 0.75}, []hit{{"a", 0, 0.9}, {"b", 2, 0.8}, {"c", 3, 0.75}, {"a", 1, 0.75}}},
		{"two make room", []*Section{a, a, a, b, c}, []float64{0.9, 0.9, 0.85, 0.8, 0.8}, []hit{{"a", 0, 0.9}, {"b", 3, 0.8}, {"c", 4, 0.8}, {"a", 1, 0.8}, {"a", 2, 0.8}}},
		{"a much better one stays", []*Section{a, a, b, c}, []float64{0.9, 0.85, 0.6, 0.5}, []hit{{"a", 0, 0.9}, {"a", 1, 0.85}, {"b", 2, 0.6}, {"c", 3, 0.5}}},
		{"a third one must be better by twice as much", []*Section{a, a, a, b}, []float64{0.9, 0.9, 0.85, 0.6}, []hit{{"a", 0, 0.9}, {"a", 1, 0.9}, {"b", 3, 0.6}, {"a", 2, 0.6}}},
		{"behind the third the order stays", []*Section{a, b, c, c, a}, []float64{0.9, 0.8, 0.7, 0.69, 0.68}, []hit{{"a", 0, 0.9}, {"b", 1, 0.8}, {"c", 2, 0.7}, {"c", 3, 0.69}, {"a", 4, 0.68}}},
	}
	for _, tt := range tests {
		t.Run(tt.name, func(t *testing.T) {
			hits := make([]Hit, len(tt.sections))
			for i := range hits {
				hits[i] = Hit{Section: tt.sections[i], Index: i, Score: tt.scores[i]}
			}
			apart(hits)
			var got []hit
			for _, h := range hits {
				got = append(got, hit{h.Section.ID, h.Index, h.Score})
			}
			if d := cmp.Diff(tt.want, got); d != "" {
				t.Errorf("apart (-want +got):\n%s", d)
			}
		})
	}
}
