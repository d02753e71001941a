// Command customembedder opens a corpus from parts: its own embedder, and the
// stores and converters that it wants. It does not link the model of package
// local.
//
//	go run ./examples/customembedder
package main

import (
	"context"
	"fmt"
	"io"
	"log"
	"os"
	"path/filepath"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/html"
	"github.com/minirag/minirag/convert/text"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
	"github.com/minirag/minirag/index/flat"
	"github.com/minirag/minirag/index/sqlite"
)

func main() {
	log.SetFlags(0)
	if err := run(context.Background(), os.Stdout, "examples/library", "what does the warranty cover?"); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, w io.Writer, folder, question string) error {
	dir, err := os.MkdirTemp("", "minirag-customembedder-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	corpus, err := open(ctx, folder, dir)
	if err != nil {
		return err
	}
	defer corpus.Close()
	report, err := corpus.Sync(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Fprintf(w, "%d documents, %d failed\n", report.Counts.Ingested, report.Counts.Failed)
	result, err := corpus.Query(ctx, minirag.Query{Text: question, TopK: 1})
	if err != nil {
		return err
	}
	for _, hit := range result.Hits {
		fmt.Fprintf(w, "%s: %s\n", filepath.ToSlash(hit.Source.DisplayPath), hit.Section.Headings)
	}
	return nil
}

// open brings all parts. Corpus.Close closes them.
func open(ctx context.Context, folder, dir string) (*minirag.Corpus, error) {
	root, err := filepath.Abs(folder)
	if err != nil {
		return nil, err
	}
	if root, err = filepath.EvalSymlinks(root); err != nil {
		return nil, err
	}
	catalog, err := sqlite.Open(ctx, filepath.Join(dir, "catalog.sqlite"), nil)
	if err != nil {
		return nil, err
	}
	model := trigrams{}.Model()
	keywords, err := bluge.Open(filepath.Join(dir, "keywords"), &bluge.Options{Catalog: catalog.UUID()})
	if err != nil {
		return nil, err
	}
	vectors, err := flat.Open(filepath.Join(dir, "vectors"), index.Origin{Catalog: catalog.UUID(), Model: model.ID, Dims: model.Dims}, nil)
	if err != nil {
		return nil, err
	}
	formats := append(text.Formats(), html.Formats()...)
	return minirag.Open(ctx, minirag.Options{
		Catalog: catalog, Keywords: keywords, Vectors: vectors,
		Embedder: trigrams{}, Converter: convert.NewRouter(formats, nil), Roots: []string{root},
	})
}
