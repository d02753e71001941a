package pdf_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/converttest"
	"github.com/minirag/minirag/convert/pdf"
)

// shared is one converter for all tests: its engine is started once.
var shared *pdf.Converter

func TestMain(m *testing.M) {
	shared = pdf.New(&pdf.Options{CacheDir: cacheDir()})
	code := m.Run()
	if err := shared.Close(); err != nil {
		fmt.Fprintln(os.Stderr, err)
		code = 1
	}
	os.Exit(code)
}

// cacheDir is kept from run to run, so that only the first one compiles.
func cacheDir() string {
	dir, err := os.UserCacheDir()
	if err != nil {
		return ""
	}
	return filepath.Join(dir, "minirag-test")
}

func convertBytes(t *testing.T, data []byte, limits convert.Limits) (*convert.Document, error) {
	t.Helper()
	return shared.Convert(t.Context(), convert.Source{Name: "dir/sample.pdf", Data: data}, limits)
}

func TestText(t *testing.T) {
	cyrillic := map[byte]string{'a': "П", 'b': "р", 'c': "и", 'd': "в", 'e': "е", 'f': "т", ' ': " "}
	cases := []struct {
		name string
		in   builder
		want string
	}{
		{"lines and paragraphs", builder{pages: []string{text("One line of text", "and its second.", "\nAnother paragraph", "goes on.", "\nThe last.")}},
			"One line of text\nand its second.\n\nAnother paragraph\ngoes on.\n\nThe last.\n"},
		{"pages", builder{pages: []string{text("First page"), text("Second page")}}, "First page\n\nSecond page\n"},
		{"compressed", builder{pages: []string{text("Packed text")}, compress: true}, "Packed text\n"},
		{"cyrillic", builder{pages: []string{text("abcdef")}, glyphs: cyrillic}, "Привет\n"},
		{"ligatures", builder{pages: []string{text("a#nal o$er")}, glyphs: map[byte]string{'#': "\ufb01", '$': "\ufb00", 'a': "a", 'n': "n", 'l': "l", 'o': "o", 'e': "e", 'r': "r", ' ': " "}},
			"afinal offer\n"},
		{"hyphen at the line's end", builder{pages: []string{text("a long exam-", "ple of a word")}}, "a long example of a word\n"},
		{"paragraph with a hyphen", builder{pages: []string{text("the first line of it", "and a second exam-", "ple of what a line is", "and then the fourth", "and then a fifth", "\nAnother one")}},
			"the first line of it\nand a second example of what a line is\nand then the fourth\nand then a fifth\n\nAnother one\n"},
		{"soft hyphen and hard space", builder{pages: []string{text("co-op 1\xa0200")}, glyphs: map[byte]string{'c': "c", 'o': "o", '-': "\u00ad", 'p': "p", ' ': " ", '1': "1", '\xa0': "\u00a0", '2': "2", '0': "0"}},
			"coop 1 200\n"},
		{"table row", builder{pages: []string{"BT /F1 12 Tf 1 0 0 1 72 700 Tm (Advance) Tj 1 0 0 1 250 700 Tm (1 200 000) Tj 1 0 0 1 400 700 Tm (01.09.2026) Tj ET"}},
			"Advance 1 200 000 01.09.2026\n"},
		{"no structure out of text", builder{pages: []string{text("# not a heading", "```", "text", "---")}}, "\\# not a heading\n\\```\ntext\n\\---\n"},
		{"text in a turned page", builder{pageKeys: "/Rotate 90", pages: []string{
			"BT /F1 12 Tf 0 1 -1 0 100 72 Tm (First) Tj 0 1 -1 0 114 72 Tm (second) Tj 0 1 -1 0 128 72 Tm (third) Tj 0 1 -1 0 142 72 Tm (fourth) Tj 0 1 -1 0 180 72 Tm (Apart) Tj ET"}},
			"First\nsecond\nthird\nfourth\n\nApart\n"},
		{"font scaled by the text matrix", builder{pages: []string{
			"BT /F1 1 Tf 12 0 0 12 72 700 Tm (one two three) Tj 12 0 0 12 72 686 Tm (four five six) Tj 12 0 0 12 72 672 Tm (seven eight nine) Tj 12 0 0 12 72 658 Tm (ten eleven twelve) Tj 12 0 0 12 72 620 Tm (thirteen) Tj ET"}},
			"one two three\nfour five six\nseven eight nine\nten eleven twelve\n\nthirteen\n"},
		{"font scaled by the page", builder{pages: []string{
			"10 0 0 10 0 0 cm BT /F1 1.2 Tf 7.2 70 Td (one two three) Tj 0 -1.4 Td (four five six) Tj 0 -1.4 Td (seven eight nine) Tj 0 -1.4 Td (ten eleven twelve) Tj 0 -4 Td (thirteen) Tj ET"}},
			"one two three\nfour five six\nseven eight nine\nten eleven twelve\n\nthirteen\n"},
		{"stamp in the margin", builder{pages: []string{"BT /F1 20 Tf 0 1 -1 0 40 300 Tm (Stamped copy) Tj ET\n" + text("A line of text as long as others", "and a second line that is as long", "and one more line to go")}},
			"A line of text as long as others\nand a second line that is as long\nand one more line to go\n\nStamped copy\n"},
		{"owner password only", builder{pages: []string{text("Readable all the same")}, encrypt: true}, "Readable all the same\n"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := convertBytes(t, tc.in.bytes(), convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
			if doc.Format != "pdf" || len(doc.Warnings) > 0 {
				t.Errorf("Format = %q, Warnings = %q", doc.Format, doc.Warnings)
			}
		})
	}
}

