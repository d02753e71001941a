package notebook_test

import (
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/notebook"
)

// book is a notebook of version 4 with the given cells.
func book(metadata string, cells ...string) string {
	return `{"nbformat":4,"nbformat_minor":5,"metadata":{` + metadata + `},"cells":[` + strings.Join(cells, ",") + `]}`
}

func text(kind, source string) string {
	s, _ := json.Marshal(source) // a string is always marshalled
	return `{"cell_type":"` + kind + `","metadata":{},"source":` + string(s) + `}`
}

func code(source string, outputs ...string) string {
	return strings.TrimSuffix(text("code", source), "}") + `,"execution_count":null,"outputs":[` + strings.Join(outputs, ",") + `]}`
}

func run(t *testing.T, s string) *convert.Document {
	t.Helper()
	doc, err := notebook.Notebook{}.Convert(t.Context(), convert.Source{Name: "a.ipynb", Data: []byte(s)}, convert.Limits{})
	if err != nil {
		t.Fatalf("Convert(%.200q): %v", s, err)
	}
	return doc
}

func TestContract(t *testing.T) {
	converttest.Suite{
		Converter: notebook.Notebook{},
		Sample: convert.Source{Name: "a.ipynb", Data: []byte(book(`"kernelspec":{"language":"julia"}`,
			text("markdown", "# Heading\n\n"+strings.Repeat("Some words. ", 20)), code("x = 1", `{"output_type":"stream","text":["printed\n"]}`)))},
		Want: "```julia\nx = 1\n```\n\n```\nprinted\n```\n",
		Deep: func(n int) []byte {
			return []byte(book(`"x":`+strings.Repeat("[", n)+strings.Repeat("]", n), text("markdown", "text")))
		},
	}.Run(t)
}

func TestCells(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"markdown as it is", book("", text("markdown", "a_b *c*\n===\n"), text("markdown", "| x |")), "a_b *c*\n===\n\n| x |\n"},
		{"source in lines", book("", `{"cell_type":"markdown","source":["one\n","two"]}`), "one\ntwo\n"},
		{"raw", book("", text("raw", "x\ny")), "```\nx\ny\n```\n"},
		{"default language", book("", code("x")), "```python\nx\n```\n"},
		{"language info", book(`"language_info":{"name":"R"},"kernelspec":{"language":"no"}`, code("x")), "```r\nx\n```\n"},
		{"kernel name", book(`"kernelspec":{"name":"ir"}`, code("x")), "```r\nx\n```\n"},
		{"magic", book("", code("%%bash\nls")), "```bash\n%%bash\nls\n```\n"},
		{"fences in code", book("", code("s = '''\n````\n'''")), "`````python\ns = '''\n````\n'''\n`````\n"},
		{"fence left open", book("", text("markdown", "```\nx"), text("markdown", "after")), "```\nx\n```\n\nafter\n"},
		{"attachments and pictures", book("", text("markdown", "a ![the moon](attachment:m.png) b ![c](data:image/png;base64,AA) ![d](d.png)")), "a the moon b c ![d](d.png)\n"},
		{"streams join", book("", code("x", `{"output_type":"stream","name":"stdout","text":["a\n"]}`, `{"output_type":"stream","name":"stderr","text":"b\n"}`)),
			"```python\nx\n```\n\n```\na\nb\n```\n"},
		{"progress bar", book("", code("x", `{"output_type":"stream","text":"\r 10%\r 50%\r100%\ndone"}`)), "```python\nx\n```\n\n```\n100%\ndone\n```\n"},
		{"plain result", book("", code("x", `{"output_type":"execute_result","data":{"text/plain":["1\n","2"],"application/json":{"a":1}}}`)), "```python\nx\n```\n\n```\n1\n2\n```\n"},
		{"table", book("", code("x", `{"output_type":"execute_result","data":{"text/plain":"flat","text/html":["<style>p{}</style><table><tr><th>a</th><th>b</th></tr>","<tr><td>1</td><td>2</td></tr></table>"]}}`)),
			"```python\nx\n```\n\n| a | b |\n| --- | --- |\n| 1 | 2 |\n"},
		{"html without text", book("", code("x", `{"output_type":"display_data","data":{"text/plain":"flat","text/html":"<script>f()</script>"}}`)), "```python\nx\n```\n\n```\nflat\n```\n"},
		{"markdown result", book("", code("x", `{"output_type":"display_data","data":{"text/plain":"p","text/markdown":"**m**"}}`)), "```python\nx\n```\n\n**m**\n"},
		{"picture", book("", code("x", `{"output_type":"display_data","data":{"image/png":"iVBOR","text/plain":"<Figure size 1x1>"}}`)), "```python\nx\n```\n"},
		{"object without text", book("", code("x", `{"output_type":"execute_result","data":{"text/plain":"<a.B at 0x7f00>"}}`)), "```python\nx\n```\n"},
		{"error", book("", code("x", `{"output_type":"error","ename":"ValueError","evalue":"bad","traceback":["\u001b[0;31mline 1\u001b[0m","\u001b[1;31mValueError\u001b[0m: bad"]}`)),
			"```python\nx\n```\n\n```\nline 1\nValueError: bad\n```\n"},
		{"error without its name", book("", code("x", `{"output_type":"error","ename":"E","evalue":"bad","traceback":[]}`)), "```python\nx\n```\n\n```\nE: bad\n```\n"},
		{"version 3", `{"nbformat":3,"metadata":{"name":"n"},"worksheets":[{"cells":[{"cell_type":"heading","level":2,"source":["Head"]},
			{"cell_type":"code","language":"python","input":["x"],"outputs":[{"output_type":"pyout","text":["1"],"png":"iVBOR"},{"output_type":"pyerr","ename":"E","evalue":"v","traceback":["E: v"]},{"output_type":"stream","text":"s"}]}]}]}`,
			"## Head\n\n```python\nx\n```\n\n```\n1\n```\n\n```\nE: v\n```\n\n```\ns\n```\n"},
		{"bare words of Python", `{"metadata":{"a":NaN,"b":[-Infinity,"NaN \" NaN"]},"cells":[` + text("markdown", "NaN and Infinity") + `]}`, "NaN and Infinity\n"},
		{"odd types", `{"metadata":{"title":5,"authors":"x","kernelspec":{"name":[]}},"cells":[{"cell_type":"code","source":{"a":1},"outputs":[{"output_type":"display_data","data":[]}]},{"cell_type":7,"source":"x"}]}`, "```python\nx\n```\n"},
		{"no cells", book(""), ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, tc.in).Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestTitle(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{book(`"title":" From the\n metadata "`, text("markdown", "# Heading")), "From the metadata"},
		{book("", code("# comment"), text("markdown", "```\n# code\n```\n## Sub\n# About C# #\n")), "About C#"},
		{book("", text("raw", "# raw")), ""},
		{`{"worksheets":[{"cells":[{"cell_type":"heading","level":1,"source":"Old"}]}]}`, "Old"},
	} {
		if got := run(t, tc.in).Title; got != tc.want {
			t.Errorf("%s: title %q, want %q", tc.in, got, tc.want)
		}
	}
	want := map[string]string{"author": "Ann, Bob", "programming language": "julia"}
	if diff := cmp.Diff(want, run(t, book(`"authors":[{"name":"Ann"},"Bob"],"language_info":{"name":"julia"}`)).Metadata); diff != "" {
		t.Errorf("Metadata (-want +got)\n%s", diff)
	}
}

