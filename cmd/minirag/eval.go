package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/eval"
)

func (a *app) evalCommand() *cli.Command {
	return &cli.Command{
		Name:      "eval",
		Usage:     "measure the search on sets of questions with known answers",
		ArgsUsage: "DIR...",
		Description: "DIR holds corpus.jsonl ({id, title, text} a line), queries.jsonl ({id, text} a line) and qrels.tsv\n" +
			"(question, document, grade). The documents are written as files, synced and asked as a user's are.\n" +
			"Prints nDCG@10, recall@10, MRR@10 and times of the vector side, the keyword side and both together.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "db", Usage: "keep documents and index in a folder below this one, and use what is there", TakesFile: true},
			&cli.StringFlag{Name: "part", Usage: "ask queries.PART.jsonl"},
			&cli.StringFlag{Name: "foreign", Usage: "set whose questions the documents do not answer, to measure relevance", TakesFile: true},
			&cli.IntFlag{Name: "top-k", Usage: "hits to ask for", Value: 40},
			&cli.BoolFlag{Name: "ranks", Usage: "print the rank of each question's first right document"},
		}, settingFlags()...),
		Action: a.eval,
	}
}

func (a *app) eval(ctx context.Context, cmd *cli.Command) error {
	if !cmd.Args().Present() {
		return misuse(cmd, "the argument DIR is missing")
	}
	topK := cmd.Int("top-k")
	if topK < 1 {
		return fmt.Errorf("--top-k must be at least 1, got %d", topK)
	}
	o := &eval.Options{TopK: topK}
	if dir := cmd.String("foreign"); dir != "" {
		foreign, err := eval.Load(dir, &eval.LoadOptions{Part: cmd.String("part")})
		if err != nil {
			return err
		}
		o.Foreign = foreign.Questions
	}
	reports := []*eval.Report{}
	for _, dir := range cmd.Args().Slice() {
		set, err := eval.Load(dir, &eval.LoadOptions{Part: cmd.String("part")})
		if err != nil {
			return err
		}
		report, err := a.evalSet(ctx, cmd, set, o)
		if err != nil {
			return err
		}
		if !cmd.Bool("ranks") {
			report.Ranks = nil
		}
		reports = append(reports, report)
	}
	if cmd.Bool("json") {
		return a.printJSON(object{{"sets", reports}})
	}
	if err := eval.WriteText(a.out, reports...); err != nil {
		return err
	}
	for _, r := range reports {
		for _, q := range r.Ranks {
			fmt.Fprintf(a.out, "%s %s: vector %d, keyword %d, fused %d\n", printable(r.Set), printable(q.Question), q.Vector, q.Keyword, q.Fused)
		}
	}
	return nil
}

// evalSet syncs the documents of a set and asks its questions.
func (a *app) evalSet(ctx context.Context, cmd *cli.Command, set *eval.Set, o *eval.Options) (_ *eval.Report, err error) {
	c, err := a.config(cmd)
	if err != nil {
		return nil, err
	}
	dir := cmd.String("db")
	if dir == "" {
		if dir, err = os.MkdirTemp("", "minirag-eval-"); err != nil {
			return nil, err
		}
		defer os.RemoveAll(dir)
	} else if dir, err = absPath(filepath.Join(dir, set.Name)); err != nil {
		return nil, err
	}
	c.dbPath = filepath.Join(dir, "index")
	documents := filepath.Join(dir, "documents")
	c.roots = []string{documents}
	if err := set.WriteFiles(documents); err != nil {
		return nil, err
	}
	corpus, err := a.open(ctx, c)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	synced, err := corpus.Sync(ctx, &minirag.SyncOptions{})
	if err != nil {
		return nil, err
	}
	for _, e := range synced.Errors {
		fmt.Fprintf(a.stderr, "warn: %s: %s\n", printable(e.Source), detail(e))
	}
	return eval.Run(ctx, corpus, set, o)
}
