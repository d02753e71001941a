package embedtest_test

import (
	"math"
	"testing"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/embedtest"
)

func TestContract(t *testing.T) {
	for name, opts := range map[string]*embedtest.Options{
		"default":  nil,
		"small":    {Dims: 16, MaxTokens: 20},
		"no limit": {MaxTokens: -1},
	} {
		t.Run(name, func(t *testing.T) {
			embedtest.Run(t, func() embed.Embedder { return embedtest.New(opts) })
		})
	}
}

func TestRelatedTextsAreNearer(t *testing.T) {
	tests := []struct{ query, near, far string }{
		{"invoice payment", "When is the payment of an invoice due?", "Bears sleep in winter."},
		{"налоговая отчётность", "Отчетность по налогам сдают в марте.", "Медведь спит зимой."},
		{"发票", "发票号码", "天气很好"},
	}
	e := embedtest.New(nil)
	for _, tc := range tests {
		vecs, err := e.Embed(t.Context(), []string{tc.query, tc.near, tc.far})
		if err != nil {
			t.Fatal(err)
		}
		near, far := cos(vecs[0], vecs[1]), cos(vecs[0], vecs[2])
		if near < far+0.1 {
			t.Errorf("%q: cosine %.2f with the related text, %.2f with the other", tc.query, near, far)
		}
	}
}

func TestCountTokens(t *testing.T) {
	e := embedtest.New(nil)
	for text, want := range map[string]int{
		"":               2,
		"one":            3,
		"one two.":       5,
		"abcdefg":        4,
		"发票":             4,
		"  spaces\n\tx ": 4,
	} {
		if got := e.CountTokens(text); got != want {
			t.Errorf("CountTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

func cos(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		ab += float64(a[i]) * float64(b[i])
		aa += float64(a[i]) * float64(a[i])
		bb += float64(b[i]) * float64(b[i])
	}
	return ab / math.Sqrt(aa*bb)
}
