// Package mcpserver serves a corpus to language model clients over the Model
// Context Protocol: eleven tools to index, search, read and list documents.
//
// It imports the root package and convert for their types, the protocol's Go
// SDK and the standard library. It never opens or closes a corpus, reads no environment
// and writes nothing but protocol messages. The client gets its answer to
// initialize before any corpus, index or model is touched; calls are served
// concurrently; a call that was read is answered even if the input ends.
package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"runtime/debug"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minirag/minirag"
)

// A Corpus is what the tools need of a [minirag.Corpus], which is one.
type Corpus interface {
	Ingest(ctx context.Context, in minirag.Input) (*minirag.Source, error)
	Sync(ctx context.Context, o *minirag.SyncOptions) (*minirag.SyncReport, error)
	Query(ctx context.Context, q minirag.Query) (*minirag.Result, error)
	Read(ctx context.Context, source string) (*minirag.Text, error)
	Neighbors(ctx context.Context, source string, index, before, after int) ([]minirag.Hit, error)
	List(ctx context.Context, o *minirag.ListOptions) (*minirag.Listing, error)
	Delete(ctx context.Context, source string) (*minirag.Source, error)
	Status(ctx context.Context) (*minirag.Status, error)
	Resolve(path string) (string, error)
}

var _ Corpus = (*minirag.Corpus)(nil)

// Info is what the server can say of itself before a corpus is open.
type Info struct {
	Version string
	// Roots are the document folders. The first one may hold .minirag/classify.toml.
	Roots  []string
	DBPath string
	// Model names the embedding model.
	Model string
	// Kernel names the instructions that compute its vectors, on Threads
	// threads. Empty: it is not reported.
	Kernel  string
	Threads int
	// HybridWeight is [minirag.Ranking.HybridWeight].
	HybridWeight *float64
	// ChunkScheme is the version of the chunking rules.
	ChunkScheme int
	// OCR names the engine that reads scanned pages. Empty: there is none,
	// and OCRHint may say how to get one.
	OCR, OCRHint string
	// Warnings are reported by status.
	Warnings []string
}

// Options configure a [Server].
type Options struct {
	// Open gives the corpus. It is called by the first tool that needs one,
	// never twice at a time, and again after an error. Its context ends with
	// Run. Whoever set it closes the corpus, after Run. Required unless
	// ConfigError is set.
	Open func(ctx context.Context) (Corpus, error)
	// ConfigError, if set, is what is wrong with the configuration: status
	// reports it and every other tool fails with it.
	ConfigError error
	Info        Info
	// Home replaces a leading ~ in paths. Empty: ~ is not replaced.
	Home string
	// InstructionsAppend is added to the instructions for the client's model.
	InstructionsAppend string
	// MaxMessage is the largest message in bytes that is read; a larger one
	// is answered with an error. Zero: 256 MiB, which holds a document of
	// 100 MiB and its escapes.
	MaxMessage int
	// Logger gets what has no other way to be seen. Nil: nothing is logged.
	Logger *slog.Logger
}

// earlyWait is how long status waits for a corpus that is being opened and
// sync_start for the first sign of a sync, so that both answer within a
// second whatever else goes on.
const earlyWait = 600 * time.Millisecond

// A Server serves one client.
type Server struct {
	// fixed at creation
	o    Options
	log  *slog.Logger
	sdk  *mcp.Server
	jobs jobs

	ctx context.Context // of Run
	wg  sync.WaitGroup  // goroutines that outlive a call

	mu      sync.Mutex // guards the rest
	corpus  Corpus
	opening *opening
}

// An opening is a call of Options.Open that runs or has failed.
type opening struct {
	done   chan struct{} // closed when corpus and err are set
	corpus Corpus
	err    error
}

// New makes a server. Nil options make one that can only report its status.
func New(o *Options) *Server {
	s := &Server{}
	if o != nil {
		s.o = *o
	}
	if s.o.Open == nil && s.o.ConfigError == nil {
		s.o.ConfigError = errors.New("no corpus is configured")
	}
	if s.o.MaxMessage == 0 {
		s.o.MaxMessage = 256 << 20
	}
	s.log = s.o.Logger
	if s.log == nil {
		s.log = slog.New(slog.DiscardHandler)
	}
	s.sdk = mcp.NewServer(
		&mcp.Implementation{Name: "minirag-mcp", Title: "minirag", Version: s.o.Info.Version},
		&mcp.ServerOptions{
			Instructions: Instructions(s.o.InstructionsAppend),
			Capabilities: &mcp.ServerCapabilities{
				//lint:ignore SA1019 the reference announces it, and clients of today's protocol use it
				Logging: &mcp.LoggingCapabilities{},
				Tools:   &mcp.ToolCapabilities{},
			},
		})
	for i := range tools {
		s.sdk.AddTool(tools[i].describe(), s.handler(&tools[i]))
	}
	s.sdk.AddReceivingMiddleware(s.adjust)
	return s
}

