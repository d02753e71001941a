// Command minirag indexes folders of documents and answers questions about
// them from the terminal. Without arguments it is an MCP server on standard
// input and output.
//
// This is the only package of the module that reads the environment. It holds
// no logic that a program using the library lacks.
//
// # Exit codes
//
//	0    success; also a query without results and a status with problems
//	1    the operation failed, or some of its files did
//	2    the command line cannot be used
//	130  interrupted by a signal
//
// Messages to people go to standard error, results to standard output.
package main

import (
	"context"
	"io"
	"os"
	"os/signal"
	"syscall"

	"golang.org/x/term"

	"github.com/minirag/minirag/embed"
)

// version is the number that --version prints and the server tells.
const version = "0.1.0"

func main() {
	os.Exit(start(nil))
}

// start runs the command in this process and returns its exit code. embedder
// replaces the built-in model; it is nil but in tests.
func start(embedder embed.Embedder) int {
	// Without this a reader that goes away, as head does, ends the process in
	// the middle of a write.
	signal.Ignore(syscall.SIGPIPE)
	ctx, stop := signal.NotifyContext(context.Background(), os.Interrupt, syscall.SIGTERM)
	defer stop()
	// A second signal ends the process at once.
	context.AfterFunc(ctx, stop)
	return run(ctx, os.Args, &process{
		lookup:   os.LookupEnv,
		stdin:    os.Stdin,
		stdout:   os.Stdout,
		stderr:   os.Stderr,
		terminal: term.IsTerminal(int(os.Stderr.Fd())),
		embedder: embedder,
	})
}

// A process is what the command has from the system.
type process struct {
	lookup   func(string) (string, bool)
	stdin    io.ReadCloser
	stdout   io.WriteCloser
	stderr   io.Writer
	terminal bool           // stderr is one
	embedder embed.Embedder // nil: the built-in model
}
