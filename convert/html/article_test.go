package html_test

import (
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/html"
)

// TestPages converts pages as they come from a server: what must be kept, what
// must go, and that a file with the same bytes is kept whole.
func TestPages(t *testing.T) {
	for _, tc := range []struct {
		file        string
		title       string
		keep, drop  []string
		wholeInFile []string
	}{
		{
			file: "article.html", title: "How the harbour pump was repaired - Coast Gazette",
			keep:        []string{"# How the harbour pump was repaired", "the impeller had lost two of its six blades", "by_pass_valve", "## What the divers found", "a spare gasket"},
			drop:        []string{"Subscribe to our newsletter", "Most read this week", "Cookie settings", "Share on"},
			wholeInFile: []string{"Subscribe to our newsletter", "Most read this week", "Cookie settings"},
		},
		{
			file: "documentation.html", title: "Retry policies - Relay manual",
			keep:        []string{"# Retry policies", "```yaml\nretry:\n  max_attempts: 5", "| max_attempts | 5 |", "| jitter | 0.2 |", "- A refused connection is retried at once."},
			drop:        []string{"Getting started with Relay", "On this page"},
			wholeInFile: []string{"Getting started with Relay"},
		},
		{
			file: "forum.html", title: "Boiler shows E7 - Heating forum",
			keep: []string{"The display shows E7 since Monday", "Check the water pressure first", "It was at 0.4 bar", "refill it to 1.5 bar", "Thanks, that was it"},
		},
		{
			file: "table.html", title: "Bus timetable",
			keep: []string{"| Stop 1 | 06:01 |", "| Stop 30 | 06:30 |"},
		},
		{
			file: "russian.html", title: "Ремонт насоса | Вестник порта",
			keep:        []string{"Водолазы обнаружили, что рабочее колесо потеряло две лопасти", "Новую деталь изготовили за девять дней"},
			drop:        []string{"Подпишитесь на рассылку", "Читайте также"},
			wholeInFile: []string{"Подпишитесь на рассылку", "Читайте также"},
		},
		{
			file: "tiny.html", title: "Closed",
			keep: []string{"The office is closed on Friday.", "[Contact](https://example.com/contact)"},
		},
	} {
		t.Run(tc.file, func(t *testing.T) {
			data, err := os.ReadFile(filepath.Join("testdata", tc.file))
			if err != nil {
				t.Fatal(err)
			}
			page := run(t, convert.Source{Name: "https://example.com/news/" + tc.file, Data: data, Page: true})
			if page.Title != tc.title {
				t.Errorf("title %q, want %q", page.Title, tc.title)
			}
			for _, s := range tc.keep {
				if strings.Count(page.Markdown, s) != 1 {
					t.Errorf("the page has %q %d times", s, strings.Count(page.Markdown, s))
				}
			}
			for _, s := range tc.drop {
				if strings.Contains(page.Markdown, s) {
					t.Errorf("the page has %q", s)
				}
			}
			if t.Failed() {
				t.Log(page.Markdown)
			}
			file := run(t, convert.Source{Name: tc.file, Data: data})
			for _, s := range tc.wholeInFile {
				if !strings.Contains(file.Markdown, s) {
					t.Errorf("the file lacks %q", s)
				}
			}
		})
	}
}

// TestPageKeepsAll has pages of which a search for the article would lose most.
func TestPageKeepsAll(t *testing.T) {
	words := strings.Repeat("The committee met again and spoke about the plan, the budget, and the dates. ", 10)
	for name, part := range map[string]func(n int) string{
		"definitions": func(n int) string {
			return fmt.Sprintf("<dl><dt>term number %d of the list</dt><dd>meaning %d</dd></dl>", n, n)
		},
		"code": func(n int) string {
			return fmt.Sprintf("<div class=sidebar-widget><pre>call_number_%d(a, b, c)</pre></div>", n)
		},
		"rows": func(n int) string {
			return fmt.Sprintf("<div class=footer-links><table><tr><td>k%d<td>v%d</table></div>", n, n)
		},
		"items": func(n int) string {
			return fmt.Sprintf("<ul class=menu><li>one answer with words, number %d</li></ul>", n)
		},
	} {
		t.Run(name, func(t *testing.T) {
			var b strings.Builder
			b.WriteString("<body><article><p>" + words + "</p><p>" + words + "</p></article><div class=extra>")
			for n := range 20 {
				b.WriteString(part(n + 100))
			}
			b.WriteString("</div>")
			md := run(t, convert.Source{Name: "https://example.com/", Data: []byte(b.String()), Page: true}).Markdown
			for n := range 20 {
				if s := fmt.Sprint(n + 100); !strings.Contains(md, s) {
					t.Errorf("the page lacks number %s", s)
				}
			}
		})
	}
}

func FuzzPage(f *testing.F) {
	f.Add("<nav>a</nav><article><h1>b</h1><p>c, d</p></article><aside>e</aside>")
	f.Add("<div class=sidebar><ul><li><a href=x>y</a></ul></div><table><tr><td>a<td>b</table><pre>c</pre>")
	f.Fuzz(func(t *testing.T, s string) {
		s += "<p>" + strings.Repeat("Words, and more of them. ", 40)
		src := convert.Source{Name: "https://example.com/a", Data: []byte(s)}
		_, fileErr := html.HTML{}.Convert(t.Context(), src, convert.Limits{})
		src.Page = true
		doc, err := html.HTML{}.Convert(t.Context(), src, convert.Limits{})
		if (err == nil) != (fileErr == nil) {
			t.Fatalf("as a page: %v, as a file: %v", err, fileErr)
		}
		if err == nil && !utf8.ValidString(doc.Markdown) {
			t.Errorf("%q", doc.Markdown)
		}
	})
}

func BenchmarkPage(b *testing.B) {
	text := "<p>" + strings.Repeat("Some words, and more of them. ", 5) + "</p>"
	for name, page := range map[string]string{
		"flat":   "<body><article>" + strings.Repeat(text, 9_000) + "</article>",
		"nested": "<body>" + strings.Repeat("<div>"+text, 400),
		"deep":   "<body>" + strings.Repeat("<div>", 450) + strings.Repeat(text, 400),
		"tables": "<body>" + strings.Repeat("<table><tr><td>", 120) + strings.Repeat(text+"<td>", 500),
		"forest": "<body>" + strings.Repeat(strings.Repeat("<div>", 300)+text+strings.Repeat("</div>", 300), 60),
	} {
		b.Run(name, func(b *testing.B) {
			for b.Loop() {
				src := convert.Source{Name: "https://example.com/", Data: []byte(page), Page: true}
				if _, err := convert.Guard("html", html.HTML{}).Convert(b.Context(), src, convert.Limits{}); err != nil {
					b.Fatal(err)
				}
			}
		})
	}
}
