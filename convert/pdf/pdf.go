// Package pdf converts PDF documents to Markdown with PDFium, compiled to
// WebAssembly and run in a sandbox: no cgo, no file system, bounded memory,
// cancellable at any instruction.
//
// It imports convert, go-pdfium, wazero and gofrs/flock.
//
// Built with the tag lite, it reads PDF with a light engine of its own on
// ledongthuc/pdf instead: no WebAssembly and nothing to start, the same layout,
// less of rare fonts and of damaged files.
//
// Text comes in reading order: columns one after the other, one line of the
// page per line, with a blank line between paragraphs and pages. Tables, ruled
// or made of text that lines up, are Markdown tables. Headings are short lines
// that stand in the outline, in larger print than the body's, or in bold. Headers, footers and page
// numbers that repeat are left out but for the first with words. Words cut by a
// hyphen at the end of a line are whole; ligatures and presentation forms are
// plain letters. Links to the web are Markdown links; what was filled into a form stands
// beside its label, boxes to tick as "[x]" or "[ ]".
//
// The first conversion of a process starts the engine. The very first one with
// an empty cache folder compiles it, which takes seconds of every core; see
// [Converter.Warm].
package pdf

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"sync"

	"github.com/minirag/minirag/convert"
)

// Options configure a [Converter]. The zero value is the documented default.
type Options struct {
	// CacheDir is a private folder where the compiled engine is kept (about
	// 21 MB), so that the next process starts in a fraction of a second. It is
	// made when missing. Code in it is run: nobody else may write there. Empty
	// means that nothing is kept; a damaged or unwritable folder is logged and
	// does no other harm.
	CacheDir string
	// Instances bounds conversions that run at the same time; others wait.
	// Each may use [convert.Limits].Memory. Default: the number of CPUs, at most 4.
	Instances int
	// Logger gets the start of the engine. Nil discards.
	Logger *slog.Logger
}

// ErrClosed is returned by a [Converter] that was closed.
var ErrClosed = errors.New("pdf converter is closed")

// A Converter converts PDF documents. It is safe for concurrent use.
//
// Every document gets a sandbox of its own, which is thrown away afterwards,
// so that no document can harm the next and an idle Converter holds no
// document memory.
type Converter struct {
	// fixed at creation
	cacheDir string
	log      *slog.Logger
	slots    chan struct{} // one element per running conversion
	ctx      context.Context
	cancel   context.CancelFunc
	running  sync.WaitGroup

	// mu guards:
	mu     sync.Mutex
	closed bool
	start  *starting // nil until the first use, and again after a failure
}

// A starting is one start of the engine. Its results may be read when done is closed.
type starting struct {
	done   chan struct{}
	engine *engine
	err    error
}

var _ convert.Converter = (*Converter)(nil)

// New returns a Converter. It starts nothing: the engine is started by the
// first [Converter.Warm] or [Converter.Convert]. A nil o means the defaults.
func New(o *Options) *Converter {
	if o == nil {
		o = &Options{}
	}
	n := o.Instances
	if n <= 0 {
		n = min(runtime.NumCPU(), 4)
	}
	log := o.Logger
	if log == nil {
		log = slog.New(slog.DiscardHandler)
	}
	ctx, cancel := context.WithCancel(context.Background())
	return &Converter{cacheDir: o.CacheDir, log: log, slots: make(chan struct{}, n), ctx: ctx, cancel: cancel}
}

// Close stops running conversions, waits for them and frees the engine. It
// may be called more than once.
func (c *Converter) Close() error {
	c.mu.Lock()
	c.closed = true
	c.mu.Unlock()
	c.cancel()
	c.running.Wait()
	c.mu.Lock()
	defer c.mu.Unlock()
	s := c.start
	c.start = nil
	if s == nil || s.engine == nil {
		return nil
	}
	if err := s.engine.close(); err != nil {
		return fmt.Errorf("close pdf engine: %w", err)
	}
	return nil
}

// Warm starts the engine and returns when it is ready, so that a command can
// show the wait. It returns early with ctx's error when ctx is done; the start
// goes on and serves the next call.
func (c *Converter) Warm(ctx context.Context) error {
	done, err := c.enter()
	if err != nil {
		return err
	}
	defer done()
	_, err = c.engine(ctx)
	return err
}

