package main

import (
	"testing"

	"github.com/minirag/minirag/embed/e5"
	"github.com/minirag/minirag/embed/embedtest"
)

func TestWordsMakeTextsOfALength(t *testing.T) {
	model, err := e5.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	for name, count := range map[string]func(string) int{
		"embedtest": embedtest.New(nil).CountTokens,
		"e5":        model.CountTokens,
	} {
		t.Run(name, func(t *testing.T) {
			one, two := newWords(count), newWords(count)
			for _, n := range []int{count("a"), 5, 14, 16, 108, 398, 509} {
				text := one.text(n)
				if got := count(text); got != n {
					t.Errorf("text of %d tokens has %d: %q", n, got, text)
				}
				if again := two.text(n); again != text {
					t.Errorf("text of %d tokens is another one the second time", n)
				}
			}
			if first, second := one.text(40), one.text(40); first == second {
				t.Error("two texts in a row are the same")
			}
		})
	}
}
