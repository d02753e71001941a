package e5_test

import (
	"bytes"
	"crypto/sha256"
	"encoding/hex"
	"os"
	"strings"
	"sync"
	"testing"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
	"github.com/minirag/minirag/embed/e5"
	"github.com/minirag/minirag/embed/embedtest"
)

// shared is one model for all tests: loading it takes memory and time.
var shared = sync.OnceValues(func() (*e5.Model, error) { return e5.New(nil) })

func model(t testing.TB) *e5.Model {
	t.Helper()
	m, err := shared()
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestContract(t *testing.T) {
	embedtest.Run(t, func() embed.Embedder { return model(t) })
}

func TestModelNamesTheWeights(t *testing.T) {
	file, err := os.ReadFile("multilingual-e5-small-q4_0.gguf")
	if err != nil {
		t.Fatal(err)
	}
	sum := sha256.Sum256(file)
	info := model(t).Model()
	if want := hex.EncodeToString(sum[:8]); !strings.Contains(info.ID, want) {
		t.Errorf("ID %q does not name the weights, %s", info.ID, want)
	}
}

func TestVocabularyIsThatOfTheWeights(t *testing.T) {
	want, err := os.ReadFile("multilingual-e5-small.vocabulary")
	if err != nil {
		t.Fatal(err)
	}
	weights, err := os.ReadFile("multilingual-e5-small-q4_0.gguf")
	if err != nil {
		t.Fatal(err)
	}
	got, err := bert.PrepareVocabulary(string(weights))
	if err != nil {
		t.Fatal(err)
	}
	if !bytes.Equal(got, want) {
		t.Error("the vocabulary was not made of these weights; run go generate")
	}
}

func TestNearerTextIsNearer(t *testing.T) {
	m := model(t)
	q, err := m.EmbedQuery(t.Context(), "when is the rent due?")
	if err != nil {
		t.Fatal(err)
	}
	vecs, err := m.Embed(t.Context(), []string{"Аренда платится первого числа.", "Bears sleep in winter."})
	if err != nil {
		t.Fatal(err)
	}
	if near, far := dot(q, vecs[0]), dot(q, vecs[1]); near < far+0.02 {
		t.Errorf("cosine %.3f with the answer, %.3f with the other text", near, far)
	}
}

func dot(a, b []float32) (sum float64) {
	for i := range a {
		sum += float64(a[i]) * float64(b[i])
	}
	return sum
}

// The counts include the two special tokens.
func TestCountTokens(t *testing.T) {
	m := model(t)
	for text, want := range map[string]int{
		"":                2,
		" \n\t ":          3,
		"Hello world":     4,
		"hello   world\n": 6,
		"caf\u00e9":       3,
		"cafe\u0301":      3,
		"ﬁle №5":          5,
		"snake_case":      6,
		"<s>":             5,
	} {
		if got := m.CountTokens(text); got != want {
			t.Errorf("CountTokens(%q) = %d, want %d", text, got, want)
		}
	}
}

// A text has as many pieces after a prefix as alone, so that what counts up
// to the limit can be embedded.
func TestPrefixTokens(t *testing.T) {
	m := model(t)
	room := 512 - m.Model().MaxTokens
	prefixes := map[string]int{"query: ": room, "passage: ": room - 1}
	for _, text := range []string{"a", " a", "\u0301a", "\u2581a", "Привет", "发票", "\r\nx", "…", "\u00a8", "ffi"} {
		n := m.CountTokens(text)
		for prefix, more := range prefixes {
			if got := m.CountTokens(prefix + text); got != n+more {
				t.Errorf("%q: %d tokens after %q, %d alone; want %d more", text, got, prefix, n, more)
			}
		}
	}
}

func TestOptions(t *testing.T) {
	if _, err := e5.New(&e5.Options{Kernel: "abacus"}); err == nil || !strings.Contains(err.Error(), "abacus") {
		t.Errorf("New with an unknown kernel: %v, want an error that names it", err)
	}
	m, err := e5.New(&e5.Options{Kernel: "portable"})
	if err != nil || m.Kernel() != "portable" {
		t.Errorf("New = %v with kernel %q, want portable", err, m.Kernel())
	}
}
