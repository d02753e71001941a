package convert_test

import (
	"archive/zip"
	"bytes"
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
)

// named returns a converter that answers with its name.
func named(name string) convert.Converter {
	return convert.ConverterFunc(func(context.Context, convert.Source, convert.Limits) (*convert.Document, error) {
		return &convert.Document{Markdown: name}, nil
	})
}

func router() *convert.Router {
	return convert.NewRouter([]convert.Format{
		{Name: "text", Extensions: []string{".txt", ".md"}, MediaTypes: []string{"text/plain"}, Content: convert.Text, Sync: true, Converter: named("text")},
		{Name: "html", Extensions: []string{".html"}, MediaTypes: []string{"text/html"}, Content: convert.HTML, Sync: true, Converter: named("html")},
		{Name: "docx", Extensions: []string{".docx"}, Content: convert.Zip, Sync: true, Converter: named("docx")},
		{Name: "pdf", Extensions: []string{".pdf"}, MediaTypes: []string{"application/pdf"}, Content: convert.PDF, Sync: true, Converter: named("pdf")},
		{Name: "json", Extensions: []string{".json"}, Content: convert.Text, Converter: named("json")},
	}, nil)
}

func zipOf(t testing.TB, names ...string) []byte {
	t.Helper()
	var b bytes.Buffer
	z := zip.NewWriter(&b)
	for _, n := range names {
		if _, err := z.Create(n); err != nil {
			t.Fatal(err)
		}
	}
	if err := z.Close(); err != nil {
		t.Fatal(err)
	}
	return b.Bytes()
}

func TestRouterChooses(t *testing.T) {
	word := string(zipOf(t, "[Content_Types].xml", "word/document.xml"))
	for _, tc := range []struct{ name, media, data, want string }{
		{"notes.TXT", "", "hello", "text"},
		{`C:\docs\a.b\notes.md`, "", "hello", "text"},
		{"empty.txt", "", "", "text"},
		{"page.html", "text/plain", "<p>x", "html"},
		{"data", "text/html; charset=utf-8", "<p>x", "html"},
		{"report.docx", "", word, "docx"},
		{"", "", word, "docx"},
		{"", "", "%PDF-1.7\n", "pdf"},
		{"", "", "\n<!-- c --><!DOCTYPE html><p>x", "html"},
		{"", "", "just words", "text"},
		{"https://example.com/", "text/html", "<p>x", "html"},
		{"https://example.com/README.md", "text/html", "<html>", "html"},
		{"https://example.com/README.md?x=1.pdf", "text/plain", "# x", "text"},
		{"https://example.com/get.php?file=a.pdf", "application/pdf", "%PDF-1.4", "pdf"},
		{"https://example.com/paper.pdf#page=2", "application/octet-stream", "%PDF-1.4", "pdf"},
	} {
		doc, err := router().Convert(t.Context(), convert.Source{Name: tc.name, MediaType: tc.media, Data: []byte(tc.data)}, convert.Limits{})
		if err != nil {
			t.Errorf("%q %q: %v", tc.name, tc.media, err)
		} else if doc.Markdown != tc.want || doc.Format != tc.want {
			t.Errorf("%q %q: went to %q (format %q), want %q", tc.name, tc.media, doc.Markdown, doc.Format, tc.want)
		}
	}
}

func TestRouterRefuses(t *testing.T) {
	for _, tc := range []struct {
		name, data string
		is         error
		says       []string
	}{
		{"a.docx", "plain words", convert.ErrDamaged, []string{"a.docx", "plain text", "docx"}},
		{"a.docx", "", convert.ErrDamaged, []string{"a.docx", "empty"}},
		{"~$a.docx", "owner", convert.ErrDamaged, []string{"lock file"}},
		{"a.txt", string(zipOf(t, "word/x")), convert.ErrDamaged, []string{"a.txt", "docx document"}},
		{"a.txt", string(zipOf(t, "x")), convert.ErrDamaged, []string{"zip archive"}},
		{"a.txt", `{\rtf1 text}`, convert.ErrDamaged, []string{"RTF document"}},
		{"a.md", "%PDF-1.4\n1 0 obj", convert.ErrDamaged, []string{"PDF"}},
		{"a.pdf", "<!doctype html><title>404</title>", convert.ErrDamaged, []string{"HTML page"}},
		{"a.txt", "\x89PNG\r\n\x1a\n\x00", convert.ErrDamaged, []string{"picture"}},
		{"a.md", strings.Repeat("\x01\x02\x03\xfe", 100), convert.ErrDamaged, []string{"binary data"}},
		{"old.doc", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", convert.ErrUnsupported, []string{"old.doc", "save it as .docx"}},
		{"old.XLS", "x", convert.ErrUnsupported, []string{".xlsx"}},
		{"book.xlsb", "PK\x03\x04", convert.ErrUnsupported, []string{"book.xlsb", "save it as .xlsx"}},
		{"a.pages", "PK\x03\x04", convert.ErrUnsupported, []string{"iWork", ".docx or .pdf"}},
		{"a.KEY", "PK\x03\x04", convert.ErrUnsupported, []string{".pptx"}},
		{"a.msg", "\xd0\xcf\x11\xe0\xa1\xb1\x1a\xe1", convert.ErrUnsupported, []string{"Outlook", ".eml"}},
		{"a.azw3", "x", convert.ErrUnsupported, []string{"e-book", ".epub"}},
		{"a.djvu", "AT&TFORM", convert.ErrUnsupported, []string{".pdf"}},
		{"a.tar.gz", "\x1f\x8b", convert.ErrUnsupported, []string{"archive", "unpack"}},
		{"a.jpeg", "\xff\xd8\xff", convert.ErrUnsupported, []string{"picture"}},
		{"https://example.com/a.7z", "7z\xbc\xaf\x27\x1c", convert.ErrUnsupported, []string{"archive", "unpack"}},
		{"a.exe", "MZ", convert.ErrUnsupported, []string{".exe", ".docx .html .json .md .pdf .txt"}},
		{"", "\x7fELF\x00\x00", convert.ErrUnsupported, []string{"binary data"}},
	} {
		_, err := router().Convert(t.Context(), convert.Source{Name: tc.name, Data: []byte(tc.data)}, convert.Limits{})
		var e *convert.Error
		if !errors.Is(err, tc.is) || !errors.As(err, &e) {
			t.Errorf("%q: %v, want *convert.Error wrapping %v", tc.name, err, tc.is)
			continue
		}
		for _, s := range tc.says {
			if !strings.Contains(err.Error(), s) {
				t.Errorf("%q: error %q does not say %q", tc.name, err, s)
			}
		}
	}
}

func TestRouterLists(t *testing.T) {
	r := router()
	if diff := cmp.Diff([]string{".docx", ".html", ".json", ".md", ".pdf", ".txt"}, r.Supported()); diff != "" {
		t.Errorf("Supported (-want +got)\n%s", diff)
	}
	for name, want := range map[string]bool{"a.md": true, "dir/B.DOCX": true, "~$b.docx": false, "a.json": false, "a.exe": false, "md": false} {
		if got := r.Synced(name); got != want {
			t.Errorf("Synced(%q) = %v, want %v", name, got, want)
		}
	}
	if f, ok := r.Lookup("x/y.PDF"); !ok || f.Name != "pdf" {
		t.Errorf("Lookup = %v, %v", f.Name, ok)
	}
}
