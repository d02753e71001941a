package eval_test

import (
	"bytes"
	"context"
	"flag"
	"fmt"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/e5"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/eval"
	"github.com/minirag/minirag/internal/testcorpus"
)

var update = flag.Bool("update", false, "write the golden files anew")

// corpus indexes the documents of a set.
func corpus(t *testing.T, s *eval.Set, e embed.Embedder) *minirag.Corpus {
	t.Helper()
	dir := t.TempDir()
	docs := filepath.Join(dir, "documents")
	if err := s.WriteFiles(docs); err != nil {
		t.Fatal(err)
	}
	c, err := testcorpus.Open(t.Context(), filepath.Join(dir, "index"), &minirag.Options{Roots: []string{docs}, Embedder: e})
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { c.Close() })
	report, err := c.Sync(t.Context(), nil)
	if err != nil || report.Counts.Ingested != len(s.Documents) {
		t.Fatalf("%+v, %v", report, err)
	}
	return c
}

func small(t *testing.T) *eval.Set {
	t.Helper()
	s, err := eval.Load("testdata/small", nil)
	if err != nil {
		t.Fatal(err)
	}
	return s
}

// foreign are questions about nothing in the set.
var foreign = []eval.Question{
	{Text: "who won the cup final in 1998"}, {Text: "symptoms of a broken collarbone"},
	{Text: "capital of Mongolia"}, {Text: "how do I declare a generic interface"},
	{Text: "курс доллара к иене"}, {Text: "кто написал оперу о золотом петушке"},
	{Text: "сколько спутников у Сатурна"}, {Text: "рецепт окрошки на кефире"},
	{Text: "Wer erfand den Buchdruck"}, {Text: "Höhe des Kilimandscharo"},
}

// TestGolden shows every change of the ranking in a diff: the ranks of the
// right documents for each question of the set, with each embedder.
func TestGolden(t *testing.T) {
	for _, tc := range []struct {
		name string
		make func() (embed.Embedder, error)
	}{
		{"embedtest", func() (embed.Embedder, error) { return embedtest.New(nil), nil }},
		{"e5", func() (embed.Embedder, error) { return e5.New(nil) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if tc.name == "e5" && testing.Short() {
				t.Skip("the model takes seconds")
			}
			e, err := tc.make()
			if err != nil {
				t.Fatal(err)
			}
			s := small(t)
			report, err := eval.Run(t.Context(), corpus(t, s, e), s, &eval.Options{Foreign: foreign})
			if err != nil {
				t.Fatal(err)
			}
			file := filepath.Join("testdata", tc.name+".golden")
			got := dump(s, report)
			if *update {
				if err := os.WriteFile(file, []byte(got), 0o644); err != nil {
					t.Fatal(err)
				}
			}
			want, err := os.ReadFile(file)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(string(want), got); diff != "" {
				t.Errorf("ranks, with -update if they are meant (-want +got)\n%s", diff)
			}
		})
	}
}

func dump(s *eval.Set, r *eval.Report) string {
	var b strings.Builder
	for _, side := range r.Sides {
		fmt.Fprintf(&b, "%-8s nDCG@10 %.3f recall@10 %.3f MRR@10 %.3f hit@1 %.3f\n", side.Name, side.NDCG10, side.Recall10, side.MRR10, side.Hit1)
	}
	fmt.Fprintf(&b, "relevance AUC %.2f\n\nvector keyword fused\n", r.Relevance.AUC)
	for i, q := range r.Ranks {
		fmt.Fprintf(&b, "%6d %7d %5d  %s\n", q.Vector, q.Keyword, q.Fused, s.Questions[i].Text)
	}
	return b.String()
}

// ranking answers every question with the same documents.
type ranking []string

func (r ranking) Query(context.Context, minirag.Query) (*minirag.Result, error) {
	res := &minirag.Result{}
	for i, name := range r {
		res.Hits = append(res.Hits, minirag.Hit{
			Source: &minirag.Source{ID: filepath.Join("/root", name)}, Relevance: 1 / float64(i+2),
			Section: &minirag.Section{}, Text: "x",
		})
	}
	return res, nil
}

