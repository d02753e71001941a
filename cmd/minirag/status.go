package main

import (
	"context"
	"fmt"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/chunk"
)

const ocrHint = "scanned PDFs and images cannot be indexed: this version does not recognise text in pictures"

func (a *app) statusCommand() *cli.Command {
	return &cli.Command{
		Name:      "status",
		Usage:     "show the configuration and the index",
		ArgsUsage: " ",
		Flags:     settingFlags(),
		Action:    a.status,
	}
}

// status shows problems and does not fail because of them.
func (a *app) status(ctx context.Context, cmd *cli.Command) error {
	if err := noArguments(cmd); err != nil {
		return err
	}
	o := object{{"version", version}}
	if c, err := a.config(cmd); err != nil {
		o.add("configError", err.Error())
	} else {
		c.describe(&o)
		if s, err := a.corpusStatus(ctx, c); err != nil {
			if ctx.Err() != nil {
				return ctx.Err()
			}
			o.add("indexError", err.Error())
		} else {
			describeIndex(&o, s)
		}
	}
	if cmd.Bool("json") {
		return a.printJSON(o)
	}
	for _, f := range o {
		fmt.Fprintf(a.out, "%s: %s\n", f.key, humanValue(f.value))
	}
	return nil
}

func (a *app) corpusStatus(ctx context.Context, c *config) (*minirag.Status, error) {
	corpus, err := a.openFor(ctx, c, embedderUse{offline: true})
	if err != nil {
		return nil, err
	}
	s, err := corpus.Status(ctx)
	if closeErr := corpus.Close(); err == nil {
		err = closeErr
	}
	return s, err
}

// describe adds what is known without opening the index.
func (c *config) describe(o *object) {
	o.add("roots", c.roots)
	o.add("dbPath", c.dbPath)
	o.add("model", c.model())
	if notice := c.modelNotice(); notice != "" {
		o.add("modelNotice", notice)
	}
	kernel, threads := c.engine()
	if kernel != "" {
		o.add("kernel", kernel)
		o.add("threads", threads)
	}
	o.add("hybridWeight", c.hybridWeight)
	o.add("chunkScheme", chunk.Scheme)
	o.add("ocr", "unavailable")
	o.add("ocrHint", ocrHint)
}

func describeIndex(o *object, s *minirag.Status) {
	o.add("chunkCount", s.Chunks)
	o.add("sourceCount", s.Sources)
	o.add("staleChunkCount", s.StaleChunks)
	o.add("chunkTokenBudget", s.Budget)
	if s.StaleChunks > 0 {
		o.add("schemeWarning", fmt.Sprintf(`%d %s made by another model, chunking or conversion; "minirag sync" makes them anew`,
			s.StaleChunks, plural(s.StaleChunks, "chunk was", "chunks were")))
	}
	if len(s.Warnings) > 0 {
		o.add("warnings", s.Warnings)
	}
}

func humanValue(v any) string {
	switch v := v.(type) {
	case []string:
		quoted := make([]string, len(v))
		for i, s := range v {
			quoted[i] = quote(s)
		}
		return "[" + strings.Join(quoted, ", ") + "]"
	case *float64:
		if v == nil {
			return "default"
		}
		return formatFloat(*v)
	}
	return fmt.Sprint(v)
}
