package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"strings"

	"github.com/minirag/minirag"
)

// hints say what a model can do about an error that says nothing of it itself.
var hints = []struct {
	err  error
	hint string
}{
	{minirag.ErrNotRegular, "this takes one file; to index a folder call sync_start with its path"},
	{fs.ErrNotExist, "list_files shows the files that are there"},
	{minirag.ErrModelMismatch, "set DB_PATH to another folder, or remove this index and sync again"},
	{minirag.ErrSyncRunning, "wait until it ends"},
}

// explain puts an error of the corpus into words for the model.
func (s *Server) explain(ctx context.Context, err error) string {
	if ctx.Err() != nil && errors.Is(err, context.Canceled) {
		return fmt.Sprintf("cancelled: %v", context.Cause(ctx))
	}
	text := err.Error()
	if src := (*minirag.SourceError)(nil); errors.As(err, &src) && src.Hint != "" {
		return text
	}
	for _, h := range hints {
		if errors.Is(err, h.err) {
			return text + "; " + h.hint
		}
	}
	return text
}

// resolve checks a path that a model gave and returns its source.
func (s *Server) resolve(c Corpus, path string) (string, error) {
	id, err := c.Resolve(s.expand(path))
	switch {
	case errors.Is(err, minirag.ErrNotAbsolute):
		return "", fmt.Errorf("Path must be absolute: %s; the source of a query_documents or list_files result is one", path)
	case errors.Is(err, minirag.ErrOutsideRoots):
		return "", fmt.Errorf("Path is outside the document roots: %s; this server reads only under %s. To reach other files, add their folder to BASE_DIRS and restart the server",
			path, strings.Join(s.o.Info.Roots, ", "))
	}
	return id, err
}
