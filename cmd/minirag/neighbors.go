package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

func (a *app) neighborsCommand() *cli.Command {
	return &cli.Command{
		Name:      "read-neighbors",
		Usage:     "print the chunks around a chunk",
		ArgsUsage: " ",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "file-path", Usage: "file that has the chunk", TakesFile: true},
			&cli.StringFlag{Name: "source", Usage: "name in the index, instead of a file"},
			&cli.IntFlag{Name: "chunk-index", Usage: "number of the chunk, from 0; required", HideDefault: true},
			&cli.IntFlag{Name: "before", Usage: "number of chunks before it", Value: 1},
			&cli.IntFlag{Name: "after", Usage: "number of chunks after it", Value: 1},
		}, settingFlags()...),
		Action: a.neighbors,
	}
}

func (a *app) neighbors(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	if !cmd.IsSet("chunk-index") {
		return misuse(cmd, "the option --chunk-index is missing")
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		source, err := target(corpus, cmd.String("file-path"), cmd.String("source"), "provide --file-path or --source")
		if err != nil {
			return err
		}
		hits, err := corpus.Neighbors(ctx, source, cmd.Int("chunk-index"), cmd.Int("before"), cmd.Int("after"))
		// An unknown document has no chunks, as a known one has none beyond its end.
		if err != nil && !errors.Is(err, minirag.ErrNotFound) {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(wire.Neighbors{Chunks: wire.Rows(hits)})
		}
		if len(hits) == 0 {
			fmt.Fprintln(a.out, "no chunks")
		}
		for i, h := range hits {
			if i > 0 {
				fmt.Fprintln(a.out)
			}
			fmt.Fprintf(a.out, "[%d] %s — %s\n%s\n", h.Index, printable(h.Source.ID), printable(h.Source.Title), h.Text)
		}
		return nil
	})
}
