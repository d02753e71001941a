package main

import (
	"context"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"os"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/atomicfile"
)

func (a *app) exportCommand() *cli.Command {
	return &cli.Command{
		Name:        "export",
		Usage:       "write the whole index to one file",
		ArgsUsage:   "FILE",
		Description: "The file holds every document of the index with its vectors, and a checksum. Servers may go on using the index.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "file", Hidden: true, TakesFile: true},
			&cli.BoolFlag{Name: "force", Usage: "replace FILE if it exists"},
		}, settingFlags()...),
		Action: a.export,
	}
}

func (a *app) export(ctx context.Context, cmd *cli.Command) error {
	path, err := required(cmd, "file")
	if err != nil {
		return err
	}
	if path, err = absPath(path); err != nil {
		return err
	}
	if info, err := os.Lstat(path); err == nil && (!cmd.Bool("force") || !info.Mode().IsRegular()) {
		if !info.Mode().IsRegular() {
			return fmt.Errorf("export: %s is not a regular file; name another one", path)
		}
		return fmt.Errorf("export: %s exists; name another file, or give --force to replace it", path)
	} else if err != nil && !errors.Is(err, fs.ErrNotExist) {
		return fmt.Errorf("export: %w", err)
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		var report *minirag.ImportReport
		err := atomicfile.Write(path, 0o600, func(w io.Writer) (err error) {
			report, err = corpus.Export(ctx, w)
			return err
		})
		if err != nil {
			return err
		}
		info, err := os.Stat(path)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(object{{"file", path}, {"bytes", info.Size()}, {"sourceCount", report.Sources}, {"chunkCount", report.Chunks}})
		}
		fmt.Fprintf(a.out, "exported %d %s to %s, %s\n", report.Sources, plural(report.Sources, "source", "sources"), printable(path), megabytes(info.Size()))
		return nil
	})
}

func (a *app) importCommand() *cli.Command {
	return &cli.Command{
		Name:        "import",
		Usage:       "fill an empty index from an exported file",
		ArgsUsage:   "FILE",
		Description: "An index that has documents is left as it is, and so is everything if FILE is damaged.",
		Flags: append([]cli.Flag{
			&cli.StringFlag{Name: "file", Hidden: true, TakesFile: true},
		}, settingFlags()...),
		Action: a.importFile,
	}
}

func (a *app) importFile(ctx context.Context, cmd *cli.Command) error {
	path, err := required(cmd, "file")
	if err != nil {
		return err
	}
	if path, err = absPath(path); err != nil {
		return err
	}
	f, err := os.Open(path)
	if err != nil {
		return fmt.Errorf("import: %w", err)
	}
	defer f.Close()
	// Before the index is opened, which would create its folder.
	if err := minirag.CheckExport(f); err != nil {
		return fmt.Errorf("import %s: %w; nothing was changed", path, err)
	}
	return a.withCorpus(ctx, cmd, func(c *config, corpus *minirag.Corpus) error {
		report, err := corpus.Import(ctx, f)
		if err != nil {
			return err
		}
		if cmd.Bool("json") {
			return a.printJSON(object{{"file", path}, {"dbPath", c.dbPath}, {"sourceCount", report.Sources}, {"chunkCount", report.Chunks}})
		}
		fmt.Fprintf(a.out, "imported %d %s into %s\n", report.Sources, plural(report.Sources, "source", "sources"), printable(c.dbPath))
		return nil
	})
}
