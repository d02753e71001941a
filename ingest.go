package minirag

import (
	"context"
	"crypto/sha256"
	"encoding/hex"
	"errors"
	"fmt"
	"io/fs"
	"path"
	"strings"
	"time"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/readfile"
	"github.com/minirag/minirag/internal/title"
)

// embedTexts is how many chunks are embedded in one call: enough to keep all
// cores busy, little enough to stop soon when the context ends.
const embedTexts = 256

// loaded is what is known of a file besides its bytes.
type loaded struct {
	modTime time.Time
}

// prepared is a document that lacks only its vectors.
type prepared struct {
	doc index.NewDocument
}

func (p *prepared) tokens() int {
	n := 0
	for i := range p.doc.Chunks {
		n += p.doc.Chunks[i].Tokens
	}
	return n
}

// Ingest converts, cuts, embeds and stores one document, replacing what its
// source had before. When it returns, queries find it.
func (c *Corpus) Ingest(ctx context.Context, in Input) (*Source, error) {
	end, err := c.begin()
	if err != nil {
		return nil, err
	}
	defer end()
	p, err := c.prepare(ctx, in)
	if err != nil {
		return nil, c.kept(ctx, err)
	}
	if err := c.embed(ctx, []*prepared{p}); err != nil {
		return nil, c.kept(ctx, &SourceError{Op: "embed", Source: p.doc.Source, Err: err})
	}
	docs, err := c.store(ctx, []*prepared{p})
	if err != nil {
		return nil, &SourceError{Op: "store", Source: p.doc.Source, Err: err}
	}
	if _, err := c.catchUp(ctx); err != nil {
		// The document is stored; queries overlay it until the indexes follow.
		c.log.WarnContext(ctx, "derived indexes are behind", "source", p.doc.Source, "error", err)
	}
	return c.source(&docs[0]), nil
}

// prepare reads, converts and cuts one input.
func (c *Corpus) prepare(ctx context.Context, in Input) (*prepared, error) {
	src, file, err := c.load(ctx, &in)
	if err != nil {
		return nil, err
	}
	out, err := c.o.Converter.Convert(ctx, src, c.o.Limits)
	if err != nil {
		return nil, convertError(in.Source, err)
	}
	name, real := documentTitle(&in, out)
	cut, err := chunk.Split(ctx, chunk.Document{Title: seed(name, real), Markdown: out.Markdown}, c.counter, &chunk.Options{Budget: c.o.Budget, MaxTokens: c.model.MaxTokens, Join: c.join})
	if err != nil {
		return nil, &SourceError{Op: "chunk", Source: in.Source, Err: err}
	}
	if len(cut.Chunks) == 0 {
		return nil, &SourceError{Op: "ingest", Source: in.Source, Err: ErrNoText}
	}
	p := &prepared{doc: index.NewDocument{
		Document: index.Document{
			Source: in.Source, Kind: in.kind, Title: name, Size: int64(len(src.Data)), ModTime: file.modTime,
			IngestedAt: time.Now().UTC(), Fingerprint: c.fingerprint, Category: cut.Category, Warnings: out.Warnings,
		},
		Markdown: out.Markdown, Sections: cut.Sections, Chunks: cut.Chunks,
	}}
	if in.kind == KindFile {
		sum := sha256.Sum256(src.Data)
		p.doc.Hash = hex.EncodeToString(sum[:])
	}
	return p, nil
}

// loadFile reads a file at a resolved path.
func (c *Corpus) loadFile(path string) (convert.Source, *loaded, error) {
	root, _ := c.roots.Of(path)
	data, info, err := readfile.Read(root, path, c.o.MaxFileSize)
	var size *readfile.SizeError
	switch {
	case errors.As(err, &size):
		return convert.Source{}, nil, c.tooLarge(path, size)
	case errors.Is(err, readfile.ErrFolder):
		return convert.Source{}, nil, &SourceError{Op: "read", Source: path, Err: err, Hint: "sync a folder instead of ingesting it"}
	case err != nil:
		return convert.Source{}, nil, &SourceError{Op: "read", Source: path, Err: cause(err)}
	}
	return convert.Source{Name: path, Data: data}, &loaded{modTime: info.ModTime()}, nil
}

