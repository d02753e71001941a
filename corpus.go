package minirag

import (
	"context"
	"errors"
	"fmt"
	"log/slog"
	"runtime"
	"slices"
	"strings"
	"sync"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/roots"
)

// A Corpus is an open collection of documents. All methods are safe for
// concurrent use, and several processes may have the same one open.
type Corpus struct {
	o           Options // with defaults, fixed at Open
	roots       *roots.Set
	model       embed.ModelInfo
	counter     embed.TokenCounter
	fingerprint index.Fingerprint
	log         *slog.Logger

	apply   sync.Mutex // taken before Options.ApplyLock
	sync    sync.Mutex // taken before Options.SyncLock
	join    bool       // see chunk.Options
	scope   scopeCache
	stats   statsCache
	samples sampleCache

	mu     sync.Mutex // guards closed and the count of calls
	closed bool
	calls  sync.WaitGroup
}

// Open opens a corpus over the given parts, which it takes over: Close closes
// those that can be closed, and so does Open when it fails. It brings indexes
// that are behind the catalog up to date unless another process is at it.
func Open(ctx context.Context, o Options) (*Corpus, error) {
	c := &Corpus{o: o}
	if err := c.init(ctx); err != nil {
		return nil, errors.Join(fmt.Errorf("open corpus: %w", err), c.closeParts())
	}
	return c, nil
}

func (c *Corpus) init(ctx context.Context) error {
	o := &c.o
	if err := o.check(); err != nil {
		return err
	}
	set, err := roots.New(o.Roots)
	if err != nil {
		return err
	}
	c.roots = set
	c.log = o.Logger
	if c.log == nil {
		c.log = slog.New(slog.DiscardHandler)
	}
	c.model = o.Embedder.Model()
	if counter, ok := o.Embedder.(embed.TokenCounter); ok {
		c.counter = counter
	} else {
		c.counter = estimate{}
	}
	if o.MaxFileSize == 0 {
		o.MaxFileSize = 100 << 20
	}
	o.Limits.InputBytes = o.MaxFileSize
	if o.Workers == 0 {
		o.Workers = runtime.GOMAXPROCS(0)
	}
	scheme := chunk.Scheme
	if o.Budget == 0 {
		c.join, scheme = true, chunk.JoinedScheme
		o.Budget = chunk.DefaultBudget
		if c.model.MaxTokens > 0 {
			o.Budget = min(o.Budget, c.model.MaxTokens)
		}
	}
	c.fingerprint = index.Fingerprint{Model: c.model.ID, Scheme: scheme, Budget: o.Budget}
	if v, ok := o.Converter.(interface{ Version() string }); ok {
		c.fingerprint.Converter = v.Version()
	}
	if _, err := c.catchUp(ctx); err != nil {
		if ctx.Err() != nil || errors.Is(err, index.ErrNewer) {
			return err
		}
		// Queries overlay what the indexes lack, so that a corpus that cannot
		// be written can still be asked.
		c.log.WarnContext(ctx, "derived indexes are behind", "error", err)
	}
	return nil
}

// check reports everything that is wrong with the options at once.
func (o *Options) check() error {
	var errs []error
	for _, part := range []struct {
		name    string
		missing bool
	}{
		{"Catalog", o.Catalog == nil}, {"Vectors", o.Vectors == nil}, {"Keywords", o.Keywords == nil},
		{"Embedder", o.Embedder == nil}, {"Converter", o.Converter == nil},
	} {
		if part.missing {
			errs = append(errs, fmt.Errorf("%w: Options.%s is required", ErrInvalid, part.name))
		}
	}
	if slices.Contains(o.Roots, "") {
		errs = append(errs, fmt.Errorf("%w: Options.Roots holds an empty path", ErrInvalid))
	}
	if o.Workers < 0 {
		errs = append(errs, fmt.Errorf("%w: Options.Workers is %d", ErrInvalid, o.Workers))
	}
	if o.MaxFileSize < 0 {
		errs = append(errs, fmt.Errorf("%w: Options.MaxFileSize is %d", ErrInvalid, o.MaxFileSize))
	}
	if o.Budget != 0 && o.Budget < chunk.MinBudget {
		errs = append(errs, fmt.Errorf("%w: Options.Budget is %d, the least is %d", ErrInvalid, o.Budget, chunk.MinBudget))
	}
	if o.Embedder != nil {
		if most := o.Embedder.Model().MaxTokens; most > 0 && o.Budget > most {
			errs = append(errs, fmt.Errorf("%w: Options.Budget is %d, the model takes %d", ErrInvalid, o.Budget, most))
		}
	}
	return errors.Join(append(errs, o.Ranking.check())...)
}

