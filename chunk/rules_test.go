package chunk_test

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/minirag/minirag/chunk"
)

// randomDocument makes a text of one category without what is cut differently on purpose.
func randomDocument(r *rand.Rand, category chunk.Category) string {
	n := 0
	sentence := func() string {
		words := make([]string, 1+r.IntN(14))
		if r.IntN(40) == 0 {
			words = make([]string, 60+r.IntN(200))
		}
		for i := range words {
			words[i] = strings.Repeat([]string{"w", "ж", "o"}[r.IntN(3)], 1+r.IntN(9))
		}
		n++
		return strings.Join(words, " ") + fmt.Sprint(" ", n, []string{".", "!", "?", "…"}[r.IntN(4)])
	}
	block := func() string {
		var b strings.Builder
		switch k := r.IntN(10); {
		case k < 7:
			count := 1 + r.IntN(6)
			if r.IntN(20) == 0 {
				count = 100
			}
			for i := range count {
				if i > 0 {
					b.WriteString([]string{" ", "\n"}[min(r.IntN(4), 1)&r.IntN(2)])
				}
				b.WriteString(sentence())
			}
		case k < 9:
			cells := 1 + r.IntN(4)
			if r.IntN(5) == 0 {
				cells = 12
			}
			row := func(f func() string) {
				for range cells {
					b.WriteString("| " + f() + " ")
				}
				b.WriteString("|\n")
			}
			word := func() string { return strings.Repeat("c", 1+r.IntN(12)) }
			row(word)
			row(func() string { return "---" })
			for range 1 + r.IntN(50) {
				row(word)
			}
		default:
			b.WriteString("```go\n")
			for range 1 + r.IntN(90) {
				b.WriteString(strings.Repeat("f(x) ", 1+r.IntN(6)) + ";\n")
			}
			b.WriteString("```")
		}
		return strings.TrimSpace(b.String())
	}
	var parts []string
	seconds := 0
	for i := range 3 + r.IntN(20) {
		switch category {
		case chunk.Headings:
			if r.IntN(2) == 0 || i < 2 {
				parts = append(parts, strings.Repeat("#", 1+r.IntN(5))+" "+strings.Repeat("__h__ *e*ad ", 1+r.IntN(6))+fmt.Sprint(i))
			}
		case chunk.Slides:
			if r.IntN(2) == 0 || i < 2 {
				parts = append(parts, fmt.Sprintf("<!-- Slide number: %d -->", i+1))
			}
		case chunk.Transcript:
			for range 3 {
				seconds += r.IntN(200)
				name := ""
				if r.IntN(3) > 0 {
					name = fmt.Sprintf("**Name %d** ", r.IntN(4))
				}
				parts = append(parts, name+refClock(seconds)+"\n"+sentence())
			}
			continue
		default:
			if i == 2 {
				parts = append(parts, "# Only one")
			}
		}
		if r.IntN(5) > 0 {
			parts = append(parts, block())
		}
	}
	return strings.Join(append(parts, sentence()), "\n\n") + "\n"
}

// TestRules compares what Split makes of random documents with the rules.
func TestRules(t *testing.T) {
	for _, category := range []chunk.Category{chunk.Transcript, chunk.Slides, chunk.Headings, chunk.Generic} {
		t.Run(string(category), func(t *testing.T) {
			t.Parallel()
			for seed := range uint64(80) {
				rnd := rand.New(rand.NewPCG(seed, 3))
				md := randomDocument(rnd, category)
				r := &rules{counter: words{}, budget: 60 + rnd.IntN(140)}
				if got := r.document("Title", md); got != category {
					t.Fatalf("seed %d: the rules say %s of\n%s", seed, got, md)
				}
				result := split(t, chunk.Document{Title: "Title", Markdown: md}, words{}, &chunk.Options{Budget: r.budget, MaxTokens: 4 * r.budget})
				if result.Category != category {
					t.Fatalf("seed %d: %s", seed, result.Category)
				}
				var got []unit
				for _, c := range result.Chunks {
					got = append(got, unit{c.Section, c.Text})
				}
				if diff := cmp.Diff(r.units, got); diff != "" {
					t.Fatalf("seed %d, budget %d (-rules +got):\n%.3000s", seed, r.budget, diff)
				}
			}
		})
	}
}