func TestMetadata(t *testing.T) {
	doc, err := convertBytes(t, builder{pages: []string{text("x")}, info: map[string]string{
		"Title": "Yearly  Report", "Author": "\xfe\xff\x04\x10\x04\x3d\x04\x3d\x04\x30", "CreationDate": "D:20240102030405+03'00'", "Producer": "p"}}.bytes(), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := map[string]string{"author": "Анна", "created": "2024-01-02T03:04:05+03:00"}
	if diff := cmp.Diff(want, doc.Metadata); diff != "" {
		t.Errorf("Metadata (-want +got):\n%s", diff)
	}
	if doc.Title != "Yearly Report" {
		t.Errorf("Title = %q", doc.Title)
	}
}

func TestPagesWithoutText(t *testing.T) {
	blank := "0 0 100 100 re f"
	doc, err := convertBytes(t, builder{pages: []string{blank, blank, text("Text"), blank}}.bytes(), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	want := []string{"no text on pages 1-2, 4 of 4: blank or scanned, OCR would be needed"}
	if diff := cmp.Diff(want, doc.Warnings); diff != "" {
		t.Errorf("Warnings (-want +got):\n%s", diff)
	}
}

func TestErrors(t *testing.T) {
	sound := builder{pages: []string{text("Some text that is here"), text("and there")}}
	whole := sound.bytes()
	tree := sound
	tree.pageTree = "<</Type/Pages/Kids[2 0 R]/Count 1>>"
	many := sound
	many.countPages = 500_000
	cases := []struct {
		name string
		data []byte
		want error
		says string
	}{
		{"empty", nil, convert.ErrDamaged, "empty"},
		{"zeros", make([]byte, 5000), convert.ErrDamaged, "zero bytes"},
		{"web page", []byte("<!DOCTYPE html><html><body>404</body></html>"), convert.ErrDamaged, "HTML"},
		{"zip", []byte("PK\x03\x04xxxxxxxxxxxxxxxx"), convert.ErrDamaged, "zip"},
		{"picture", []byte("\x89PNG\r\n\x1a\nxxxxxxxx"), convert.ErrDamaged, "picture"},
		{"text", []byte("Just some words.\n"), convert.ErrDamaged, "plain text"},
		{"PostScript", []byte("%!PS-Adobe-3.0\n"), convert.ErrDamaged, "PostScript"},
		{"header only", []byte("%PDF-1.7\n"), convert.ErrDamaged, "no document behind it"},
		{"truncated", whole[:200], convert.ErrDamaged, "truncated"},
		{"page tree in a loop", tree.bytes(), convert.ErrDamaged, "pages"},
		{"page count of no end", many.bytes(), convert.ErrTooLarge, "pages"},
		{"user password", builder{pages: sound.pages, encrypt: true, user: "secret"}.bytes(), convert.ErrEncrypted, "password"},
		{"no text", builder{pages: []string{"0 0 9 9 re f", ""}}.bytes(), convert.ErrNoText, "OCR"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := convertBytes(t, tc.data, convert.Limits{})
			if !errors.Is(err, tc.want) || doc != nil {
				t.Fatalf("got %v, %v; want an error wrapping %q", doc, err, tc.want)
			}
			for _, part := range []string{tc.says, "sample.pdf"} {
				if !strings.Contains(err.Error(), part) {
					t.Errorf("error %q does not say %q", err, part)
				}
			}
		})
	}
	if _, err := convertBytes(t, whole, convert.Limits{}); err != nil {
		t.Errorf("a sound document after the broken ones: %v", err)
	}
}

// TestFalseSizes converts documents that lie about their size or do not end
// what they begin. There may be text or an error of the document, soon.
func TestFalseSizes(t *testing.T) {
	whole := string(builder{pages: []string{text("Some text that is here")}}.bytes())
	at := strings.LastIndex(whole, "/Size ")
	end := at + strings.IndexByte(whole[at+1:], '/') + 1
	xref := strings.LastIndex(whole, "\nxref\n0 ") + len("\nxref\n0 ")
	for name, data := range map[string]string{
		"a size of a billion":                 whole[:at] + "/Size 1000000000" + whole[end:],
		"a negative size":                     whole[:at] + "/Size -7" + whole[end:],
		"a cross-reference of a billion":      whole[:xref] + "1000000000" + whole[xref+strings.IndexByte(whole[xref:], '\n'):],
		"a hexadecimal string that is open":   string(builder{pages: []string{"BT /F1 12 Tf <48656C6C6F"}}.bytes()),
		"a string that is open":               string(builder{pages: []string{"BT /F1 12 Tf (Hello " + strings.Repeat("(", 100000)}}.bytes()),
		"arrays in arrays":                    string(builder{pages: []string{strings.Repeat("[", 100000) + text("x")}}.bytes()),
		"dictionaries in dictionaries":        string(builder{pages: []string{strings.Repeat("<<", 100000) + text("x")}}.bytes()),
		"a cross-reference that names itself": whole[:end] + "/Prev " + whole[strings.LastIndex(whole, "startxref\n")+10:strings.LastIndex(whole, "\n%%EOF")] + whole[end:],
	} {
		t.Run(name, func(t *testing.T) {
			_, err := convertBytes(t, []byte(data), convert.Limits{Memory: 200 << 20})
			if err != nil && !errors.Is(err, convert.ErrDamaged) && !errors.Is(err, convert.ErrNoText) {
				t.Errorf("%v", err)
			}
			if doc, err := convertBytes(t, []byte(whole), convert.Limits{}); err != nil || doc.Markdown != "Some text that is here\n" {
				t.Errorf("the next document: %v, %v", doc, err)
			}
		})
	}
}

// heavy is a document that takes PDFium far longer than any test waits.
var heavy = sync.OnceValue(func() []byte {
	return builder{pages: []string{strings.Repeat("0 0 m 9 9 l S\n", 2<<20) + text("Done")}, compress: true}.bytes()
})

func TestLimits(t *testing.T) {
	data := builder{pages: []string{text("First page"), text("Second page")}}.bytes()
	cases := []struct {
		name   string
		data   []byte
		limits convert.Limits
		what   string
	}{
		{"input", data, convert.Limits{InputBytes: 10}, "input"},
		{"pages", data, convert.Limits{Pages: 1}, "pages"},
		{"output", data, convert.Limits{OutputBytes: 5}, "output"},
		{"memory under the least", data, convert.Limits{Memory: 1 << 20}, "memory"},
		{"memory", heavy(), convert.Limits{Memory: 32 << 20}, "memory"},
		{"content", builder{pages: []string{strings.Repeat("q Q\n", 9<<20) + text("Done")}, compress: true}.bytes(), convert.Limits{}, "content"},
		{"time over at once", data, convert.Limits{Time: 1}, "time"},
		{"time", heavy(), convert.Limits{Time: 100 * time.Millisecond}, "time"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			_, err := convertBytes(t, tc.data, tc.limits)
			limit, ok := errors.AsType[*convert.LimitError](err)
			if !ok || !strings.Contains(limit.What, tc.what) {
				t.Fatalf("got %v, want a limit error about %s", err, tc.what)
			}
			if doc, err := convertBytes(t, data, convert.Limits{}); err != nil || doc.Markdown != "First page\n\nSecond page\n" {
				t.Errorf("the next document: %v, %v", doc, err)
			}
		})
	}
}

