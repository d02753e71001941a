package bert_test

import (
	"math"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/embed/bert"
)

func newWordPieceModel(phantom bool) *tiny {
	m := newTiny()
	m.tokenizer = "bert"
	m.tokens = nil
	for _, s := range []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "un", "##aff", "##able", "able", "run", "##s", "[", "]", "unk", ".", "中", "cafe", "и", "##й", "a", "##b", "#"} {
		if phantom && !(strings.HasPrefix(s, "[") && len(s) > 1) {
			if rest, ok := strings.CutPrefix(s, "##"); ok {
				s = rest
			} else {
				s = "\u2581" + s
			}
		}
		m.tokens = append(m.tokens, s)
	}
	m.scores = make([]float32, len(m.tokens))
	m.kinds = make([]int32, len(m.tokens))
	for i := range m.kinds {
		m.kinds[i] = 1
		if i < 4 {
			m.kinds[i] = 3
		}
	}
	return m
}

func TestWordPiece(t *testing.T) {
	tests := []struct {
		text string
		want string // pieces as BERT's plain form has them
	}{
		{"", ""},
		{" \t\n", ""},
		{"unaffable", "un ##aff ##able"},
		{"able", "able"},
		{"Unaffable runs.", "un ##aff ##able run ##s ."},
		{"run.run", "run . run"},
		{"xun", "[UNK]"},
		{"unx able", "[UNK] able"},
		{"[UNK]", "[ unk ]"},
		{"run中able", "run 中 able"},
		{"CAFÉ", "cafe"},
		{"Cafe\u0301", "cafe"},
		{"й", "и"}, // the breve is an accent
		{"run\u00ad\u200bs", "run ##s"},
		{"ru\x00ns\ufffd", "run ##s"},
		{"run\vs\u0085", "run ##s"}, // controls that are spaces elsewhere
		{"run\u00a0run\u2028run", "run run run"},
		{"ab\xff", "a ##b"},
		{"##", "# #"},
		{"a" + strings.Repeat("b", 99), "a" + strings.Repeat(" ##b", 99)},
		{"a" + strings.Repeat("b", 100), "[UNK]"},
	}
	plain := newWordPieceModel(false).tokens
	for _, phantom := range []bool{false, true} {
		tok := newWordPieceModel(phantom).open(t, nil).Tokenizer()
		for _, tc := range tests {
			var got []string
			for _, id := range tok.Encode(nil, tc.text) {
				got = append(got, plain[id])
			}
			want := append(append([]string{"[CLS]"}, strings.Fields(tc.want)...), "[SEP]")
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("phantom %v, %q (-want +got):\n%s", phantom, tc.text, diff)
			}
			if n := tok.Count(tc.text); n != len(got) {
				t.Errorf("phantom %v, %q: Count = %d, want %d", phantom, tc.text, n, len(got))
			}
		}
	}
}

func TestWordPieceKeepsCaseOfCasedVocabulary(t *testing.T) {
	m := newWordPieceModel(true)
	m.tokens[len(m.tokens)-1] = "\u2581Run"
	tok := m.open(t, nil).Tokenizer()
	if diff := cmp.Diff([]int32{2, 20, 8, 1, 3}, tok.Encode(nil, "Run run RUN")); diff != "" {
		t.Error(diff)
	}
}

func TestWordPieceFoldsCaseThoughSomeCapitalsHaveNoOther(t *testing.T) {
	m := newWordPieceModel(true)
	m.tokens[len(m.tokens)-1] = "\u2581\u211d"
	tok := m.open(t, nil).Tokenizer()
	if diff := cmp.Diff([]int32{2, 8, 20, 3}, tok.Encode(nil, "Run \u211d")); diff != "" {
		t.Error(diff)
	}
}

