//go:build !lite

package pdf

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime"
	"sync"
	"sync/atomic"
	"time"

	"github.com/klippa-app/go-pdfium"
	"github.com/klippa-app/go-pdfium/webassembly"
	"github.com/tetratelabs/wazero"
	"github.com/tetratelabs/wazero/api"
	"github.com/tetratelabs/wazero/experimental"
)

const (
	wasmPage = 64 << 10
	// minMemory is what the PDFium module declares as its smallest memory.
	minMemory = 289 * wasmPage
	// maxMemory is all that 32-bit WebAssembly can address; the limit of each
	// conversion is kept by sandboxMemory.
	maxMemory = 65536 * wasmPage
)

// An engine is the compiled PDFium, from which each document gets an instance.
type engine struct {
	pool  pdfium.Pool
	cache wazero.CompilationCache
	batch *batcher

	// mu serialises making instances, and guards:
	mu   sync.Mutex
	next *sandboxMemory // the memory of the instance being made
	made api.Module     // its module
}

// startEngine compiles PDFium or loads it from cacheDir. Cancelling ctx later
// stops all instances.
func startEngine(ctx context.Context, cacheDir string, log *slog.Logger) (*engine, error) {
	began := time.Now()
	log.Info("starting the PDF engine", "cache", cacheDir)
	var e *engine
	err := errors.New("no cache folder")
	if cacheDir != "" {
		if e, err = startCached(ctx, cacheDir, log); err != nil && ctx.Err() == nil {
			log.Warn("the PDF engine's cache folder is of no use, going on without", "folder", cacheDir, "error", err)
		}
	}
	if err != nil && ctx.Err() == nil {
		e, err = newEngine(ctx, wazero.NewCompilationCache())
	}
	if err != nil {
		return nil, fmt.Errorf("start pdf engine: %w", err)
	}
	log.Info("the PDF engine is ready", "took", time.Since(began).Round(time.Millisecond))
	return e, nil
}

// newEngine makes an engine that owns cache.
func newEngine(ctx context.Context, cache wazero.CompilationCache) (_ *engine, err error) {
	e := &engine{cache: cache}
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("engine panicked: %v", r)
		}
		if err != nil {
			_ = cache.Close(context.WithoutCancel(ctx))
		}
	}()
	if e.batch, err = newBatcher(ctx, cache); err != nil {
		return nil, err
	}
	ctx = experimental.WithCompilationWorkers(ctx, runtime.GOMAXPROCS(0))
	ctx = experimental.WithMemoryAllocator(ctx, experimental.MemoryAllocatorFunc(
		func(_, _ uint64) experimental.LinearMemory { return e.next }))
	ctx = experimental.WithFunctionListenerFactory(ctx, moduleCatcher{func(m api.Module) { e.made = m }})
	e.pool, err = webassembly.Init(webassembly.Config{
		Context:  ctx,
		MaxTotal: -1, // Converter.slots bounds them
		// The defaults are the whole file system and the process's own output,
		// which an MCP server talks over.
		FSConfig:      wazero.NewFSConfig(),
		Stdout:        io.Discard,
		Stderr:        io.Discard,
		RuntimeConfig: runtimeConfig(cache),
	})
	if err != nil {
		_ = e.batch.close()
	}
	return e, err
}

func runtimeConfig(cache wazero.CompilationCache) wazero.RuntimeConfig {
	return wazero.NewRuntimeConfig().
		WithCoreFeatures(api.CoreFeaturesV2 | experimental.CoreFeaturesExceptionHandling).
		WithCloseOnContextDone(true).
		WithMemoryLimitPages(maxMemory / wasmPage).
		WithCompilationCache(cache)
}

func (e *engine) close() error {
	return errors.Join(e.pool.Close(), e.batch.close(), e.cache.Close(context.Background()))
}

// An instance is one sandbox with one PDFium in it, for one document.
type instance struct {
	*sandbox
	pdfium                pdfium.Pdfium
	helper                api.Module // made by batcher
	doc                   uint64     // FPDF_DOCUMENT
	form                  uint64     // FPDF_FORMHANDLE, or 0 without a form
	urls                  urlTable
	contentsKey, stateKey uint64          // addresses of keys of annotations
	fonts                 map[uint64]bool // whether a font is bold
	heap                  *sandboxMemory
	disarm                func() bool   // stops watching the context; false when the watch began to kill
	killed                chan struct{} // closed when the kill is over
}

// instance makes an instance that dies when ctx is done. The caller releases it.
func (e *engine) instance(ctx context.Context, memory int64) (*instance, error) {
	if err := ctx.Err(); err != nil {
		return nil, err
	}
	in := &instance{fonts: map[uint64]bool{}, heap: &sandboxMemory{limit: uint64(memory)}, killed: make(chan struct{})}
	e.mu.Lock()
	defer e.mu.Unlock()
	e.next = in.heap
	var err error
	// Without a deadline: making one takes milliseconds, and an abandoned
	// attempt would take the next one's memory.
	e.made = nil
	in.pdfium, err = e.pool.GetInstanceWithContext(context.WithoutCancel(ctx))
	if err != nil {
		return nil, fmt.Errorf("start a sandbox: %w", err)
	}
	if e.made == nil {
		_ = in.pdfium.Kill()
		return nil, errors.New("start a sandbox: no module was made")
	}
	if in.helper, err = e.batch.module(context.WithoutCancel(ctx), e.made); err != nil {
		_ = in.pdfium.Kill()
		return nil, err
	}
	in.sandbox = newSandbox(e.made, in.helper)
	in.disarm = context.AfterFunc(ctx, func() {
		defer close(in.killed)
		in.kill()
	})
	return in, nil
}

// kill ends both modules. Not Close, which lets PDFium tidy up first: after an
// error its memory may be in any state.
func (in *instance) kill() {
	_ = in.pdfium.Kill()
	_ = in.helper.Close(context.Background())
}

// refused reports whether the document met its limit of memory.
func (in *instance) refused() bool { return in.heap.refused.Load() }

// release frees the sandbox. No call of the instance may be running.
func (in *instance) release() {
	if !in.disarm() {
		<-in.killed
		return
	}
	in.kill()
}

// largeMemory is from which size on a sandbox gets room up to its limit at
// once: the system gives pages when they are written to, while every step would be copied.
const largeMemory = 128 << 20

// sandboxMemory is the memory of one sandbox. It lives on the Go heap, so that
// a kill in the middle of a call takes nothing from under the call.
type sandboxMemory struct {
	limit   uint64
	refused atomic.Bool // the limit was met
	buf     []byte
}

// Reallocate implements [experimental.LinearMemory].
func (m *sandboxMemory) Reallocate(size uint64) []byte {
	if size > m.limit {
		m.refused.Store(true)
		return nil
	}
	if size > uint64(cap(m.buf)) {
		// A quarter more than asked for, as PDFium grows in small steps.
		room := min(size+size/4, m.limit)
		if size >= largeMemory {
			room = m.limit
		}
		grown := make([]byte, size, room)
		copy(grown, m.buf)
		m.buf = grown
		if size >= largeMemory {
			runtime.GC() // what was outgrown would otherwise wait for as much again
		}
	}
	m.buf = m.buf[:size]
	return m.buf
}

// Free implements [experimental.LinearMemory]. The garbage collector does the
// freeing, when the last call has returned.
func (m *sandboxMemory) Free() {}
