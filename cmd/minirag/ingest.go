package main

import (
	"context"
	"fmt"
	"os"
	"path/filepath"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

func (a *app) ingestCommand() *cli.Command {
	return &cli.Command{
		Name:      "ingest",
		Usage:     "index files, and the files in folders, whether or not they have changed",
		ArgsUsage: "PATH...",
		Flags: append([]cli.Flag{
			&cli.StringSliceFlag{Name: "paths", Usage: "file or folder, instead of PATH; repeatable", TakesFile: true},
			&cli.BoolFlag{Name: "empty-paths", Hidden: true},
		}, settingFlags()...),
		Action: a.ingest,
	}
}

func (a *app) ingest(ctx context.Context, cmd *cli.Command) error {
	paths := append(cmd.StringSlice("paths"), cmd.Args().Slice()...)
	if len(paths) == 0 && !cmd.Bool("empty-paths") {
		return misuse(cmd, "the argument PATH is missing")
	}
	return a.withCorpus(ctx, cmd, func(_ *config, corpus *minirag.Corpus) error {
		in, err := gather(ctx, corpus, paths)
		if err != nil {
			return err
		}
		out := ingestJSON{Ingested: []ingestedJSON{}, Failed: in.failed}
		for _, path := range in.files {
			src, err := corpus.Ingest(ctx, minirag.Path(path))
			switch {
			case ctx.Err() != nil:
				return ctx.Err()
			case err != nil:
				out.Failed = append(out.Failed, wire.Error{Source: path, Error: detail(err)})
			default:
				a.warn(src)
				out.Ingested = append(out.Ingested, ingestedJSON{Source: src.ID, ChunkCount: src.Chunks})
			}
		}
		for _, f := range out.Failed {
			fmt.Fprintf(a.stderr, "warn: %s: %s\n", printable(f.Source), f.Error)
		}
		if cmd.Bool("json") {
			err = a.printJSON(out)
		} else {
			fmt.Fprintf(a.out, "ingested %d file(s):\n", len(out.Ingested))
			for _, s := range out.Ingested {
				fmt.Fprintf(a.out, "  %s\n", printable(s.Source))
			}
		}
		if err == nil && len(out.Failed) > 0 {
			err = errPartial
		}
		return err
	})
}

func (a *app) warn(src *minirag.Source) {
	for _, w := range src.Warnings {
		fmt.Fprintf(a.stderr, "warn: %s: %s\n", printable(src.ID), w)
	}
}

// A gathering is the files that paths come to, each once.
type gathering struct {
	corpus *minirag.Corpus
	seen   map[string]bool // by real path
	files  []string
	failed []wire.Error // folders that cannot be looked into
}

// gather fails as a whole if one of the paths is outside the roots, so that
// nothing is ingested by a command that is partly a mistake.
func gather(ctx context.Context, corpus *minirag.Corpus, paths []string) (*gathering, error) {
	g := &gathering{corpus: corpus, seen: map[string]bool{}, failed: []wire.Error{}}
	sources := make([]string, len(paths))
	for i, path := range paths {
		var err error
		if sources[i], err = resolve(corpus, path); err != nil {
			return nil, err
		}
	}
	for _, source := range sources {
		info, err := os.Stat(source)
		if err != nil || !info.IsDir() {
			g.add(source) // Ingest says what is wrong with it.
			continue
		}
		if err := g.addFolder(ctx, source); err != nil {
			return nil, err
		}
	}
	return g, nil
}

func (g *gathering) add(path string) {
	real, err := filepath.EvalSymlinks(path)
	if err != nil {
		real = path
	}
	if !g.seen[real] {
		g.seen[real] = true
		g.files = append(g.files, path)
	}
}

// addFolder takes the files of a folder by the rules of a sync.
func (g *gathering) addFolder(ctx context.Context, dir string) error {
	listing, err := g.corpus.List(ctx, &minirag.ListOptions{Scope: []string{dir}})
	if err != nil {
		return err
	}
	for _, s := range listing.Sources {
		switch s.State {
		case minirag.StateIngested, minirag.StateStale, minirag.StateStaleScheme, minirag.StateNotIngested:
			if s.Kind == minirag.KindFile {
				g.add(s.ID)
			}
		}
	}
	for _, u := range listing.UnlistedFolders {
		if u.Err != nil {
			g.failed = append(g.failed, wire.Error{Source: u.Path, Error: u.Message})
		}
	}
	return nil
}
