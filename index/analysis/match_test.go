package analysis_test

import (
	"testing"

	"github.com/minirag/minirag/index/analysis"
)

func TestMatched(t *testing.T) {
	for _, tc := range []struct {
		question, text string
		low, high      float64
	}{
		{"pumps at night", "The pump runs at night.", 0.8, 0.99},
		{"pump", "the pump", 1, 1},
		{"насосы ночью", "Насос работает ночью.", 0.7, 0.99},
		{"pump", "насос", 0, 0},
		{"the pump of Berlin", "the bread of the day", 0.01, 0.2},
		{"", "anything", 0, 0},
	} {
		got := analysis.Matched(analysis.Query(tc.question), tc.text)
		if got < tc.low || got > tc.high {
			t.Errorf("%q in %q: %.3f, want %v to %v", tc.question, tc.text, got, tc.low, tc.high)
		}
	}
}
