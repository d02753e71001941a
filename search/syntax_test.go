package search_test

import (
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/search"
)

func TestParse(t *testing.T) {
	plain := func(text string) search.Syntax { return search.Syntax{Text: text} }
	for _, tc := range []struct {
		text string
		want search.Syntax
	}{
		{"how do wolves hunt?", plain("how do wolves hunt?")},
		{`find "apply secrets" now`, search.Syntax{Text: "find apply secrets now", Phrases: []string{"apply secrets"}}},
		{`("a b").`, search.Syntax{Text: "( a b ).", Phrases: []string{"a b"}}},
		{"приказ «О пропусках» 2024", search.Syntax{Text: "приказ О пропусках 2024", Phrases: []string{"О пропусках"}}},
		{"das „graue Fass“ “and so on”", search.Syntax{Text: "das graue Fass and so on", Phrases: []string{"graue Fass", "and so on"}}},
		{`"two" "phrases"`, search.Syntax{Text: "two phrases", Phrases: []string{"two", "phrases"}}},
		{`27" and 24" monitors`, plain(`27" and 24" monitors`)},
		{`size 27" "wide screen"`, search.Syntax{Text: `size 27" wide screen`, Phrases: []string{"wide screen"}}},
		{`an open "quote`, plain(`an open "quote`)},
		{`nothing "" or "..." in it`, plain(`nothing "" or "..." in it`)},
		{`AND (NOT "x*`, plain(`AND (NOT "x*`)},

		{"wolves -owls", search.Syntax{Text: "wolves", Without: []string{"owls"}}},
		{"отпуск -декретный, срок", search.Syntax{Text: "отпуск , срок", Without: []string{"декретный"}}},
		{`wolves -"at night" packs`, search.Syntax{Text: "wolves packs", Without: []string{"at night"}}},
		{"-owls wolves", search.Syntax{Text: "wolves", Without: []string{"owls"}}},
		{"contact -e-mail", search.Syntax{Text: "contact", Without: []string{"e-mail"}}},
		{"学校 -大学", search.Syntax{Text: "学校", Without: []string{"大学"}}},

		{"e-mail кто-то П-22 НЦ-25", plain("e-mail кто-то П-22 НЦ-25")},
		{"температура -5 and -40°C", plain("температура -5 and -40°C")},
		{"Москва - столица", plain("Москва - столица")},
		{"Москва – столица —страны", plain("Москва – столица —страны")},
		{"git push --force", plain("git push --force")},
		{"tar -x -vf file", plain("tar -x -vf file")},
		{"---", plain("---")},
		{"- -- -\"", plain("- -- -\"")},
		{"-owls", plain("-owls")},
		{`-"at night"`, plain(`-"at night"`)},
		{"a list:\n-first\n-second \"x y\"", plain("a list:\n-first\n-second \"x y\"")},
		{"", plain("")},
	} {
		if diff := cmp.Diff(tc.want, search.Parse(tc.text)); diff != "" {
			t.Errorf("%q (-want +got)\n%s", tc.text, diff)
		}
	}
}

// FuzzParse tests that every text with a word leaves words to search for,
// which all come from the text.
func FuzzParse(f *testing.F) {
	for _, s := range []string{`a "b c" -d`, `-"x" «y» „z“`, `27" -"`, "-abc", `""a"-bcd "e`} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if !utf8.ValidString(text) {
			t.Skip()
		}
		s := search.Parse(text)
		word := func(s string) bool { return strings.ContainsAny(s, "abcdefghijklmnopqrstuvwxyz0123456789") }
		if word(text) && strings.TrimSpace(s.Text) == "" {
			t.Fatalf("%q leaves nothing", text)
		}
		for _, part := range append(append(strings.Fields(s.Text), s.Phrases...), s.Without...) {
			if !strings.Contains(text, part) {
				t.Fatalf("%q of %q is not in it", part, text)
			}
		}
	})
}
