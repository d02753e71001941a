package chunk_test

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/minirag/minirag/chunk"
)

// literal packs as the rule is written: add the next atom while the rendered
// unit is within the budget, counting it anew each time; before that, divide
// what does not fit alone at spaces.
func literal(lead string, pieces []chunk.Piece, counter chunk.Counter, budget int) []string {
	fits := func(body string) bool { return counter.CountTokens(lead+body) <= budget }
	greedy := func(pieces []chunk.Piece) (units []chunk.Piece) {
		for _, p := range pieces {
			if n := len(units); n > 0 && fits(units[n-1].Text+p.Sep+p.Text) {
				units[n-1].Text += p.Sep + p.Text
			} else {
				units = append(units, p)
			}
		}
		return units
	}
	var atoms []chunk.Piece
	for _, p := range pieces {
		if fits(p.Text) {
			atoms = append(atoms, p)
			continue
		}
		var words []chunk.Piece
		for _, w := range strings.Split(p.Text, " ") {
			words = append(words, chunk.Piece{Text: w, Sep: " "})
		}
		words[0].Sep = p.Sep
		atoms = append(atoms, greedy(words)...)
	}
	var bodies []string
	for _, u := range greedy(atoms) {
		bodies = append(bodies, u.Text)
	}
	return bodies
}

// TestLiteral compares packing by sums of tokens with the rule itself.
func TestLiteral(t *testing.T) {
	for _, tc := range []struct {
		name    string
		counter chunk.Counter
	}{
		{"additive", words{}},
		{"sums too high", letters{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for seed := range uint64(300) {
				r := rand.New(rand.NewPCG(seed, 7))
				var pieces []chunk.Piece
				for range 1 + r.IntN(60) {
					sentence := make([]string, 1+r.IntN(12))
					if r.IntN(20) == 0 {
						sentence = make([]string, 100+r.IntN(100))
					}
					for i := range sentence {
						sentence[i] = strings.Repeat("w", 1+r.IntN(9))
					}
					pieces = append(pieces, chunk.Piece{
						Text: strings.Join(sentence, " ") + ".",
						Sep:  []string{" ", "\n", "\n\n"}[r.IntN(3)],
					})
				}
				lead := []string{"", "A > B\n\n"}[r.IntN(2)]
				budget := 30 + r.IntN(60)
				want := literal(lead, pieces, tc.counter, budget)
				got, err := chunk.Fill(t.Context(), lead, pieces, tc.counter, budget)
				if err != nil {
					t.Fatal(err)
				}
				if diff := cmp.Diff(want, got); diff != "" {
					t.Fatalf("seed %d, budget %d, %q (-want +got):\n%s", seed, budget, lead, diff)
				}
			}
		})
	}
}
