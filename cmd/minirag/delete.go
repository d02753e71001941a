package main

import (
	"context"
	"fmt"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

func (a *app) deleteCommand() *cli.Command {
	return &cli.Command{
		Name:        "delete",
		Usage:       "remove a document from the index",
		ArgsUsage:   "[PATH]",
		Description: "The file itself stays, and the next sync takes it up again.",
		Flags:       append(targetFlags(), settingFlags()...),
		Action:      a.delete,
	}
}

func (a *app) delete(ctx context.Context, cmd *cli.Command) error {
	return a.withSource(ctx, cmd, func(corpus *minirag.Corpus, source string) error {
		was, err := corpus.Delete(ctx, source)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(wire.Deleted{Source: was.ID, DeletedChunks: was.Chunks})
		}
		fmt.Fprintf(a.out, "deleted %d chunk(s) of %s\n", was.Chunks, printable(was.ID))
		return nil
	})
}