func (r *Ranking) check() error {
	var errs []error
	if w := r.HybridWeight; w != nil && !(*w >= 0 && *w <= 1) {
		errs = append(errs, fmt.Errorf("%w: Ranking.HybridWeight is %v, it lies between 0 and 1", ErrInvalid, *w))
	}
	switch r.Grouping {
	case NoGrouping, Similar, Related:
	default:
		errs = append(errs, fmt.Errorf("%w: Ranking.Grouping is %q", ErrInvalid, r.Grouping))
	}
	if d := r.MaxDistance; d != nil && *d < 0 {
		errs = append(errs, fmt.Errorf("%w: Ranking.MaxDistance is %v", ErrInvalid, *d))
	}
	if r.MaxFiles < 0 {
		errs = append(errs, fmt.Errorf("%w: Ranking.MaxFiles is %d", ErrInvalid, r.MaxFiles))
	}
	return errors.Join(errs...)
}

// begin counts a call in; end must be called when it is over.
func (c *Corpus) begin() (end func(), err error) {
	c.mu.Lock()
	defer c.mu.Unlock()
	if c.closed {
		return nil, ErrClosed
	}
	c.calls.Add(1)
	return c.calls.Done, nil
}

// Close waits for running calls and closes the parts. Later calls return [ErrClosed].
func (c *Corpus) Close() error {
	c.mu.Lock()
	if c.closed {
		c.mu.Unlock()
		return nil
	}
	c.closed = true
	c.mu.Unlock()
	c.calls.Wait()
	return c.closeParts()
}

func (c *Corpus) closeParts() error {
	var errs []error
	for _, part := range []any{c.o.Keywords, c.o.Vectors, c.o.Catalog, c.o.Embedder, c.o.Converter, c.o.Fetcher} {
		if closer, ok := part.(interface{ Close() error }); ok {
			errs = append(errs, closer.Close())
		}
	}
	return errors.Join(errs...)
}

// Resolve checks that an absolute path lies in a root and returns the source
// that a sync would give it: links are followed. The file need not exist.
func (c *Corpus) Resolve(path string) (string, error) {
	resolved, err := c.roots.Resolve(path)
	switch {
	case errors.Is(err, roots.ErrOutside):
		return "", &SourceError{Op: "resolve", Source: path, Err: ErrOutsideRoots,
			Hint: "add its folder to the document roots: " + list(c.roots.Paths())}
	case errors.Is(err, roots.ErrNotAbsolute):
		return "", &SourceError{Op: "resolve", Source: path, Err: ErrNotAbsolute, Hint: "give an absolute path, such as the source of a result"}
	case err != nil:
		return "", &SourceError{Op: "resolve", Source: path, Err: err}
	}
	return resolved, nil
}

// list joins paths for a message.
func list(paths []string) string {
	if len(paths) == 0 {
		return "none"
	}
	return strings.Join(paths, ", ")
}

// source describes a stored document.
func (c *Corpus) source(d *index.Document) *Source {
	return &Source{ID: d.Source, Kind: d.Kind, Title: d.Title, DisplayPath: c.roots.Display(d.Source),
		Chunks: d.Chunks, IngestedAt: d.IngestedAt, Warnings: d.Warnings}
}