// Run serves the client that writes requests to in and reads answers from
// out, one JSON message a line. It ends when in ends and all calls are
// answered, when out breaks, or when ctx is done, which cancels running
// calls. A running sync is cancelled and waited for in each case. The error
// is nil if the client left, however it did. Run must be called only once; a
// read that in is blocked in may outlive it.
func (s *Server) Run(ctx context.Context, in io.Reader, out io.Writer) error {
	ctx, cancel := context.WithCancel(ctx)
	defer s.wg.Wait()
	defer cancel()
	s.ctx = ctx

	c := newConn(in, out, s.o.MaxMessage)
	ss, err := s.sdk.Connect(ctx, transport{c}, nil)
	if err != nil {
		return fmt.Errorf("serve mcp: %w", err)
	}
	ended := make(chan error, 1)
	go func() { ended <- ss.Wait() }()
	select {
	case err = <-ended:
	case <-ctx.Done():
		c.stop()
		<-ended
		return ctx.Err()
	}
	if broken := c.broken(); broken != nil {
		err = broken
	}
	if err != nil && !gone(err) {
		return fmt.Errorf("serve mcp: %w", err)
	}
	return nil
}

// adjust does what the SDK does otherwise: an unknown tool is the tool call's
// error, which the model sees, and the tools are listed in our order.
func (s *Server) adjust(next mcp.MethodHandler) mcp.MethodHandler {
	return func(ctx context.Context, method string, req mcp.Request) (mcp.Result, error) {
		if p, ok := req.GetParams().(*mcp.CallToolParamsRaw); ok && p != nil {
			if !slices.ContainsFunc(tools, func(t tool) bool { return t.name == p.Name }) {
				return failure(fmt.Sprintf("Unknown tool: '%s'", p.Name)), nil
			}
		}
		res, err := next(ctx, method, req)
		if l, ok := res.(*mcp.ListToolsResult); ok && err == nil {
			slices.SortStableFunc(l.Tools, func(a, b *mcp.Tool) int { return toolIndex(a.Name) - toolIndex(b.Name) })
		}
		return res, err
	}
}

func (s *Server) handler(t *tool) mcp.ToolHandler {
	return func(ctx context.Context, req *mcp.CallToolRequest) (res *mcp.CallToolResult, err error) {
		defer func() {
			if p := recover(); p != nil {
				s.log.Error("panic in a tool", "tool", t.name, "panic", p, "stack", string(debug.Stack()))
				res, err = failure(fmt.Sprintf("%s: internal error: %v", t.name, p)), nil
			}
		}()
		ctx, cancel := context.WithCancelCause(ctx)
		defer cancel(nil)
		defer context.AfterFunc(s.ctx, func() { cancel(errors.New("the server is stopping")) })()

		if s.o.ConfigError != nil && t.name != "status" {
			return failure("Configuration error: " + s.o.ConfigError.Error()), nil
		}
		a, err := decode(t, req.Params.Arguments)
		if err != nil {
			return failure(err.Error()), nil
		}
		v, err := t.call(s, ctx, a)
		if err != nil {
			return failure(s.explain(ctx, err)), nil
		}
		return success(v), nil
	}
}

// open returns the corpus, opening it if need be.
func (s *Server) open(ctx context.Context) (Corpus, error) {
	s.mu.Lock()
	if s.corpus != nil {
		defer s.mu.Unlock()
		return s.corpus, nil
	}
	op := s.opening
	if op == nil {
		op = &opening{done: make(chan struct{})}
		s.opening = op
		s.wg.Go(func() { s.runOpen(op) })
	}
	s.mu.Unlock()
	select {
	case <-op.done:
		return op.corpus, op.err
	case <-ctx.Done():
		return nil, context.Cause(ctx)
	}
}

func (s *Server) runOpen(op *opening) {
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic while opening the corpus", "panic", p, "stack", string(debug.Stack()))
			op.corpus, op.err = nil, fmt.Errorf("open corpus: internal error: %v", p)
		}
		s.mu.Lock()
		s.opening = nil
		s.corpus = op.corpus
		s.mu.Unlock()
		close(op.done)
	}()
	op.corpus, op.err = s.o.Open(s.ctx)
	if op.err != nil {
		op.corpus = nil
	} else if op.corpus == nil {
		op.err = errors.New("open corpus: there is none")
	}
}

// expand replaces a leading ~ by the home folder.
func (s *Server) expand(path string) string {
	if s.o.Home == "" {
		return path
	}
	if path == "~" {
		return s.o.Home
	}
	if rest, ok := strings.CutPrefix(path, "~/"); ok {
		return s.o.Home + "/" + rest
	}
	return path
}
