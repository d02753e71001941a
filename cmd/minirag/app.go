package main

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"strings"
	"syscall"

	"github.com/urfave/cli/v3"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/local"
)

// The exit codes.
const (
	exitOK          = 0
	exitFailed      = 1
	exitUsage       = 2
	exitInterrupted = 130
)

// errPartial ends a command whose full result has been printed but some of
// whose items failed.
var errPartial = errors.New("some items failed")

// A usageError says that the command line cannot be used.
type usageError struct {
	command string // full name, for the pointer to the help
	err     error
}

func (e *usageError) Error() string { return e.err.Error() }
func (e *usageError) Unwrap() error { return e.err }

// An app is one run of the command.
type app struct {
	process
	out *bufio.Writer // standard output
}

// run executes the command line and returns the exit code.
func run(ctx context.Context, args []string, p *process) int {
	a := &app{process: *p, out: bufio.NewWriter(p.stdout)}
	var err error
	if len(args) < 2 {
		err = a.serve(ctx, flags{})
	} else {
		err = a.root().Run(ctx, args)
	}
	if flushErr := a.out.Flush(); flushErr != nil && !isClosedPipe(flushErr) && err == nil {
		err = fmt.Errorf("write to standard output: %w", flushErr)
	}
	return a.report(ctx, err)
}

// isClosedPipe reports whether nobody reads standard output any more. That is
// the reader's decision and no failure.
func isClosedPipe(err error) bool {
	return errors.Is(err, syscall.EPIPE) || errors.Is(err, io.ErrClosedPipe)
}

func (a *app) report(ctx context.Context, err error) int {
	var usage *usageError
	var help cli.ExitCoder // there is no help on what was asked for
	switch {
	case err == nil:
		return exitOK
	case ctx.Err() != nil:
		fmt.Fprintln(a.stderr, "error: interrupted")
		return exitInterrupted
	case errors.Is(err, errPartial):
		return exitFailed
	case errors.As(err, &usage):
		fmt.Fprintf(a.stderr, "error: %v\nrun \"%s --help\" for the usage\n", err, usage.command)
		return exitUsage
	}
	fmt.Fprintf(a.stderr, "error: %v\n", err)
	if errors.As(err, &help) {
		return exitUsage
	}
	if hint := hintFor(err); hint != "" {
		fmt.Fprintf(a.stderr, "hint: %s\n", hint)
	}
	return exitFailed
}

// hintFor says what a person at the terminal can do about err, or nothing if
// the error says so itself.
func hintFor(err error) string {
	var source *minirag.SourceError
	if errors.As(err, &source) && source.Hint != "" {
		return ""
	}
	switch {
	case errors.Is(err, minirag.ErrOutsideRoots):
		return "name its folder with --base-dir, or in BASE_DIR or BASE_DIRS"
	case errors.Is(err, minirag.ErrNotFound):
		return `"minirag list" shows what is indexed, "minirag sync" indexes the rest`
	case errors.Is(err, minirag.ErrModelMismatch):
		return `"minirag sync" embeds the documents anew`
	case errors.Is(err, minirag.ErrSyncRunning):
		return "wait until it has ended, or choose another index with --db-path"
	}
	return ""
}

func (a *app) root() *cli.Command {
	root := &cli.Command{
		Name:  "minirag",
		Usage: "search your own documents, offline",
		Description: "Without a command: an MCP server on standard input and output.\n\n" +
			"Exit codes: 0 success, 1 failure (also of single files), 2 wrong usage, 130 interrupted.",
		UsageText:   "minirag [command] [options]",
		HideVersion: true,
		Flags: []cli.Flag{
			&cli.BoolFlag{Name: "version", Usage: "print the version", Local: true},
		},
		Action: a.noCommand,
		Commands: []*cli.Command{
			a.syncCommand(), a.ingestCommand(), a.ingestURLCommand(), a.queryCommand(),
			a.readCommand(), a.neighborsCommand(), a.listCommand(), a.deleteCommand(),
			a.statusCommand(), a.convertCommand(), a.evalCommand(), a.benchCommand(),
			a.doctorCommand(), a.compactCommand(), a.exportCommand(), a.importCommand(),
			a.serveCommand(),
		},
		// Everything is reported by report.
		ExitErrHandler: func(context.Context, *cli.Command, error) {},
		OnUsageError:   onUsageError,
		Writer:         a.out,
		ErrWriter:      a.stderr,
		// A question may be the word "help", and a path may have commas.
		HideHelpCommand:           true,
		DisableSliceFlagSeparator: true,
	}
	for _, c := range root.Commands {
		c.OnUsageError = onUsageError
		c.DisableSliceFlagSeparator = true
	}
	return root
}

func (a *app) noCommand(_ context.Context, cmd *cli.Command) error {
	if cmd.Bool("version") {
		fmt.Fprintln(a.out, version)
		return nil
	}
	switch cmd.Args().First() {
	case "":
		return misuse(cmd, "a command is missing")
	case "help":
		return cli.ShowRootCommandHelp(cmd)
	}
	var names []string
	for _, c := range cmd.Commands {
		names = append(names, c.Name)
	}
	return misuse(cmd, "unknown command %s; the commands are %s", quote(cmd.Args().First()), strings.Join(names, ", "))
}

