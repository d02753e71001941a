package search_test

import (
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/search"
)

func TestFold(t *testing.T) {
	const text = "The committee meets on the first Monday of each month at ten in the large hall, and the minutes are sent to all members within five working days."
	long := strings.Repeat("Every member of the club pays the yearly fee before the first of March. ", 1) + text
	for _, tc := range []struct {
		name, a, b string
		want       bool
	}{
		{"equal", text, text, true},
		{"spaced and marked up otherwise", text, "**" + strings.ReplaceAll(text, " ", "\n") + "**", true},
		{"another case", text, strings.ToUpper(text), true},
		{"a word changed in a long text", long, strings.Replace(long, "yearly", "annual", 1), true},
		{"a number changed", "Price 100. " + long, "Price 120. " + long, false},
		{"numbers exchanged", "From 1 to 2. " + long, "From 2 to 1. " + long, false},
		{"half of it", long, text, false},
		{"something else", text, "The pump runs at night and stops at dawn, whatever the weather in the valley may be like.", false},
		{"short and nearly equal", "call the doorman", "call a doorman", false},
		{"no words", "***", "---", false},
	} {
		var f search.Folder
		f.Fold("Something before it.", 9)
		f.Fold(tc.a, 1)
		if first, ok := f.Fold(tc.b, 2); ok != tc.want || ok && first != 1 {
			t.Errorf("%s: %d, %v", tc.name, first, ok)
		}
	}
	var f search.Folder
	f.Fold(text, 1)
	if _, ok := f.Fold(text, 1); ok {
		t.Error("a repetition in one document was folded")
	}
	f.Drop()
	f.Drop()
	if _, ok := f.Fold(text, 2); ok {
		t.Error("a dropped text was remembered")
	}
}

func TestSpread(t *testing.T) {
	all := []search.Hit{{Chunk: 1, Doc: 1}, {Chunk: 2, Doc: 1}, {Chunk: 3, Doc: 1}, {Chunk: 4, Doc: 2}, {Chunk: 5, Doc: 1}, {Chunk: 6, Doc: 3}}
	for n, want := range map[int][]index.ChunkID{
		0: {1, 2, 3, 4, 5, 6}, 1: {1, 4, 6, 2, 3, 5}, 2: {1, 2, 4, 6, 3, 5}, 9: {1, 2, 3, 4, 5, 6},
	} {
		got := order(search.Spread(all, n))
		for i := range want {
			if got[i] != want[i] {
				t.Errorf("%d of each: %v, want %v", n, got, want)
				break
			}
		}
	}
}
