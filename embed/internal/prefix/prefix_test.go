package prefix_test

import (
	"testing"

	"github.com/minirag/minirag/embed/internal/prefix"
)

func TestFor(t *testing.T) {
	for _, tc := range []struct{ name, query, passage string }{
		{"multilingual-e5-small", "query: ", "passage: "},
		{"intfloat/e5-base-v2", "query: ", "passage: "},
		{"E5_large.onnx", "query: ", "passage: "},
		{"multilingual-e5-large-instruct", "Instruct: Given a web search query, retrieve relevant passages that answer the query\nQuery: ", ""},
		{"all-MiniLM-L6-v2", "", ""},
		{"model-e50", "", ""},
		{"", "", ""},
	} {
		if q, p := prefix.For(tc.name); q != tc.query || p != tc.passage {
			t.Errorf("For(%q) = %q, %q; want %q, %q", tc.name, q, p, tc.query, tc.passage)
		}
	}
}
