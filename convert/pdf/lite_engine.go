//go:build lite

package pdf

import (
	"context"
	"errors"
	"io"
	"log/slog"

	"github.com/ledongthuc/pdf"
	"github.com/minirag/minirag/convert"
)

// minMemory is the least limit of memory with which a document is begun.
const minMemory = 16 << 20

// An engine is nothing here: the light one has nothing to start.
type engine struct{}

func startEngine(_ context.Context, _ string, _ *slog.Logger) (*engine, error) { return &engine{}, nil }

func (e *engine) close() error { return nil }

// An instance reads one document. It panics with errStopped when its context is
// done and with a limit error when it has used its memory; read recovers.
type instance struct {
	ctx    context.Context
	memory int64 // that may still be used
	full   bool  // it was used up
	reader *pdf.Reader
	info   pdf.Value
	pages  []leaf
	fonts  map[string]*font // by the font dictionary as written
	steps  int
	urls   urlTable
}

// errStopped is what ends the reading when the context is done.
var errStopped = errors.New("stopped")

func (e *engine) instance(ctx context.Context, memory int64) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	return &instance{ctx: ctx, memory: memory, fonts: map[string]*font{}}, nil
}

func (in *instance) release() {}

func (in *instance) refused() bool { return in.full }

// spend counts bytes of memory that are taken for the document.
func (in *instance) spend(n int) {
	if in.memory -= int64(n); in.memory < 0 {
		in.full = true
		panic(&convert.LimitError{What: "memory in bytes", Max: 0})
	}
}

// step is called wherever the reading may go on for long.
func (in *instance) step() {
	if in.steps++; in.steps%256 == 0 {
		in.alive()
	}
}

func (in *instance) alive() {
	if in.ctx.Err() != nil {
		panic(errStopped)
	}
}

// A guarded is bytes whose reading ends with the context, so that no loop of
// the library's outlives it.
type guarded struct {
	ctx  context.Context
	data []byte
}

// ReadAt implements [io.ReaderAt].
func (g *guarded) ReadAt(p []byte, at int64) (int, error) {
	if g.ctx.Err() != nil {
		return 0, errStopped
	}
	if at < 0 || at >= int64(len(g.data)) {
		return 0, io.EOF
	}
	n := copy(p, g.data[at:])
	if n < len(p) {
		return n, io.EOF
	}
	return n, nil
}

// catch makes an error of a panic in reading a document.
func (in *instance) catch(err *error) {
	r := recover()
	if r == nil {
		return
	}
	if limit, ok := r.(*convert.LimitError); ok {
		*err = limit
		return
	}
	if e, ok := r.(error); ok && errors.Is(e, errStopped) {
		*err = errStopped
		return
	}
	*err = errPage
}