func misuse(cmd *cli.Command, format string, args ...any) error {
	return &usageError{command: cmd.FullName(), err: fmt.Errorf(format, args...)}
}

func onUsageError(_ context.Context, cmd *cli.Command, err error, _ bool) error {
	msg := err.Error()
	if name, ok := strings.CutPrefix(msg, "flag provided but not defined: "); ok {
		msg = "unknown option -" + name
		if strings.ContainsAny(name, `./\ `) { // more like a path or a question
			msg += `; put "--" before an argument that begins with a dash`
		}
	} else if name, ok := strings.CutPrefix(msg, "flag needs an argument: "); ok {
		msg = "option " + name + " needs a value"
	} else if rest, ok := strings.CutPrefix(msg, "invalid value "); ok {
		// The rest is: "VALUE" for flag -NAME: CAUSE
		if value, rest, ok := strings.Cut(rest, " for flag -"); ok {
			name, _, _ := strings.Cut(rest, ":")
			msg = "option --" + name + " cannot be " + value
		}
	}
	return misuse(cmd, "%s", msg)
}

// settingFlags are the options that all commands with an index have.
func settingFlags() []cli.Flag { return append(indexFlags(), jsonFlag()) }

func indexFlags() []cli.Flag {
	return []cli.Flag{
		&cli.StringSliceFlag{Name: "base-dir", Usage: "folder with documents; repeatable (BASE_DIR, BASE_DIRS)", TakesFile: true},
		&cli.StringFlag{Name: "db-path", Usage: "folder of the index (DB_PATH)", TakesFile: true},
		&cli.StringFlag{Name: "cache-dir", Usage: "folder for what can be made again (CACHE_DIR)", TakesFile: true},
		&cli.StringFlag{Name: "model-name", Usage: "embedding model (MODEL_NAME)"},
		&cli.BoolFlag{Name: "empty-base-dir", Hidden: true},
	}
}

func jsonFlag() cli.Flag {
	return &cli.BoolWithInverseFlag{Name: "json", Usage: "print JSON"}
}

func (a *app) config(cmd *cli.Command) (*config, error) {
	return loadConfig(flagsOf(cmd), a.lookup)
}

func flagsOf(cmd *cli.Command) flags {
	return flags{
		baseDirs:  cmd.StringSlice("base-dir"),
		dbPath:    cmd.String("db-path"),
		cacheDir:  cmd.String("cache-dir"),
		modelName: cmd.String("model-name"),
	}
}

func (a *app) logger() *slog.Logger {
	return slog.New(slog.NewTextHandler(a.stderr, &slog.HandlerOptions{Level: slog.LevelWarn}))
}

func (a *app) open(ctx context.Context, c *config) (*minirag.Corpus, error) {
	return a.openFor(ctx, c, embedderUse{})
}

func (a *app) openFor(ctx context.Context, c *config, use embedderUse) (*minirag.Corpus, error) {
	embedder, err := a.openEmbedder(ctx, c, use)
	if err != nil {
		return nil, err
	}
	corpus, err := local.Open(ctx, c.local(embedder, a.logger()))
	if err != nil {
		return nil, fmt.Errorf("%w; DB_PATH or --db-path names the folder of the index, now %s", err, c.dbPath)
	}
	return corpus, nil
}

// withCorpus opens the corpus for one command.
func (a *app) withCorpus(ctx context.Context, cmd *cli.Command, do func(*config, *minirag.Corpus) error) (err error) {
	c, err := a.config(cmd)
	if err != nil {
		return err
	}
	corpus, err := a.open(ctx, c)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, corpus.Close()) }()
	return do(c, corpus)
}

// one returns the value of a parameter that is given by position or by name.
func one(cmd *cli.Command, name string) (value string, given bool, err error) {
	args := cmd.Args().Slice()
	if cmd.IsSet(name) {
		args = append([]string{cmd.String(name)}, args...)
	}
	switch len(args) {
	case 0:
		return "", false, nil
	case 1:
		return args[0], true, nil
	}
	return "", false, misuse(cmd, "unexpected argument %s", quote(args[1]))
}

// required is one for a parameter that must be there.
func required(cmd *cli.Command, name string) (string, error) {
	v, given, err := one(cmd, name)
	if err == nil && !given {
		err = misuse(cmd, "the argument %s is missing", strings.ToUpper(name))
	}
	return v, err
}

func noArguments(cmd *cli.Command) error {
	if cmd.Args().Present() {
		return misuse(cmd, "unexpected argument %s", quote(cmd.Args().First()))
	}
	return nil
}

// resolve returns the source that a path from the command line names.
func resolve(corpus *minirag.Corpus, path string) (string, error) {
	abs, err := absPath(path)
	if err != nil {
		return "", err
	}
	return corpus.Resolve(abs)
}

// target returns the source that a path, if it is not empty, or else source names.
func target(corpus *minirag.Corpus, path, source string, missing string) (string, error) {
	if path != "" {
		return resolve(corpus, path)
	}
	if source == "" {
		return "", errors.New(missing)
	}
	return source, nil
}
