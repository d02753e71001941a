package main

import (
	"context"
	"errors"
	"fmt"
	"os"
	"sync"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/mcpserver"
)

func (a *app) serveCommand() *cli.Command {
	return &cli.Command{
		Name:        "serve",
		Usage:       "answer an AI client over MCP",
		Description: "The MCP server on standard input and output, as without a command, but with options.",
		Flags:       indexFlags(),
		Action: func(ctx context.Context, cmd *cli.Command) error {
			if cmd.Args().Present() {
				return misuse(cmd, "unexpected argument %s", quote(cmd.Args().First()))
			}
			return a.serve(ctx, flagsOf(cmd))
		},
	}
}

// serve is the MCP server on standard input and output. It starts even with a
// configuration that cannot be used, to tell the client what is wrong with it.
func (a *app) serve(ctx context.Context, f flags) (err error) {
	o := &mcpserver.Options{
		Info:   mcpserver.Info{Version: version},
		Logger: a.logger(),
	}
	o.InstructionsAppend, _ = a.lookup("RAG_INSTRUCTIONS_APPEND")
	if home, err := os.UserHomeDir(); err == nil {
		o.Home = home
	}
	var opened corpora
	defer func() { err = errors.Join(err, opened.close()) }()

	c, configErr := loadConfig(f, a.lookup)
	if configErr != nil {
		o.ConfigError = configErr
	} else {
		o.Info.Roots = c.roots
		o.Info.DBPath = c.dbPath
		o.Info.Model = c.model()
		o.Info.Kernel, o.Info.Threads = c.engine()
		o.Info.HybridWeight = c.hybridWeight
		o.Info.ChunkScheme = chunk.Scheme
		o.Info.OCRHint = ocrHint
		if notice := c.modelNotice(); notice != "" {
			o.Info.Warnings = append(o.Info.Warnings, notice)
		}
		o.Open = func(ctx context.Context) (mcpserver.Corpus, error) {
			corpus, err := a.open(ctx, c)
			if err != nil {
				return nil, err
			}
			opened.add(corpus)
			return corpus, nil
		}
	}
	err = mcpserver.New(o).Run(ctx, a.stdin, a.stdout)
	if ctx.Err() != nil {
		// A signal is how clients end a server.
		return nil
	}
	return err
}

// corpora are the ones that were opened for the server.
type corpora struct {
	mu   sync.Mutex // guards open
	open []*minirag.Corpus
}

func (c *corpora) add(corpus *minirag.Corpus) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.open = append(c.open, corpus)
}

func (c *corpora) close() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	var errs []error
	for _, corpus := range c.open {
		if err := corpus.Close(); err != nil {
			errs = append(errs, fmt.Errorf("close the index: %w", err))
		}
	}
	return errors.Join(errs...)
}
