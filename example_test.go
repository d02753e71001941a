package minirag_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/convert/text"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
	"github.com/minirag/minirag/index/flat"
	"github.com/minirag/minirag/index/sqlite"
)

// open brings every part itself, as a program does that replaces one of them.
// Package local does the same with the model and all converters.
func open(ctx context.Context, dir string, roots ...string) (*minirag.Corpus, error) {
	catalog, err := sqlite.Open(ctx, filepath.Join(dir, "catalog.sqlite"), nil)
	if err != nil {
		return nil, err
	}
	embedder := embedtest.New(nil) // yours, for instance one that calls a service
	model := embedder.Model()
	keywords, err := bluge.Open(filepath.Join(dir, "keywords"), &bluge.Options{Catalog: catalog.UUID()})
	if err != nil {
		return nil, err
	}
	vectors, err := flat.Open(filepath.Join(dir, "vectors"), index.Origin{Catalog: catalog.UUID(), Model: model.ID, Dims: model.Dims}, nil)
	if err != nil {
		return nil, err
	}
	return minirag.Open(ctx, minirag.Options{
		Catalog: catalog, Keywords: keywords, Vectors: vectors, Embedder: embedder,
		Converter: convert.NewRouter(text.Formats(), nil), Roots: roots,
	})
}

func temporary() (dir string, remove func()) {
	dir, err := os.MkdirTemp("", "minirag-example-")
	if err != nil {
		log.Fatal(err)
	}
	return dir, func() { os.RemoveAll(dir) }
}

func ExampleOpen() {
	ctx := context.Background()
	dir, remove := temporary()
	defer remove()
	docs := filepath.Join(dir, "docs")
	os.Mkdir(docs, 0o755)
	os.WriteFile(filepath.Join(docs, "travel.md"), []byte("# Travel\n\n## Expenses\n\nFile the report within ten days.\n\n## Hotels\n\nBook early.\n"), 0o644)

	corpus, err := open(ctx, filepath.Join(dir, "index"), docs)
	if err != nil {
		log.Fatal(err)
	}
	defer corpus.Close()
	report, err := corpus.Sync(ctx, nil)
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println("ingested", report.Counts.Ingested)

	result, err := corpus.Query(ctx, minirag.Query{Text: "when to file the expenses report", TopK: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Printf("%s: %v\n%s\n", hit.Source.DisplayPath, hit.Section.Headings, hit.Section.Text)
	}
	// Output:
	// ingested 1
	// travel.md: [Travel Expenses]
	// # Travel
	//
	// ## Expenses
	//
	// File the report within ten days.
}

func ExampleCorpus_Ingest() {
	ctx := context.Background()
	dir, remove := temporary()
	defer remove()
	corpus, err := open(ctx, dir)
	if err != nil {
		log.Fatal(err)
	}
	defer corpus.Close()

	src, err := corpus.Ingest(ctx, minirag.Bytes("note-1", "text/markdown", []byte("# Garage\n\nIt opens at seven.\n")))
	if err != nil {
		log.Fatal(err)
	}
	fmt.Println(src.ID, src.Title, src.Chunks)
	doc, err := corpus.Read(ctx, "note-1")
	if err != nil {
		log.Fatal(err)
	}
	fmt.Printf("%q\n", doc.Markdown)
	// Output:
	// note-1 Garage 1
	// "# Garage\n\nIt opens at seven.\n"
}
