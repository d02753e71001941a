// Package bert runs text encoders of the BERT architecture from a GGUF file,
// on the CPU and without cgo: a tokenizer (Unigram or WordPiece), the forward
// pass, pooling, and vectors of length 1.
//
// The file has the metadata keys and tensor names that llama.cpp gives to
// "bert" models; tensors may be F32, F16, Q8_0, Q4_0 or Q4_1. The file is not
// copied: it may be mapped memory or a string embedded in the program, and
// must not change while the model is in use.
//
// Text is never cut. A sequence that is longer than the model takes is an
// error, and [Tokenizer.Count] tells the length beforehand.
//
// # Memory
//
// Beside the file a model holds its Q4_0 matrices unpacked to one byte a
// weight, except with [Exact], and the tokenizer's table, unless
// [Options.Vocabulary] has it; both are made by [New]. One batch is computed at
// a time, which takes 10 bytes a dimension for each of at most
// [Options.BatchTokens] tokens, and for each thread the activations of 144
// tokens, or of 252 with their inner layer where weights are not unpacked, and
// what attention needs: the sums of 144 tokens, and the queries, keys and values
// of as many heads as 192 KB hold, and those of one head as integers. The one query
// that may overtake it has as much for its own tokens. For multilingual-e5-small that
// is 24 MB, nothing (3 MB without package e5), 2 MB, 1.2 MB a thread, and as much for
// the longest query.
//
// The package imports the standard library, golang.org/x/{sys,text}, the
// grapheme clusters of rivo/uniseg, package embed, and its own kernels.
package bert

