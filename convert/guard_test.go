package convert_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"
	"unicode/utf16"
	"unicode/utf8"

	"github.com/minirag/minirag/convert"
)

func TestGuard(t *testing.T) {
	type fn = convert.ConverterFunc
	for _, tc := range []struct {
		name   string
		c      fn
		limits convert.Limits
		is     error
		says   string
	}{
		{"panic", func(context.Context, convert.Source, convert.Limits) (*convert.Document, error) {
			panic("index out of range")
		}, convert.Limits{}, convert.ErrDamaged, "index out of range"},
		{"nil", func(context.Context, convert.Source, convert.Limits) (*convert.Document, error) { return nil, nil }, convert.Limits{}, convert.ErrDamaged, "nothing"},
		{"time", func(ctx context.Context, _ convert.Source, _ convert.Limits) (*convert.Document, error) {
			<-ctx.Done()
			return nil, ctx.Err()
		}, convert.Limits{Time: time.Millisecond}, convert.ErrTooLarge, "time"},
		{"input", named("x").Convert, convert.Limits{InputBytes: 3}, convert.ErrTooLarge, "input size"},
		{"output", named("four").Convert, convert.Limits{OutputBytes: 3}, convert.ErrTooLarge, "output size"},
		{"own error", func(context.Context, convert.Source, convert.Limits) (*convert.Document, error) {
			return nil, convert.ErrEncrypted
		}, convert.Limits{}, convert.ErrEncrypted, "without a password"},
	} {
		_, err := convert.Guard("toy", tc.c).Convert(t.Context(), convert.Source{Name: "a.toy", Data: []byte("data")}, tc.limits)
		var e *convert.Error
		if !errors.Is(err, tc.is) || !errors.As(err, &e) || e.Source != "a.toy" || e.Format != "toy" {
			t.Errorf("%s: %#v", tc.name, err)
		} else if !strings.Contains(err.Error(), tc.says) || !strings.Contains(err.Error(), "a.toy") {
			t.Errorf("%s: error %q does not say %q and the name", tc.name, err, tc.says)
		}
	}
}

func TestGuardCancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	c := convert.Guard("toy", convert.ConverterFunc(func(ctx context.Context, _ convert.Source, _ convert.Limits) (*convert.Document, error) {
		cancel()
		<-ctx.Done()
		return nil, ctx.Err()
	}))
	if _, err := c.Convert(ctx, convert.Source{}, convert.Limits{}); err != context.Canceled {
		t.Errorf("got %v, want context.Canceled itself", err)
	}
}

func TestNormalize(t *testing.T) {
	for _, tc := range []struct{ in, want string }{
		{"plain\ttext\f\n", "plain\ttext\f\n"},
		{"a\r\nb\rc\u2028d\u0085e", "a\nb\nc\nd\ne"},
		{"\ufeffBOM", "BOM"},
		{"a\x00b\x1bc\u009fd\x7f", "abcd"},
		{"\x1b[31mred\x1b[0m, \x1b[1;4mbold\x1b[m \x1b[12 cut\x1b[\u0431", "red, bold ut[\u0431"},
		{"cafe\u0301", "caf\u00e9"},
		{"\u0438\u0306\u0435\u0308", "\u0439\u0451"},
		{"e\ufb03cient pro\ufb01le", "efficient profile"},
		{"hy\u00adphen", "hyphen"},
		{"bad\xffbyte", "bad\ufffdbyte"},
		{"\ufffe\U0001ffff\ufdd0x", "x"},
	} {
		if got := convert.Normalize(tc.in); got != tc.want {
			t.Errorf("Normalize(%q) = %q, want %q", tc.in, got, tc.want)
		}
	}
}

func TestSniffWideText(t *testing.T) {
	units := func(order binary.AppendByteOrder, s string) []byte {
		var b []byte
		for _, u := range utf16.Encode([]rune(s)) {
			b = order.AppendUint16(b, u)
		}
		return b
	}
	for _, s := range []string{"plain", "Hello мир without a mark", "Пётр и Жанна", "שלום עולם"} {
		for _, order := range []binary.AppendByteOrder{binary.LittleEndian, binary.BigEndian} {
			if got := convert.Sniff(units(order, s)); got != convert.Text {
				t.Errorf("Sniff(%q in %v) = %v", s, order, got)
			}
		}
	}
	for _, binaryData := range []string{"\x05\x00\x07\x00\x01\x00\x02\x00", "\x00\x01\x00\x02\x00\x03\x00\x04", "\x00\x00\x00\x01\x02\x00\x00\x00"} {
		if got := convert.Sniff([]byte(strings.Repeat(binaryData, 40))); got == convert.Text {
			t.Errorf("Sniff(%q...) = text", binaryData)
		}
	}
}

func TestGuardHintForBrokenArchive(t *testing.T) {
	whole := zipOf(t, "word/document.xml")
	failing := convert.ConverterFunc(func(context.Context, convert.Source, convert.Limits) (*convert.Document, error) {
		return nil, fmt.Errorf("%w: something", convert.ErrDamaged)
	})
	for _, tc := range []struct {
		name string
		data []byte
		want bool
	}{
		{"cut", whole[:len(whole)-10], true},
		{"whole", whole, false},
		{"text", []byte("words"), false},
	} {
		_, err := convert.Guard("docx", failing).Convert(t.Context(), convert.Source{Name: "a.docx", Data: tc.data}, convert.Limits{})
		if got := strings.Contains(fmt.Sprint(err), "copy or download it again"); got != tc.want || !errors.Is(err, convert.ErrDamaged) {
			t.Errorf("%s: error %v, hint %v, want %v", tc.name, err, got, tc.want)
		}
	}
}

func FuzzNormalize(f *testing.F) {
	for _, s := range []string{"a\r\nb", "\ufeffe\u0301", "\xff\x00", "\ufb01\u0301", "e\u00ad\u0301"} {
		f.Add(s)
	}
	f.Fuzz(func(t *testing.T, s string) {
		got := convert.Normalize(s)
		if !utf8.ValidString(got) || strings.ContainsAny(got, "\r\x00\ufeff\u00ad") {
			t.Errorf("Normalize(%q) = %q is not normal", s, got)
		}
		if again := convert.Normalize(got); again != got {
			t.Errorf("not idempotent: %q, then %q", got, again)
		}
	})
}

func FuzzSniff(f *testing.F) {
	f.Add([]byte("PK\x03\x04"))
	f.Add([]byte("<!doctype html>"))
	f.Add([]byte("\xff\xfea\x00"))
	f.Fuzz(func(t *testing.T, data []byte) {
		got := convert.Sniff(data)
		if (got == convert.Empty) != (len(data) == 0) || got == convert.Any {
			t.Errorf("Sniff(%q) = %v", data, got)
		}
		_, _ = router().Convert(t.Context(), convert.Source{Data: data}, convert.Limits{})
	})
}
