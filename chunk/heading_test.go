package chunk_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"
	"github.com/minirag/minirag/chunk"
)

func TestOutline(t *testing.T) {
	md := "text\n# A\nx\n### B\n\nUnder\n-----\n```\n# code\n```\n# C #\n"
	var got []string
	for _, h := range chunk.Outline(md) {
		got = append(got, fmt.Sprintf("%d %s %q", h.Level, h.Text, md[h.Start:h.End]))
	}
	want := []string{
		"1 A \"# A\\nx\\n### B\\n\\nUnder\\n-----\\n```\\n# code\\n```\\n\"",
		`3 B "### B\n\n"`,
		"2 Under \"Under\\n-----\\n```\\n# code\\n```\\n\"",
		`1 C "# C #\n"`,
	}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("(-want +got)\n%s", diff)
	}
	if got := chunk.Outline("no heading"); got == nil || len(got) != 0 {
		t.Errorf("%v", got)
	}
}
