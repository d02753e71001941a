// Package converttest has the tests that every [convert.Converter] must pass.
// It imports the standard library and convert only.
package converttest

import (
	"bytes"
	"context"
	"errors"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"

	"github.com/minirag/minirag/convert"
)

// A Suite describes one converter to [Suite.Run].
type Suite struct {
	// Converter is under test.
	Converter convert.Converter
	// Sample is a small valid document, of more than 100 bytes of output.
	Sample convert.Source
	// Want is text that Sample's Markdown holds.
	Want string
	// Deep returns a document with the given number of nested levels, or is
	// nil for a format that cannot nest.
	Deep func(levels int) []byte
}

// Run runs the suite's tests as subtests of t.
func (s Suite) Run(t *testing.T) {
	t.Run("sample", s.sample)
	t.Run("concurrent", s.concurrent)
	t.Run("cancelled", s.cancelled)
	t.Run("limits", s.limits)
	t.Run("hostile", s.hostile)
	if s.Deep != nil {
		t.Run("deep", s.deep)
	}
}

func (s Suite) guarded() convert.Converter { return convert.Guard("test", s.Converter) }

func (s Suite) sample(t *testing.T) {
	before := bytes.Clone(s.Sample.Data)
	doc, err := s.guarded().Convert(t.Context(), s.Sample, convert.Limits{})
	if err != nil {
		t.Fatalf("Convert(sample): %v", err)
	}
	if !strings.Contains(doc.Markdown, s.Want) {
		t.Errorf("Markdown lacks %q:\n%s", s.Want, doc.Markdown)
	}
	if len(doc.Markdown) <= 100 {
		t.Errorf("sample gives only %d bytes of Markdown", len(doc.Markdown))
	}
	if !bytes.Equal(before, s.Sample.Data) {
		t.Error("Convert changed its input")
	}
	if doc.Format == "" || doc.Format == "test" {
		t.Error("Convert did not set Format")
	}
	checkNormal(t, doc)
}

func (s Suite) concurrent(t *testing.T) {
	want, err := s.Converter.Convert(t.Context(), s.Sample, convert.Limits{}.WithDefaults())
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := s.Converter.Convert(t.Context(), s.Sample, convert.Limits{}.WithDefaults())
			if err != nil || got.Markdown != want.Markdown {
				t.Errorf("concurrent Convert differs (error %v)", err)
			}
		})
	}
	wg.Wait()
}

func (s Suite) cancelled(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := s.Converter.Convert(ctx, s.Sample, convert.Limits{}.WithDefaults()); !errors.Is(err, context.Canceled) {
		t.Errorf("Convert with a cancelled context: %v, want context.Canceled", err)
	}
}

func (s Suite) limits(t *testing.T) {
	for name, l := range map[string]convert.Limits{
		"input":  {InputBytes: int64(len(s.Sample.Data)) - 1},
		"output": {OutputBytes: 100},
	} {
		_, err := s.guarded().Convert(t.Context(), s.Sample, l)
		var e *convert.Error
		if !errors.Is(err, convert.ErrTooLarge) || !errors.As(err, &e) {
			t.Errorf("%s limit: %v, want a *convert.Error that wraps ErrTooLarge", name, err)
		}
	}
	// The defaults are applied by a converter itself, too.
	if _, err := s.Converter.Convert(t.Context(), s.Sample, convert.Limits{}); err != nil {
		t.Errorf("Convert with zero limits: %v", err)
	}
}

func (s Suite) hostile(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4)) // a fixed seed: failures repeat
	random := make([]byte, 3000)
	for i := range random {
		random[i] = byte(r.Uint32())
	}
	inputs := [][]byte{nil, {0}, []byte("\n"), random, make([]byte, 4096)}
	sample := s.Sample.Data
	for i := range 48 {
		inputs = append(inputs, sample[:len(sample)*i/48])
	}
	for range 48 {
		broken := bytes.Clone(sample)
		for range 1 + r.IntN(8) {
			broken[r.IntN(len(broken))] = byte(r.Uint32())
		}
		inputs = append(inputs, broken)
	}
	for _, data := range inputs {
		src := s.Sample
		src.Data = data
		// The converter itself, not the guard, so that a panic fails the test.
		doc, err := s.Converter.Convert(t.Context(), src, convert.Limits{}.WithDefaults())
		s.outcome(t, src, doc, err)
	}
}

func (s Suite) deep(t *testing.T) {
	for _, levels := range []int{100, 100_000} {
		src := s.Sample
		src.Data = s.Deep(levels)
		doc, err := s.Converter.Convert(t.Context(), src, convert.Limits{}.WithDefaults())
		s.outcome(t, src, doc, err)
		if err == nil && len(doc.Markdown) > 20*len(src.Data)+1000 {
			t.Errorf("%d levels: %d bytes became %d", levels, len(src.Data), len(doc.Markdown))
		}
	}
}

func (s Suite) outcome(t *testing.T, src convert.Source, doc *convert.Document, err error) {
	t.Helper()
	if err != nil {
		if !Sentinel(err) {
			t.Errorf("error wraps no sentinel of convert: %v", err)
		}
		return
	}
	if doc == nil {
		t.Error("neither document nor error")
		return
	}
	again := convert.ConverterFunc(func(context.Context, convert.Source, convert.Limits) (*convert.Document, error) { return doc, nil })
	doc, err = convert.Guard("test", again).Convert(t.Context(), src, convert.Limits{})
	if err != nil {
		t.Errorf("guard: %v", err)
		return
	}
	checkNormal(t, doc)
}

// Sentinel reports whether err wraps one of package convert's sentinels.
func Sentinel(err error) bool {
	for _, s := range []error{convert.ErrUnsupported, convert.ErrDamaged, convert.ErrEncrypted, convert.ErrTooLarge, convert.ErrNoText} {
		if errors.Is(err, s) {
			return true
		}
	}
	return false
}

func checkNormal(t *testing.T, doc *convert.Document) {
	t.Helper()
	texts := append([]string{doc.Markdown, doc.Title}, doc.Warnings...)
	for _, v := range doc.Metadata {
		texts = append(texts, v)
	}
	for _, s := range texts {
		if convert.Normalize(s) != s {
			t.Errorf("text is not in normal form: %.80q", s)
		}
	}
}