func TestUnigram(t *testing.T) {
	m := newTiny()
	tests := []struct {
		text string
		want []string
	}{
		{"", nil},
		{" ", []string{"\u2581"}},
		{"a", []string{"\u2581a"}},
		{"  a   a ", []string{"\u2581a", "\u2581a", "\u2581"}},
		{"\u2581a", []string{"\u2581a"}},
		{"ab", []string{"\u2581ab"}},
		{"aab", []string{"\u2581a", "ab"}},
		{"bca", []string{"\u2581", "bca"}},
		{"xyz", []string{"\u2581", "<unk>"}},
		{"xbyz", []string{"\u2581", "<unk>", "b", "<unk>"}},
		{"x y", []string{"\u2581", "<unk>", "\u2581", "<unk>"}},
		{"<s>a</s>", []string{"\u2581", "<unk>", "a", "<unk>"}},
		{"б", []string{"\u2581б"}},
		{"a\xffb", []string{"\u2581a", "<unk>", "b"}},
		{"\xff", []string{"\u2581", "<unk>"}},
	}
	tok := m.open(t, nil).Tokenizer()
	for _, tc := range tests {
		var got []string
		for _, id := range tok.Encode(nil, tc.text) {
			got = append(got, m.tokens[id])
		}
		want := append(append([]string{"<s>"}, tc.want...), "</s>")
		if diff := cmp.Diff(want, got); diff != "" {
			t.Errorf("%q (-want +got):\n%s", tc.text, diff)
		}
	}
}

// A text without spaces takes memory for a part of it only, and loses nothing.
func TestUnigramOfOneLongWord(t *testing.T) {
	m := newTiny()
	tok := m.open(t, nil).Tokenizer()
	for _, n := range []int{1<<16 - 2, 1<<16 - 1, 1 << 16, 1<<17 + 5} {
		var spelled strings.Builder
		ids := tok.Encode(nil, strings.Repeat("c", n))
		for _, id := range ids[1 : len(ids)-1] {
			spelled.WriteString(m.tokens[id])
		}
		if want := "\u2581" + strings.Repeat("c", n); spelled.String() != want {
			t.Errorf("%d characters: the pieces spell %d bytes, want %d", n, spelled.Len(), len(want))
		}
	}
}

// The ids of any text are those of a search that tries every piece at every
// place, and the pieces spell the text.
func FuzzUnigram(f *testing.F) {
	m := newTiny()
	tok := m.open(f, nil).Tokenizer()
	for _, s := range []string{"", "ab ba", "bcabca", " a\u0301 b\xff", "\u2581\u2581a", "bbbbab c", "б\r\nб"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, text string) {
		if len(text) > 2000 {
			return
		}
		got := tok.Encode([]int32{42}, text)
		if diff := cmp.Diff(append([]int32{42}, naiveUnigram(m, text)...), got); diff != "" {
			t.Fatalf("%q (-naive +got):\n%s", text, diff)
		}
		if n := tok.Count(text); n != len(got)-1 {
			t.Fatalf("%q: Count = %d, want %d", text, n, len(got)-1)
		}
	})
}

func naiveUnigram(m *tiny, text string) []int32 {
	var runes []rune // one at a time, as each bad byte is a character
	for _, r := range text {
		if r == ' ' && len(runes) > 0 && runes[len(runes)-1] == ' ' {
			continue
		}
		runes = append(runes, r)
	}
	text = strings.ReplaceAll(string(runes), " ", "\u2581")
	if text != "" && !strings.HasPrefix(text, "\u2581") {
		text = "\u2581" + text
	}
	out := []int32{0}
	for text != "" {
		end := strings.Index(text[3:], "\u2581")
		if end < 0 {
			end = len(text) - 3
		}
		word := text[:end+3]
		text = text[end+3:]
		// best[i] is the score of the best way to spell word[:i].
		best, from, id := make([]float64, len(word)+1), make([]int, len(word)+1), make([]int32, len(word)+1)
		for i := 1; i <= len(word); i++ {
			best[i] = math.Inf(-1)
		}
		for i := range word {
			_, size := utf8.DecodeRuneInString(word[i:])
			known := false
			try := func(k int, n int, score float64) {
				if s := best[i] + score; s > best[i+n] {
					best[i+n], from[i+n], id[i+n] = s, i, int32(k)
				}
			}
			for k, piece := range m.tokens {
				if m.kinds[k] == 1 && strings.HasPrefix(word[i:], piece) {
					known = known || len(piece) == size
					try(k, len(piece), float64(m.scores[k]))
				}
			}
			if !known {
				try(3, size, -7-10) // the lowest score is -7
			}
		}
		var spelled []int32
		for i := len(word); i > 0; i = from[i] {
			if id[i] == 3 && len(spelled) > 0 && spelled[0] == 3 {
				continue
			}
			spelled = append([]int32{id[i]}, spelled...)
		}
		out = append(out, spelled...)
	}
	return append(out, 2)
}

