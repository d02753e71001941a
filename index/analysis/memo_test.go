package analysis_test

import (
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index/analysis"
)

// TestMemo gives one memo texts of every kind twice; what it has met does not
// change what it gives.
func TestMemo(t *testing.T) {
	var m analysis.Memo
	texts := []string{
		"", "the lamp's keepers trim THE Lamp", "SP-1077 sp1077 DEC-0054 useEffect use_effect C++ C# __init__ a.b.c 1,234,567",
		"регламент закупок, Ёлка и ёлки", "東京タワー 東京", "naïve naïve Straße", "PDFs HTTPServer deadbeef1234 x",
		"Pneumonoultramicroscopicsilicovolcanoconiosis_and_more_of_it_than_a_memo_keeps again",
		"-- ' #", "a\\b c/d",
	}
	for round := range 2 {
		for _, text := range texts {
			if diff := cmp.Diff(analysis.Tokens(text), m.Append(nil, text)); diff != "" {
				t.Errorf("round %d, %q (-without +with):\n%s", round, text, diff)
			}
		}
	}
}

// FuzzMemo: a memo that has met other texts gives what there is without one.
func FuzzMemo(f *testing.F) {
	f.Add("the lamp's wick-trimmer", "The LAMP's wicks, 1.5")
	f.Add("é и́ 東 ", "É\\x")
	f.Fuzz(func(t *testing.T, before, text string) {
		var m analysis.Memo
		m.Append(nil, before)
		if diff := cmp.Diff(analysis.Tokens(text), m.Append(nil, text)); diff != "" {
			t.Errorf("after %q, %q (-without +with):\n%s", before, text, diff)
		}
	})
}
