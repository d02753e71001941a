package bert_test

import (
	"context"
	"encoding/binary"
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/bert"
)

var typeNames = map[int]string{f32: "F32", f16: "F16", q40: "Q4_0", q41: "Q4_1", q80: "Q8_0"}

// kernels are those of this machine, the portable one among them.
func kernels() []string {
	names := []string{"portable"}
	if best := (&bert.Options{}).KernelName(); best != "portable" {
		names = append(names, best)
	}
	return names
}

// ids is a sequence of n ids that differ.
func ids(n, vocabulary int) []int32 {
	s := make([]int32, n)
	for i := range s {
		s[i] = int32(i * 7 % vocabulary)
	}
	return s
}

func TestVectorsAgreeWithReference(t *testing.T) {
	odd := newTiny() // no size is a multiple of a panel
	odd.dims, odd.heads, odd.inner, odd.layers = 21, 3, 37, 3
	first := newTiny()
	first.pool = 2
	whole := newTiny() // attention in integers
	whole.typ, whole.heads = q40, 2
	models := map[string]*tiny{"odd sizes": odd, "first token": first, "whole heads": whole}
	for typ, name := range typeNames {
		m := newTiny()
		m.typ = typ
		models[name] = m
	}
	for name, m := range models {
		for _, kernel := range kernels() {
			for _, precision := range []bert.Precision{bert.Fast, bert.Exact} {
				t.Run(fmt.Sprintf("%s/%s/%d", name, kernel, precision), func(t *testing.T) {
					model := m.open(t, &bert.Options{Kernel: kernel, Precision: precision})
					limit := 1 - 1e-6
					if m.typ == q40 && precision == bert.Fast {
						limit = 0.999
					}
					for _, n := range []int{1, 2, 3, 4, 5, 17, m.context} {
						seq := ids(n, len(m.tokens))
						vecs, err := model.EmbedIDs(t.Context(), [][]int32{seq})
						if err != nil {
							t.Fatal(err)
						}
						want := make([]float32, m.dims)
						for i, v := range m.reference(seq) {
							want[i] = float32(v)
						}
						if c := cosine(vecs[0], want); !(c >= limit) {
							t.Errorf("%d tokens: cosine %v with the reference, want at least %v", n, c, limit)
						}
						if l := cosine(vecs[0], vecs[0]); len(vecs[0]) != m.dims || !(math.Abs(l-1) < 1e-5) {
							t.Errorf("%d tokens: %d values", n, len(vecs[0]))
						}
					}
				})
			}
		}
	}
}

// Neither its batch nor the number of threads may change a vector by a bit.
func TestBatchesDoNotMatter(t *testing.T) {
	for _, heads := range []int{4, 2} { // attention in float32 and in integers
		m := newTiny()
		m.typ, m.heads = q40, heads
		var seqs [][]int32
		var want [][]float32
		alone := m.open(t, &bert.Options{Threads: 1})
		for n := range 40 {
			seq := ids(1+n*5%m.context, len(m.tokens))
			seqs = append(seqs, seq)
			vecs, err := alone.EmbedIDs(t.Context(), [][]int32{seq})
			if err != nil {
				t.Fatal(err)
			}
			want = append(want, vecs[0])
		}
		for _, opts := range []*bert.Options{nil, {BatchTokens: 1}, {BatchTokens: 50, Threads: 3}, {Threads: 7}} {
			got, err := m.open(t, opts).EmbedIDs(t.Context(), seqs)
			if err != nil {
				t.Fatal(err)
			}
			if diff := cmp.Diff(want, got); diff != "" {
				t.Errorf("%+v: vectors differ (-alone +batch):\n%s", opts, diff)
			}
		}
	}
}

