package chunk_test

import (
	"context"
	"errors"
	"hash/crc32"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/minirag/minirag/chunk"
)

// words counts a token for every four letters or digits of a word, one for
// every other character, and two for the text, so that the sum of texts joined
// by white space is the count of the whole.
type words struct{}

func (words) CountTokens(text string) int {
	n, run := 2, 0
	for _, r := range text {
		switch {
		case unicode.IsSpace(r):
			run = 0
		case unicode.IsLetter(r) || unicode.IsDigit(r):
			if run%4 == 0 {
				n++
			}
			run++
		default:
			n, run = n+1, 0
		}
	}
	return n
}

func split(t testing.TB, doc chunk.Document, counter chunk.Counter, opts *chunk.Options) *chunk.Result {
	t.Helper()
	result, err := chunk.Split(t.Context(), doc, counter, opts)
	if err != nil {
		t.Fatal(err)
	}
	check(t, doc, counter, opts, result)
	return result
}

// check tests what the package promises of every result.
func check(t testing.TB, doc chunk.Document, counter chunk.Counter, opts *chunk.Options, result *chunk.Result) {
	t.Helper()
	md := doc.Markdown
	budget := chunk.DefaultBudget
	if opts != nil && opts.Budget != 0 {
		budget = opts.Budget
	}
	limit := budget
	if opts != nil {
		limit = max(limit, min(4*budget, opts.MaxTokens))
	}
	pos := 0
	for i, s := range result.Sections {
		if s.Start < pos || s.End <= s.Start || s.End > len(md) {
			t.Fatalf("section %d is [%d:%d] after %d of %d", i, s.Start, s.End, pos, len(md))
		}
		if gap := trim(md[pos:s.Start]); gap != "" {
			t.Fatalf("lost before section %d: %.200q", i, gap)
		}
		pos = s.End
	}
	if rest := trim(md[pos:]); rest != "" {
		t.Fatalf("lost after the last section: %.200q", rest)
	}
	last := -1
	for i, c := range result.Chunks {
		if c.Section < 0 || c.Section >= len(result.Sections) || c.Section < last || c.Section > last+1 {
			t.Fatalf("chunk %d is of section %d after %d", i, c.Section, last)
		}
		if c.Section == last && c.Start < result.Chunks[i-1].Start {
			t.Fatalf("chunk %d begins at %d before chunk %d at %d", i, c.Start, i-1, result.Chunks[i-1].Start)
		}
		last = c.Section
		if s := result.Sections[c.Section]; c.Start < s.Start || c.End > s.End || c.Start > c.End {
			t.Fatalf("chunk %d is [%d:%d], outside of its section [%d:%d]", i, c.Start, c.End, s.Start, s.End)
		}
		if got := counter.CountTokens(c.Text); got != c.Tokens {
			t.Fatalf("chunk %d says %d tokens, has %d", i, c.Tokens, got)
		}
		if c.Tokens > budget && (c.Tokens > limit || !strings.Contains(c.Text, "```") && !strings.Contains(c.Text, "~~~")) {
			t.Fatalf("chunk %d has %d tokens, budget %d: %q", i, c.Tokens, budget, c.Text)
		}
		if !utf8.ValidString(c.Text) || trim(c.Text) == "" {
			t.Fatalf("chunk %d is %q", i, c.Text)
		}
	}
	if last != len(result.Sections)-1 {
		t.Fatalf("%d sections, the last with a chunk is %d", len(result.Sections), last)
	}
}

func TestBudget(t *testing.T) {
	for _, tc := range []struct {
		name string
		opts chunk.Options
		want []string
	}{
		{"negative", chunk.Options{Budget: -5}, []string{"-5", "16"}},
		{"small", chunk.Options{Budget: 15}, []string{"15", "16"}},
		{"above the model", chunk.Options{Budget: 600, MaxTokens: 512}, []string{"600", "512"}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			_, err := chunk.Split(t.Context(), chunk.Document{Markdown: "text"}, words{}, &tc.opts)
			if !errors.Is(err, chunk.ErrBudget) {
				t.Fatalf("error is %v", err)
			}
			for _, want := range tc.want {
				if !strings.Contains(err.Error(), want) {
					t.Errorf("error %q does not name %s", err, want)
				}
			}
		})
	}
}

