package embedtest

import (
	"context"
	"errors"
	"math"
	"strings"
	"sync"
	"testing"

	"github.com/minirag/minirag/embed"
)

// sample is short on purpose: the suite also runs on a real model with
// portable kernels, at a few tokens a second. It embeds about 130 tokens.
var sample = []string{
	"The invoice is due in March.",
	"Счёт нужно оплатить в марте.",
	"a cat",
	"发票",
}

// Run checks that the embedders which open returns keep the contract of
// [embed.Embedder], and of [embed.QueryEmbedder] and [embed.TokenCounter]
// where they implement them. Vectors of one text from different calls may
// differ by rounding only.
func Run(t *testing.T, open func() embed.Embedder) {
	t.Helper()
	e := open()
	info := e.Model()
	if info.ID == "" || info.Dims <= 0 || info.MaxTokens < 0 {
		t.Fatalf("Model() = %+v, want an ID, dims and no negative limit", info)
	}
	want := mustEmbed(t, e, sample...)

	t.Run("vectors", func(t *testing.T) {
		if len(want) != len(sample) {
			t.Fatalf("Embed gave %d vectors for %d texts", len(want), len(sample))
		}
		for i, v := range want {
			checkUnit(t, info, sample[i], v)
		}
		for i, v := range want[1:] {
			if cosine(want[0], v) > 0.99999 {
				t.Errorf("%q and %q have the same vector", sample[0], sample[i+1])
			}
		}
	})
	t.Run("order and batch independence", func(t *testing.T) {
		got := mustEmbed(t, e, sample[2], sample[3], sample[2])
		for i, w := range [][]float32{want[2], want[3], want[2]} {
			checkSame(t, "in another batch", got[i], w)
		}
	})
	t.Run("another embedder agrees", func(t *testing.T) {
		other := open()
		if got := other.Model(); got != info {
			t.Errorf("Model() = %+v, then %+v", info, got)
		}
		checkSame(t, "by another embedder", mustEmbed(t, other, sample[2])[0], want[2])
	})
	t.Run("no texts", func(t *testing.T) {
		got, err := e.Embed(t.Context(), nil)
		if err != nil || len(got) != 0 {
			t.Errorf("Embed(nil) = %d vectors, %v; want none and no error", len(got), err)
		}
	})
	t.Run("texts without letters", func(t *testing.T) {
		texts := []string{"", " \n", "!?"}
		for i, v := range mustEmbed(t, e, texts...) {
			checkUnit(t, info, texts[i], v)
		}
	})
	t.Run("odd bytes", func(t *testing.T) {
		const text = "a\xff\x00b\u0301"
		checkUnit(t, info, text, mustEmbed(t, e, text)[0])
	})
	t.Run("concurrent", func(t *testing.T) {
		var wg sync.WaitGroup
		for i := range 4 {
			wg.Go(func() {
				k := 2 + i%2
				got, err := e.Embed(t.Context(), []string{sample[k]})
				if err != nil || len(got) != 1 {
					t.Errorf("Embed(%q) = %d vectors, %v", sample[k], len(got), err)
					return
				}
				checkSame(t, "beside other calls", got[0], want[k])
			})
		}
		wg.Wait()
	})
	t.Run("cancelled", func(t *testing.T) {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		if got, err := e.Embed(ctx, sample); !errors.Is(err, context.Canceled) || got != nil {
			t.Errorf("Embed with a done context = %d vectors, %v; want an error wrapping %v", len(got), err, context.Canceled)
		}
	})
	t.Run("query", func(t *testing.T) { runQuery(t, e) })
	t.Run("count", func(t *testing.T) { runCount(t, e) })
	t.Run("too long", func(t *testing.T) { runTooLong(t, e) })
}

func runQuery(t *testing.T, e embed.Embedder) {
	q, ok := e.(embed.QueryEmbedder)
	if !ok {
		t.Skip("not a QueryEmbedder")
	}
	v, err := q.EmbedQuery(t.Context(), sample[2])
	if err != nil {
		t.Fatal(err)
	}
	checkUnit(t, e.Model(), sample[2], v)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := q.EmbedQuery(ctx, sample[2]); !errors.Is(err, context.Canceled) {
		t.Errorf("EmbedQuery with a done context: %v, want an error wrapping %v", err, context.Canceled)
	}
}

func runCount(t *testing.T, e embed.Embedder) {
	c, ok := e.(embed.TokenCounter)
	if !ok {
		t.Skip("not a TokenCounter")
	}
	empty := c.CountTokens("")
	for _, s := range sample {
		if n := c.CountTokens(s); n <= empty {
			t.Errorf("CountTokens(%q) = %d, not above the %d of no text", s, n, empty)
		}
		if one, two := c.CountTokens(s), c.CountTokens(s+" "+s); two <= one {
			t.Errorf("CountTokens of %q twice = %d, of once = %d", s, two, one)
		}
	}
}

func runTooLong(t *testing.T, e embed.Embedder) {
	limit := e.Model().MaxTokens
	if limit == 0 {
		t.Skip("no limit")
	}
	long := strings.Repeat("word ", limit+1)
	got, err := e.Embed(t.Context(), []string{sample[2], long})
	var tooLong *embed.TooLongError
	if !errors.As(err, &tooLong) || !errors.Is(err, embed.ErrTooLong) || got != nil {
		t.Fatalf("Embed of a long text = %d vectors, %v; want a *TooLongError", len(got), err)
	}
	if tooLong.Index != 1 || tooLong.Max != limit || tooLong.Tokens <= limit {
		t.Errorf("error = %+v, want text 1 above the limit %d", *tooLong, limit)
	}
	if c, ok := e.(embed.TokenCounter); ok {
		if n := c.CountTokens(long); n != tooLong.Tokens {
			t.Errorf("the error says %d tokens, CountTokens %d", tooLong.Tokens, n)
		}
	}
	if q, ok := e.(embed.QueryEmbedder); ok {
		if _, err := q.EmbedQuery(t.Context(), long); !errors.As(err, &tooLong) {
			t.Errorf("EmbedQuery of a long text: %v, want a *TooLongError", err)
		}
	}
}

func mustEmbed(t *testing.T, e embed.Embedder, texts ...string) [][]float32 {
	t.Helper()
	vecs, err := e.Embed(t.Context(), texts)
	if err != nil {
		t.Fatalf("Embed(%q): %v", texts, err)
	}
	if len(vecs) != len(texts) {
		t.Fatalf("Embed gave %d vectors for %d texts", len(vecs), len(texts))
	}
	return vecs
}

func checkUnit(t *testing.T, info embed.ModelInfo, text string, v []float32) {
	t.Helper()
	if len(v) != info.Dims {
		t.Errorf("%q: vector of %d values, Model says %d", text, len(v), info.Dims)
	}
	// Not "outside the limits" but "not inside": a NaN fails too.
	if n := math.Sqrt(dot(v, v)); !(math.Abs(n-1) < 1e-4) {
		t.Errorf("%q: length %v, want 1", text, n)
	}
}

func checkSame(t *testing.T, what string, got, want []float32) {
	t.Helper()
	if len(got) != len(want) || !(cosine(got, want) > 0.99999) {
		t.Errorf("%s the same text has another vector", what)
	}
}

func dot(a, b []float32) float64 {
	var s float64
	for i := range min(len(a), len(b)) {
		s += float64(a[i]) * float64(b[i])
	}
	return s
}

func cosine(a, b []float32) float64 { return dot(a, b) / math.Sqrt(dot(a, a)*dot(b, b)) }
