package chunk_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"github.com/google/go-cmp/cmp/cmpopts"

	"github.com/minirag/minirag/chunk"
)

// joined cuts a document again with Join, compares what must not differ with
// a result without it, and returns the other one.
func joined(t *testing.T, doc chunk.Document, counter chunk.Counter, opts *chunk.Options, apart *chunk.Result) *chunk.Result {
	t.Helper()
	o := *opts
	o.Join = true
	got := split(t, doc, counter, &o)
	if diff := cmp.Diff(apart.Chunks, got.Chunks, cmpopts.IgnoreFields(chunk.Chunk{}, "Section")); diff != "" {
		t.Fatalf("chunks differ (-apart +joined)\n%s", diff)
	}
	if apart.Category != chunk.Generic {
		if diff := cmp.Diff(apart.Sections, got.Sections); diff != "" {
			t.Fatalf("sections of a %s document differ\n%s", apart.Category, diff)
		}
		return got
	}
	size := func(start, end int) int { return utf8.RuneCountInString(doc.Markdown[start:end]) }
	for i, s := range got.Sections {
		begins, alone := false, false
		for _, a := range apart.Sections {
			begins = begins || a.Start == s.Start
			alone = alone || a.Start == s.Start && a.End == s.End
		}
		if !begins || !alone && size(s.Start, s.End) > chunk.SectionCap {
			t.Fatalf("section %d is [%d:%d]", i, s.Start, s.End)
		}
		if i > 0 {
			// One more would have been too many.
			before := got.Sections[i-1]
			for _, a := range apart.Sections {
				if a.Start == s.Start && size(before.Start, a.End) <= chunk.SectionCap {
					t.Fatalf("section %d could be longer by [%d:%d]", i-1, a.Start, a.End)
				}
			}
		}
	}
	return got
}

func TestJoin(t *testing.T) {
	sentence := "Здесь сказано ещё кое-что о том же самом. "
	for _, tc := range []struct {
		name, md string
		sections int
	}{
		{"nothing", "\n", 0},
		{"short paragraphs", "One.\n\nTwo.\n\n# Three\n\nFour.\n", 1},
		{"ten of a thousand characters", strings.Repeat(strings.Repeat(sentence, 1000/utf8.RuneCountInString(sentence))+"\n\n", 10), 3},
		{"one too long for a section, between short ones", "Before.\n\n" + strings.Repeat(sentence, 300) + "\n\nAfter.\n", 4},
		{"headings", "# A\n\nOne.\n\n# B\n\nTwo.\n", 2},
	} {
		doc, opts := chunk.Document{Markdown: tc.md}, &chunk.Options{Budget: 60}
		got := joined(t, doc, words{}, opts, split(t, doc, words{}, opts))
		if len(got.Sections) != tc.sections {
			t.Errorf("%s: %d sections, want %d: %v", tc.name, len(got.Sections), tc.sections, got.Sections)
		}
	}
}
