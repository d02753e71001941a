// Command docxletter writes a letter from a Word template and ingests it, so
// that it is found afterwards like any other document.
//
//	go run ./examples/docxletter
package main

import (
	"context"
	_ "embed"
	"fmt"
	"log"
	"os"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/examples/docxletter/letter"
	"github.com/minirag/minirag/local"
)

//go:embed letter.docx
var template []byte

func main() {
	log.SetFlags(0)
	if err := run(context.Background()); err != nil {
		log.Fatal(err)
	}
}

func run(ctx context.Context) error {
	dir, err := os.MkdirTemp("", "minirag-docxletter-")
	if err != nil {
		return err
	}
	defer os.RemoveAll(dir)
	corpus, err := local.Open(ctx, &local.Options{Roots: []string{dir}})
	if err != nil {
		return err
	}
	defer corpus.Close()

	src, err := letter.Send(ctx, corpus, "letters/recall-0007.docx", template, map[string]string{
		"DATE":     "17 March 2026",
		"CUSTOMER": "Harbour Foods Ltd",
		"SERIALS":  "261100 to 261180",
		"DAYS":     "five",
		"CASE":     "R-0007",
	})
	if err != nil {
		return err
	}
	fmt.Printf("ingested %s (%d chunks)\n", src.ID, src.Chunks)

	result, err := corpus.Query(ctx, minirag.Query{Text: "which loggers does Harbour Foods send back?", TopK: 1})
	if err != nil {
		return err
	}
	for _, hit := range result.Hits {
		fmt.Printf("%s:\n%s\n", hit.Source.ID, hit.Section.Text)
	}
	return nil
}
