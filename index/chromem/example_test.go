package chromem_test

import (
	"bytes"
	"context"
	"fmt"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/chromem"
)

// A corpus takes a store as Options.Vectors of minirag.Open. What it holds can
// be kept in one file, so that the next process does not fill it again.
func Example() {
	ctx := context.Background()
	origin := index.Origin{Catalog: "uuid of the catalog", Model: "model", Dims: 2}
	store, err := chromem.New(origin)
	if err != nil {
		panic(err)
	}
	err = store.Apply(ctx, index.Changes[index.VectorEntry]{To: 1, Add: func(yield func(index.VectorEntry, error) bool) {
		yield(index.VectorEntry{Chunk: 7, Doc: 3, Vector: []float32{1, 0}}, nil)
	}})
	if err != nil {
		panic(err)
	}
	var file bytes.Buffer
	if err := store.Export(ctx, &file); err != nil {
		panic(err)
	}

	next, err := chromem.New(origin)
	if err != nil {
		panic(err)
	}
	if err := next.Import(ctx, bytes.NewReader(file.Bytes())); err != nil {
		panic(err)
	}
	snapshot, err := next.Snapshot(ctx)
	if err != nil {
		panic(err)
	}
	hits, err := snapshot.Search(ctx, index.VectorQuery{Vector: []float32{0.6, 0.8}, Limit: 1})
	fmt.Println(snapshot.Seq(), hits, err)
	// Output: 1 [{7 3 0.6000000238418579}] <nil>
}
