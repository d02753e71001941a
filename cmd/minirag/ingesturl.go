package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
)

func (a *app) ingestURLCommand() *cli.Command {
	return &cli.Command{
		Name:      "ingest-url",
		Usage:     "fetch an http or https address and index it",
		ArgsUsage: "URL",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "url", Usage: "the address, instead of URL"},
			&cli.StringFlag{Name: "source", Usage: "name in the index; default: the address"},
			&cli.StringFlag{Name: "title", Usage: "title; default: that of the page"},
		}, settingFlags()...),
		Action: a.ingestURL,
	}
}

func (a *app) ingestURL(ctx context.Context, cmd *cli.Command) error {
	url, err := required(cmd, "url")
	if err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		in := minirag.Address(url)
		if s := cmd.String("source"); s != "" {
			in.Source = s
		}
		in.Title = cmd.String("title")
		src, err := corpus.Ingest(ctx, in)
		if err != nil {
			return err
		}
		a.warn(src)
		if cmd.Bool("json") {
			return a.printJSON(ingestedJSON{Source: src.ID, ChunkCount: src.Chunks, Title: &src.Title})
		}
		fmt.Fprintf(a.out, "ingested %s (%d chunks)\n", printable(src.ID), src.Chunks)
		return nil
	})
}
