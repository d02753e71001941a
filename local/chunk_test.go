package local_test

import (
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/embed/e5"
)

// TestBudgetsOfTheModel cuts texts with the tokenizer of the built-in model, in
// every script and shape that it counts in its own way: no chunk is above its
// budget, code blocks aside, and none above what the model reads.
func TestBudgetsOfTheModel(t *testing.T) {
	model, err := e5.New(nil)
	if err != nil {
		t.Fatal(err)
	}
	texts := map[string]string{
		"scripts": strings.Repeat("The pump runs. Насос работает ночью! 泵在夜间运行。ポンプは夜に動く。 المضخة تعمل ليلا. पंप रात में चलता है। ", 20),
		"joined":  strings.Repeat("👩‍👩‍👧‍👦🇳🇱e\u0301\u0302", 300) + strings.Repeat("क्षि", 300),
		"words":   strings.Repeat("x", 3000) + " " + strings.Repeat("aGVsbG8gd29ybGQ/", 200) + " https://example.org/" + strings.Repeat("a-b_c/", 300),
		"table":   "# Parts\n\n| Code | Meaning | Наличие |\n|---|---|---|\n" + strings.Repeat("| ERR-5091 | Token expired, see §4.2 | есть |\n", 60),
		"code":    "# Code\n\n```go\n" + strings.Repeat("if err := run(ctx, &o); err != nil { return err }\n", 80) + "```\n\n## More\n\ntext\n",
		"deep":    "# " + strings.Repeat("Überschrift заголовок ", 9) + "\n\n## " + strings.Repeat("標題", 40) + "\n\n### b\n\n#### c d e\n\ntext\n\n##### " + strings.Repeat("word ", 300) + "\n\n| a |\n|---|\n| b |\n",
		"bars":    "> Name | " + strings.Repeat("Wert ", 12) + "\n> ---|---\n" + strings.Repeat("> a\\|b | 1,5\n", 80) + "\n- ```sh\n" + strings.Repeat("  echo \"$x\"\n", 90) + "  ```\n",
		"odd":     strings.Repeat("\u200b\u00ad\u202e\u0000\ufffd ▁▁ \u3000", 200),
	}
	err = filepath.WalkDir(filepath.Join("..", "examples", "library"), func(path string, d fs.DirEntry, err error) error {
		if err != nil || filepath.Ext(path) != ".md" {
			return err
		}
		data, err := os.ReadFile(path)
		texts[filepath.Base(path)] = string(data)
		return err
	})
	if err != nil || len(texts) < 10 {
		t.Fatalf("%d texts, %v", len(texts), err)
	}
	most := model.Model().MaxTokens
	for name, text := range texts {
		for budget := chunk.MinBudget; budget <= most; budget += 1 + budget/16 {
			doc := chunk.Document{Title: "A title of some length", Markdown: text}
			result, err := chunk.Split(t.Context(), doc, model, &chunk.Options{Budget: budget, MaxTokens: most})
			if err != nil {
				t.Fatal(err)
			}
			for i, c := range result.Chunks {
				tokens := model.CountTokens(c.Text)
				code := strings.Contains(c.Text, "```") && tokens <= min(4*budget, most)
				if tokens != c.Tokens || tokens > budget && !code || !utf8.ValidString(c.Text) {
					t.Errorf("%s at %d: chunk %d says %d tokens and has %d: %.60q", name, budget, i, c.Tokens, tokens, c.Text)
				}
			}
			pos := 0
			for i, s := range result.Sections {
				if strings.TrimSpace(text[pos:s.Start]) != "" {
					t.Errorf("%s at %d: lost before section %d", name, budget, i)
				}
				pos = s.End
			}
			if strings.TrimSpace(text[pos:]) != "" {
				t.Errorf("%s at %d: lost at the end", name, budget)
			}
		}
	}
}
