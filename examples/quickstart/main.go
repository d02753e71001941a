// Command quickstart syncs a folder of documents into an index and answers a
// question from them, with everything that the library brings:
//
//	go run ./examples/quickstart
//	go run ./examples/quickstart ~/documents "who may work from home?"
package main

import (
	"context"
	"fmt"
	"log"
	"os"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/local"
)

func main() {
	log.SetFlags(0)
	folder, question := "examples/library", "when must an expense report be filed?"
	if len(os.Args) == 3 {
		folder, question = os.Args[1], os.Args[2]
	}
	if err := run(context.Background(), folder, question); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context, folder, question string) error {
	// A program of yours would keep the index; without Dir it is in the folder.
	dir, err := os.MkdirTemp("", "minirag-quickstart-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)

	corpus, err := local.Open(ctx, &local.Options{Roots: []string{folder}, Dir: dir})
	if err != nil {
		return err
	}
	defer corpus.Close()

	report, err := corpus.Sync(ctx, nil)
	if err != nil {
		return err
	}
	fmt.Printf("%d documents, %d failed\n", report.Counts.Ingested, report.Counts.Failed)

	result, err := corpus.Query(ctx, minirag.Query{Text: question, TopK: 3})
	if err != nil {
		return err
	}
	for _, hit := range result.Hits {
		fmt.Printf("\n%s (%s)\n%s\n", hit.Source.Title, hit.Source.DisplayPath, hit.Section.Text)
	}
	return nil
}
