package main

import (
	"strings"
	"testing"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/embedtest"
)

func TestRun(t *testing.T) {
	var out strings.Builder
	if err := run(t.Context(), &out, "../library", "what does the warranty cover?"); err != nil {
		t.Fatal(err)
	}
	if !strings.Contains(out.String(), " 0 failed") || !strings.Contains(out.String(), "faq.md: [Frequently asked questions What does the warranty cover?]") {
		t.Errorf("got:\n%s", out.String())
	}
}

func TestContract(t *testing.T) {
	embedtest.Run(t, func() embed.Embedder { return trigrams{} })
}
