package analysis_test

import (
	"fmt"
	"math"
	"slices"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/unicode/norm"

	"github.com/minirag/minirag/index/analysis"
)

// render writes tokens as one line: words are separated by " | ", a token that
// is not a stem has its kind's first letter and a colon before it. Phonetic
// ones are left out.
func render(tokens []analysis.Token) string {
	tokens = slices.DeleteFunc(tokens, func(t analysis.Token) bool { return t.Kind == analysis.Phonetic })
	var out strings.Builder
	for i, t := range tokens {
		switch {
		case i == 0:
		case t.Position != tokens[i-1].Position:
			out.WriteString(" | ")
		default:
			out.WriteString(" ")
		}
		if t.Kind != analysis.Stem {
			fmt.Fprintf(&out, "%c:", t.Kind.String()[0])
		}
		out.WriteString(t.Term)
	}
	return out.String()
}

func TestTokens(t *testing.T) {
	for _, tc := range []struct{ name, text, want string }{
		{"empty", "", ""},
		{"punctuation", "... — «»!? 🙂", ""},
		{"English", "Running dogs", "e:=running run | e:=dogs dog"},
		{"possessive", "John's DOGS’ 'n", "e:=john john | e:=dogs dog | e:=n n"},
		{"apostrophe", "don’t l'École", "e:=don't p:dont p:don p:t | e:=l'école p:lecol p:l p:ecol"},
		{"diacritics", "Café Łódź Straße", "e:=café cafe | e:=łódź lodz | e:=strasse strass"},
		{"Russian", "Договорами ёлки", "e:=договорами договор | e:=елки елк"},
		{"stress", "за́мок", "e:=замок замок"},
		{"decomposed", "и\u0306од cafe\u0301", "e:=йод йод | e:=café cafe"},
		{"Greek", "Αθήνας ΛΌΓΟΣ", "e:=αθήνασ αθηνασ | e:=λόγοσ λογοσ"},
		{"Arabic", "الكِتَابُ أحمد", "e:=الكتاب كتاب | e:=احمد احمد"},
		{"Hebrew", "הַסֵּפֶר", "e:=הספר הספר"},
		{"Devanagari", "पुस्तकालय", "e:=पुस्तकालय पुस्तकालय"},
		{"Chinese", "数据库", "s:数 b:数据 | s:据 b:据库 s:库"},
		{"one character", "猫。", "s:猫"},
		{"two characters", "黒猫", "s:黒 b:黒猫 s:猫"},
		{"Japanese", "ｺﾋﾟｰ機", "s:コ b:コピ | s:ピ b:ピー | s:ー b:ー機 s:機"},
		{"Korean", "메모 리", "s:메 b:메모 s:모 | s:리"},
		{"Thai", "กา ที่", "s:ก b:กา s:า | s:ที่"},
		{"mixed scripts", "使用v2版", "s:使 b:使用 s:用 | e:=v2 v2 p:v p:2 | s:版"},
		{"full width", "ＡＢ１２ ２０２４", "e:=ab12 ab12 p:ab p:12 | 2024"},
		{"numbers", "42 007 3.14 1,234,567", "42 | 007 | e:=3.14 p:3 p:14 | e:=1,234,567 p:1234567 p:1 p:234 p:567"},
		{"digits of other scripts", "٢٠٢٤ १२", "2024 | 12"},
		{"hyphens", "DEC-0054 X‑7 a—b", "e:=dec-0054 p:dec0054 p:dec p:0054 | e:=x-7 p:x7 p:x p:7 | e:=a a | e:=b b"},
		{"camel case", "useEffect HTTPServer PDFs", "e:=useeffect useeffect p:use p:effect | e:=httpserver httpserver p:http p:server | e:=pdf pdf"},
		{"borders to digits", "SP1077", "e:=sp1077 sp1077 p:sp p:1077"},
		{"underscores", "__init__ load_config", "e:=__init__ p:init | e:=load_config p:loadconfig p:load p:config"},
		{"operators in names", "C++ C# std::map a+b", "e:=c++ p:c | e:=c# p:c | e:=std::map p:stdmap p:std p:map | e:=a+b p:ab p:a p:b"},
		{"paths", `@acme/kit src\core.ts`, "e:=acme/kit p:acmekit p:acm p:kit | e:=src/core.ts p:srccoret p:src p:core p:ts"},
		{"nested compounds", "react.useEffect", "e:=react.useeffect p:reactuseeffect p:react p:useeffect p:use p:effect"},
		{"joining only within", "end. (a) -x --flag a...b", "e:=end end | e:=a a | e:=x x | e:=flag flag | e:=a a | e:=b b"},
		{"hash", "9f86d081884c7d65", "e:=9f86d081884c7d65 9f86d081884c7d65"},
		{"invisible", "ab\u00adc\u200bd\ufeff", "e:=abcd abcd"},
		{"signs", "№5 Foo™", "5 | e:=foo foo"},
		{"ligature", "ﬁle", "e:=file file"},
		{"invalid bytes", "a\xffb", "e:=a a | e:=b b"},
	} {
		t.Run(tc.name, func(t *testing.T) {
			if diff := cmp.Diff(tc.want, render(analysis.Tokens(tc.text))); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tc.text, diff)
			}
		})
	}
}

