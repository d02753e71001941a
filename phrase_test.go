package minirag_test

import (
	"fmt"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/internal/testcorpus"
)

func TestSyntax(t *testing.T) {
	files := map[string]string{
		"rotate.md":    "# Rotation\n\nRun apply secrets after every rotation of keys. Contact us by e-mail.\n",
		"secrets.md":   "# Secrets\n\nApply the secrets of the kitchen: salt and time.\n",
		"Night owl.md": "# Night owl\n\nA bar that opens late, at minus -5 degrees too.\n",
		"отпуск.md":    "# Отпуск\n\nПеренос отпуска согласует руководитель. Декретный отпуск считается иначе.\n",
		"график.md":    "# График\n\nОтпуск по графику утверждают в декабре, перенос графика невозможен.\n",
	}
	for i := range 20 {
		files[fmt.Sprintf("%d.md", i)] = fmt.Sprintf("# Note %d\n\nSecrets to apply when owls of the night rotate keys, number %d.\n", i, i)
	}
	c := testcorpus.New(t, testcorpus.Write(t, files))
	syncAll(t, c)
	for _, tc := range []struct {
		text   string
		only   []string // all hits, in any order
		first  string
		never  string
		notice string
	}{
		{text: `keys "apply secrets"`, only: []string{"rotate.md"}},
		{text: `"APPLY SECRET"`, only: []string{"rotate.md"}},
		{text: `"Night owl"`, only: []string{"Night owl.md"}},
		{text: `«переносе отпусков»`, only: []string{"отпуск.md"}},
		{text: `"apply secrets" "opens late"`, first: "", notice: "word for word"},
		{text: `apply secrets -rotation`, never: "rotate.md"},
		{text: `перенос отпуска -декретного`, never: "отпуск.md", first: "график.md"},
		{text: `secrets -"salt and time"`, never: "secrets.md"},
		{text: `contact by e-mail`, first: "rotate.md"},
		{text: `contact secrets -e-mail`, never: "rotate.md"},
		{text: `opens late at minus -5`, first: "Night owl.md"},
		{text: `"no such phrase anywhere" secrets kitchen`, first: "secrets.md", notice: "word for word"},
		{text: `"apply secrets" -keys`, notice: "word for word", never: "rotate.md"},
		{text: `-rotation`, first: "rotate.md"},
	} {
		res := query(t, c, tc.text)
		var got []string
		for _, h := range res.Hits {
			got = append(got, h.Source.DisplayPath)
		}
		slices.Sort(got)
		if tc.only != nil {
			if diff := cmp.Diff(tc.only, slices.Compact(got)); diff != "" {
				t.Errorf("%s (-want +got)\n%s", tc.text, diff)
			}
		}
		if tc.never != "" && (len(got) == 0 || slices.Contains(got, tc.never)) {
			t.Errorf("%s found %v", tc.text, got)
		}
		if tc.first != "" && (len(res.Hits) == 0 || res.Hits[0].Source.DisplayPath != tc.first) {
			t.Errorf("%s found %v first, want %s", tc.text, res.Hits[0].Source.DisplayPath, tc.first)
		}
		if !strings.Contains(res.Notice, tc.notice) || tc.notice == "" && res.Notice != "" {
			t.Errorf("%s: notice %q", tc.text, res.Notice)
		}
	}
	if res := query(t, c, "secrets -secret -secrets"); len(res.Hits) > 0 && strings.Contains(res.Hits[0].Text, "ecrets") {
		t.Errorf("an excluded word is found: %q", res.Hits[0].Text)
	}
}

// TestLongQuestion asks with more text than the embedder takes.
func TestLongQuestion(t *testing.T) {
	c := testcorpus.New(t, library(t))
	syncAll(t, c)
	for _, text := range []string{
		strings.Repeat("The committee spoke of other things at great length. ", 400) + "When must an expense report be filed?",
		strings.Repeat("x", 20000), strings.Repeat(`"a `, 20000), strings.Repeat("-word ", 5000), strings.Repeat("отпуск", 4000),
	} {
		if res := query(t, c, text); len(res.Hits) == 0 && res.Notice == "" {
			t.Errorf("%.30q: nothing found", text)
		}
	}
	if got := first(t, c, strings.Repeat("expense report filed ", 500)); got != "policies/expenses.md" {
		t.Errorf("a long question found %q", got)
	}
}