func TestScores(t *testing.T) {
	set := &eval.Set{
		Documents: []eval.Document{{ID: "a"}, {ID: "b/c"}, {ID: "d"}},
		Questions: []eval.Question{{ID: "1", Text: "x"}},
	}
	for _, tc := range []struct {
		name   string
		ranked ranking
		grades map[string]float64
		want   eval.Score
	}{
		{"the only one first", ranking{"a.md", "d.md"}, map[string]float64{"a": 1}, eval.Score{NDCG10: 1, Recall10: 1, MRR10: 1, Hit1: 1}},
		{"several hits of a document count once", ranking{"d.md", "d.md", "a.md"}, map[string]float64{"a": 1}, eval.Score{NDCG10: 1 / math.Log2(3), Recall10: 1, MRR10: 0.5}},
		{"an ID that is no file name", ranking{"d.md", "b%2Fc.md"}, map[string]float64{"b/c": 2, "a": 1}, eval.Score{NDCG10: 3 / math.Log2(3) / (3 + 1/math.Log2(3)), Recall10: 0.5, MRR10: 0.5}},
		{"nothing found", ranking{}, map[string]float64{"a": 1}, eval.Score{}},
		{"beyond the tenth", ranking{"1", "2", "3", "4", "5", "6", "7", "8", "9", "10", "a.md"}, map[string]float64{"a": 1}, eval.Score{}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			set.Relevant = map[string]map[string]float64{"1": tc.grades}
			report, err := eval.Run(t.Context(), tc.ranked, set, nil)
			if err != nil {
				t.Fatal(err)
			}
			for _, side := range report.Sides {
				if diff := cmp.Diff(tc.want, side.Score); diff != "" {
					t.Errorf("%s (-want +got)\n%s", side.Name, diff)
				}
			}
		})
	}
}

func TestAUC(t *testing.T) {
	for _, tc := range []struct {
		yes, no []float64
		want    float64
	}{
		{[]float64{2, 3}, []float64{1, 0}, 1},
		{[]float64{0, 1}, []float64{2, 3}, 0},
		{[]float64{1}, []float64{1}, 0.5},
		{[]float64{1, 3}, []float64{2, 2}, 0.5},
		{[]float64{1, 2, 2}, []float64{0, 2}, 4.0 / 6},
	} {
		if got := eval.AUC(tc.yes, tc.no); math.Abs(got-tc.want) > 1e-12 {
			t.Errorf("AUC(%v, %v) = %v, want %v", tc.yes, tc.no, got, tc.want)
		}
	}
	if !math.IsNaN(eval.AUC(nil, []float64{1})) {
		t.Error("AUC of nothing is a number")
	}
}

func TestPassages(t *testing.T) {
	const text = "Первый абзац о погоде и ни о чём больше, но он длинный.\nThe second paragraph says that the bridge was opened in 1931 by the mayor."
	start := len([]rune(strings.SplitAfter(text, "\n")[0]))
	set := &eval.Set{
		Documents: []eval.Document{{ID: "a", Text: text}},
		Questions: []eval.Question{{ID: "1", Text: "x"}},
		Relevant:  map[string]map[string]float64{"1": {"a": 1}},
		Spans:     map[string]eval.Span{"1": {Question: "1", Document: "a", Start: start, End: len([]rune(text)), Answers: []string{"in 1931"}}},
	}
	first, second, _ := strings.Cut(text, "\n")
	hit := func(text, section string) minirag.Hit {
		return minirag.Hit{Source: &minirag.Source{ID: "/a.md"}, Text: text, Section: &minirag.Section{Text: section}}
	}
	for _, tc := range []struct {
		name string
		hits []minirag.Hit
		want eval.Passages
	}{
		{"the answer first", []minirag.Hit{hit(second, second)}, eval.Passages{Questions: 1, Paragraph1: 1, Answer1: 1, Answer5: 1, Section3: 1}},
		{"second", []minirag.Hit{hit(first, first), hit(second, second)}, eval.Passages{Questions: 1, Answer5: 1, Section3: 1}},
		{"paragraph without the answer", []minirag.Hit{hit("The second paragraph says that the bridge", text)}, eval.Passages{Questions: 1, Paragraph1: 1, Section3: 1}},
		{"the answer elsewhere", []minirag.Hit{hit("in 1931", "in 1931")}, eval.Passages{Questions: 1}},
	} {
		report, err := eval.Run(t.Context(), fixed(tc.hits), set, nil)
		if err != nil {
			t.Fatal(err)
		}
		if diff := cmp.Diff(&tc.want, report.Sides[2].Passages); diff != "" {
			t.Errorf("%s (-want +got)\n%s", tc.name, diff)
		}
	}
}

