package markup_test

import (
	"errors"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/markup"
)

func TestContract(t *testing.T) {
	long := strings.Repeat("A line of words that fills the sample.\n", 6)
	for name, s := range map[string]converttest.Suite{
		"rst": {Converter: markup.RST{}, Sample: convert.Source{Name: "a.rst", Data: []byte("Head\n====\n\n" + long)}, Want: "# Head\n\nA line",
			Deep: func(n int) []byte { return []byte(strings.Repeat("- ", n) + "x") }},
		"org": {Converter: markup.Org{}, Sample: convert.Source{Name: "a.org", Data: []byte("* Head\n" + long)}, Want: "# Head\n\nA line",
			Deep: func(n int) []byte { return []byte(strings.Repeat("#+begin_quote\n", n) + "x") }},
		"adoc": {Converter: markup.AsciiDoc{}, Sample: convert.Source{Name: "a.adoc", Data: []byte("== Head\n\n" + long)}, Want: "## Head\n\nA line",
			Deep: func(n int) []byte { return []byte(strings.Repeat("====\n", n) + "x") }},
	} {
		t.Run(name, s.Run)
	}
}

type testCase struct{ name, in, want string }

func check(t *testing.T, c convert.Converter, cases []testCase) {
	t.Helper()
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := c.Convert(t.Context(), convert.Source{Data: []byte(tc.in)}, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("(-want +got)\n%s", diff)
			}
		})
	}
}

func TestRST(t *testing.T) {
	check(t, markup.RST{}, []testCase{
		{"headings", "=====\nTitle\n=====\n\nPart\n====\n\ntext\n\nSub\n---\nmore\n\nPart 2\n======\n", "# Title\n\n## Part\n\ntext\n\n### Sub\n\nmore\n\n## Part 2\n"},
		{"inline", "Use ``a_b *c*`` and `site <https://example.com/>`_, `other`_, :func:`~os.walk`, :ref:`text <target>`, :ref:`plain`.", "Use `a_b *c*` and [site](https://example.com/), other, `os.walk`, text, plain.\n"},
		{"low and high", "H\\ :sub:`2`\\ O, 10\\ :sup:`-3`, x\\ :sup:`2`, :math:`a_b`", "H2O, 10^-3, x2, $a_b$\n"},
		{"literal", "Run::\n\n    ls -l\n\n      more\n\nafter::\n", "Run:\n\n```\nls -l\n\n  more\n```\n\nafter:\n"},
		{"code", ".. code-block:: python\n   :linenos:\n\n   x = 1\n\n   y\n\n>>> 1 + 1\n2\n", "```python\nx = 1\n\ny\n```\n\n```python\n>>> 1 + 1\n2\n```\n"},
		{"comments and targets", ".. a comment\n   goes on\n\n.. _target:\n\n..\n   hidden\n\n.. toctree::\n   :maxdepth: 2\n\n   intro\n\ntext", "text\n"},
		{"notes", ".. note:: Take care\n   of this.\n\n   - one\n\n.. warning::\n\n   No.\n\n.. versionadded:: 3.2\n", "**Note:** Take care of this.\n\n- one\n\n**Warning:**\n\nNo.\n\n**Versionadded:** 3.2\n"},
		{"pictures", ".. figure:: a.png\n   :alt: a tree\n   :width: 3\n\n   The caption.\n\n.. image:: b.png\n", "a tree\n\nThe caption.\n"},
		{"described", ".. py:function:: walk(top)\n   :module: os\n\n   Walks.\n", "walk(top)\n\nWalks.\n"},
		{"lists", "- a\n  b\n\n  - c\n\n- d\n\n#. one\n#. two\n\n3) x\n\na. y\n", "- a\n  b\n\n  - c\n- d\n1. one\n1. two\n3. x\n- a. y\n"},
		{"definitions", "term\n  what it is\n\n  more\n\nother\n  thing\n", "**term**\n: what it is\n\n  more\n\n**other**\n: thing\n"},
		{"fields", ":Author: Ann\n:Date: 2020\n   and on\n\ntext", "**Author:** Ann\n**Date:** 2020 and on\n\ntext\n"},
		{"quotation and lines", "text\n\n  quoted\n\n| one\n| two\n", "text\n\n> quoted\n\none\ntwo\n"},
		{"grid table", "+---+-----+\n| A | B   |\n+===+=====+\n| 1 | x   |\n|   | y   |\n+---+-----+\n| 2 | z   |\n+---+-----+\n", "| A | B |\n| --- | --- |\n| 1 | x y |\n| 2 | z |\n"},
		{"grid with bars and wide cells", "+-----+------+---+\n| |a| | x\\|y | я |\n+-----+------+---+\n| over both  | 2 |\n+-----+------+---+\n", "| \\|a\\| | x\\\\|y | я |\n| --- | --- | --- |\n| over both | | 2 |\n"},
		{"simple table", "===  ====\nA    B b\n===  ====\nя    1\n     go on\n2    x\n===  ====\n\nend", "| A | B b |\n| --- | --- |\n| я | 1 go on |\n| 2 | x |\n\nend\n"},
		{"list table", ".. list-table:: T\n   :header-rows: 1\n\n   * - A\n     - B\n   * - 1\n     - ``x``\n       y\n", "T\n\n| A | B |\n| --- | --- |\n| 1 | `x` y |\n"},
		{"csv table", ".. csv-table::\n   :header: A, B\n\n   1, \"x, y\"\n", "| A | B |\n| --- | --- |\n| 1 | x, y |\n"},
		{"notes below", "See [1]_ and |p|.\n\n.. [1] The\n   note.\n\n.. |p| replace:: the product\n", "See [^1] and the product.\n\n[^1]: The note.\n"},
		{"math", ".. math::\n\n   x^2\n", "$$\nx^2\n$$\n"},
		{"unknown", ".. foo:: bar\n\n   kept\n", "**Foo:** bar\n\nkept\n"},
	})
}

