package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

// A refusal is an error in the words that the model reads.
type refusal string

func (r refusal) Error() string { return string(r) }

func refuse(format string, a ...any) error { return refusal(fmt.Sprintf(format, a...)) }

// An openError says that there is no corpus. What it wraps speaks of the
// index, so that hints about documents do not fit.
type openError struct{ err error }

func (e *openError) Error() string { return e.err.Error() }
func (e *openError) Unwrap() error { return e.err }

// hints say what a model can do about an error that says nothing of it itself.
var hints = []struct {
	err  error
	hint string
}{
	{minirag.ErrNotRegular, "this takes one file; to index a folder call sync_start with its path"},
	{fs.ErrNotExist, "list_files shows the files that are there"},
	{minirag.ErrModelMismatch, "set DB_PATH to another folder, or remove this index and sync again"},
}

// explain puts an error of the corpus into words for the model.
func (s *Server) explain(ctx context.Context, err error) string {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return fmt.Sprintf("cancelled: %v", context.Cause(ctx))
	}
	op, source, text := parts(err)
	if source != "" {
		op += " " + source
	}
	if op != "" {
		text = op + ": " + text
	}
	return text
}

// parts takes an error of the corpus apart. text ends with a hint: the
// error's own or one of ours.
func parts(err error) (op, source, text string) {
	op, source, text, hint := wire.Parts(err)
	opened := !errors.As(err, new(*openError))
	for _, h := range hints {
		if opened && hint == "" && errors.Is(err, h.err) {
			hint = h.hint
		}
	}
	return op, source, wire.WithHint(text, hint)
}

// resolve checks a path that a model gave and returns its source.
func (s *Server) resolve(c Corpus, path string) (string, error) {
	id, err := c.Resolve(s.expand(path))
	switch {
	case errors.Is(err, minirag.ErrNotAbsolute):
		return "", refuse("Path must be absolute: %s; the source of a query_documents or list_files result is one", path)
	case errors.Is(err, minirag.ErrOutsideRoots):
		return "", refuse("Path is outside the document roots: %s; this server reads only under %s. To reach other files, add their folder to BASE_DIRS and restart the server",
			path, strings.Join(s.o.Info.Roots, ", "))
	}
	return id, err
}