// TestAlike lists spellings that must find each other.
func TestAlike(t *testing.T) {
	for _, tc := range [][2]string{
		{"useEffect", "use effect"}, {"SP1077", "SP-1077"}, {"SP1077", "sp 1077"}, {"load_config", "loadConfig"},
		{"cloud-init", "cloudinit"}, {"e-mail", "email"}, {"SQLite", "sqlite"}, {"café", "cafe"}, {"Пётр", "петр"},
		{"договора", "договор"}, {"réviser", "reviser"}, {"ﾊﾝｶｸ", "ハンカク"}, {"ΑΘΉΝΑ", "αθηνα"}, {"naïve", "NAÏVE"},
		{"don't", "dont"}, {"1,234", "1234"}, {"PDFs", "pdf"}, {"ГОСТы", "гост"}, {"Straße", "STRASSE"},
		{"الكتاب", "كتاب"}, {"والمدرسة", "مدرسة"}, {"للجامعات", "جامعة"},
	} {
		stored := make(map[string]bool)
		for _, tok := range analysis.Tokens(tc[0]) {
			stored[tok.Term] = true
		}
		found := false
		for _, term := range analysis.Query(tc[1], false) {
			found = found || stored[term.Term]
		}
		if !found {
			t.Errorf("%q does not find %q", tc[1], tc[0])
		}
	}
	for _, tc := range [][2]string{{"C++", "C#"}, {"и", "i"}, {"数据", "据数"}} {
		exact := analysis.Tokens(tc[0])[0].Term
		for _, term := range analysis.Query(tc[1], false) {
			if term.Term == exact {
				t.Errorf("%q is found as %q is spelled", tc[0], tc[1])
			}
		}
	}
}

func TestLongTerms(t *testing.T) {
	long := strings.Repeat("x1", 5000)
	a, b := analysis.Tokens(long+"a"), analysis.Tokens(long+"b")
	if len(a) != 2 || len(b) != 2 {
		t.Fatalf("%d and %d tokens, want 2", len(a), len(b))
	}
	for i := range a {
		if a[i].Term == b[i].Term {
			t.Errorf("different words have the term %q", a[i].Term)
		}
		if len(a[i].Term) > analysis.MaxTerm+1 {
			t.Errorf("term of %d bytes", len(a[i].Term))
		}
	}
}