func TestOrg(t *testing.T) {
	check(t, markup.Org{}, []testCase{
		{"headings", "* TODO One :tag:a:\n:PROPERTIES:\n:ID: 1\n:END:\ntext\n** Two\n", "# TODO One\n\ntext\n\n## Two\n"},
		{"keywords and comments", "#+TITLE: T\n#+OPTIONS: toc:nil\n# comment\n#+CAPTION: shown\ntext", "shown\n\ntext\n"},
		{"blocks", "#+BEGIN_SRC go :results\n  x := 1\n  ,* y\n#+END_SRC\n#+begin_quote\nwise\n#+end_quote\n#+begin_comment\nno\n#+end_comment\n: fixed\n", "```go\nx := 1\n* y\n```\n\n> wise\n\n```\nfixed\n```\n"},
		{"inline", "*b* and =code= ~x_y~ [[https://example.com/][site]] [[*Head]] a=b=c[fn:1]\n\n[fn:1] The note.", "**b** and `code` `x_y` [site](https://example.com/) Head a=b=c[^1]\n\n[^1]: The note.\n"},
		{"lists", "- a\n  b\n  1. c\n  2) d\n- term :: def\n\nend", "- a\n  b\n  1. c\n  2. d\n- **term**: def\n\nend\n"},
		{"table", "| A | B |\n|---+---|\n| 1 | [[x][y]] |\n", "| A | B |\n| --- | --- |\n| 1 | [y](x) |\n"},
		{"never closed", "#+begin_src\ntext", "text\n"},
	})
	doc, err := markup.Org{}.Convert(t.Context(), convert.Source{Data: []byte("#+TITLE: The\n#+AUTHOR: Ann\n* x")}, convert.Limits{})
	if err != nil || doc.Title != "The" || doc.Metadata["author"] != "Ann" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

func TestAsciiDoc(t *testing.T) {
	check(t, markup.AsciiDoc{}, []testCase{
		{"headings", "= Title\nAnn <a@example.com>\nv1.0\n:toc:\n:product: The Product\n\ntext {product}\n\n== One\n=== Two ===\n", "# Title\n\ntext The Product\n\n## One\n\n### Two\n"},
		{"code", ".Name\n[source,go]\n----\nx := 1\n\n== no heading\n----\n\n....\nliteral\n....\n\n[source]\none line\n\n indented\n", "**Name**\n\n```go\nx := 1\n\n== no heading\n```\n\n```\nliteral\n```\n\n```\none line\n```\n\n```\nindented\n```\n"},
		{"comments", "// no\n////\nneither\n////\ninclude::a.adoc[]\nifdef::x[]\ntext\nendif::[]\n", "text\n"},
		{"containers", "[NOTE]\n====\nTake care.\n\n* one\n====\n\nWARNING: No.\n\n____\nquoted\n____\n\n****\nside\n****\n", "**Note:**\n\nTake care.\n\n- one\n\n**Warning:** No.\n\n> quoted\n\nside\n"},
		{"lists", "* a\n** b\n* c\n+\nattached\n\n. one\n.. sub\n. two\n\nend", "- a\n  - b\n- c\n\n  attached\n  1. one\n     1. sub\n  2. two\n\nend\n"},
		{"terms", "CPU:: The part.\nRAM::\n  The other\n  part.\n", "**CPU**\n: The part.\n\n**RAM**\n: The other\n  part.\n"},
		{"inline", "See https://example.com/[the site^], link:a.html[here], <<sec,that>>, <<x>>, xref:b.adoc[B], image:c.png[a tree], [[id]]word ((term)) array[0]footnote:[A note.]", "See [the site](https://example.com/), [here](a.html), that, x, B, a tree, word term array[0] (A note.)\n"},
		{"table", "[cols=\"1,1\",options=\"header\"]\n|===\n|A |B\n\n|1\n|x \\| y\n2+|wide\n|===\n", "| A | B |\n| --- | --- |\n| 1 | x \\| y |\n| wide | |\n"},
		{"table without attributes", "|===\n|A |B |C\n|1 |2 |3\n|===\n", "| A | B | C |\n| --- | --- | --- |\n| 1 | 2 | 3 |\n"},
		{"picture", "image::a.png[a tree,300]\n\nimage::b.png[]\n", "a tree\n"},
		{"separated tables", "[format=csv,options=header]\n|===\nA,B\n1,\"x, y\"\n|===\n\n,===\nC,D\n3,4\n,===\n", "| A | B |\n| --- | --- |\n| 1 | x, y |\n\n| C | D |\n| --- | --- |\n| 3 | 4 |\n"},
		{"low and high", "H~2~O, 10^-3^, x^2^, \"`so`\" it's +++raw+++ ~ a ~ b", "H2O, 10^-3, x2, “so” it's raw ~ a ~ b\n"},
		{"terms behind a list", "* a\nb\nCPU:: The part.\n", "- a\n  b\n\n**CPU**\n: The part.\n"},
		{"never closed", "----\ntext", "text\n"},
	})
	doc, err := markup.AsciiDoc{}.Convert(t.Context(), convert.Source{Data: []byte("= The Title\nAnn\n:lang: ru\n\nx")}, convert.Limits{})
	if err != nil || doc.Title != "The Title" || doc.Metadata["author"] != "Ann" || doc.Metadata["language"] != "ru" {
		t.Errorf("got %+v, %v", doc, err)
	}
}

func TestHostile(t *testing.T) {
	const n = 20_000
	for name, s := range map[string]string{
		"underlines": strings.Repeat("====\n", n), "open blocks": strings.Repeat("----\n", n-1), "items": strings.Repeat("* a\n", n), "levels": strings.Repeat("- a\n", n),
		"stairs": func() string {
			var b strings.Builder
			for i := range 300 {
				b.WriteString(strings.Repeat(" ", i) + "- x\n")
			}
			return b.String()
		}(),
		"cells": "|===\n" + strings.Repeat("|", n) + "\n|===\n", "back quotes": strings.Repeat("`", n), "brackets": strings.Repeat("[[", n), "colons": strings.Repeat("a::\n", n),
		"begins": strings.Repeat("#+begin_src\n", n), "drawers": strings.Repeat(":A:\n", n),
	} {
		for _, c := range []convert.Converter{markup.RST{}, markup.Org{}, markup.AsciiDoc{}} {
			doc, err := c.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{})
			if err == nil && len(doc.Markdown) > 40*len(s)+1000 || err != nil && !converttest.Sentinel(err) {
				t.Errorf("%s: %T: %v", name, c, err)
			}
		}
	}
	if _, err := (markup.Org{}).Convert(t.Context(), convert.Source{Data: []byte(strings.Repeat("|a|b\n", 100))}, convert.Limits{Cells: 99}); !errors.Is(err, convert.ErrTooLarge) {
		t.Errorf("cells: %v", err)
	}
}