func TestHostile(t *testing.T) {
	for _, tc := range []struct {
		name string
		md   string
	}{
		{"one line without spaces", strings.Repeat("x", 1<<20)},
		{"early space", "abcdefghij " + strings.Repeat("x", 5000)},
		{"chinese", strings.Repeat("数据检索", 1500)},
		{"combining marks", "e" + strings.Repeat("\u0301", 10000)},
		{"emoji", strings.Repeat("👩‍👩‍👧‍👦", 3000)},
		{"headings", strings.Repeat("# a\n## b\n### c\n", 10000)},
		{"unclosed fences", strings.Repeat("```go\nx\n\n", 5000)},
		{"unclosed fences of falling length", fallingFences(300)},
		{"stray fence", "# A\n\n```\nstart\n\n" + strings.Repeat("Paragraph of text here.\n\n", 400)},
		{"long fence", "# A\n\n```\n" + strings.Repeat("line of code()\n", 5000) + "```\n"},
		{"table", "| a | b |\n|---|---|\n" + strings.Repeat("| one | two |\n", 20000)},
		{"long row", "| a | b |\n|---|---|\n| " + strings.Repeat("word ", 20000) + "|\n| x | y |\n"},
		{"long header", "| " + strings.Repeat("word ", 2000) + "|\n|---|\n| x |\n| y |\n"},
		{"long heading", "# " + strings.Repeat("word ", 20000) + "\n\n# b\n\ntext\n"},
		{"spaces", "a" + strings.Repeat(" ", 1<<20) + "b"},
		{"blank lines", strings.Repeat("\n", 1<<20) + "a"},
		{"sentences", strings.Repeat("A b. ", 1<<16)},
		{"slide markers", strings.Repeat("<!-- Slide number: 1 -->\n", 1000) + "x\n<!-- Slide number: 2 -->\n"},
		{"stamps", strings.Repeat("0:01\n", 10000)},
		{"empty", ""},
		{"blank", " \n\t\f\n"},
		{"invisible", "\u200b\n\u2060 \u200d\n"},
		{"invisible lines", "a\n\n\u200b\n\n# b\n\u200b\n# c\n\u00ad\n"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			t.Parallel()
			for _, budget := range []int{16, 60, 200} {
				split(t, chunk.Document{Title: "A title", Markdown: tc.md}, words{}, &chunk.Options{Budget: budget})
			}
		})
	}
}

func fallingFences(n int) string {
	var b strings.Builder
	for ; n >= 3; n-- {
		b.WriteString(strings.Repeat("`", n) + "x\n\n")
	}
	return b.String()
}

func TestCanceled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	_, err := chunk.Split(ctx, chunk.Document{Markdown: "# a\n\nb\n"}, words{}, nil)
	if !errors.Is(err, context.Canceled) {
		t.Fatalf("error is %v", err)
	}
}

func TestInvalidUTF8(t *testing.T) {
	if _, err := chunk.Split(t.Context(), chunk.Document{Markdown: "a\xffb"}, words{}, nil); err == nil {
		t.Fatal("no error")
	}
}

// counterFunc makes a Counter of a function.
type counterFunc func(string) int

func (f counterFunc) CountTokens(text string) int { return f(text) }

// TestOddCounters cuts with counters for which no sum is right, or nothing fits.
func TestOddCounters(t *testing.T) {
	text := "# A\n\n" + strings.Repeat("a\n", 50000) + strings.Repeat("The pump runs. ", 200) + strings.Repeat("x", 500) + "\n\n```\n" +
		strings.Repeat("code()\n", 100) + "```\n\n| a | b |\n|---|---|\n" + strings.Repeat("| c | d |\n", 50) + "\n# B\n\nb\n"
	for _, tc := range []struct {
		name string
		f    counterFunc
		over bool
	}{
		{"every character is above the budget", func(s string) int { return 100 * utf8.RuneCountInString(s) }, true},
		{"zero", func(string) int { return 0 }, false},
		{"bytes", func(s string) int { return len(s) }, false},
		{"words count nothing alone", func(s string) int { return len(s) / 16 }, false},
		{"squares", func(s string) int { return len(s) * len(s) / 100 }, false},
		{"hash", func(s string) int { h := crc32.ChecksumIEEE([]byte(s)); return int(h % 200) }, true},
		{"many special", func(s string) int { return 59 + len(s) }, true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			opts := &chunk.Options{Budget: 60}
			doc := chunk.Document{Title: "Title", Markdown: text}
			result, err := chunk.Split(t.Context(), doc, tc.f, opts)
			if errors.Is(err, chunk.ErrBudget) && tc.f("") >= 60 {
				return
			}
			if err != nil {
				t.Fatal(err)
			}
			if !tc.over {
				check(t, doc, tc.f, opts, result)
			}
			var body strings.Builder
			for _, c := range result.Chunks {
				body.WriteString(text[c.Start:c.End])
			}
			if got, want := strip(body.String()), strip(text[4:]); !strings.Contains(got, "Thepumpruns") || len(got) < len(want)-10 {
				t.Errorf("chunks hold %d of %d bytes", len(got), len(want))
			}
		})
	}
}

// strip takes out white space.
func strip(s string) string { return strings.Join(strings.Fields(s), "") }

// trim takes off what nobody sees.
func trim(s string) string {
	return strings.TrimFunc(s, func(r rune) bool { return unicode.IsSpace(r) || unicode.Is(unicode.Cf, r) })
}