func TestConcurrentCallers(t *testing.T) {
	m := newTiny()
	model := m.open(t, &bert.Options{Threads: 2})
	seqs := [][]int32{ids(5, 10), ids(20, 10)}
	want, err := model.EmbedIDs(t.Context(), seqs)
	if err != nil {
		t.Fatal(err)
	}
	var wg sync.WaitGroup
	for range 8 {
		wg.Go(func() {
			got, err := model.EmbedIDs(t.Context(), seqs)
			if diff := cmp.Diff(want, got); err != nil || diff != "" {
				t.Errorf("%v (-alone +concurrent):\n%s", err, diff)
			}
		})
	}
	wg.Wait()
}

func TestSequencesThatAreRefused(t *testing.T) {
	m := newTiny()
	model := m.open(t, nil)
	good := ids(3, 5)
	_, err := model.EmbedIDs(t.Context(), [][]int32{good, ids(m.context+1, 5)})
	var tooLong *embed.TooLongError
	if !errors.As(err, &tooLong) {
		t.Fatalf("error = %v, want a *TooLongError", err)
	}
	if diff := cmp.Diff(&embed.TooLongError{Index: 1, Tokens: m.context + 1, Max: m.context}, tooLong); diff != "" {
		t.Error(diff)
	}
	for name, seq := range map[string][]int32{"empty": {}, "negative": {0, -1}, "beyond": {int32(len(m.tokens))}} {
		if _, err := model.EmbedIDs(t.Context(), [][]int32{good, seq}); err == nil || !strings.Contains(err.Error(), "sequence 1") {
			t.Errorf("%s: error = %v, want one that names sequence 1", name, err)
		}
	}
	if got, err := model.EmbedIDs(t.Context(), nil); err != nil || len(got) != 0 {
		t.Errorf("no sequences: %v, %v", got, err)
	}
}

// countdown is a context that is cancelled when it has been asked n times.
type countdown struct {
	context.Context
	mu sync.Mutex
	n  int
}

func (c *countdown) Err() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.n--; c.n < 0 {
		return context.Canceled
	}
	return nil
}

func TestCancelBetweenLayers(t *testing.T) {
	m := newTiny()
	m.layers = 6
	model := m.open(t, nil)
	seqs := [][]int32{ids(4, 5)}
	asked := 0
	for ; ; asked++ {
		got, err := model.EmbedIDs(&countdown{Context: t.Context(), n: asked}, seqs)
		if err == nil {
			break
		}
		if !errors.Is(err, context.Canceled) || got != nil {
			t.Fatalf("cancelled at question %d: %v, %v", asked, got, err)
		}
	}
	if asked < m.layers {
		t.Errorf("the context was asked %d times in %d layers", asked, m.layers)
	}
}

func TestVectorsThatAreNotFinite(t *testing.T) {
	m := newTiny()
	file := m.bytes()
	// The last tensor is the bias of the last norm.
	binary.LittleEndian.PutUint32(file[len(file)-4*m.dims:], math.Float32bits(float32(math.NaN())))
	model, err := bert.NewBytes(file, nil)
	if err != nil {
		t.Fatal(err)
	}
	if _, err := model.EmbedIDs(t.Context(), [][]int32{{1, 2}}); err == nil || !strings.Contains(err.Error(), "finite") {
		t.Errorf("error = %v, want one about a vector that is not finite", err)
	}
}

func TestInfo(t *testing.T) {
	m := newTiny()
	m.typ = q80
	got := m.open(t, &bert.Options{Threads: 3, Kernel: "portable"}).Info()
	want := bert.Info{Dims: m.dims, MaxTokens: m.context, Layers: m.layers, Weights: "Q8_0", Kernel: "portable", Threads: 3}
	if diff := cmp.Diff(want, got); diff != "" {
		t.Errorf("Info (-want +got):\n%s", diff)
	}
}

func TestOptionsThatAreRefused(t *testing.T) {
	file := newTiny().bytes()
	for want, opts := range map[string]*bert.Options{
		"abacus":    {Kernel: "abacus"},
		"-1 thread": {Threads: -1},
		"-2 tokens": {BatchTokens: -2},
		"precision": {Precision: 9},
	} {
		_, err := bert.NewBytes(file, opts)
		if err == nil || !strings.Contains(err.Error(), want) {
			t.Errorf("%+v: error = %v, want one with %q", opts, err, want)
		}
	}
}

