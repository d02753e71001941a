package sqlite_test

import (
	"fmt"
	"math/rand/v2"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
)

func BenchmarkPut20(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "catalog.db"))
	text := strings.Repeat("Some words of a text. ", 35)
	i := 0
	for b.Loop() {
		i++
		put(b, c, document(fmt.Sprint("/", i), text, 20))
	}
}

func BenchmarkChunks50(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "catalog.db"))
	text := strings.Repeat("Some words of a text. ", 35)
	for i := range 10 {
		put(b, c, document(fmt.Sprint("/", i), text, 1000))
	}
	ids := make([]index.ChunkID, 50)
	for b.Loop() {
		for i := range ids {
			ids[i] = index.ChunkID(rand.IntN(10_000) + 1)
		}
		err := c.View(b.Context(), func(v index.View) error {
			got, err := v.Chunks(ids)
			if err == nil && len(got) == 0 {
				b.Error("no chunks")
			}
			return err
		})
		if err != nil {
			b.Fatal(err)
		}
	}
}

func BenchmarkAdded10k(b *testing.B) {
	c := open(b, filepath.Join(b.TempDir(), "catalog.db"))
	text := strings.Repeat("Some words of a text. ", 35)
	for i := range 50 {
		put(b, c, document(fmt.Sprint("/", i), text, 200))
	}
	for _, model := range []string{"", "m"} {
		b.Run("model="+model, func(b *testing.B) {
			for b.Loop() {
				n := 0
				err := c.View(b.Context(), func(v index.View) error {
					for _, err := range v.Added(0, v.Seq(), model) {
						if err != nil {
							return err
						}
						n++
					}
					return nil
				})
				if err != nil || n != 10_000 {
					b.Fatal(n, err)
				}
			}
		})
	}
}
