package html_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding/charmap"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/html"
)

func TestContract(t *testing.T) {
	sample := `<!doctype html><html lang=en><head><title>Sample</title></head><body><h1>Heading</h1><p>Some <b>bold</b> text with a
<a href="https://example.com/">link</a>.</p><ul><li>one<li>two<ul><li>three</ul></ul><table><tr><th>a<th>b<tr><td>1<td>2</table><pre>code
 more</pre></body></html>`
	for name, nest := range map[string]string{"div": "div", "blockquote": "blockquote", "list": "ul><li", "table": "table><tr><td", "bold": "b", "definition": "dl><dd"} {
		t.Run(name, converttest.Suite{
			Converter: html.HTML{},
			Sample:    convert.Source{Name: "sample.html", Data: []byte(sample)},
			Want:      "- two\n  - three\n",
			Deep:      func(n int) []byte { return []byte(strings.Repeat("<"+nest+">", n) + "the innermost words") },
		}.Run)
	}
}

func run(t *testing.T, src convert.Source) *convert.Document {
	t.Helper()
	doc, err := html.HTML{}.Convert(t.Context(), src, convert.Limits{})
	if err != nil {
		t.Fatalf("Convert(%.80q): %v", src.Data, err)
	}
	return doc
}

func TestRender(t *testing.T) {
	for _, tc := range []struct{ name, in, want string }{
		{"headings", "<h1>A <b>b</b></h1><h2> c\n d </h2><h6>e</h6>", "# A b\n\n## c d\n\n###### e\n"},
		{"paragraphs", "<p>one\n two</p>three<div>four<p>five</div>", "one two\n\nthree\n\nfour\n\nfive\n"},
		{"breaks", "<p>a<br>b<br/> c</p>", "a\nb\nc\n"},
		{"emphasis", "<p><b>a</b> <i>b</i>, <strong><em>c</em></strong> <del>d</del></p>", "**a** *b*, *c* ~~d~~\n"},
		{"part of a word", "<p><b>W</b>ord and foo<i>bar</i></p>", "Word and foobar\n"},
		{"no escapes", "<p>apply_secrets, MAX_FILE_SIZE, *.tmp, [x], a &lt; b</p>", "apply_secrets, MAX_FILE_SIZE, *.tmp, [x], a < b\n"},
		{"structure is escaped", "<p># no heading</p><p>&gt; no quote</p>", "\\# no heading\n\n\\> no quote\n"},
		{"lists", "<ul><li>a<li><p>b</p><p>c</p><ol start=3><li>d<li value=7>e</ol></ul><p>f", "- a\n- b\n\n  c\n  3. d\n  7. e\n\nf\n"},
		{"empty item", "<ul><li>a<li></ul><p>b", "- a\n\nb\n"},
		{"check boxes", "<ul><li><input type=checkbox checked> done<li><input type=checkbox> open</ul>", "- [x] done\n- [ ] open\n"},
		{"definitions", "<dl><dt>Term<dd>What it is<dd>More</dl>", "**Term**\n: What it is\n: More\n"},
		{"quote", "<blockquote><p>a</p><ul><li>b</ul></blockquote>", "> a\n>\n> - b\n"},
		{"code", `<p>use <code>a_b</code></p><pre><code class="hljs language-go">x := 1` + "\n\n\ty</code></pre>", "use `a_b`\n\n```go\nx := 1\n\n\ty\n```\n"},
		{"code of a highlighter", `<div class="highlight-source-python"><pre>a<br>b</pre></div>`, "```python\na\nb\n```\n"},
		{"links", `<a href="/x">rel</a> <a href="javascript:x()">js</a> <a href="#p">part</a> <a href="https://e.com/"> sp </a>end`, "[rel](/x) js part [sp](https://e.com/) end\n"},
		{"link around blocks", `<a href="/x"><h2>Head</h2><p>text</p></a>`, "## Head\n\ntext\n"},
		{"pictures", `<img src="a.png" alt="a"> <img src="data:image/png;base64,AAAA" alt="logo"> <img src="b.png"><a href="/l"><img src="c.png" alt="c"></a>`, "![a](a.png) logo [c](/l)\n"},
		{"drawing", "<p>a<svg viewBox='0 0 9 9'><style>.x{}</style><g><text x=1>one <tspan>two</tspan></text></g><text>three</text></svg>b</p>", "a one two three b\n"},
		{"drawing without labels", "<p>a<svg><title>A chart</title><path d='M0'/></svg></p>", "a\n"},
		{"ruby", "<p><ruby>漢<rp>(</rp><rt>kan</rt><rp>)</rp>字<rt>ji</rt></ruby>。</p>", "漢字(kanji)。\n"},
		{"controls", "<p>Name<textarea>Ann</textarea><button>Send</button></p>", "Name Ann Send\n"},
		{"prefixes", `<?xml version="1.0"?><h:html xmlns:h="http://www.w3.org/1999/xhtml"><h:head><h:style>p{}</h:style></h:head><h:body><h:h1>A</h:h1><h:br/><h:p>b</h:p></h:body></h:html>`, "# A\n\nb\n"},
		{"table", "<table><caption>Cap</caption><thead><tr><th>A</th><th>B|C</th></tr></thead><tr><td>1<br>2</td><td><p>x</p><p>y</p></td></tr></table>",
			"Cap\n\n| A | B\\|C |\n| --- | --- |\n| 1 2 | x y |\n"},
		{"spans", "<table><tr><th>a<th>b<th>c<tr><td rowspan=2>x<td>1<td>2<tr><td colspan=2>3</table>",
			"| a | b | c |\n| --- | --- | --- |\n| x | 1 | 2 |\n| x | 3 | |\n"},
		{"table in a cell", "<table><tr><th>k<th>v<tr><td>n<td><table><tr><td>in<td>ner</table></table>", "| k | v |\n| --- | --- |\n| n | in ner |\n"},
		{"layout table", "<table><tr><td><h2>Left</h2>text</td><td><table><tr><td>a<td>b<tr><td>c<td>d</table></td></tr></table>",
			"## Left\n\ntext\n\n| a | b |\n| --- | --- |\n| c | d |\n"},
		{"exponent", "10<sup>6</sup> and word<sup><a href='#n'>[1]</a></sup> H<sub>2</sub>O", "10^6 and word[1] H2O\n"},
		{"noise", "<script>S1()</script><style>.x{}</style><noscript>N</noscript><template>T</template><svg><title>V</title></svg><!-- c -->text", "text\n"},
		{"formula", `<math><semantics><mi>x</mi><annotation encoding="application/x-tex">x^2</annotation></semantics></math>`, "$x^2$\n"},
		{"nothing", "<html><body></body></html>", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, run(t, convert.Source{Data: []byte(tc.in)}).Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestHead(t *testing.T) {
	doc := run(t, convert.Source{Data: []byte(`<html lang="ru"><head><title> Договор
 поставки | A </title><meta name="Author" content="Ann"><meta name=description content="About"></head><body><svg><title>no</title></svg>x`)})
	if doc.Title != "Договор поставки | A" {
		t.Errorf("Title = %q", doc.Title)
	}
	if diff := cmp.Diff(map[string]string{"language": "ru", "author": "Ann", "description": "About"}, doc.Metadata); diff != "" {
		t.Errorf("Metadata (-want +got)\n%s", diff)
	}
}

func TestPage(t *testing.T) {
	in := []byte(`<base href="/docs/"><nav>menu</nav><main>text <a href="x.html">x</a><p hidden>h</p></main><aside>ad</aside><footer>foot</footer>`)
	file := run(t, convert.Source{Name: "a.html", Data: in}).Markdown
	page := run(t, convert.Source{Name: "https://example.com/a/b.html", Data: in, Page: true}).Markdown
	for _, s := range []string{"menu", "text [x](x.html)", "h", "ad", "foot"} {
		if !strings.Contains(file, s) {
			t.Errorf("file lacks %q: %q", s, file)
		}
	}
	if want := "text [x](https://example.com/docs/x.html)\n"; page != want {
		t.Errorf("page = %q, want %q", page, want)
	}
}

func TestXHTML(t *testing.T) {
	const in = `<html xmlns="http://www.w3.org/1999/xhtml"><head><script src="a.js"/><style/></head><body><textarea/><p>one<br/>two</p><a id="x"/><p>three</p></body></html>`
	for name, src := range map[string]convert.Source{
		"extension":   {Name: "a.xhtml", Data: []byte(in)},
		"media type":  {MediaType: "application/xhtml+xml; charset=utf-8", Data: []byte(in)},
		"declaration": {Name: "a.html", Data: []byte(`<?xml version="1.0"?>` + in)},
	} {
		if got, want := run(t, src).Markdown, "one\ntwo\n\nthree\n"; got != want {
			t.Errorf("%s: %q, want %q", name, got, want)
		}
	}
}

func TestCharset(t *testing.T) {
	cp1251, err := charmap.Windows1251.NewEncoder().String("Ёж и договор")
	if err != nil {
		t.Fatal(err)
	}
	for name, src := range map[string]convert.Source{
		"meta":        {Data: []byte(`<meta charset=windows-1251><p>` + cp1251)},
		"http-equiv":  {Data: []byte(`<meta http-equiv="Content-Type" content="text/html; charset=windows-1251"><p>` + cp1251)},
		"header":      {MediaType: "text/html; charset=cp1251", Data: []byte("<p>" + cp1251)},
		"xml":         {Data: []byte(`<?xml version="1.0" encoding="windows-1251"?><html><p>` + cp1251)},
		"undeclared":  {Data: []byte("<p>" + cp1251)},
		"wrong meta":  {Data: []byte("<meta charset=utf-8><p>" + cp1251)},
		"really utf8": {Data: []byte("<meta charset=iso-8859-1><p>Ёж и договор")},
	} {
		if got := run(t, src).Markdown; got != "Ёж и договор\n" {
			t.Errorf("%s: %q", name, got)
		}
	}
}

func TestRefusesBinary(t *testing.T) {
	data := []byte("<p>" + strings.Repeat("\x00\x01\x02\x03\xfe", 50))
	if _, err := (html.HTML{}).Convert(t.Context(), convert.Source{Data: data}, convert.Limits{}); !errors.Is(err, convert.ErrDamaged) {
		t.Errorf("got %v, want ErrDamaged", err)
	}
}

func TestLimits(t *testing.T) {
	rows := []byte("<table>" + strings.Repeat("<tr><td>a<td>b", 100))
	spans := []byte("<table>" + strings.Repeat("<tr><td colspan=1000 rowspan=1000>a<td>b", 100))
	for name, tc := range map[string]struct {
		data   []byte
		limits convert.Limits
	}{
		"cells":  {rows, convert.Limits{Cells: 199}},
		"spans":  {spans, convert.Limits{Cells: 50_000}},
		"output": {rows, convert.Limits{OutputBytes: 500}},
	} {
		if _, err := (html.HTML{}).Convert(t.Context(), convert.Source{Data: tc.data}, tc.limits); !errors.Is(err, convert.ErrTooLarge) {
			t.Errorf("%s: got %v, want ErrTooLarge", name, err)
		}
	}
}

func FuzzHTML(f *testing.F) {
	f.Add("<p>a<b>b</p><table><tr><td rowspan=3>x<td><ul><li>y")
	f.Add("<pre><code class=language-go>`` x")
	f.Add("<dl><dt><dd><a href=x><img alt=a src=data:x>")
	f.Fuzz(func(t *testing.T, s string) {
		doc, err := html.HTML{}.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{Cells: 10_000})
		if err != nil {
			if !converttest.Sentinel(err) {
				t.Errorf("error without a sentinel: %v", err)
			}
			return
		}
		if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*len(s)+100_000 {
			t.Errorf("%d bytes became %d: %.200q", len(s), len(doc.Markdown), doc.Markdown)
		}
	})
}

func BenchmarkConvert(b *testing.B) {
	data := []byte(strings.Repeat("<div><h2>Head</h2><p>Some <b>bold</b> text with a <a href=/x>link</a>.</p><table><tr><td>a<td>b</table></div>", 2000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		if _, err := (html.HTML{}).Convert(b.Context(), convert.Source{Data: data}, convert.Limits{}); err != nil {
			b.Fatal(err)
		}
	}
}
