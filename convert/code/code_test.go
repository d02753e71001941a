package code_test

import (
	"errors"
	"strings"
	"testing"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/code"
	"github.com/minirag/minirag/convert/converttest"
)

func TestContract(t *testing.T) {
	converttest.Suite{
		Converter: code.Code{Language: "go"},
		Sample:    convert.Source{Name: "a.go", Data: []byte("package a\n\n" + strings.Repeat("// words of a comment\n", 10))},
		Want:      "```go\npackage a\n\n// words",
	}.Run(t)
}

func TestRouted(t *testing.T) {
	r := convert.NewRouter(code.Formats(), nil)
	for _, tc := range []struct{ name, media, in, want string }{
		{"a.json", "", "{\n  \"a\": 1\n}\n", "```json\n{\n  \"a\": 1\n}\n```\n"},
		{"a.LOG", "", "one\r\ntwo", "```\none\ntwo\n```\n"},
		{"a.py", "", "s = '''\n```\n'''", "````python\ns = '''\n```\n'''\n````\n"},
		{"a.xml", "", "\xff\xfe<\x00a\x00/\x00>\x00", "```xml\n<a/>\n```\n"},
		{"https://example.com/api", "application/json; charset=utf-8", "{}", "```json\n{}\n```\n"},
		{"a.yml", "", " \n", ""},
	} {
		doc, err := r.Convert(t.Context(), convert.Source{Name: tc.name, MediaType: tc.media, Data: []byte(tc.in)}, convert.Limits{})
		if err != nil || doc.Markdown != tc.want {
			t.Errorf("%s: %+v, %v; want %q", tc.name, doc, err, tc.want)
		}
		if r.Synced(tc.name) {
			t.Errorf("%s is synchronised", tc.name)
		}
	}
	if _, err := r.Convert(t.Context(), convert.Source{Name: "a.json", Data: []byte("\x7fELF\x00\x01\x02")}, convert.Limits{}); !errors.Is(err, convert.ErrDamaged) {
		t.Errorf("binary data: %v", err)
	}
}

func TestExtensions(t *testing.T) {
	seen := map[string]string{}
	for _, f := range code.Formats() {
		for _, e := range append(f.Extensions, f.MediaTypes...) {
			if seen[e] != "" || e != strings.ToLower(e) {
				t.Errorf("%s of %s: taken by %q, or not in lower case", e, f.Name, seen[e])
			}
			seen[e] = f.Name
		}
	}
}

func FuzzCode(f *testing.F) {
	f.Add("``` x\n````")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := code.Code{}.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		// No line of the text can end the fence.
		fence, rest, _ := strings.Cut(doc.Markdown, "\n")
		if doc.Markdown != "" && strings.Count("\n"+rest, "\n"+fence) != 1 {
			t.Errorf("the fence is ambiguous: %.200q", doc.Markdown)
		}
	})
}
