package main

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io/fs"
	"path/filepath"
	"strings"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag/convert"
	"github.com/minirag/minirag/internal/readfile"
	"github.com/minirag/minirag/local"
)

func (a *app) convertCommand() *cli.Command {
	return &cli.Command{
		Name:      "convert",
		Usage:     "print a document as Markdown, without an index",
		ArgsUsage: "FILE",
		Description: "The file may lie anywhere. MAX_FILE_SIZE bounds it as it does in a sync.\n" +
			"A title that does not stand in the text is printed before it as front matter.",
		Flags: []cli.Flag{
			&cli.StringFlag{Name: "file", Usage: "the document, instead of FILE", TakesFile: true},
			&cli.StringFlag{Name: "cache-dir", Usage: "folder for what can be made again (CACHE_DIR)", TakesFile: true},
			jsonFlag(),
		},
		Action: a.convert,
	}
}

func (a *app) convert(ctx context.Context, cmd *cli.Command) (err error) {
	file, err := required(cmd, "file")
	if err != nil {
		return err
	}
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	path, err := absPath(file)
	if err != nil {
		return err
	}
	// A link is followed: the person has named it.
	if real, err := filepath.EvalSymlinks(path); err == nil {
		path = real
	}
	data, _, err := readfile.Read("", path, c.maxFileSize)
	if err != nil {
		var system *fs.PathError // names the file again
		if errors.As(err, &system) {
			err = system.Err
		}
		return fmt.Errorf("read %s: %w", file, err)
	}
	converter := local.NewConverter(&local.ConverterOptions{CacheDir: c.cacheDir, Logger: a.logger()})
	defer func() { err = errors.Join(err, converter.Close()) }()
	doc, err := converter.Convert(ctx, convert.Source{Name: file, Data: data}, convert.Limits{InputBytes: c.maxFileSize})
	if err != nil {
		return err
	}
	for _, w := range doc.Warnings {
		fmt.Fprintf(a.stderr, "warn: %s: %s\n", file, w)
	}
	if cmd.Bool("json") {
		return a.printJSON(toConverted(doc))
	}
	if !showsTitle(doc) {
		// A JSON string is a YAML string.
		var title bytes.Buffer
		enc := json.NewEncoder(&title)
		enc.SetEscapeHTML(false)
		if err := enc.Encode(doc.Title); err != nil {
			return fmt.Errorf("write the title: %w", err)
		}
		fmt.Fprintf(a.out, "---\ntitle: %s---\n\n", title.Bytes())
	}
	fmt.Fprint(a.out, doc.Markdown)
	if !strings.HasSuffix(doc.Markdown, "\n") {
		fmt.Fprintln(a.out)
	}
	return nil
}

// showsTitle reports whether the title that the document declares, if any,
// stands in its first line or a heading.
func showsTitle(d *convert.Document) bool {
	first := true
	for line := range strings.Lines(d.Markdown) {
		if line = strings.TrimSpace(line); line == "" {
			continue
		}
		if (first || strings.HasPrefix(line, "#")) && strings.Contains(line, d.Title) {
			return true
		}
		first = false
	}
	return d.Title == ""
}

func toConverted(d *convert.Document) convertedJSON {
	out := convertedJSON{Title: d.Title, Format: d.Format, Metadata: d.Metadata, Warnings: d.Warnings, Markdown: d.Markdown}
	if out.Metadata == nil {
		out.Metadata = map[string]string{}
	}
	if out.Warnings == nil {
		out.Warnings = []string{}
	}
	return out
}
