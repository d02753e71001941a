package gguf_test

import (
	"errors"
	"io/fs"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/embed/gguf"
	"github.com/minirag/minirag/internal/modeltest"
)

func write(t *testing.T, name string, data []byte) string {
	t.Helper()
	path := filepath.Join(t.TempDir(), name)
	if err := os.WriteFile(path, data, 0o644); err != nil {
		t.Fatal(err)
	}
	return path
}

func open(t *testing.T, path string) *gguf.Model {
	t.Helper()
	m, err := gguf.Open(path, nil)
	if err != nil {
		t.Fatal(err)
	}
	return m
}

func TestContract(t *testing.T) {
	for name, path := range map[string]string{
		"plain":         write(t, "m.gguf", modeltest.GGUF("tiny")),
		"with prefixes": write(t, "m.gguf", modeltest.GGUF("tiny-e5")),
	} {
		t.Run(name, func(t *testing.T) {
			embedtest.Run(t, func() embed.Embedder { return open(t, path) })
		})
	}
}

func TestPrefixes(t *testing.T) {
	plain := open(t, write(t, "m.gguf", modeltest.GGUF("tiny")))
	for _, path := range []string{write(t, "m.gguf", modeltest.GGUF("tiny-e5")), write(t, "e5-tiny.gguf", modeltest.GGUF("tiny"))} {
		m := open(t, path)
		got, err := m.Embed(t.Context(), []string{"a b"})
		if err != nil {
			t.Fatal(err)
		}
		query, err := m.EmbedQuery(t.Context(), "a b")
		if err != nil {
			t.Fatal(err)
		}
		want, err := plain.Embed(t.Context(), []string{"passage: a b", "query: a b"})
		if err != nil {
			t.Fatal(err)
		}
		for i, pair := range [][2][]float32{{got[0], want[0]}, {query, want[1]}} {
			var dot float64
			for k := range pair[0] {
				dot += float64(pair[0][k]) * float64(pair[1][k])
			}
			if dot < 0.99999 {
				t.Errorf("%s, vector %d: cosine %v with the text after the prefix", path, i, dot)
			}
		}
		if m.Model().ID == plain.Model().ID || m.CountTokens("a b") != plain.CountTokens("a b") {
			t.Errorf("%s: %+v counts %d tokens", path, m.Model(), m.CountTokens("a b"))
		}
	}
}

func TestOpenRefuses(t *testing.T) {
	for name, data := range map[string][]byte{
		"empty":        nil,
		"another file": []byte("%PDF-1.7 and so on"),
		"cut":          modeltest.GGUF("tiny")[:300],
	} {
		path := write(t, "m.gguf", data)
		if _, err := gguf.Open(path, nil); !errors.Is(err, gguf.ErrModel) || !strings.Contains(err.Error(), path) {
			t.Errorf("%s: %v", name, err)
		}
	}
	if _, err := gguf.Open(t.TempDir(), nil); !errors.Is(err, gguf.ErrModel) {
		t.Errorf("a folder: %v", err)
	}
	if _, err := gguf.Open(filepath.Join(t.TempDir(), "none.gguf"), nil); !errors.Is(err, fs.ErrNotExist) {
		t.Errorf("a missing file: %v", err)
	}
	if _, err := gguf.Open(write(t, "m.gguf", modeltest.GGUF("tiny")), &gguf.Options{Kernel: "none"}); err == nil {
		t.Error("a kernel that does not exist is taken")
	}
}

func TestAFileThatChangesIsNotMixed(t *testing.T) {
	path := write(t, "m.gguf", modeltest.GGUF("tiny"))
	m := open(t, path)
	if err := os.WriteFile(path, modeltest.GGUF("other"), 0o644); err != nil {
		t.Fatal(err)
	}
	if _, err := m.Embed(t.Context(), []string{"a"}); !errors.Is(err, gguf.ErrModel) {
		t.Errorf("the changed file was used: %v", err)
	}
}
