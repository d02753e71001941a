package pdf_test

import (
	"context"
	"errors"
	"testing"
	"time"
	"unicode/utf8"

	"github.com/minirag/minirag/convert"
)

// FuzzConvert runs whole documents through PDFium: whatever comes, there is
// valid text or an error of the package's kinds, and a sound document can be read after it.
func FuzzConvert(f *testing.F) {
	sound := builder{pages: []string{text("Sound")}}.bytes()
	f.Add(sound)
	f.Add(builder{pages: []string{text("a", "b"), "x"}, compress: true, info: map[string]string{"Title": "T"}}.bytes())
	f.Add(builder{pages: []string{text("secret")}, encrypt: true}.bytes())
	f.Add(builder{pages: []string{text("a#")}, glyphs: map[byte]string{'a': "\ufb01", '#': "\u202e"}}.bytes())
	f.Add(sound[:len(sound)/2])
	f.Add([]byte("%PDF-1.7\n1 0 obj<</Type/Catalog/Pages 1 0 R/Kids[1 0 R]/Count 9>>endobj trailer<</Root 1 0 R>>"))
	limits := convert.Limits{Time: 5 * time.Second, Memory: 64 << 20, OutputBytes: 1 << 20}
	f.Fuzz(func(t *testing.T, data []byte) {
		doc, err := shared.Convert(context.Background(), convert.Source{Name: "fuzz.pdf", Data: data}, limits)
		switch {
		case err != nil:
			if doc != nil {
				t.Error("a document and an error")
			}
			for _, kind := range []error{convert.ErrDamaged, convert.ErrEncrypted, convert.ErrTooLarge, convert.ErrNoText} {
				if errors.Is(err, kind) {
					err = nil
					break
				}
			}
			if err != nil {
				t.Errorf("error of no kind: %v", err)
			}
		case doc.Markdown == "" || convert.Normalize(doc.Markdown) != doc.Markdown || !utf8.ValidString(doc.Title):
			t.Errorf("text is empty or not normal: %q, title %q", doc.Markdown, doc.Title)
		}
		if doc, err := shared.Convert(context.Background(), convert.Source{Data: sound}, convert.Limits{}); err != nil || doc.Markdown != "Sound\n" {
			t.Errorf("a sound document afterwards: %v", err)
		}
	})
}
