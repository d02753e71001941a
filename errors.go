package minirag

import (
	"errors"
	"strings"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/readfile"
)

// Errors that callers branch on, with [errors.Is].
var (
	// ErrNotFound says that there is no such source in the index.
	ErrNotFound = index.ErrNotFound
	// ErrOutsideRoots says that a path is not below a root.
	ErrOutsideRoots = errors.New("path is outside the document roots")
	// ErrNotAbsolute says that a path must be absolute.
	ErrNotAbsolute = errors.New("path is not absolute")
	// ErrNotRegular says that a path is a folder, a device or a pipe.
	ErrNotRegular = readfile.ErrNotRegular
	// ErrUnsupported, ErrEncrypted, ErrDamaged, ErrTooLarge and ErrNoText are about one document.
	ErrUnsupported = convert.ErrUnsupported
	ErrEncrypted   = convert.ErrEncrypted
	ErrDamaged     = convert.ErrDamaged
	ErrTooLarge    = convert.ErrTooLarge
	ErrNoText      = convert.ErrNoText
	// ErrEmptyQuery says that a query has no text.
	ErrEmptyQuery = errors.New("query is empty")
	// ErrInvalid says that an argument cannot be used.
	ErrInvalid = errors.New("invalid argument")
	// ErrModelMismatch says that the index was embedded by another model.
	ErrModelMismatch = errors.New("index was embedded by another model")
	// ErrSyncRunning says that a sync runs already, here or in another process.
	ErrSyncRunning = errors.New("a sync is already running")
	// ErrNoFetcher says that the corpus does not fetch addresses.
	ErrNoFetcher = errors.New("fetching is not configured")
	// ErrClosed says that the corpus has been closed.
	ErrClosed = errors.New("corpus is closed")
)

// A SourceError is what went wrong with one source.
type SourceError struct {
	Op     string // what was done, such as "convert"
	Source string // path, or the source's id
	Err    error
	Hint   string // what to do about it, or empty
}

func (e *SourceError) Error() string {
	var b strings.Builder
	b.WriteString(e.Op)
	if e.Source != "" {
		b.WriteString(" " + e.Source)
	}
	b.WriteString(": " + e.Err.Error())
	if e.Hint != "" {
		b.WriteString(" (" + e.Hint + ")")
	}
	return b.String()
}

func (e *SourceError) Unwrap() error { return e.Err }
