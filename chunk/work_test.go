package chunk_test

import (
	"fmt"
	"runtime"
	"strings"
	"testing"

	"github.com/minirag/minirag/chunk"
)

// meter adds up the bytes that a Counter is given.
type meter struct {
	words
	bytes int
}

func (m *meter) CountTokens(text string) int {
	m.bytes += len(text) + 1
	return m.words.CountTokens(text)
}

// TestWorkGrowsWithLength cuts texts of hostile shapes, and others four times as
// long, which may make four times as much be counted and a little more.
func TestWorkGrowsWithLength(t *testing.T) {
	nested := func(n int) string {
		var b strings.Builder
		for i := range n / 200 {
			fmt.Fprintf(&b, "%s- item\n", strings.Repeat("  ", i%100))
		}
		return b.String()
	}
	repeated := func(s string) func(int) string {
		return func(n int) string { return strings.Repeat(s, n/len(s)+1) }
	}
	below := func(head, s string) func(int) string {
		return func(n int) string { return head + strings.Repeat(s, n/len(s)+1) }
	}
	for _, tc := range []struct {
		name string
		make func(n int) string
	}{
		{"one word", repeated("x")},
		{"one line of words", repeated("word ")},
		{"one line of sentences", repeated("A b. ")},
		{"headings", repeated("# a\n\n## b\n\n### c\n")},
		{"headings that end in nothing", repeated("###### a\n# b\n")},
		{"headings of one level", repeated("# heading of a chapter\n")},
		{"deep headings with text", repeated("# a\n## b\n### c\n#### d\n##### e\n###### f\ntext\n")},
		{"setext headings", repeated("Heading\n=======\n\nx\n\n")},
		{"a table", below("| a | b |\n|---|---|\n", "| one | two |\n")},
		{"tables", repeated("| a | b |\n|---|---|\n| 1 | 2 |\n\n")},
		{"a row", func(n int) string { return "| a | b |\n|---|---|\n| " + strings.Repeat("word ", n/5) + "|\n" }},
		{"a header", func(n int) string { return "| " + strings.Repeat("word ", n/5) + "|\n|---|\n| x |\n| y |\n" }},
		{"delimiter rows", repeated("|---|\n")},
		{"nested lists", nested},
		{"nested quotes", func(n int) string { return strings.Repeat(">", n/2) + " a\n" + strings.Repeat("> ", n/4) }},
		{"combining marks", below("e", "\u0301")},
		{"chinese", repeated("数据检索")},
		{"chinese sentences", repeated("数据检索。")},
		{"emoji with joiners", repeated("👩‍👩‍👧‍👦")},
		{"flags", repeated("🇳🇱🇧🇪")},
		{"carriage returns", repeated("a line\r")},
		{"windows lines", repeated("# a\r\n\r\ntext\r\n")},
		{"fences", repeated("```\ncode()\n```\n")},
		{"a fence", func(n int) string { return "```\n" + strings.Repeat("code()\n", n/7) + "```\n" }},
		{"open fences", repeated("```go\nx\n\n")},
		{"stamps", repeated("0:01\n")},
		{"turns", repeated("**A B** 0:01\nSomething was said.\n\n")},
		{"slides", repeated("<!-- Slide number: 1 -->\nx\n")},
		{"spaces", repeated("a        \t")},
		{"stops", repeated("....!?")},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			work := func(n int) (bytes, chunks int) {
				m := new(meter)
				doc := chunk.Document{Title: "A title", Markdown: tc.make(n)}
				result, err := chunk.Split(t.Context(), doc, m, &chunk.Options{Budget: 60})
				if err != nil {
					t.Fatal(err)
				}
				check(t, doc, words{}, &chunk.Options{Budget: 60}, result)
				return m.bytes, len(result.Chunks)
			}
			const n = 1 << 16
			short, _ := work(n)
			long, chunks := work(4 * n)
			if long > 5*short {
				t.Errorf("%d bytes counted of a text, %d of one four times as long, for %d chunks", short, long, chunks)
			}
			if most := 60 * 4 * n; long > most {
				t.Errorf("%d bytes counted for %d", long, 4*n)
			}
		})
	}
}

// TestMemoryGrowsWithLength cuts texts in which something long stands above many
// parts: it must not be copied for each of them.
func TestMemoryGrowsWithLength(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func(n int) string
	}{
		{"a heading above sections", func(n int) string {
			return "# " + strings.Repeat("word ", n/10) + "\n\n" + strings.Repeat("## b\n\ntext\n\n", n/24)
		}},
		{"a header above rows", func(n int) string {
			return "| " + strings.Repeat("word ", n/10) + "|\n|---|\n" + strings.Repeat("| x |\n", n/12)
		}},
		{"a title above turns", func(n int) string {
			return strings.Repeat("**A** 0:01\nx\n\n**A** 9:01\nx\n\n", n/30)
		}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			memory := func(n int) uint64 {
				doc := chunk.Document{Title: strings.Repeat("title ", n/12), Markdown: tc.make(n)}
				var before, after runtime.MemStats
				runtime.ReadMemStats(&before)
				if _, err := chunk.Split(t.Context(), doc, bytes{}, nil); err != nil {
					t.Fatal(err)
				}
				runtime.ReadMemStats(&after)
				return after.TotalAlloc - before.TotalAlloc
			}
			const n = 1 << 17
			short, long := memory(n), memory(4*n)
			if long > 8*short {
				t.Errorf("%d bytes of memory for a text, %d for one four times as long", short, long)
			}
		})
	}
}
