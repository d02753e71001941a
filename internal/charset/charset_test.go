package charset_test

import (
	"errors"
	"math/rand/v2"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/google/go-cmp/cmp"
	"golang.org/x/text/encoding"
	"golang.org/x/text/encoding/charmap"
	"golang.org/x/text/encoding/japanese"
	"golang.org/x/text/encoding/korean"
	"golang.org/x/text/encoding/simplifiedchinese"
	"golang.org/x/text/encoding/traditionalchinese"
	"golang.org/x/text/encoding/unicode"
	"golang.org/x/text/encoding/unicode/utf32"

	"github.com/minirag/minirag/internal/charset"
)

func encode(t testing.TB, enc encoding.Encoding, s string) []byte {
	t.Helper()
	b, err := enc.NewEncoder().Bytes([]byte(s))
	if err != nil {
		t.Fatalf("encode %q: %v", s, err)
	}
	return b
}

func TestDecodeLegacy(t *testing.T) {
	cyrillic := []encoding.Encoding{charmap.Windows1251, charmap.KOI8R, charmap.CodePage866, charmap.ISO8859_5, charmap.MacintoshCyrillic}
	western := []encoding.Encoding{charmap.Windows1252, charmap.Macintosh, charmap.CodePage850}
	central := []encoding.Encoding{charmap.Windows1250, charmap.ISO8859_2, charmap.CodePage852}
	for _, tc := range []struct {
		text string
		encs []encoding.Encoding
	}{
		{"Привет, мир", cyrillic},
		{"Кот и пёс", cyrillic[:3]},
		{"ДОГОВОР ПОСТАВКИ", cyrillic},
		{"отчёт", cyrillic},
		{"Name;Цена\nWidget;сто рублей\n", cyrillic},
		{"Срок оплаты: 10 дней с даты поставки.", cyrillic},
		{"Наш дім стоїть біля річки, а поруч росте калина.", []encoding.Encoding{charmap.Windows1251, charmap.KOI8U}},
		{"Договорът влиза в сила от деня на подписването му.", cyrillic[:3]},
		{"Le café est fermé cet été.", western},
		{"Die Straße führt über die Brücke.", western},
		{"El niño mañana comerá jamón.", western},
		{"O coração não tem razões.", western},
		{"Äpfel", western[:1]},
		{"Smörgåsbord på en ö", western},
		{"20 °C — “quoted”", western[:1]},
		{"A naïve résumé in plain English text, only two words of it.", western},
		{"Zażółć gęślą jaźń", central},
		{"Příliš žluťoučký kůň úpěl ďábelské ódy", central},
		{"Árvíztűrő tükörfúrógép", central},
		{"Işık ve gölge, ağaç ve çiçek", []encoding.Encoding{charmap.Windows1254}},
		{"Καλημέρα κόσμε, τι κάνεις;", []encoding.Encoding{charmap.Windows1253, charmap.ISO8859_7}},
		{"שלום עולם, מה שלומך היום", []encoding.Encoding{charmap.Windows1255}},
		{"مرحبا بالعالم كيف حالك اليوم", []encoding.Encoding{charmap.Windows1256}},
		{"สวัสดีชาวโลก วันนี้เป็นอย่างไร", []encoding.Encoding{charmap.Windows874}},
		{"これは日本語の文章です。", []encoding.Encoding{japanese.ShiftJIS, japanese.EUCJP, japanese.ISO2022JP}},
		{"名前,部署\n田中,開発部\n", []encoding.Encoding{japanese.ShiftJIS}},
		{"今天天气很好，我们去公园散步。", []encoding.Encoding{simplifiedchinese.GBK, simplifiedchinese.GB18030}},
		{"今天天氣很好，我們去公園散步。", []encoding.Encoding{traditionalchinese.Big5}},
		{"안녕하세요, 오늘 날씨가 좋습니다.", []encoding.Encoding{korean.EUCKR}},
	} {
		for _, enc := range tc.encs {
			got, name, err := charset.Decode(encode(t, enc, tc.text), "")
			if err != nil {
				t.Errorf("Decode(%q in %v): %v", tc.text, enc, err)
			} else if got != tc.text {
				t.Errorf("Decode(%q in %v) = %q as %s", tc.text, enc, got, name)
			}
		}
	}
}

func TestDecodeUnicode(t *testing.T) {
	for _, text := range []string{"Plain text\n", "Отчёт за август\n", "日本語のテキスト です\n", "emoji 👍🏽 and 𐌲 end\n"} {
		for name, enc := range map[string]encoding.Encoding{
			"utf-8":     unicode.UTF8,
			"utf-8-bom": unicode.UTF8BOM,
			"utf-16le":  unicode.UTF16(unicode.LittleEndian, unicode.IgnoreBOM),
			"utf-16be":  unicode.UTF16(unicode.BigEndian, unicode.IgnoreBOM),
			"utf-16bom": unicode.UTF16(unicode.LittleEndian, unicode.UseBOM),
			"utf-32le":  utf32.UTF32(utf32.LittleEndian, utf32.IgnoreBOM),
			"utf-32be":  utf32.UTF32(utf32.BigEndian, utf32.UseBOM),
		} {
			got, as, err := charset.Decode(encode(t, enc, text), "")
			if err != nil {
				t.Errorf("%s: Decode(%q): %v", name, text, err)
			} else if diff := cmp.Diff(text, got); diff != "" {
				t.Errorf("%s: as %s (-want +got)\n%s", name, as, diff)
			}
		}
	}
}

