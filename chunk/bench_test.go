package chunk_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/minirag/minirag/chunk"
)

// bytes is a Counter that costs nothing.
type bytes struct{}

func (bytes) CountTokens(text string) int { return 2 + len(text)/4 }

func BenchmarkSplit(b *testing.B) {
	var mixed strings.Builder
	for i := range 2000 {
		fmt.Fprintf(&mixed, "## Section %d\n\n", i)
		mixed.WriteString(strings.Repeat("The pump runs at night, and it stops at dawn. Насос работает ночью.\n", 6))
		mixed.WriteString("\n| Code | Meaning |\n| --- | --- |\n" + strings.Repeat("| E1 | Token expired |\n", 8))
		mixed.WriteString("\n```go\n" + strings.Repeat("call(client, request)\n", 5) + "```\n\n")
	}
	for _, bc := range []struct{ name, md string }{
		{"mixed", mixed.String()},
		{"prose", strings.Repeat("The pump runs at night, and it stops at dawn. Насос работает ночью.\n\n", 20000)},
		{"table", "| Code | Meaning |\n| --- | --- |\n" + strings.Repeat("| E1 | Token expired |\n", 100000)},
		{"headings", strings.Repeat("# One\n\n## Two\n\n### Three\n", 33000)},
		{"line", strings.Repeat("x", 10<<20)},
		{"words", strings.Repeat("word ", 1<<20)},
		{"blank", strings.Repeat("\n", 1<<20) + "a"},
	} {
		for _, counter := range []chunk.Counter{bytes{}, words{}} {
			b.Run(fmt.Sprintf("%s/%T", bc.name, counter), func(b *testing.B) {
				b.SetBytes(int64(len(bc.md)))
				b.ReportAllocs()
				for b.Loop() {
					if _, err := chunk.Split(b.Context(), chunk.Document{Title: "Pump", Markdown: bc.md}, counter, nil); err != nil {
						b.Fatal(err)
					}
				}
			})
		}
	}
}