// A charsmap is taken from the file as it is, so any bytes must do.
func FuzzCharsmap(f *testing.F) {
	f.Add("\x00\x00\x00\x00", "a")
	f.Add("\x08\x00\x00\x00abcdefgh\x00", "a\u0301\U0001f1e6\U0001f1e6")
	f.Fuzz(func(t *testing.T, charsmap, text string) {
		m := newTiny()
		m.dims, m.heads, m.inner, m.layers = 32, 1, 32, 1
		m.charsmap = charsmap
		model, err := newModel(m)
		if err != nil {
			return
		}
		if got, n := model.Tokenizer().Encode(nil, text), model.Tokenizer().Count(text); n != len(got) {
			t.Fatalf("Count = %d, Encode gives %d", n, len(got))
		}
	})
}

// A prepared vocabulary gives the same ids, and one of another model, or a
// damaged one, is not used.
func TestPreparedVocabulary(t *testing.T) {
	m, other := newTiny(), newTiny()
	other.tokens[6] = "q"
	prepare := func(m *tiny) string {
		b, err := bert.PrepareVocabulary(string(m.bytes()))
		if err != nil {
			t.Fatal(err)
		}
		return string(b)
	}
	own := prepare(m)
	const text = "ab ba bcabca x\x00 б"
	want := m.open(t, nil).Tokenizer().Encode(nil, text)
	for name, table := range map[string]string{
		"own": own, "of another model": prepare(other), "cut": own[:len(own)-4], "damaged": own[:40] + "\x07" + own[41:],
		"of another kind": "mrvocab\x02" + own[8:], "a few bytes": own[:10],
	} {
		tok := m.open(t, &bert.Options{Vocabulary: table}).Tokenizer()
		if diff := cmp.Diff(want, tok.Encode(nil, text)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", name, diff)
		}
	}
}

// The vocabulary is found whole, whatever its pieces share.
func FuzzVocabulary(f *testing.F) {
	f.Add("a ab abc b\xff \xff \x00 é éa 中 abd abe")
	f.Add(strings.Repeat("x", 300) + " x xx xxx")
	f.Fuzz(func(t *testing.T, list string) {
		m := newTiny()
		m.dims, m.heads, m.inner, m.layers = 32, 1, 32, 1
		first := map[string]int32{}
		for _, s := range strings.Fields(list) {
			if len(m.tokens) > 300 {
				break
			}
			m.tokens = append(m.tokens, s)
			m.scores = append(m.scores, 0)
			m.kinds = append(m.kinds, 1)
		}
		for i, s := range m.tokens {
			if _, ok := first[s]; !ok && m.kinds[i] == 1 {
				first[s] = int32(i)
			}
		}
		model, err := newModel(m)
		if err != nil {
			t.Fatal(err)
		}
		// A piece with the best of scores, 0, stands for a word that it spells.
		for s, id := range first {
			if !strings.HasPrefix(s, "\u2581") || strings.Contains(s[3:], "\u2581") || !utf8.ValidString(s) || m.scores[id] != 0 {
				continue
			}
			got := model.Tokenizer().Encode(nil, s)
			total := float32(0)
			for _, id := range got[1 : len(got)-1] {
				total += m.scores[id]
			}
			if total != 0 {
				t.Fatalf("%q: ids %v of score %v, want %d", s, got, total, id)
			}
		}
	})
}
