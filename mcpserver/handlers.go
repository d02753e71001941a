package mcpserver

import (
	"context"
	"errors"
	"fmt"
	"io/fs"
	"os"
	"path/filepath"
	"strings"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

// mediaTypes are what ingest_data takes as format.
var mediaTypes = map[string]string{
	"text":     "text/plain",
	"markdown": "text/markdown",
	"html":     "text/html",
}

func (s *Server) ingestFile(ctx context.Context, a args) (any, error) {
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	path, err := s.resolve(c, a.text("filePath"))
	if err != nil {
		return nil, err
	}
	src, err := c.Ingest(ctx, minirag.Path(path))
	if err != nil {
		return nil, err
	}
	return ingested(src), nil
}

func (s *Server) ingestData(ctx context.Context, a args) (any, error) {
	format := "text"
	if a.has("format") {
		format = a.text("format")
	}
	mediaType, ok := mediaTypes[format]
	if !ok {
		return nil, refuse("format must be one of 'text', 'markdown' and 'html', got '%s'", format)
	}
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	in := minirag.Bytes(a.text("source"), mediaType, []byte(a.text("data")))
	in.Title = strings.TrimSpace(a.text("title"))
	src, err := c.Ingest(ctx, in)
	if err != nil {
		return nil, err
	}
	return ingested(src), nil
}

func (s *Server) ingestURL(ctx context.Context, a args) (any, error) {
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	in := minirag.Address(a.text("url"))
	if src := a.text("source"); src != "" {
		in.Source = src
	}
	in.Title = strings.TrimSpace(a.text("title"))
	src, err := c.Ingest(ctx, in)
	if err != nil {
		return nil, err
	}
	return ingested(src), nil
}

func (s *Server) query(ctx context.Context, a args) (any, error) {
	if strings.TrimSpace(a.text("query")) == "" {
		return nil, refuse("query must not be empty")
	}
	topK := a.number("topK", 8)
	if topK < 1 {
		return nil, refuse("topK must be at least 1, got %d", topK)
	}
	if err := s.checkFilters(a); err != nil {
		return nil, err
	}
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	res, err := c.Query(ctx, minirag.Query{Text: a.text("query"), TopK: min(topK, 100), Scope: a.scope(), PerDocument: a.number("perDocument", 0)})
	if err != nil {
		return nil, err
	}
	return wire.QueryOf(res), nil
}

func (s *Server) neighbors(ctx context.Context, a args) (any, error) {
	c, id, _, err := s.target(ctx, a)
	if err != nil {
		return nil, err
	}
	i, before, after := a.number("chunkIndex", 0), a.number("before", 1), a.number("after", 1)
	out := wire.Neighbors{Chunks: []wire.Row{}}
	if i+after < 0 || before+after < 0 {
		return out, nil
	}
	hits, err := c.Neighbors(ctx, id, i, before, after)
	if errors.Is(err, minirag.ErrNotFound) {
		out.Notice = notIndexed(id)
		return out, nil
	}
	if err != nil {
		return nil, err
	}
	out.Chunks = wire.Rows(hits)
	return out, nil
}

func (s *Server) readFile(ctx context.Context, a args) (any, error) {
	c, id, path, err := s.target(ctx, a)
	if err != nil {
		return nil, err
	}
	t, err := c.Read(ctx, id)
	if errors.Is(err, minirag.ErrNotFound) {
		if path == "" {
			return nil, refuse("%s", notIndexed(id))
		}
		switch info, err := os.Stat(id); {
		case errors.Is(err, fs.ErrNotExist):
			return nil, refuse("File does not exist and is not in the index: %s", id)
		case err == nil && info.IsDir():
			return nil, refuse("Not a file but a folder: %s; list_files with this scope shows what is in it", id)
		}
		return nil, refuse("%s; index it first with ingest_file or sync_start", notIndexed(id))
	}
	if err != nil {
		return nil, err
	}
	o := minirag.PartOptions{
		Section: a.text("section"), Heading: a.text("heading"),
		FromLine: a.number("fromLine", 0), ToLine: a.number("toLine", 0),
		Offset: a.number("offset", 0), MaxBytes: a.number("maxBytes", 0),
	}
	if o == (minirag.PartOptions{}) {
		return wire.TextOf(t), nil
	}
	part, err := t.Part(&o)
	if err != nil {
		return nil, err
	}
	return wire.PartOf(t, part), nil
}

func (s *Server) list(ctx context.Context, a args) (any, error) {
	if sort := a.text("sort"); a.has("sort") && sort != "date" {
		return nil, refuse("sort must be 'date', got '%s'", sort)
	}
	if err := s.checkFilters(a); err != nil {
		return nil, err
	}
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	l, err := c.List(ctx, &minirag.ListOptions{Scope: a.scope()})
	if err != nil {
		return nil, err
	}
	return wire.ListOf(l), nil
}

func (s *Server) remove(ctx context.Context, a args) (any, error) {
	c, id, _, err := s.target(ctx, a)
	if err != nil {
		return nil, err
	}
	src, err := c.Delete(ctx, id)
	if errors.Is(err, minirag.ErrNotFound) {
		return nil, refuse("%s", notIndexed(id))
	}
	if err != nil {
		return nil, err
	}
	return wire.Deleted{Source: src.ID, DeletedChunks: src.Chunks}, nil
}

func (s *Server) status(ctx context.Context, _ args) (any, error) {
	in := &s.o.Info
	if s.o.ConfigError != nil {
		return configErrorResult{Version: in.Version, ConfigError: s.o.ConfigError.Error()}, nil
	}
	out := statusResult{
		Version: in.Version, Roots: append([]string{}, in.Roots...), DBPath: in.DBPath, Model: in.Model, Kernel: in.Kernel, Threads: in.Threads,
		HybridWeight: in.HybridWeight, ChunkScheme: in.ChunkScheme, OCR: in.OCR, OCRHint: in.OCRHint,
		Warnings: append([]string(nil), in.Warnings...),
	}
	if out.OCR == "" {
		out.OCR = "unavailable"
	}
	if file, ok := s.classifyFile(); ok {
		out.Labels = &labelsState{File: file, Error: errLabelsUnread}
	}
	short, cancel := context.WithTimeout(ctx, earlyWait)
	defer cancel()
	c, err := s.open(short)
	if err == nil {
		var st *minirag.Status
		if st, err = c.Status(ctx); err == nil {
			out.counts = &counts{
				ChunkCount: st.Chunks, SourceCount: st.Sources, StaleChunkCount: st.StaleChunks, Budget: st.Budget,
			}
			if st.StaleChunks > 0 {
				out.SchemeWarning = fmt.Sprintf("made by another model or by older rules: %d chunks; sync_start makes them anew", st.StaleChunks)
			}
			out.Warnings = append(out.Warnings, st.Warnings...)
			return out, nil
		}
	}
	if short.Err() != nil && ctx.Err() == nil && c == nil {
		out.IndexNotice = "the index is still being opened; ask again"
		return out, nil
	}
	out.IndexError = s.explain(ctx, err)
	return out, nil
}

// target returns the corpus and the source that filePath or source names.
// path is set if it was filePath.
func (s *Server) target(ctx context.Context, a args) (c Corpus, id, path string, err error) {
	path, id = a.text("filePath"), a.text("source")
	switch {
	case !a.has("filePath") && !a.has("source"):
		return nil, "", "", refuse("Provide filePath or source")
	case path != "" && id != "":
		return nil, "", "", refuse("Provide either filePath or source, not both")
	}
	c, err = s.open(ctx)
	if err == nil && (path != "" || !a.has("source")) {
		id, err = s.resolve(c, path)
	}
	return c, id, path, err
}

func notIndexed(source string) string { return "Source not found in index: " + source }

// errLabelsUnread is the error of a classify.toml until labels are supported.
const errLabelsUnread = "this version does not read labels yet"

// classifyFile names the file that turns labels on and says if it is there.
func (s *Server) classifyFile() (string, bool) {
	if len(s.o.Info.Roots) == 0 {
		return filepath.Join(".minirag", "classify.toml"), false
	}
	file := filepath.Join(s.o.Info.Roots[0], ".minirag", "classify.toml")
	_, err := os.Stat(file)
	return file, err == nil
}

// checkFilters refuses filters by label or date.
func (s *Server) checkFilters(a args) error {
	labels, _ := a["labels"].(map[string][]string)
	if len(labels) == 0 && !a.has("dateFrom") && !a.has("dateTo") {
		return nil
	}
	file, ok := s.classifyFile()
	if ok {
		return refuse("labels and dates cannot be filtered by: %s is there, but %s", file, errLabelsUnread)
	}
	return refuse("document labels are off: there is no %s", file)
}
