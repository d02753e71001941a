package search_test

import (
	"math"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/search"
)

func hits(pairs ...float64) []index.Hit {
	var out []index.Hit
	for i := 0; i < len(pairs); i += 2 {
		out = append(out, index.Hit{Chunk: index.ChunkID(pairs[i]), Doc: index.DocID(pairs[i]) / 10, Score: pairs[i+1]})
	}
	return out
}

func order(hits []search.Hit) []index.ChunkID {
	out := []index.ChunkID{}
	for _, h := range hits {
		out = append(out, h.Chunk)
	}
	return out
}

func TestReciprocalRanks(t *testing.T) {
	near, words := hits(1, .9, 2, .8, 3, .7), hits(3, 5, 4, 2)
	tests := []struct {
		weight float64
		want   []index.ChunkID
		first  float64
	}{
		{0, []index.ChunkID{1, 2, 3}, 1 / (1 + 0.2)},
		{0.6, []index.ChunkID{3, 4, 1, 2}, 0.4/63 + 0.6/61},
		{1, []index.ChunkID{3, 4, 1, 2}, 1.0 / 61},
	}
	for _, tc := range tests {
		got := search.ReciprocalRanks(near, words, tc.weight)
		if diff := cmp.Diff(tc.want, order(got)); diff != "" {
			t.Errorf("weight %v (-want +got)\n%s", tc.weight, diff)
		}
		if math.Abs(got[0].Score-tc.first) > 1e-12 {
			t.Errorf("weight %v: first score %v, want %v", tc.weight, got[0].Score, tc.first)
		}
	}
}

func TestReciprocalRanksKeepOrderInTies(t *testing.T) {
	got := search.ReciprocalRanks(hits(5, .9, 1, .8), hits(9, 3, 2, 1), 0.5)
	if diff := cmp.Diff([]index.ChunkID{5, 9, 1, 2}, order(got)); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
}

// alike returns n hits of one score, from chunk 101 on.
func alike(n int) []index.Hit {
	same := make([]index.Hit, n)
	for i := range same {
		same[i] = index.Hit{Chunk: index.ChunkID(101 + i), Score: .8}
	}
	return same
}

func TestScores(t *testing.T) {
	tests := []struct {
		name        string
		near, words []index.Hit
		want        []index.ChunkID
	}{
		{"nothing", nil, nil, []index.ChunkID{}},
		{"no words leave the vectors' order", hits(1, .9, 2, .8, 3, .7), nil, []index.ChunkID{1, 2, 3}},
		{"no vectors leave the words' order", nil, hits(2, 9, 1, 3), []index.ChunkID{2, 1}},
		{"a chunk that both sides find rises", hits(1, .9, 2, .89, 3, .7), hits(2, 9, 4, 1), []index.ChunkID{2, 1, 4, 3}},
		{"one hit a side", hits(1, .5), hits(2, 1), []index.ChunkID{1, 2}},
		{"a name in one chunk stands above what is alike to the vectors", alike(40), hits(99, .9), append([]index.ChunkID{99}, order(search.Scores(alike(40), nil))...)},
		{"and beside what alone is near", append(hits(1, .95), alike(40)...), hits(99, .9), append([]index.ChunkID{1, 99}, order(search.Scores(alike(40), nil))...)},
		{"words that are a small part of the question count little", hits(1, .9, 2, .8, 3, .7), hits(3, .02), []index.ChunkID{1, 2, 3}},
	}
	for _, tc := range tests {
		for _, h := range search.Scores(tc.near, tc.words) {
			if h.Score < 0 || h.Score > 1 {
				t.Errorf("%s: chunk %d has the score %v", tc.name, h.Chunk, h.Score)
			}
		}
		if diff := cmp.Diff(tc.want, order(search.Scores(tc.near, tc.words))); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
	}
}

func TestDistance(t *testing.T) {
	got := search.Scores(hits(1, 1, 2, 0.5), hits(3, 1))
	want := map[index.ChunkID]float64{1: 0, 2: 1}
	for _, h := range got {
		if d, ok := want[h.Chunk]; ok != h.Near || ok && math.Abs(h.Distance()-d) > 1e-12 {
			t.Errorf("chunk %d: near %v, distance %v", h.Chunk, h.Near, h.Distance())
		}
	}
}

func TestLeap(t *testing.T) {
	// Distances 0.02 0.04 0.06 0.60 0.62 1.40: the mean gap is 0.276.
	near := hits(1, .99, 2, .98, 3, .97, 4, .70, 5, .69, 6, .30)
	all := search.ReciprocalRanks(near, hits(7, 1), 0.5)
	sorted := func(h []search.Hit) map[index.ChunkID]bool {
		out := make(map[index.ChunkID]bool)
		for _, x := range h {
			out[x.Chunk] = true
		}
		return out
	}
	set := func(ids ...index.ChunkID) map[index.ChunkID]bool {
		out := make(map[index.ChunkID]bool)
		for _, id := range ids {
			out[id] = true
		}
		return out
	}
	if diff := cmp.Diff(set(1, 2, 3, 4, 5, 7), sorted(search.Leap(all, 1))); diff != "" {
		t.Errorf("one leap (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff(set(1, 2, 3, 4, 5, 6, 7), sorted(search.Leap(all, 2))); diff != "" {
		t.Errorf("no second leap (-want +got)\n%s", diff)
	}
	two := search.ReciprocalRanks(hits(1, .99, 2, .50), nil, 0)
	if len(search.Leap(two, 1)) != 2 {
		t.Error("fewer than three distances were cut")
	}
	same := search.ReciprocalRanks(hits(1, .5, 2, .5, 3, .5), nil, 0)
	if len(search.Leap(same, 1)) != 3 {
		t.Error("equal distances were cut")
	}
}

func TestWithinAndFirstDocuments(t *testing.T) {
	all := search.ReciprocalRanks(hits(11, .9, 12, .8, 21, .7, 31, .2), hits(41, 1), 0.1)
	if diff := cmp.Diff([]index.ChunkID{11, 12, 21}, order(search.Within(all, 0.7, false))); diff != "" {
		t.Errorf("Within (-want +got)\n%s", diff)
	}
	if diff := cmp.Diff([]index.ChunkID{11, 12, 21}, order(search.FirstDocuments(all, 2))); diff != "" {
		t.Errorf("FirstDocuments (-want +got)\n%s", diff)
	}
	if got := search.FirstDocuments(all, 0); len(got) != 5 {
		t.Errorf("no bound kept %d", len(got))
	}
}
