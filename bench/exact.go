//go:build ignore

// Exact compares what the search finds with the fast kernels and with those
// in float32, on retrieval sets. See README.md.
//
//	exact [-part dev] SET...
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"time"

	"github.com/minirag/minirag/embed/bert"
	"github.com/minirag/minirag/embed/e5"
	"github.com/minirag/minirag/eval"
	"github.com/minirag/minirag/local"
)

func main() {
	part := flag.String("part", "dev", "ask queries.PART.jsonl")
	flag.Parse()
	fmt.Println("| set | side | nDCG@10 fast | exact | fast - exact | first document right in both or in none |")
	fmt.Println("|---|---|---|---|---|---|")
	for _, dir := range flag.Args() {
		if err := compare(context.Background(), dir, *part); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
	}
}

func compare(ctx context.Context, dir, part string) error {
	set, err := eval.Load(dir, &eval.LoadOptions{Part: part})
	if err != nil {
		return err
	}
	fast, err := measure(ctx, set, bert.Fast)
	if err != nil {
		return err
	}
	exact, err := measure(ctx, set, bert.Exact)
	if err != nil {
		return err
	}
	same := func(side string) (n int) {
		rank := map[string]func(eval.Ranked) int{
			eval.Vector: func(r eval.Ranked) int { return r.Vector },
			eval.Fused:  func(r eval.Ranked) int { return r.Fused },
		}[side]
		for i := range fast.Ranks {
			if (rank(fast.Ranks[i]) == 1) == (rank(exact.Ranks[i]) == 1) {
				n++
			}
		}
		return n
	}
	for i, s := range fast.Sides {
		if s.Name == eval.Keyword { // no vectors in it
			continue
		}
		e := exact.Sides[i]
		fmt.Printf("| %s | %s | %.4f | %.4f | %+.4f | %d of %d |\n", set.Name, s.Name, s.NDCG10, e.NDCG10, s.NDCG10-e.NDCG10, same(s.Name), len(fast.Ranks))
	}
	return nil
}

// measure syncs the documents of a set with the whole path of a user's and asks its questions.
func measure(ctx context.Context, set *eval.Set, p bert.Precision) (_ *eval.Report, err error) {
	dir, err := os.MkdirTemp("", "minirag-bench-")
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	model, err := e5.New(&e5.Options{Precision: p})
	if err != nil {
		return nil, err
	}
	docs := filepath.Join(dir, "docs")
	if err := set.WriteFiles(docs); err != nil {
		return nil, err
	}
	corpus, err := local.Open(ctx, &local.Options{Roots: []string{docs}, Dir: filepath.Join(dir, "index"), Embedder: model})
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	start := time.Now()
	report, err := corpus.Sync(ctx, nil)
	if err != nil {
		return nil, err
	}
	fmt.Fprintf(os.Stderr, "%s: precision %d, %d documents in %.0f s\n", set.Name, p, report.Counts.Ingested, time.Since(start).Seconds())
	return eval.Run(ctx, corpus, set, nil)
}
