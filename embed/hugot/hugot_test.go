package hugot_test

import (
	"errors"
	"io/fs"
	"maps"
	"math"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/embed/hugot"
	"github.com/minirag/minirag/internal/modeltest"
)

func open(t testing.TB, dir string) *hugot.Model {
	t.Helper()
	m, err := hugot.Open(dir, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestContract(t *testing.T) {
	dir := write(t, "tiny", modeltest.NewONNX().Files())
	embedtest.Run(t, func() embed.Embedder { return open(t, dir) })
}

// TestVectors compares with the sums done one by one, for texts that share a
// batch and are padded in it.
func TestVectors(t *testing.T) {
	model := modeltest.NewONNX()
	ids := func(pieces ...string) (ids []int) {
		for _, p := range append(append([]string{"[CLS]"}, pieces...), "[SEP]") {
			for i, q := range model.Pieces {
				if p == q {
					ids = append(ids, i)
				}
			}
		}
		return ids
	}
	texts := map[string][]int{
		"invoice":         ids("invoice"),
		"An invoice!":     ids("a", "##n", "invoice", "!"),
		"й":               ids("и"), // accents go, composed or not
		"и\u0306 е\u0308": ids("и", "е"),
		"发票":              ids("发", "票"),
		"":                ids(),
		"Ω":               ids("[UNK]"),
	}
	for _, tc := range []struct{ pool, config string }{
		{"mean", `{"word_embedding_dimension":16,"pooling_mode_mean_tokens":true,"pooling_mode_cls_token":false}`},
		{"mean", `{"word_embedding_dimension":16,"pooling_mode_mean_sqrt_len_tokens":true}`},
		{"cls", `{"word_embedding_dimension":16,"pooling_mode_cls_token":true}`},
		{"max", `{"word_embedding_dimension":16,"pooling_mode_max_tokens":true}`},
	} {
		files := model.Files()
		files["1_Pooling/config.json"] = tc.config
		m := open(t, write(t, "tiny", files))
		var all []string
		for text := range texts {
			all = append(all, text)
		}
		vecs, err := m.Embed(t.Context(), all)
		if err != nil {
			t.Fatal(err)
		}
		for i, text := range all {
			want := model.Vector(texts[text], tc.pool)
			for k, v := range vecs[i] {
				if !(math.Abs(float64(v)-want[k]) < 1e-5) {
					t.Errorf("%s: vector of %q is %v, want %v", tc.pool, text, vecs[i], want)
					break
				}
			}
		}
	}
}

func TestTokenTypesAreOptional(t *testing.T) {
	for _, types := range []bool{false, true} {
		model := modeltest.NewONNX()
		model.Types = types
		if err := open(t, write(t, "tiny", model.Files())).Load(); err != nil {
			t.Errorf("with token types %t: %v", types, err)
		}
	}
}

func TestPrefixes(t *testing.T) {
	const e5 = "multilingual-e5-tiny"
	for _, tc := range []struct{ name, folder, config, query, passage string }{
		{"none", "tiny", "", "", ""},
		{"the family", e5, "", "query: ", "passage: "},
		{"its own", e5, `{"prompts":{"query":"word: ","document":""}}`, "word: ", ""},
		{"passages too", "tiny", `{"prompts":{"query":"query ","passage":"passage: "}}`, "query ", "passage: "},
		{"one for all", "tiny", `{"prompts":{"x":"word "},"default_prompt_name":"x"}`, "word ", "word "},
		{"no default", "tiny", `{"prompts":{"x":"word "},"default_prompt_name":null}`, "", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			model := modeltest.NewONNX()
			plain := open(t, write(t, "tiny", model.Files()))
			files := model.Files()
			if tc.config != "" {
				files["config_sentence_transformers.json"] = tc.config
			}
			m := open(t, write(t, tc.folder, files))
			got, err := m.Embed(t.Context(), []string{"an invoice"})
			if err != nil {
				t.Fatal(err)
			}
			query, err := m.EmbedQuery(t.Context(), "an invoice")
			if err != nil {
				t.Fatal(err)
			}
			want, err := plain.Embed(t.Context(), []string{tc.passage + "an invoice", tc.query + "an invoice"})
			if err != nil {
				t.Fatal(err)
			}
			if !near(got[0], want[0]) || !near(query, want[1]) {
				t.Errorf("the prefixes are not %q and %q", tc.query, tc.passage)
			}
			limit := plain.Model().MaxTokens - max(plain.CountTokens(tc.query), plain.CountTokens(tc.passage)) + plain.CountTokens("")
			if m.Model().MaxTokens != limit || plain.Model().MaxTokens != 32 {
				t.Errorf("longest text %d, want %d; without prefixes %d, want 32", m.Model().MaxTokens, limit, plain.Model().MaxTokens)
			}
			if same := m.Model().ID == plain.Model().ID; same != (tc.query == "" && tc.passage == "") {
				t.Errorf("IDs %q and %q", m.Model().ID, plain.Model().ID)
			}
		})
	}
}

func near(a, b []float32) bool {
	var sum float64
	for i := range a {
		sum += math.Abs(float64(a[i]) - float64(b[i]))
	}
	return len(a) == len(b) && sum < 1e-4
}

// TestIDs changes one file after the other.
func TestIDs(t *testing.T) {
	base := modeltest.NewONNX().Files()
	id := func(name string, change func(map[string]string)) string {
		files := maps.Clone(base)
		change(files)
		return open(t, write(t, name, files)).Model().ID
	}
	first := id("tiny", func(map[string]string) {})
	for name, change := range map[string]func(map[string]string){
		"length":  func(f map[string]string) { f["sentence_bert_config.json"] = `{"max_seq_length":20}` },
		"nothing": func(map[string]string) {},
	} {
		if got := id("other", change); got != first {
			t.Errorf("%s: ID %q, was %q", name, got, first)
		}
	}
	seen := map[string]string{first: "nothing"}
	for name, change := range map[string]func(map[string]string){
		"weights": func(f map[string]string) {
			m := modeltest.NewONNX()
			m.Words[0]++
			f["onnx/model.onnx"] = string(m.Bytes())
		},
		"pieces": func(f map[string]string) {
			f["tokenizer.json"] = strings.Replace(f["tokenizer.json"], `"word"`, `"work"`, 1)
		},
		"pooling":   func(f map[string]string) { f["1_Pooling/config.json"] = `{"pooling_mode_cls_token":true}` },
		"case":      func(f map[string]string) { f["sentence_bert_config.json"] = `{"do_lower_case":true}` },
		"more data": func(f map[string]string) { f["onnx/model.onnx_data"] = "x" },
	} {
		got := id("tiny", change)
		if other, ok := seen[got]; ok {
			t.Errorf("%s and %s give the ID %q", name, other, got)
		}
		seen[got] = name
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, tc := range map[string]struct {
		change func(map[string]string)
		want   error
		text   string
	}{
		"no weights":   {func(f map[string]string) { delete(f, "onnx/model.onnx") }, hugot.ErrModel, ".onnx"},
		"no tokenizer": {func(f map[string]string) { delete(f, "tokenizer.json") }, hugot.ErrModel, "tokenizer.json"},
		"two weights": {func(f map[string]string) {
			f["a.onnx"], f["b.onnx"] = "", ""
			delete(f, "onnx/model.onnx")
		}, hugot.ErrModel, "model.onnx"},
		"a dense layer": {func(f map[string]string) {
			f["modules.json"] = strings.Replace(f["modules.json"], "models.Normalize", "models.Dense", 1)
		}, hugot.ErrModel, "models.Dense"},
		"two poolings": {func(f map[string]string) {
			f["1_Pooling/config.json"] = `{"pooling_mode_cls_token":true,"pooling_mode_mean_tokens":true}`
		}, hugot.ErrModel, "1_Pooling/config.json"},
		"the last token": {func(f map[string]string) { f["1_Pooling/config.json"] = `{"pooling_mode_lasttoken":true}` }, hugot.ErrModel, "pooling"},
		"a module elsewhere": {func(f map[string]string) {
			f["modules.json"] = strings.Replace(f["modules.json"], `"1_Pooling"`, `"../1_Pooling"`, 1)
		}, hugot.ErrModel, "Pooling"},
		"bad settings":  {func(f map[string]string) { f["config.json"] = "{" }, hugot.ErrModel, "config.json"},
		"BPE":           {func(f map[string]string) { f["tokenizer.json"] = `{"model":{"type":"BPE"}}` }, hugot.ErrTokenizer, "BPE"},
		"bad tokenizer": {func(f map[string]string) { f["tokenizer.json"] = `[]` }, hugot.ErrTokenizer, "tokenizer.json"},
		"too short":     {func(f map[string]string) { f["sentence_bert_config.json"] = `{"max_seq_length":7}` }, hugot.ErrModel, "7 tokens"},
		"no length, bad": {func(f map[string]string) {
			f["onnx/model.onnx"] = "x"
			delete(f, "config.json")
			delete(f, "1_Pooling/config.json")
		}, hugot.ErrModel, "model.onnx"},
	} {
		t.Run(name, func(t *testing.T) {
			files := modeltest.NewONNX().Files()
			tc.change(files)
			dir := write(t, "tiny", files)
			_, err := hugot.Open(dir, nil)
			if !errors.Is(err, tc.want) || !strings.Contains(err.Error(), tc.text) || !strings.Contains(err.Error(), dir) {
				t.Errorf("error %v, want one that wraps %q and names %s", err, tc.want, tc.text)
			}
		})
	}
	if _, err := hugot.Open(filepath.Join(t.TempDir(), "none"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing folder: %v", err)
	}
}

func TestLoadRefuses(t *testing.T) {
	for name, tc := range map[string]struct{ content, text string }{
		"no ONNX": {"x", "model.onnx"},
		"another input": {func() string {
			m := modeltest.NewONNX()
			m.Input = "pixels"
			return string(m.Bytes())
		}(), `"pixels"`},
		"vectors of another length": {func() string {
			m := modeltest.NewONNX()
			m.Dims = 8
			return string(m.Bytes())
		}(), ""},
	} {
		files := modeltest.NewONNX().Files()
		files["onnx/model.onnx"] = tc.content
		m := open(t, write(t, "tiny", files))
		for range 2 {
			if _, err := m.Embed(t.Context(), []string{"word"}); !errors.Is(err, hugot.ErrModel) || !strings.Contains(err.Error(), tc.text) {
				t.Errorf("%s: %v", name, err)
			}
		}
	}
}

// write makes a folder with these files.
func write(t testing.TB, name string, files map[string]string) string {
	t.Helper()
	dir := filepath.Join(t.TempDir(), name)
	for file, content := range files {
		file = filepath.Join(dir, filepath.FromSlash(file))
		if err := os.MkdirAll(filepath.Dir(file), 0o755); err != nil {
			t.Fatal(err)
		}
		if err := os.WriteFile(file, []byte(content), 0o644); err != nil {
			t.Fatal(err)
		}
	}
	return dir
}