func TestDecodeLateByte(t *testing.T) {
	ascii := strings.Repeat("Nothing but seven bits in this line of text.\n", 20_000)
	for _, tail := range []string{"señal — fin", "конец"} {
		got, _, err := charset.Decode([]byte(ascii+tail), "")
		if err != nil || !strings.HasSuffix(got, tail) {
			t.Errorf("late %q: %v", tail, err)
		}
	}
	got, name, err := charset.Decode(append([]byte(ascii), encode(t, charmap.Windows1251, "Приложение к договору")...), "")
	if err != nil || !strings.HasSuffix(got, "Приложение к договору") {
		t.Errorf("late cp1251: as %s, %v", name, err)
	}
}

func TestDecodeDeclared(t *testing.T) {
	for _, tc := range []struct {
		name, declared, want string
		data                 []byte
	}{
		{"right", "windows-1251", "Ёж", encode(t, charmap.Windows1251, "Ёж")},
		{"utf-8 declared as latin", "iso-8859-1", "Ёж", []byte("Ёж")},
		{"legacy declared as utf-8", "utf-8", "Срок оплаты", encode(t, charmap.Windows1251, "Срок оплаты")},
		{"unknown label", "x-no-such", "Срок оплаты", encode(t, charmap.KOI8R, "Срок оплаты")},
		{"short and only the header knows", "iso-8859-2", "ł", encode(t, charmap.ISO8859_2, "ł")},
	} {
		got, _, err := charset.Decode(tc.data, tc.declared)
		if err != nil || got != tc.want {
			t.Errorf("%s: got %q, %v; want %q", tc.name, got, err, tc.want)
		}
	}
}

func TestDecodeDamagedUTF8(t *testing.T) {
	text := strings.Repeat("Строка текста на русском языке. ", 20)
	got, name, err := charset.Decode([]byte(text[:len(text)/2+1]+"\xff"+text[len(text)/2+2:]), "")
	if err != nil || name != "utf-8" || !strings.Contains(got, "\ufffd") {
		t.Errorf("one bad byte: %s, %v", name, err)
	}
	got, name, err = charset.Decode([]byte("Grüße, schöne Füße, café: one byte is \xe9"), "")
	if err != nil || name != "utf-8" || !strings.HasPrefix(got, "Grüße, schöne Füße, café: one byte is ") {
		t.Errorf("one bad byte to six characters: %q, %s, %v", got, name, err)
	}
	got, _, err = charset.Decode([]byte(text[:101]), "")
	if err != nil || !strings.HasPrefix(text, got) || len(got) < 99 {
		t.Errorf("cut: %q, %v", got, err)
	}
}

func TestDecodeBinary(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	random := make([]byte, 4096)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	for name, data := range map[string][]byte{
		"random": random,
		"zeros":  make([]byte, 512),
		"png":    []byte("\x89PNG\r\n\x1a\n\x00\x00\x00\rIHDR\x00\x00\x00\x01\x00\x00\x00\x01\x08\x06\x00\x00\x00\x1f\x15\xc4\x89"),
	} {
		if got, as, err := charset.Decode(data, ""); !errors.Is(err, charset.ErrBinary) && !errors.Is(err, charset.ErrUnknown) {
			t.Errorf("%s: got %d bytes as %s, %v", name, len(got), as, err)
		}
	}
	if got, _, err := charset.Decode([]byte("name,value\nalpha\x00,1\nbeta,2\n"), ""); err != nil || !strings.Contains(got, "beta") {
		t.Errorf("one zero byte in a field: %q, %v", got, err)
	}
}

func FuzzDecode(f *testing.F) {
	f.Add([]byte("plain"), "")
	f.Add([]byte("\xcf\xf0\xe8\xe2\xe5\xf2"), "windows-1251")
	f.Add([]byte("\xff\xfea\x00"), "utf-8")
	f.Add([]byte("\x1b$B%3%s\x1b(J"), "")
	f.Fuzz(func(t *testing.T, data []byte, declared string) {
		got, _, err := charset.Decode(data, declared)
		if err != nil {
			return
		}
		if !utf8.ValidString(got) {
			t.Errorf("not UTF-8: %q", got)
		}
		if len(got) > 4*len(data)+4 {
			t.Errorf("%d bytes became %d", len(data), len(got))
		}
		if utf8.Valid(data) && !strings.ContainsAny(string(data), "\x00\x1b\ufeff") && got != string(data) {
			t.Errorf("valid UTF-8 %q became %q", data, got)
		}
	})
}

func BenchmarkDetect(b *testing.B) {
	data := encode(b, charmap.Windows1251, strings.Repeat("Срок оплаты: 10 дней с даты поставки.\n", 2000))
	b.SetBytes(int64(len(data)))
	for b.Loop() {
		charset.Detect(data)
	}
}