func FuzzMarkup(f *testing.F) {
	f.Add("A\n=\n\n.. note:: x\n\n   ::\n\n    y\n\n+--+\n|a |\n+--+\n")
	f.Add("* H :t:\n- a\n  1. b :: c\n| x |\n#+begin_src\n#+end_src\n[fn:1] [[a][b]] =c=")
	f.Add("= T\nA\n\n* a\n** b\n+\n----\nc\n----\nt:: d\n|===\n2+|x\n|===\n<<a,b>>")
	f.Fuzz(func(t *testing.T, s string) {
		for _, c := range []convert.Converter{markup.RST{}, markup.Org{}, markup.AsciiDoc{}} {
			doc, err := c.Convert(t.Context(), convert.Source{Data: []byte(s)}, convert.Limits{Cells: 10_000})
			if err != nil {
				if !converttest.Sentinel(err) {
					t.Errorf("%T: error without a sentinel: %v", c, err)
				}
				continue
			}
			if !utf8.ValidString(doc.Markdown) || len(doc.Markdown) > 60*len(s)+10_000 || strings.ContainsAny(doc.Markdown, "\x00\x01") {
				t.Errorf("%T: %d bytes became %d: %.200q", c, len(s), len(doc.Markdown), doc.Markdown)
			}
		}
	})
}