func TestCancel(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := shared.Convert(ctx, convert.Source{Data: builder{pages: []string{text("x")}}.bytes()}, convert.Limits{}); !errors.Is(err, context.Canceled) {
		t.Errorf("cancelled before: %v", err)
	}
	ctx, stop := context.WithTimeout(t.Context(), 100*time.Millisecond)
	defer stop()
	if _, err := shared.Convert(ctx, convert.Source{Data: heavy()}, convert.Limits{}); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("cancelled in the middle: %v", err)
	}
}

func TestConcurrent(t *testing.T) {
	var wg sync.WaitGroup
	for i := range 16 {
		wg.Go(func() {
			word := fmt.Sprintf("document%d", i)
			data := builder{pages: []string{text(word)}}.bytes()
			if i%4 == 3 {
				data = data[:len(data)/2]
			}
			doc, err := convertBytes(t, data, convert.Limits{})
			switch {
			case i%4 == 3:
				if err == nil {
					t.Errorf("half a document gave %q", doc.Markdown)
				}
			case err != nil:
				t.Error(err)
			case doc.Markdown != word+"\n":
				t.Errorf("%s gave %q", word, doc.Markdown)
			}
		})
	}
	wg.Wait()
}

func TestClose(t *testing.T) {
	c := pdf.New(&pdf.Options{CacheDir: cacheDir()})
	if err := c.Warm(t.Context()); err != nil {
		t.Fatal(err)
	}
	began := make(chan struct{})
	done := make(chan error)
	go func() {
		close(began)
		_, err := c.Convert(t.Context(), convert.Source{Data: heavy()}, convert.Limits{})
		done <- err
	}()
	<-began
	if err := c.Close(); err != nil {
		t.Error(err)
	}
	if err := <-done; !errors.Is(err, pdf.ErrClosed) {
		t.Errorf("running conversion: %v", err)
	}
	if err := c.Close(); err != nil {
		t.Errorf("second Close: %v", err)
	}
	if err := c.Warm(t.Context()); !errors.Is(err, pdf.ErrClosed) {
		t.Errorf("Warm after Close: %v", err)
	}
}

func TestContract(t *testing.T) {
	converttest.Suite{
		Converter: shared,
		Sample: convert.Source{Name: "sample.pdf", Data: builder{pages: []string{
			text("The supplier delivers the goods", "within thirty days of the order,", "at the buyer's address.", "\nPayment is due on delivery."),
			text("A second page says who signs."),
		}}.bytes()},
		Want: "Payment is due",
	}.Run(t)
}

func TestCloseUnused(t *testing.T) {
	if err := pdf.New(nil).Close(); err != nil {
		t.Error(err)
	}
}
