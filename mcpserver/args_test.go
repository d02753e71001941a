package mcpserver_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/mcpserver"
)

func TestDecode(t *testing.T) {
	for _, tc := range []struct {
		args string
		want map[string]any
	}{
		{`{"query":"x"}`, map[string]any{"query": "x"}},
		{`{"query":"","scope":null,"labels":null,"topK":null}`, map[string]any{"query": ""}},
		{`{"query":"x","topK":3}`, map[string]any{"query": "x", "topK": 3}},
		{`{"query":"x","topK":" 3 "}`, map[string]any{"query": "x", "topK": 3}},
		{`{"query":"x","topK":2.0}`, map[string]any{"query": "x", "topK": 2}},
		{`{"query":"x","topK":"2.0"}`, map[string]any{"query": "x", "topK": 2}},
		{`{"query":"x","topK":1e1}`, map[string]any{"query": "x", "topK": 10}},
		{`{"query":"x","topK":99999999999999999999}`, map[string]any{"query": "x", "topK": 1 << 29}},
		{`{"query":"x","scope":"/a b"}`, map[string]any{"query": "x", "scope": []string{"/a b"}}},
		{`{"query":"x","scope":["/a","/b"]}`, map[string]any{"query": "x", "scope": []string{"/a", "/b"}}},
		{`{"query":"x","scope":"[\"/a\", \"/b\"]"}`, map[string]any{"query": "x", "scope": []string{"/a", "/b"}}},
		{`{"query":"x","scope":"[draft] a"}`, map[string]any{"query": "x", "scope": []string{"[draft] a"}}},
		{`{"query":"x","labels":{"kind":"a","lang":["b","c"]}}`,
			map[string]any{"query": "x", "labels": map[string][]string{"kind": {"a"}, "lang": {"b", "c"}}}},
		{"{\"query\":\"a\xffb\"}", map[string]any{"query": "a\ufffdb"}},
	} {
		got, err := mcpserver.Decode("query_documents", json.RawMessage(tc.args))
		if err != nil {
			t.Errorf("%s: %v", tc.args, err)
		} else if diff := cmp.Diff(tc.want, got); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.args, diff)
		}
	}
	for _, bad := range []string{
		`{"query":"x","topK":"0x10"}`, `{"query":"x","topK":"NaN"}`, `{"query":"x","topK":"1_0"}`, `{"query":"x","topK":1e400}`,
		`{"query":"x","topK":[3]}`, `{"query":"x","topK":""}`, `{"query":"x","scope":[null]}`, `{"query":"x","scope":{}}`,
		`{"query":"x","labels":{"kind":null}}`, `{"query":"x","labels":["kind"]}`, `{"query":["x"]}`,
	} {
		if got, err := mcpserver.Decode("query_documents", json.RawMessage(bad)); err == nil {
			t.Errorf("%s: no error but %v", bad, got)
		}
	}
}

// FuzzDecode wants an error that names the tool, or arguments of the declared
// kinds with every required one among them.
func FuzzDecode(f *testing.F) {
	for _, s := range []string{`{"query":"x","topK":"3","scope":["a"],"labels":{"a":"b"}}`, `{"chunkIndex":2.0,"source":"s"}`, `null`, `[]`, `{"query":null}`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		if !json.Valid([]byte(s)) {
			t.Skip() // the SDK passes only JSON on
		}
		for _, tool := range mcpserver.ToolNames() {
			got, err := mcpserver.Decode(tool, json.RawMessage(strings.TrimSpace(s)))
			if err != nil {
				if !strings.HasPrefix(err.Error(), tool+": ") {
					t.Errorf("%s: error %v does not name the tool", tool, err)
				}
				continue
			}
			for name, v := range got {
				var ok bool
				switch name {
				case "topK", "chunkIndex", "before", "after":
					_, ok = v.(int)
				case "scope":
					_, ok = v.([]string)
				case "labels":
					_, ok = v.(map[string][]string)
				default:
					_, ok = v.(string)
				}
				if !ok {
					t.Errorf("%s: %s is a %T", tool, name, v)
				}
			}
			if _, ok := got["query"]; tool == "query_documents" && !ok {
				t.Error("no query")
			}
		}
	})
}
