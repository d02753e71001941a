package chunk_test

import (
	"path/filepath"
	"strings"
	"testing"
	"unicode"
	"unicode/utf8"

	"github.com/minirag/minirag/chunk"
	"golang.org/x/tools/txtar"
)

// letters counts a token for every seven bytes, white space aside, so that
// sums are too high: a joined text counts less than its parts.
type letters struct{}

func (letters) CountTokens(text string) int {
	n := 6
	for _, r := range text {
		if !unicode.IsSpace(r) {
			n += utf8.RuneLen(r)
		}
	}
	return 2 + n/7
}

func FuzzSplit(f *testing.F) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil {
		f.Fatal(err)
	}
	for i, file := range files {
		archive, err := txtar.ParseFile(file)
		if err != nil {
			f.Fatal(err)
		}
		f.Add(string(archive.Files[0].Data), "Title", uint16(i*7), i%2 == 0)
	}
	f.Fuzz(func(t *testing.T, md, title string, budget uint16, additive bool) {
		md = strings.ToValidUTF8(md, "?")
		var counter chunk.Counter = letters{}
		if additive {
			counter = words{}
		}
		opts := &chunk.Options{Budget: chunk.MinBudget + int(budget%500)}
		doc := chunk.Document{Title: title, Markdown: md}
		result := split(t, doc, counter, opts)
		if (len(result.Chunks) == 0) != (trim(md) == "") {
			t.Fatalf("%d chunks of %q", len(result.Chunks), md)
		}
		for i := 0; i < len(result.Chunks); {
			// What the range holds is in the text, but for a table's header that
			// is repeated, white space, and the markup of a heading. The pieces
			// of a heading whose markup was taken off have all of its range.
			c := result.Chunks[i]
			var text strings.Builder
			for ; i < len(result.Chunks) && result.Chunks[i].Start == c.Start && result.Chunks[i].End == c.End; i++ {
				text.WriteString(result.Chunks[i].Text)
			}
			body := strings.Map(letterOrDigit, md[c.Start:c.End])
			if !strings.Contains(strings.Map(letterOrDigit, text.String()), body) {
				t.Fatalf("before chunk %d is %q, its range is %q", i, text.String(), md[c.Start:c.End])
			}
		}
		covered(t, md, result)
		joined(t, doc, counter, opts, result)
	})
}

func letterOrDigit(r rune) rune {
	if unicode.IsLetter(r) || unicode.IsDigit(r) {
		return r
	}
	return -1
}

// covered tests that what no chunk of a section covers is the lines above its
// first chunk: headings and markers.
func covered(t *testing.T, md string, result *chunk.Result) {
	t.Helper()
	pos := make([]int, len(result.Sections))
	seen := make([]bool, len(result.Sections))
	for i, c := range result.Chunks {
		if s := c.Section; seen[s] && c.Start > pos[s] {
			if gap := trim(md[pos[s]:c.Start]); gap != "" {
				t.Fatalf("lost before chunk %d: %q", i, gap)
			}
		}
		seen[c.Section] = true
		pos[c.Section] = max(pos[c.Section], c.End)
	}
	for i, s := range result.Sections {
		rest := trim(md[pos[i]:s.End])
		if rest != "" && result.Category != chunk.Slides {
			t.Fatalf("lost at the end of section %d: %q", i, rest)
		}
	}
}
