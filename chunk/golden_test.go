package chunk_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/minirag/minirag/chunk"
	"golang.org/x/tools/txtar"
)

var update = flag.Bool("update", false, "write the golden files anew")

// TestGolden cuts the input.md of each testdata/*.txtar and compares sections
// and chunks. The comment may set options, one "name: value" a line: title,
// budget, max-tokens.
func TestGolden(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatalf("%d golden files: %v", len(files), err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			archive, err := txtar.ParseFile(file)
			if err != nil {
				t.Fatal(err)
			}
			doc := chunk.Document{}
			opts := &chunk.Options{Budget: 60}
			for line := range strings.Lines(string(archive.Comment)) {
				fmt.Sscanf(line, "budget: %d", &opts.Budget)
				fmt.Sscanf(line, "max-tokens: %d", &opts.MaxTokens)
				if title, ok := strings.CutPrefix(line, "title: "); ok {
					doc.Title = strings.TrimSpace(title)
				}
			}
			doc.Markdown = string(archive.Files[0].Data)
			got := dump(doc.Markdown, split(t, doc, words{}, opts))
			if *update {
				archive.Files = append(archive.Files[:1], txtar.File{Name: "result", Data: []byte(got)})
				if err := os.WriteFile(file, txtar.Format(archive), 0o644); err != nil {
					t.Fatal(err)
				}
				return
			}
			if len(archive.Files) != 2 {
				t.Fatal("no golden result; run with -update")
			}
			if diff := cmp.Diff(string(archive.Files[1].Data), got); diff != "" {
				t.Errorf("result (-want +got):\n%s", diff)
			}
		})
	}
}

// dump renders a result with each line of text behind a bar.
func dump(md string, r *chunk.Result) string {
	var b strings.Builder
	fmt.Fprintf(&b, "%s\n", r.Category)
	for i, s := range r.Sections {
		fmt.Fprintf(&b, "\nsection %d", i)
		if s.Label != "" {
			fmt.Fprintf(&b, " %s", s.Label)
		}
		if len(s.Headings) > 0 {
			fmt.Fprintf(&b, " %q", s.Headings)
		}
		source := md[s.Start:s.End]
		first, _, _ := strings.Cut(source, "\n")
		last := source[strings.LastIndexByte(source, '\n')+1:]
		fmt.Fprintf(&b, "\nfrom %.40q to %.40q\n", first, last)
		for _, c := range r.Chunks {
			if c.Section != i {
				continue
			}
			fmt.Fprintf(&b, "\nchunk [%d:%d] of %d tokens\n", c.Start, c.End, c.Tokens)
			for line := range strings.SplitSeq(c.Text, "\n") {
				b.WriteString(strings.TrimRight("| "+line, " ") + "\n")
			}
		}
	}
	return b.String()
}