import (
	"errors"
	"fmt"
	"runtime"
	"sync"
	"sync/atomic"
	"unsafe"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// Precision chooses how the big matrix products are done.
type Precision int

const (
	// Fast multiplies Q4_0 weights with activations of 8 bits, which have one
	// scale for 64 values, and does the attention of models with such weights in
	// integers too, unless heads are not a multiple of 32 wide or a text is longer
	// than 8,192 tokens: with the exact vectors of multilingual-e5-small theirs have a
	// cosine of 0.9997 and more. Weights of other types are multiplied as in Exact.
	Fast Precision = iota
	// Exact multiplies in float32.
	Exact
)

// Options tunes a [Model]. Nil and the zero value are the documented defaults.
type Options struct {
	// Precision is how products are done. If zero, [Fast].
	Precision Precision
	// Threads is the number of goroutines that compute at once, for all
	// callers together. If zero, GOMAXPROCS at the time of [New].
	Threads int
	// Kernel names the instructions to use: "portable", on amd64 "avx2" or
	// "avx512vnni", on arm64 "neon" or "dotprod". If empty, the best that the
	// machine has.
	Kernel string
	// BatchTokens bounds the tokens that are worked on together, and so the
	// memory. If zero, 512; a sequence that is longer than the bound is
	// worked on alone.
	BatchTokens int
	// Vocabulary is what [PrepareVocabulary] made of the model's file, so that
	// New need not; it is used in place, like the file. One that was made of
	// another vocabulary is not used. Package e5 sets it itself.
	Vocabulary string
}

// Check reports what [New] would refuse in o, which may be nil, without a model.
func (o *Options) Check() error {
	if o == nil {
		return nil
	}
	var errs []error
	if o.Precision != Fast && o.Precision != Exact {
		errs = append(errs, fmt.Errorf("precision %d is neither Fast nor Exact", o.Precision))
	}
	if o.Threads < 0 {
		errs = append(errs, fmt.Errorf("%d threads", o.Threads))
	}
	if o.BatchTokens < 0 {
		errs = append(errs, fmt.Errorf("batches of %d tokens", o.BatchTokens))
	}
	if _, err := kernel.Named(o.Kernel); err != nil {
		errs = append(errs, err)
	}
	return errors.Join(errs...)
}

// KernelName returns the kernel that [New] would use, without a model; empty
// if there is no such kernel.
func (o *Options) KernelName() string {
	name := ""
	if o != nil {
		name = o.Kernel
	}
	set, err := kernel.Named(name)
	if err != nil {
		return ""
	}
	return set.Name()
}

// Info describes a loaded model, for a status report.
type Info struct {
	Name      string // general.name of the file, may be empty
	Dims      int    // length of a vector
	MaxTokens int    // longest sequence, with the special tokens
	Layers    int
	Weights   string // storage type of the matrices, such as "Q4_0"
	Kernel    string // instructions in use, such as "avx2"
	Precision Precision
	Threads   int
	// Unpacked is the size in bytes of the weights beside the file. What a
	// batch takes is in the package's documentation.
	Unpacked int
}

// A Model is a loaded encoder. It is safe for concurrent use.
type Model struct {
	tok     *Tokenizer
	net     *network
	kernels *kernel.Set
	info    Info

	batchTokens int
	// Each of the two lanes holds its working memory while none of its batches
	// is computed; waiting callers get it in the order they came.
	turn, queryTurn chan *arena
	// threads holds a value while nobody computes. Who takes it has all
	// threads.
	threads chan struct{}
	// waiting counts the queries that wait or are computed.
	waiting atomic.Int32
}

// New reads the model in gguf, which is the content of a GGUF file. All
// sizes in it are checked: a damaged or hostile file gives an error and costs
// memory in proportion to its length.
func New(gguf string, opts *Options) (*Model, error) {
	if opts == nil {
		opts = &Options{}
	}
	if err := opts.Check(); err != nil {
		return nil, fmt.Errorf("load model: options: %w", err)
	}
	kernels, err := kernel.Named(opts.Kernel)
	if err != nil {
		return nil, fmt.Errorf("load model: %w", err)
	}
	f, err := parseGGUF(gguf)
	if err != nil {
		return nil, fmt.Errorf("load model: %w", err)
	}
	m := &Model{kernels: kernels, batchTokens: opts.BatchTokens, turn: make(chan *arena, 1), queryTurn: make(chan *arena, 1), threads: make(chan struct{}, 1)}
	if m.batchTokens == 0 {
		m.batchTokens = 512
	}
	threads := opts.Threads
	if threads == 0 {
		threads = runtime.GOMAXPROCS(0)
	}
	m.turn <- &arena{workers: make([]worker, threads)}
	m.queryTurn <- &arena{workers: make([]worker, threads), query: true}
	m.threads <- struct{}{}
	// The tokenizer's table waits for memory, the weights for arithmetic.
	var wg sync.WaitGroup
	var tokErr error
	wg.Go(func() { m.tok, tokErr = newTokenizer(f, opts.Vocabulary) })
	m.net, err = newNetwork(f, opts.Precision, kernels)
	wg.Wait()
	if err := errors.Join(err, tokErr); err != nil {
		return nil, fmt.Errorf("load model: %w", err)
	}
	if m.tok.Size() > m.net.words.rows {
		return nil, fmt.Errorf("load model: %w: %d tokens, but vectors for %d", errFormat, m.tok.Size(), m.net.words.rows)
	}
	m.info = Info{
		Name: f.text("general.name"), Dims: m.net.dims, MaxTokens: m.net.positions.rows, Layers: len(m.net.layers),
		Weights: m.net.words.typ.String(), Kernel: kernels.Name(), Precision: opts.Precision, Threads: threads,
	}
	for i := range m.net.layers {
		l := &m.net.layers[i]
		for _, w := range []*linear{&l.q, &l.k, &l.v, &l.attn, &l.up, &l.down} {
			m.info.Unpacked += len(w.panels)
		}
	}
	if len(m.net.layers) > 0 {
		m.info.Weights = m.net.layers[0].up.src.typ.String()
	}
	return m, nil
}

// NewBytes is [New] for bytes, which must not change afterwards.
func NewBytes(gguf []byte, opts *Options) (*Model, error) {
	return New(unsafe.String(unsafe.SliceData(gguf), len(gguf)), opts)
}

// Info describes the model.
func (m *Model) Info() Info { return m.info }

// Tokenizer returns the model's tokenizer.
func (m *Model) Tokenizer() *Tokenizer { return m.tok }
