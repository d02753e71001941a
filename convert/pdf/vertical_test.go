//go:build !lite

package pdf_test

import (
	"fmt"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
)

// TestVerticalFont has vertical lines in a font that is not in the file, whose
// letters have no width then.
func TestVerticalFont(t *testing.T) {
	// CIDs 842 to 924 of Adobe-Japan1 are the hiragana.
	const content = "BT /F1 10 Tf 300 700 Td <034b034d034f035103530354> Tj -15 0 Td <03560358035a035c034b034d> Tj ET"
	data := fmt.Sprintf("%%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n"+
		"3 0 obj<</Type/Page/Parent 2 0 R/MediaBox[0 0 600 800]/Resources<</Font<</F1 5 0 R>>>>/Contents 4 0 R>>endobj\n"+
		"4 0 obj<</Length %d>>stream\n%s\nendstream endobj\n"+
		"5 0 obj<</Type/Font/Subtype/Type0/BaseFont/Ryumin-Light-Identity-V/Encoding/Identity-V/DescendantFonts[6 0 R]>>endobj\n"+
		"6 0 obj<</Type/Font/Subtype/CIDFontType0/BaseFont/Ryumin-Light/CIDSystemInfo<</Registry(Adobe)/Ordering(Japan1)/Supplement 2>>/FontDescriptor 7 0 R>>endobj\n"+
		"7 0 obj<</Type/FontDescriptor/FontName/Ryumin-Light/Flags 6/FontBBox[-170 -331 1024 903]/Ascent 723/Descent -241/CapHeight 709/StemV 69/ItalicAngle 0>>endobj\n"+
		"trailer<</Root 1 0 R>>\nstartxref\n0\n%%%%EOF\n", len(content), content)
	doc, err := convertBytes(t, []byte(data), convert.Limits{})
	if err != nil {
		t.Fatal(err)
	}
	if diff := cmp.Diff("あいうえおかきくけこあい\n", doc.Markdown); diff != "" {
		t.Errorf("Markdown (-want +got):\n%s", diff)
	}
}