func TestFilesThatAreRefused(t *testing.T) {
	whole := newTiny().bytes()
	swap := func(old, new string) []byte {
		if len(old) != len(new) || !strings.Contains(string(whole), old) {
			t.Fatalf("cannot swap %q for %q", old, new)
		}
		return []byte(strings.Replace(string(whole), old, new, 1))
	}
	huge := slices.Clone(whole)
	binary.LittleEndian.PutUint64(huge[8:], math.MaxUint64)
	manyKeys := slices.Clone(whole)
	binary.LittleEndian.PutUint64(manyKeys[16:], math.MaxUint64)
	for name, tc := range map[string]struct {
		file []byte
		want string
	}{
		"empty":             {nil, "letters GGUF"},
		"another format":    {[]byte("PK\x03\x04 and so on"), "letters GGUF"},
		"version":           {[]byte("GGUF\x09\x00\x00\x00"), "version 9"},
		"another model":     {swap("bert\x10", "bart\x10"), `architecture "bart"`},
		"no layers":         {swap("bert.block_count", "bert.block_cound"), "bert.block_count"},
		"no tensor":         {swap("blk.1.attn_v.weight", "blk.1.attn_w.weight"), "blk.1.attn_v.weight"},
		"another tokenizer": {swap("\x02\x00\x00\x00\x00\x00\x00\x00t5", "\x02\x00\x00\x00\x00\x00\x00\x00xy"), `tokenizer "xy"`},
		"too many tensors":  {huge, "malformed"},
		"too many keys":     {manyKeys, "malformed"},
	} {
		t.Run(name, func(t *testing.T) {
			_, err := bert.NewBytes(tc.file, nil)
			if err == nil || !strings.Contains(err.Error(), tc.want) || !strings.HasPrefix(err.Error(), "load model: ") {
				t.Errorf("error = %v, want one with %q", err, tc.want)
			}
		})
	}
	t.Run("cut short", func(t *testing.T) {
		for n := 0; n < len(whole); n += 1 + n/50 {
			if _, err := bert.NewBytes(whole[:n], nil); err == nil {
				t.Fatalf("the first %d of %d bytes are a model", n, len(whole))
			}
		}
	})
}

// What loads must also run: the same checks hold for a model from a mutated
// file as for any other.
func FuzzNew(f *testing.F) {
	for _, typ := range []int{f32, f16, q40, q41, q80} {
		m := newTiny()
		m.dims, m.heads, m.inner, m.layers, m.context, m.typ = 32, 2, 32, 1, 8, typ
		f.Add(m.bytes(), "ab a\u0301b")
	}
	w := newWordPieceModel(true)
	f.Add(w.bytes(), "unaffable [x]")
	f.Fuzz(func(t *testing.T, file []byte, text string) {
		model, err := bert.NewBytes(file, &bert.Options{Threads: 1})
		if err != nil {
			return
		}
		if len(text) > 1000 {
			text = text[:1000]
		}
		seq := model.Tokenizer().Encode(nil, text)
		if n := model.Tokenizer().Count(text); n != len(seq) {
			t.Fatalf("%q: Count = %d, Encode gives %d", text, n, len(seq))
		}
		for _, id := range seq {
			if id < 0 || int(id) >= model.Tokenizer().Size() {
				t.Fatalf("id %d of %d", id, model.Tokenizer().Size())
			}
		}
		seq = seq[:min(len(seq), 16, model.Info().MaxTokens)]
		vecs, err := model.EmbedIDs(t.Context(), [][]int32{seq})
		if err == nil && !(math.Abs(cosine(vecs[0], vecs[0])-1) < 1e-3) {
			t.Fatalf("vector %v", vecs[0])
		}
	})
}
