package bert_test

import (
	"bufio"
	"encoding/json"
	"math"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/minirag/minirag/embed/bert"
)

// The golden files hold the ids of Hugging Face's tokenizers and vectors of
// ONNX Runtime in float32, for the model that package e5 embeds.

const sharedModel = "multilingual-e5-small-q4_0.gguf"

// sharedFile reads a file of the model folder beside the project.
func sharedFile(t testing.TB, name string) []byte {
	t.Helper()
	dir := os.Getenv("MINIRAG_SHARED")
	if dir == "" {
		t.Skip("MINIRAG_SHARED is not set")
	}
	b, err := os.ReadFile(filepath.Join(dir, "model", name))
	if err != nil {
		t.Fatal(err)
	}
	return b
}

type golden struct {
	Text      string
	IDs       []int32
	Embedding []float32
}

func goldens(t testing.TB, name string) []golden {
	t.Helper()
	f, err := os.Open(filepath.Join(os.Getenv("MINIRAG_SHARED"), "model", name))
	if err != nil {
		t.Fatal(err)
	}
	defer f.Close()
	var all []golden
	lines := bufio.NewScanner(f)
	lines.Buffer(nil, 1<<24)
	for lines.Scan() {
		var g golden
		if err := json.Unmarshal(lines.Bytes(), &g); err != nil {
			t.Fatal(err)
		}
		all = append(all, g)
	}
	if err := lines.Err(); err != nil || len(all) == 0 {
		t.Fatalf("%s: %d lines, %v", name, len(all), err)
	}
	return all
}

func TestGoldenTokens(t *testing.T) {
	m, err := bert.NewBytes(sharedFile(t, sharedModel), nil)
	if err != nil {
		t.Fatal(err)
	}
	wrong := 0
	all := goldens(t, "tokens.dev.jsonl")
	for _, g := range all {
		got := m.Tokenizer().Encode(nil, g.Text)
		if !slices.Equal(got, g.IDs) {
			if wrong++; wrong <= 10 {
				t.Errorf("%q:\n got %v\nwant %v", g.Text, got, g.IDs)
			}
		}
		if n := m.Tokenizer().Count(g.Text); n != len(got) {
			t.Errorf("%q: Count = %d, Encode gives %d", g.Text, n, len(got))
		}
	}
	t.Logf("%d of %d lines equal", len(all)-wrong, len(all))
}

func TestGoldenVectors(t *testing.T) {
	for name, tc := range map[string]struct {
		opts *bert.Options
		min  float64
	}{
		"fast":  {nil, 0.999},
		"exact": {&bert.Options{Precision: bert.Exact}, 0.9995},
	} {
		t.Run(name, func(t *testing.T) {
			m, err := bert.NewBytes(sharedFile(t, sharedModel), tc.opts)
			if err != nil {
				t.Fatal(err)
			}
			all := goldens(t, "embeddings.dev.jsonl")
			if m.Info().Kernel == "portable" || testing.Short() {
				all = all[:8] // the rest would take minutes
			}
			var seqs [][]int32
			for _, g := range all {
				ids := m.Tokenizer().Encode(nil, g.Text)
				if limit := m.Info().MaxTokens; len(ids) > limit {
					ids = append(ids[:limit-1], ids[len(ids)-1])
				}
				seqs = append(seqs, ids)
			}
			vecs, err := m.EmbedIDs(t.Context(), seqs)
			if err != nil {
				t.Fatal(err)
			}
			worst, mean := 1.0, 0.0
			for i, g := range all {
				c := cosine(vecs[i], g.Embedding)
				worst, mean = min(worst, c), mean+c/float64(len(all))
				if !(c >= tc.min) {
					t.Errorf("%q: cosine %v, want at least %v", g.Text, c, tc.min)
				}
			}
			t.Logf("cosine: worst %.6f, mean %.6f of %d", worst, mean, len(all))
		})
	}
}

func cosine(a, b []float32) float64 {
	var ab, aa, bb float64
	for i := range a {
		x, y := float64(a[i]), float64(b[i])
		ab, aa, bb = ab+x*y, aa+x*x, bb+y*y
	}
	return ab / math.Sqrt(aa*bb)
}