func TestOutputIsBounded(t *testing.T) {
	long, _ := json.Marshal(strings.Repeat("я", 1<<20))
	doc := run(t, book("", code("x", `{"output_type":"stream","text":`+string(long)+`}`), text("markdown", "after")))
	if len(doc.Markdown) > 70<<10 || !strings.HasSuffix(doc.Markdown, "after\n") || !utf8.ValidString(doc.Markdown) || strings.Contains(doc.Markdown, "\ufffd") {
		t.Errorf("%d bytes: …%.50q", len(doc.Markdown), doc.Markdown[len(doc.Markdown)-50:])
	}
	if len(doc.Warnings) != 1 || !strings.Contains(doc.Warnings[0], "1 cells") {
		t.Errorf("Warnings = %q", doc.Warnings)
	}
}

func TestErrors(t *testing.T) {
	for _, in := range []string{"", "{", `{"cells":[{"cell_type":"markdown","source":["cut`, `[]`, `{"a":1}`, "plain text", "\x00\x01\x02\x80"} {
		doc, err := notebook.Notebook{}.Convert(t.Context(), convert.Source{Data: []byte(in)}, convert.Limits{})
		if !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("%q: %v, %v; want ErrDamaged", in, doc, err)
		}
	}
}

func FuzzNotebook(f *testing.F) {
	f.Add(book(`"kernelspec":{"language":"r"}`, text("markdown", "# A\n```\nx"), code("`", `{"output_type":"stream","text":["\u001b[0m\r"]}`)))
	f.Add(`{"worksheets":[{"cells":[{"cell_type":"code","input":"x","outputs":[{"output_type":"pyout","html":"<b>x"}]}]}],"a":NaN}`)
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := notebook.Notebook{}.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*len(s)+100_000 || strings.Contains(doc.Markdown, "\x1b") {
			t.Errorf("%d bytes became %d: %.200q", len(s), len(doc.Markdown), doc.Markdown)
		}
	})
}