type fixed []minirag.Hit

func (f fixed) Query(context.Context, minirag.Query) (*minirag.Result, error) {
	return &minirag.Result{Hits: f}, nil
}

func TestLoadRefuses(t *testing.T) {
	good := map[string]string{
		"corpus.jsonl":  `{"id":"a","title":"A","text":"x"}` + "\n",
		"queries.jsonl": `{"id":"1","text":"x"}` + "\r\n\n",
		"qrels.tsv":     "1\ta\t1\n1\tb\t0\n",
	}
	if s, err := eval.Load(testcorpus.Write(t, good), nil); err != nil || len(s.Questions) != 1 || len(s.Relevant["1"]) != 1 {
		t.Fatalf("%+v, %v", s, err)
	}
	for _, tc := range []struct{ name, file, text, want string }{
		{"no documents", "corpus.jsonl", "", "no documents"},
		{"a document twice", "corpus.jsonl", good["corpus.jsonl"] + good["corpus.jsonl"], "there twice"},
		{"broken JSON", "corpus.jsonl", "{\n", "corpus.jsonl, line 1"},
		{"a grade that is none", "qrels.tsv", "1\ta\tgood\n", "qrels.tsv, line 1"},
		{"a missing column", "qrels.tsv", "1\ta\n", "qrels.tsv, line 1"},
		{"nothing relevant", "qrels.tsv", "1\ta\t0\n", "no question"},
		{"broken spans", "spans.jsonl", "x\n", "spans.jsonl, line 1"},
	} {
		files := map[string]string{}
		for name, text := range good {
			files[name] = text
		}
		files[tc.file] = tc.text
		if _, err := eval.Load(testcorpus.Write(t, files), nil); err == nil || !strings.Contains(err.Error(), tc.want) {
			t.Errorf("%s: %v", tc.name, err)
		}
	}
	two := map[string]string{"corpus.jsonl": good["corpus.jsonl"], "qrels.tsv": good["qrels.tsv"], "queries.dev.jsonl": good["queries.jsonl"]}
	dir := testcorpus.Write(t, two)
	if _, err := eval.Load(dir, nil); err != nil {
		t.Errorf("the only part: %v", err)
	}
	if err := os.WriteFile(filepath.Join(dir, "queries.held.jsonl"), []byte(two["queries.dev.jsonl"]), 0o600); err != nil {
		t.Fatal(err)
	}
	if _, err := eval.Load(dir, nil); err == nil {
		t.Error("one of two parts was chosen")
	}
	if _, err := eval.Load(dir, &eval.LoadOptions{Part: "held"}); err != nil {
		t.Errorf("a part: %v", err)
	}
}

func TestWriteText(t *testing.T) {
	var b bytes.Buffer
	report := &eval.Report{Set: "s", Sides: []eval.Side{{Name: eval.Fused, Score: eval.Score{NDCG10: 0.5}, P50: 1.25}}, Relevance: &eval.Relevance{AUC: 0.99}}
	if err := eval.WriteText(&b, report); err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"0.5000", "AUC 0.9900"} {
		if !strings.Contains(b.String(), want) {
			t.Errorf("no %s in\n%s", want, b.String())
		}
	}
}
