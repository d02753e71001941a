package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

func (a *app) listCommand() *cli.Command {
	return &cli.Command{
		Name:      "list",
		Usage:     "list the files and what of them is indexed",
		ArgsUsage: " ",
		Description: "States: ingested, stale (the file has changed), stale_scheme (model, chunking or conversion has changed),\n" +
			"not_ingested, unreadable (no longer convertible), unlisted (its folder cannot be listed), missing (the file is gone).\n" +
			"All but ingested and unreadable change with the next sync.",
		Flags: append(append([]cli.Flag{
			&cli.StringFlag{Name: "sort", Usage: "date: newest first, undated last"},
		}, filterFlags()...), settingFlags()...),
		Action: a.list,
	}
}

func (a *app) list(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(c *config, corpus *minirag.Corpus) error {
		// Without labels no source has a date, so that their order stays.
		if sort := cmd.String("sort"); cmd.IsSet("sort") && sort != "date" {
			return fmt.Errorf("sort must be 'date', got %s", quote(sort))
		}
		if err := checkLabels(cmd, c); err != nil {
			return err
		}
		listing, err := corpus.List(ctx, &minirag.ListOptions{Scope: scope(cmd)})
		if err != nil {
			return err
		}
		for _, u := range listing.UnlistedFolders {
			fmt.Fprintf(a.stderr, "warn: %s: %s\n", printable(u.Path), u.Message)
		}
		if cmd.Bool("json") {
			return a.printJSON(wire.ListOf(listing))
		}
		if len(listing.Sources) == 0 {
			fmt.Fprintln(a.out, "no files found")
		}
		for _, s := range listing.Sources {
			fmt.Fprintf(a.out, "[%s] %s (%d chunks)", s.State, printable(s.ID), s.Chunks)
			if s.OCREngine != "" {
				fmt.Fprintf(a.out, " [ocr:%s]", s.OCREngine)
			}
			fmt.Fprintln(a.out)
		}
		return nil
	})
}
