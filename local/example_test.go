package local_test

import (
	"context"
	"fmt"
	"log"
	"os"
	"path/filepath"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/local"
)

func ExampleOpen() {
	ctx := context.Background()
	docs, err := os.MkdirTemp("", "minirag-example-")
	if err != nil {
		log.Fatal(err)
	}
	defer os.RemoveAll(docs)
	os.WriteFile(filepath.Join(docs, "travel.md"), []byte("Book hotels early.\n\nFile the expense report within ten days.\n"), 0o644)

	corpus, err := local.Open(ctx, &local.Options{
		Roots:    []string{docs},
		Embedder: embedtest.New(nil), // leave it out to use the model inside the binary
	})
	if err != nil {
		log.Fatal(err)
	}
	defer corpus.Close()
	if _, err := corpus.Sync(ctx, nil); err != nil {
		log.Fatal(err)
	}
	result, err := corpus.Query(ctx, minirag.Query{Text: "when to file the expense report", TopK: 1})
	if err != nil {
		log.Fatal(err)
	}
	for _, hit := range result.Hits {
		fmt.Println(hit.Source.DisplayPath, "-", hit.Text)
	}
	// Output: travel.md - File the expense report within ten days.
}
