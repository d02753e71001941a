package title_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/minirag/minirag/internal/title"
)

func TestForFile(t *testing.T) {
	for _, tc := range []struct {
		name                      string
		converter, markdown, file string
		want                      string
		notReal                   bool
	}{
		{name: "converter first", converter: " Field\n guide ", markdown: "# Heading", file: "a.epub", want: "Field guide"},
		{name: "heading", markdown: "text\n\n# Vacation policy\n", file: "policy_v2.md", want: "Vacation policy"},
		{name: "setext heading", markdown: "Pump manual\n===========\n\ntext", file: "x.md", want: "Pump manual"},
		{name: "underline of a longer paragraph", markdown: "One line\nand two\n====\n", file: "pump notes.md", want: "pump notes"},
		{name: "level two is none", markdown: "## Section", file: "pump notes.md", want: "pump notes"},
		{name: "indented is none", markdown: "    # code", file: "pump notes.md", want: "pump notes"},
		{name: "without space is none", markdown: "#tag", file: "pump notes.md", want: "pump notes"},
		{name: "in a fence", markdown: "```sh\n# comment\n```\n# Real", file: "a.md", want: "Real"},
		{name: "in an unclosed fence", markdown: "```sh\n\n# Real", file: "a.md", want: "Real"},
		{name: "code span line is no fence", markdown: "```x```\n# Real\n\n```\n", file: "a.md", want: "Real"},
		{name: "markup", markdown: "# **2** **Scheme**", file: "a.md", want: "2 Scheme"},
		{name: "link code emphasis", markdown: "# The [big](http://x) `id` of *it* ##", file: "a.md", want: "The big id of it"},
		{name: "identifiers stay", markdown: `# use snake_case_name and 2 * 3 * 4 \*`, file: "a.md", want: "use snake_case_name and 2 * 3 * 4 *"},
		{name: "underscores", markdown: "# __Bold__ and _em_", file: "a.md", want: "Bold and em"},
		{name: "picture only", markdown: "# ![logo](logo.png)", file: "pump notes.md", want: "pump notes"},
		{name: "boilerplate", markdown: "# 1. Общие положения\n", file: "Отпуска П-22.md", want: "Отпуска П-22"},
		{name: "boilerplate marked up", markdown: "# **1.1** *Introduction*:\n", file: "pump notes.md", want: "pump notes"},
		{name: "boilerplate roman", markdown: "# IV) Scope", file: "pump notes.md", want: "pump notes"},
		{name: "boilerplate number glued", markdown: "# 2.Назначение", file: "Насос Н-4.pdf", want: "Насос Н-4"},
		{name: "longer than boilerplate", markdown: "# Introduction to pumps", file: "pump notes.md", want: "Introduction to pumps"},
		{name: "only the first heading counts", markdown: "# 1 Overview\n# Other", file: "pump notes.md", want: "pump notes"},
		{name: "boilerplate before an empty name", markdown: "# Overview", file: "scan 001.pdf", want: "Overview"},
		{name: "name that says nothing", markdown: "text", file: "Untitled-1.md", want: "Untitled-1", notReal: true},
		{name: "russian name that says nothing", markdown: "# Содержание", file: "Копия документа 2.docx", want: "Содержание"},
		{name: "short name", markdown: "# Scope", file: "a-b.c_.md", want: "Scope"},
		{name: "four characters", markdown: "# Scope", file: "pump.md", want: "pump"},
		{name: "digits", markdown: "# Scope", file: "2026-10-05.md", want: "Scope"},
		{name: "underscores of a name", file: "dir/И-112_ЗПС__Хранение.docx", want: "И-112 ЗПС Хранение"},
		{name: "decomposed name", file: "Расходы \u0438\u0306.xlsx", want: "Расходы \u0439"},
		{name: "decomposed generic name", markdown: "# Scope", file: "безымянныи\u0306.txt", want: "Scope"},
		{name: "extension twice", file: "report.pdf.PDF", want: "report", notReal: true},
		{name: "another extension inside", file: "minutes.odt.rtf", want: "minutes"},
		{name: "name that is a number", markdown: "text", file: "p00007.md", want: "p00007", notReal: true},
		{name: "name that is a word", markdown: "text", file: "смета_2026.txt", want: "смета 2026"},
		{name: "Chinese name", markdown: "text", file: "合同.txt", want: "合同"},
		{name: "unknown extension inside", file: "v1.2 notes.md", want: "v1.2 notes"},
		{name: "no extension", file: "Invoice 12.08.2026", want: "Invoice 12.08.2026"},
		{name: "no letters", file: "___.txt", want: "", notReal: true},
		{name: "nothing", want: "", notReal: true},
	} {
		t.Run(tc.name, func(t *testing.T) {
			got, real := title.ForFile(tc.converter, tc.markdown, tc.file)
			if got != tc.want || real == tc.notReal {
				t.Errorf("got %q, %v; want %q, %v", got, real, tc.want, !tc.notReal)
			}
		})
	}
}

func TestForData(t *testing.T) {
	for _, tc := range []struct {
		name                       string
		given, converter, markdown string
		want                       string
	}{
		{"given", " Given ", "Page", "# H", "Given"},
		{"page", "", "Page", "# H", "Page"},
		{"heading", "", "", "# **H** one", "H one"},
		{"boilerplate is better than nothing", "", "", "# Overview", "Overview"},
		{"none", "", "", "text", ""},
		{"blank", " ", "\t", "# ---", ""},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, f := range []func(a, b, c string) (string, bool){title.ForData, title.ForURL} {
				got, real := f(tc.given, tc.converter, tc.markdown)
				if got != tc.want || real != (tc.want != "") {
					t.Errorf("got %q, %v; want %q", got, real, tc.want)
				}
			}
		})
	}
}

func FuzzForFile(f *testing.F) {
	f.Add("", "# **a** `b`\n", "x_y.md")
	f.Add("t", "```\n# a\n\n~~~\n", "./..pdf.pdf")
	f.Add("", "a\n===\n", "")
	f.Fuzz(func(t *testing.T, converter, markdown, name string) {
		got, real := title.ForFile(converter, markdown, name)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\n\r") || strings.TrimSpace(got) != got {
			t.Errorf("title is %q", got)
		}
		if real && got == "" {
			t.Error("an empty title is real")
		}
	})
}
