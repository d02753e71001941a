package main

import (
	"context"
	"hash/fnv"
	"math"
	"strings"

	"github.com/minirag/minirag/embed"
)

// trigrams is an [embed.Embedder] that hashes groups of three letters. It
// stands for yours, which may call a service or run another model. It is safe
// for concurrent use.
type trigrams struct{}

var _ embed.Embedder = trigrams{}

const dims = 256

// Model names the embedder; another ID makes the next sync embed everything anew.
func (trigrams) Model() embed.ModelInfo { return embed.ModelInfo{ID: "example-trigrams-1", Dims: dims} }

func (trigrams) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	vectors := make([][]float32, len(texts))
	for i, text := range texts {
		if err := ctx.Err(); err != nil {
			return nil, err
		}
		vectors[i] = vector(text)
	}
	return vectors, nil
}

func vector(text string) []float32 {
	v := make([]float32, dims)
	for _, word := range strings.Fields(strings.ToLower(text)) {
		letters := []rune(" " + strings.Trim(word, ".,;:!?()*#|") + " ")
		for i := range len(letters) - 2 {
			h := fnv.New32a()
			// A hash does not fail to write.
			_, _ = h.Write([]byte(string(letters[i : i+3])))
			v[h.Sum32()%dims]++
		}
	}
	var sum float64
	for _, x := range v {
		sum += float64(x) * float64(x)
	}
	if sum == 0 {
		v[0], sum = 1, 1
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}
