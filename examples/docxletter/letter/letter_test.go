package letter_test

import (
	"os"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/examples/docxletter/letter"
	"github.com/minirag/minirag/internal/testcorpus"
)

func TestSend(t *testing.T) {
	template, err := os.ReadFile("../letter.docx")
	if err != nil {
		t.Fatal(err)
	}
	corpus, err := testcorpus.Open(t.Context(), t.TempDir(), nil)
	if err != nil {
		t.Fatal(err)
	}
	defer corpus.Close()
	_, err = letter.Send(t.Context(), corpus, "letters/7.docx", template, map[string]string{
		"DATE": "1 April 2026", "CUSTOMER": "Harbour & Foods", "SERIALS": "4711", "DAYS": "five", "CASE": "C-7",
	})
	if err != nil {
		t.Fatal(err)
	}
	result, err := corpus.Query(t.Context(), minirag.Query{Text: "which number is on the parcel?", TopK: 1})
	if err != nil {
		t.Fatal(err)
	}
	if len(result.Hits) != 1 || result.Hits[0].Source.ID != "letters/7.docx" {
		t.Fatalf("got %+v", result)
	}
	text, err := corpus.Read(t.Context(), "letters/7.docx")
	if err != nil {
		t.Fatal(err)
	}
	for _, want := range []string{"Harbour & Foods", "numbers 4711", "number C-7"} {
		if !strings.Contains(text.Markdown, want) {
			t.Errorf("%q is not in\n%s", want, text.Markdown)
		}
	}
	if strings.Contains(text.Markdown, "CUSTOMER") {
		t.Errorf("a place is not filled:\n%s", text.Markdown)
	}
}

func TestFillNoTemplate(t *testing.T) {
	if _, err := letter.Fill([]byte("no Word document"), nil); err == nil {
		t.Error("no error")
	}
}
