package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

func targetFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringFlag{Name: "path", Usage: "file, instead of PATH", TakesFile: true},
		&cli.StringFlag{Name: "source", Usage: "name in the index, instead of a path"},
	}
}

func (a *app) readCommand() *cli.Command {
	return &cli.Command{
		Name:        "read",
		Usage:       "print a whole indexed document as Markdown",
		ArgsUsage:   "[PATH]",
		Description: "Prints what is in the index, even if the file is gone or has changed.",
		Flags:       append(targetFlags(), settingFlags()...),
		Action:      a.read,
	}
}

func (a *app) read(ctx context.Context, cmd *cli.Command) error {
	path, _, err := one(cmd, "path")
	if err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		source, err := target(corpus, path, cmd.String("source"), "provide a path or --source")
		if err != nil {
			return err
		}
		text, err := corpus.Read(ctx, source)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(wire.TextOf(text))
		}
		fmt.Fprint(a.out, text.Markdown)
		if !strings.HasSuffix(text.Markdown, "\n") {
			fmt.Fprintln(a.out)
		}
		return nil
	})
}