func (c *Corpus) tooLarge(source string, e *readfile.SizeError) error {
	return &SourceError{Op: "read", Source: source, Err: fmt.Errorf("%w: %w", ErrTooLarge, e), Hint: "raise the limit, MaxFileSize (MAX_FILE_SIZE)"}
}

// cause drops the path that the operating system's error repeats.
func cause(err error) error {
	var p *fs.PathError
	if errors.As(err, &p) {
		return p.Err
	}
	return err
}

// convertError drops what a converter's error says of the source again.
func convertError(source string, err error) *SourceError {
	e := &SourceError{Op: "convert", Source: source, Err: err, Hint: hint(err)}
	var c *convert.Error
	if errors.As(err, &c) {
		e.Err = c.Err
		if c.Hint != "" {
			e.Hint = c.Hint
		}
	}
	return e
}

// hint says what a person can do about a document that was not converted.
func hint(err error) string {
	switch {
	case errors.Is(err, convert.ErrEncrypted):
		return "remove the password and try again"
	case errors.Is(err, convert.ErrTooLarge):
		return "split the document or raise the limit"
	}
	return ""
}

// documentTitle chooses the title, and says whether the document itself bears it.
func documentTitle(in *Input, out *convert.Document) (name string, real bool) {
	switch in.kind {
	case KindFile:
		return title.ForFile(out.Title, out.Markdown, path.Base(strings.ReplaceAll(in.Source, `\`, "/")))
	case KindData:
		name, real = title.ForData(in.Title, out.Title, out.Markdown)
	case KindURL:
		name, real = title.ForURL(in.Title, out.Title, out.Markdown)
		if name == "" {
			return in.url, false
		}
	}
	if name == "" {
		return in.Source, false
	}
	return name, real
}

// kept adds to an error about one source that its earlier version is still
// in the index, if there is one.
func (c *Corpus) kept(ctx context.Context, err error) error {
	var e *SourceError
	if !errors.As(err, &e) {
		return err
	}
	// Whatever keeps the catalog from being read is not what went wrong here.
	_ = c.o.Catalog.View(ctx, func(v index.View) error {
		if _, err := v.Document(e.Source); err != nil {
			return err
		}
		e.keeps()
		return nil
	})
	return err
}

// keeps adds to e that the version indexed before is still in the index.
func (e *SourceError) keeps() {
	e.Hint = strings.TrimPrefix(e.Hint+"; the version indexed before is kept", "; ")
}

func seed(name string, real bool) string {
	if real {
		return name
	}
	return ""
}

// embed fills in the vectors of several documents, whose texts share batches.
func (c *Corpus) embed(ctx context.Context, docs []*prepared) error {
	var texts []string
	for _, p := range docs {
		for i := range p.doc.Chunks {
			texts = append(texts, p.doc.Chunks[i].Text)
		}
	}
	vectors := make([][]float32, 0, len(texts))
	for len(vectors) < len(texts) {
		batch := texts[len(vectors):min(len(vectors)+embedTexts, len(texts))]
		got, err := c.o.Embedder.Embed(ctx, batch)
		if err != nil {
			return err
		}
		if len(got) != len(batch) {
			return fmt.Errorf("embedder %s gave %d vectors for %d texts", c.model.ID, len(got), len(batch))
		}
		for _, v := range got {
			if len(v) != c.model.Dims {
				return fmt.Errorf("embedder %s gave a vector of %d values, not %d", c.model.ID, len(v), c.model.Dims)
			}
		}
		vectors = append(vectors, got...)
	}
	for _, p := range docs {
		n := len(p.doc.Chunks)
		p.doc.Vectors, vectors = vectors[:n:n], vectors[n:]
	}
	return nil
}

// store commits documents in one transaction.
func (c *Corpus) store(ctx context.Context, docs []*prepared) ([]index.Document, error) {
	stored := make([]index.Document, 0, len(docs))
	_, err := c.o.Catalog.Update(ctx, func(tx index.Tx) error {
		stored = stored[:0]
		for _, p := range docs {
			if err := c.checkForeign(tx, &p.doc.Document); err != nil {
				return err
			}
			d, err := tx.Put(&p.doc)
			if err != nil {
				return err
			}
			stored = append(stored, d)
		}
		return nil
	})
	return stored, err
}

var _ embed.TokenCounter = estimate{}