func TestQuery(t *testing.T) {
	for _, tc := range []struct {
		name, text string
		want       []analysis.Term
	}{
		{"nothing", " ", nil},
		{"words", "dogs bark", []analysis.Term{{Term: "=dogs", Weight: 0.3}, {Term: "dog", Weight: 1}, {Term: "=bark", Weight: 0.3}, {Term: "bark", Weight: 1}}},
		{"a word twice", "dogs and dogs", []analysis.Term{{Term: "=dogs", Weight: 0.3 * math.Sqrt2}, {Term: "dog", Weight: math.Sqrt2}, {Term: "=and", Weight: 0.03}, {Term: "and", Weight: 0.1}}},
		{"function words beside others", "the dog", []analysis.Term{{Term: "=the", Weight: 0.03}, {Term: "the", Weight: 0.1}, {Term: "=dog", Weight: 0.3}, {Term: "dog", Weight: 1}}},
		{"function words alone", "и не", []analysis.Term{{Term: "=и", Weight: 0.3}, {Term: "и", Weight: 1}, {Term: "=не", Weight: 0.3}, {Term: "не", Weight: 1}}},
		{"pairs", "数据库", []analysis.Term{{Term: "数据", Weight: 1}, {Term: "据库", Weight: 1}}},
		{"character", "猫", []analysis.Term{{Term: "猫", Weight: 1}}},
		{"compound", "X-7", []analysis.Term{{Term: "=x-7", Weight: 1}, {Term: "x7", Weight: 0.5}, {Term: "x", Weight: 0.5}, {Term: "7", Weight: 0.5}}},
		{"word with borders", "SP7", []analysis.Term{{Term: "=sp7", Weight: 0.3}, {Term: "sp7", Weight: 1}, {Term: "sp", Weight: 0.5}, {Term: "7", Weight: 0.5}}},
	} {
		t.Run(tc.name, func(t *testing.T) {
			near := cmp.Comparer(func(a, b float64) bool { return a-b < 1e-9 && b-a < 1e-9 })
			if diff := cmp.Diff(tc.want, analysis.Query(tc.text, false), near); diff != "" {
				t.Errorf("%q (-want +got):\n%s", tc.text, diff)
			}
		})
	}
}

func FuzzTokens(f *testing.F) {
	for _, s := range []string{
		"Running dogs' résumé", "Пётр за́мок и\u0306од", "数据库v2使用", "DEC-0054 __init__ C++ std::vector @a/b", "1,234.5 ٢٠",
		"\u0301\u200d'_-.", "a\xff\x00b", "ﾊﾝｶｸ ที่ ☕️", strings.Repeat("ab1", 200),
	} {
		f.Add(s, "tail")
	}
	f.Fuzz(func(t *testing.T, text, tail string) {
		tokens := analysis.Tokens(text)
		terms := make(map[string]bool)
		for i, tok := range tokens {
			terms[tok.Term] = true
			last := 0
			if i > 0 {
				last = tokens[i-1].Position
			}
			if step := tok.Position - last; step < 0 || step > 1 || i == 0 && step != 0 {
				t.Fatalf("%q: positions jump at %v", text, tok)
			}
			if strings.TrimPrefix(tok.Term, "=") == "" || len(tok.Term) > analysis.MaxTerm+1 {
				t.Fatalf("%q: term has %d bytes", text, len(tok.Term))
			}
			if tok.Term != strings.ToValidUTF8(tok.Term, "") {
				t.Fatalf("%q: term %q is not UTF-8", text, tok.Term)
			}
		}
		weighed := analysis.Query(text, false)
		if len(weighed) == 0 && len(tokens) > 0 {
			t.Fatalf("%q: nothing to look up", text)
		}
		for _, term := range weighed {
			if !terms[term.Term] || !(term.Weight > 0) {
				t.Fatalf("%q: query has %v", text, term)
			}
		}
		if diff := cmp.Diff(tokens, analysis.Tokens(norm.NFD.String(strings.ToValidUTF8(text, " ")))); diff != "" {
			t.Fatalf("%q: decomposed text differs (-want +got):\n%s", text, diff)
		}
		// What stands on lines of their own does not touch.
		want := tokens
		for _, tok := range analysis.Tokens(tail) {
			tok.Position += analysis.Length(tokens)
			want = append(want, tok)
		}
		if diff := cmp.Diff(want, analysis.Tokens(text+"\n"+tail)); diff != "" {
			t.Fatalf("%q and %q together differ (-want +got):\n%s", text, tail, diff)
		}
	})
}
