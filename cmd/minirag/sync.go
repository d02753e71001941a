package main

import (
	"context"
	"errors"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

func (a *app) syncCommand() *cli.Command {
	return &cli.Command{
		Name:        "sync",
		Usage:       "make the index agree with the folders",
		ArgsUsage:   "[PATH]",
		Description: "Refuses to start while another process syncs the same index.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "path", Usage: "sync this file or folder only, instead of PATH", TakesFile: true},
		}, settingFlags()...),
		Action: a.sync,
	}
}

func (a *app) sync(ctx context.Context, cmd *cli.Command) error {
	path, given, err := one(cmd, "path")
	if err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		if given {
			if path, err = absPath(path); err != nil {
				return err
			}
		}
		report, err := a.runSync(ctx, corpus, path)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			err = a.printJSON(syncJSON{wire.Counts(report.Counts), wire.ErrorsOf(report.Errors)})
		} else {
			c := report.Counts
			fmt.Fprintf(a.out, "scanned: %d, ingested: %d, skipped: %d, moved: %d, deleted: %d, relabelled: %d, unreadable: %d, failed: %d\n",
				c.Scanned, c.Ingested, c.Skipped, c.Moved, c.Deleted, c.Relabelled, c.Unreadable, c.Failed)
		}
		if err == nil && report.Counts.Failed > 0 {
			err = errPartial
		}
		return err
	})
}

// syncFirst syncs before a query. Files that fail, and a sync that runs
// elsewhere, do not keep the rest from being searched.
func (a *app) syncFirst(ctx context.Context, corpus *minirag.Corpus) error {
	_, err := a.runSync(ctx, corpus, "")
	if errors.Is(err, minirag.ErrSyncRunning) {
		fmt.Fprintf(a.stderr, "warn: %v; searching what is indexed so far\n", err)
		return nil
	}
	return err
}

func (a *app) runSync(ctx context.Context, corpus *minirag.Corpus, path string) (*minirag.SyncReport, error) {
	p := &progress{w: a.stderr, terminal: a.terminal}
	report, err := corpus.Sync(ctx, &minirag.SyncOptions{Path: path, Progress: p.step})
	p.end()
	if report != nil {
		for _, e := range report.Errors {
			fmt.Fprintf(a.stderr, "warn: %s: %s\n", printable(e.Source), detail(e))
		}
	}
	return report, err
}