// Convert implements [convert.Converter]. Its errors wrap
// [convert.ErrDamaged], [convert.ErrEncrypted], [convert.ErrTooLarge],
// [convert.ErrNoText] or [ErrClosed] and are of type [*convert.Error], but for ctx's error. Limits.Time begins when
// the engine is there and a place is free.
func (c *Converter) Convert(ctx context.Context, src convert.Source, limits convert.Limits) (doc *convert.Document, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("%w: the PDF reader broke off: %v", convert.ErrDamaged, r)
		}
		if err != nil {
			doc, err = nil, nameError(err, src.Name)
		}
	}()
	done, err := c.enter()
	if err != nil {
		return nil, err
	}
	defer done()

	limits = limits.WithDefaults()
	if int64(len(src.Data)) > limits.InputBytes {
		return nil, &convert.LimitError{What: "input size in bytes", Max: limits.InputBytes}
	}
	if err := inspect(src.Data); err != nil {
		return nil, err
	}
	if err := checkStreams(src.Data); err != nil {
		return nil, err
	}
	if limits.Memory < minMemory {
		return nil, &convert.LimitError{What: "memory in bytes", Max: limits.Memory}
	}
	e, err := c.engine(ctx)
	if err != nil {
		return nil, err
	}
	select {
	case c.slots <- struct{}{}:
		defer func() { <-c.slots }()
	case <-ctx.Done():
		return nil, ctx.Err()
	case <-c.ctx.Done():
		return nil, ErrClosed
	}
	return c.convert(ctx, e, src.Data, limits)
}

// convert runs one conversion under the time limit and says what ended it.
func (c *Converter) convert(ctx context.Context, e *engine, data []byte, limits convert.Limits) (*convert.Document, error) {
	timed, cancel := context.WithTimeout(ctx, limits.Time)
	defer cancel()
	defer context.AfterFunc(c.ctx, cancel)()

	in, err := e.instance(timed, limits.Memory)
	var doc *convert.Document
	if err == nil {
		doc, err = in.read(timed, data, limits)
		in.release()
	}
	switch {
	case ctx.Err() != nil:
		return nil, ctx.Err()
	case c.ctx.Err() != nil:
		return nil, ErrClosed
	case err != nil && timed.Err() != nil:
		return nil, &convert.LimitError{What: "conversion time in milliseconds", Max: limits.Time.Milliseconds()}
	case in != nil && in.refused():
		// Also when PDFium went on without the memory: text may be missing.
		return nil, &convert.LimitError{What: "memory in bytes", Max: limits.Memory}
	case err != nil:
		return nil, err
	}
	return doc, nil
}

// enter counts a call as running; the returned function ends it.
func (c *Converter) enter() (func(), error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	c.running.Add(1)
	return c.running.Done, nil
}

// engine returns the engine, started once and shared.
func (c *Converter) engine(ctx context.Context) (*engine, error) {
	c.mu.Lock()
	s := c.start
	if s == nil {
		s = &starting{done: make(chan struct{})}
		c.start = s
		c.running.Add(1)
		go func() {
			defer c.running.Done()
			s.engine, s.err = startEngine(c.ctx, c.cacheDir, c.log)
			if s.err != nil {
				c.mu.Lock()
				c.start = nil
				c.mu.Unlock()
			}
			close(s.done)
		}()
	}
	c.mu.Unlock()
	select {
	case <-s.done:
		if s.err != nil && c.ctx.Err() != nil {
			return nil, ErrClosed
		}
		return s.engine, s.err
	case <-ctx.Done():
		return nil, ctx.Err()
	}
}

// nameError says in err which document it is about. The ends of contexts stay as they are.
func nameError(err error, source string) error {
	if errors.Is(err, context.Canceled) || errors.Is(err, context.DeadlineExceeded) {
		return err
	}
	if e, ok := err.(*convert.Error); ok {
		e.Source = source
		return e
	}
	e := &convert.Error{Source: source, Format: format, Err: err}
	if errors.Is(err, convert.ErrTooLarge) {
		e.Hint = "raise the limit or split the document"
	}
	return e
}
