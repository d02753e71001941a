package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
)

func (a *app) compactCommand() *cli.Command {
	return &cli.Command{
		Name:        "compact",
		Usage:       "make the index smaller",
		ArgsUsage:   " ",
		Description: "Removes what was replaced and deleted, and merges files. Servers may go on using the index.",
		Flags:       settingFlags(),
		Action:      a.compact,
	}
}

func (a *app) compact(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		report, err := corpus.Compact(ctx)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(object{{"bytesBefore", report.Before}, {"bytesAfter", report.After}})
		}
		fmt.Fprintf(a.out, "%s before, %s now\n", megabytes(report.Before), megabytes(report.After))
		return nil
	})
}

func megabytes(n int64) string { return fmt.Sprintf("%.1f MB", float64(n)/1e6) }
