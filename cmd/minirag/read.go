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

// withSource opens the corpus and finds out what document a command is about.
func (a *app) withSource(ctx context.Context, cmd *cli.Command, do func(corpus *minirag.Corpus, source string) error) error {
	path, _, err := one(cmd, "path")
	if err != nil {
		return err
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		source, err := target(corpus, path, cmd.String("source"), "provide a path or --source")
		if err != nil {
			return err
		}
		return do(corpus, source)
	})
}

func (a *app) readCommand() *cli.Command {
	return &cli.Command{
		Name:        "read",
		Usage:       "print an indexed document, or a part of it, as Markdown",
		ArgsUsage:   "[PATH]",
		Description: "Prints what is in the index, even if the file is gone or has changed.",
		Flags: append(append(targetFlags(),
			&cli.StringFlag{Name: "section", Usage: "only this section, named by the parentId of a result"},
			&cli.StringFlag{Name: "heading", Usage: "only what stands under this heading; \"Chapter > Part\" names one under another, \"Notes #2\" the second of its name"},
			&cli.IntFlag{Name: "from-line", Usage: "only from this line on, counted from 1"},
			&cli.IntFlag{Name: "to-line", Usage: "only up to this line"},
			&cli.IntFlag{Name: "max-bytes", Usage: "print at most so much and say where to go on"},
			&cli.IntFlag{Name: "offset", Usage: "go on here"},
		), settingFlags()...),
		Action: a.read,
	}
}

func (a *app) read(ctx context.Context, cmd *cli.Command) error {
	return a.withSource(ctx, cmd, func(corpus *minirag.Corpus, source string) error {
		text, err := corpus.Read(ctx, source)
		if err != nil {
			return err
		}
		o := minirag.PartOptions{
			Section: cmd.String("section"), Heading: cmd.String("heading"),
			FromLine: cmd.Int("from-line"), ToLine: cmd.Int("to-line"),
			Offset: cmd.Int("offset"), MaxBytes: cmd.Int("max-bytes"),
		}
		part, err := text.Part(&o)
		if err != nil {
			return err
		}
		switch {
		case !cmd.Bool("json"):
		case o == (minirag.PartOptions{}):
			return a.printJSON(wire.TextOf(text))
		default:
			return a.printJSON(wire.PartOf(text, part))
		}
		fmt.Fprint(a.out, part.Text)
		if !strings.HasSuffix(part.Text, "\n") {
			fmt.Fprintln(a.out)
		}
		if part.Next > 0 {
			fmt.Fprintf(a.stderr, "more follows: --offset %d\n", part.Next)
		}
		return nil
	})
}
