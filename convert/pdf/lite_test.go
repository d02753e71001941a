//go:build lite

package pdf_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/convert"
)

// loose returns a PDF of a page without a table of its objects.
func loose(font, content string, more ...string) []byte {
	return []byte("%PDF-1.4\n1 0 obj<</Type/Catalog/Pages 2 0 R>>endobj\n2 0 obj<</Type/Pages/Kids[3 0 R]/Count 1>>endobj\n" +
		"3 0 obj<</Type/Page/Parent 2 0 R/Resources<</Font<</F1 " + font + ">>/XObject<</X1 9 0 R>>>>/Contents 4 0 R>>endobj\n" +
		"4 0 obj" + content + "\nendobj\n" + strings.Join(more, "\n") + "\ntrailer<</Root 1 0 R>>\nstartxref\n0\n%%EOF\n")
}

func streamOf(keys, data string) string {
	return fmt.Sprintf("<</Length %d%s>>\nstream\n%s\nendstream", len(data), keys, data)
}

func TestLight(t *testing.T) {
	const helvetica = "<</Type/Font/Subtype/Type1/BaseFont/Helvetica>>"
	const show = "BT /F1 12 Tf 72 700 Td (Some words) Tj ET"
	composite := "<</Type/Font/Subtype/Type0/Encoding/Identity-H/ToUnicode 8 0 R/DescendantFonts[<</Subtype/CIDFontType2/DW 500/W[1[600 300]]>>]>>"
	cases := []struct {
		name string
		data []byte
		want string
	}{
		{"no table of objects", loose(helvetica, streamOf("", show)), "Some words\n"},
		{"hexadecimal", loose(helvetica, streamOf("/Filter/ASCIIHexDecode", fmt.Sprintf("%x>", show))), "Some words\n"},
		{"run length in hexadecimal", loose(helvetica, streamOf("/Filter[/AHx/RL]", fmt.Sprintf("%02x%x80>", len(show)-1, show))), "Some words\n"},
		{"wrong length", loose(helvetica, strings.Replace(streamOf("", show), "<</Length ", "<</Length 9", 1)), "Some words\n"},
		{"form", loose(helvetica, streamOf("", "/X1 Do"), "9 0 obj"+streamOf("/Type/XObject/Subtype/Form", show)+"endobj"), "Some words\n"},
		{"form in itself", loose(helvetica, streamOf("", "/X1 Do"), "9 0 obj"+streamOf("/Subtype/Form/Resources<</XObject<</X1 9 0 R>>/Font<</F1 "+helvetica+">>>>", show+" /X1 Do")+"endobj"), "Some words\n"},
		{"inline picture", loose(helvetica, streamOf("", "BI /W 1 /H 1 ID ((((<< EI "+show)), "Some words\n"},
		{"words apart by their places", loose(helvetica, streamOf("", "BT /F1 12 Tf 72 700 Td [(Some) -300 (words) 20 (!)] TJ ET")), "Some words!\n"},
		{"names of glyphs", loose("<</Type/Font/Subtype/Type1/BaseFont/X/Encoding<</Differences[1/f_f_i/uni0416/afii10071/Aacute]>>>>",
			streamOf("", "BT /F1 12 Tf 72 700 Td <01020304> Tj ET")), "ffiЖёÁ\n"},
		{"composite font", loose(composite, streamOf("", "BT /F1 12 Tf 72 700 Td <000100020001> Tj ET"),
			"8 0 obj"+streamOf("", "1 begincodespacerange <0000><ffff> endcodespacerange 1 beginbfrange <0001><0002><0430> endbfrange")+"endobj"), "аба\n"},
		{"packed objects", loose("7 0 R", streamOf("", show), "6 0 obj"+streamOf("/Type/ObjStm/N 1/First 4", "7 0 "+helvetica)+"endobj"), "Some words\n"},
		{"hebrew as it is seen", loose("<</Type/Font/Subtype/Type1/Encoding<</Differences[1/uni05DD/uni05D5/uni05DC/uni05E9]>>>>",
			streamOf("", "BT /F1 12 Tf 72 700 Td <01020304> Tj ET")), "שלום\n"},
	}
	for _, tc := range cases {
		t.Run(tc.name, func(t *testing.T) {
			doc, err := convertBytes(t, tc.data, convert.Limits{})
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(tc.want, doc.Markdown); diff != "" {
				t.Errorf("Markdown (-want +got):\n%s", diff)
			}
		})
	}
}

func TestLightEncryption(t *testing.T) {
	data := append(loose("<<>>", streamOf("", "")), "5 0 obj<</Filter/Other/V 9>>endobj trailer<</Root 1 0 R/Encrypt 5 0 R>>\n%%EOF"...)
	if _, err := convertBytes(t, data, convert.Limits{}); !errors.Is(err, convert.ErrEncrypted) {
		t.Errorf("unknown encryption: %v", err)
	}
}
