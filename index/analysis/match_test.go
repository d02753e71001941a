package analysis_test

import (
	"testing"

	"github.com/minirag/minirag/index/analysis"
)

func TestMatched(t *testing.T) {
	for _, tc := range []struct {
		question, text string
		low, high      float64
	}{
		{"pumps at night", "The pump runs at night.", 0.8, 0.99},
		{"pump", "the pump", 1, 1},
		{"насосы ночью", "Насос работает ночью.", 0.7, 0.99},
		{"pump", "насос", 0, 0},
		{"the pump of Berlin", "the bread of the day", 0.01, 0.2},
		{"", "anything", 0, 0},
	} {
		got := analysis.Matched(analysis.Query(tc.question, false), tc.text)
		if got < tc.low || got > tc.high {
			t.Errorf("%q in %q: %.3f, want %v to %v", tc.question, tc.text, got, tc.low, tc.high)
		}
	}
}

func TestContent(t *testing.T) {
	for text, want := range map[string]string{
		"what to do when the access token has expired?": "access token expired?",
		"The \"who\" and the what":                      "The \"who\" and the what",
		"to-do it":                                      "to-do",
		"что такое отпуск и П-22":                       "такое отпуск П-22",
		"the 語":                 "語",
		"to be, or not - to be": "to be, or not - to be",
		"":                      "",
	} {
		if got := analysis.Content(text); got != want {
			t.Errorf("%q: %q, want %q", text, got, want)
		}
	}
}

func TestContains(t *testing.T) {
	for _, tc := range []struct {
		phrase, text string
		want         bool
	}{
		{"apply secrets", "Now apply secrets here", true},
		{"apply secrets", "Apply the secrets", false},
		{"apply secrets", "secrets apply", false},
		{"apply secrets", "APPLY\n\nSecrets!", true},
		{"Саксонский сад", "прогулка по Саксонскому саду", true},
		{"зелёный дом", "зеленые дома", true},
		{"зелёный дом", "зелёный старый дом", false},
		{"SP-1077", "order SP-1077 now", true},
		{"SP-1077", "order SP-1078 now", false},
		{"a b a b c", "a b a b a b c", true},
		{"北京大学", "我在北京大学学习", true},
		{"北京大学", "北京的大学", false},
		{"28 days", "after 28 days", true},
		{"", "anything", true},
		{"x", "", false},
	} {
		if got := analysis.Contains(analysis.Tokens(tc.text), analysis.Phrase(tc.phrase)); got != tc.want {
			t.Errorf("%q in %q: %v", tc.phrase, tc.text, got)
		}
	}
}
