//go:build ignore

// Servers lets three MCP servers and the command share one corpus: two servers
// write, all of them ask. It reports errors, answers with more than one
// version of a document, and how long questions took. See README.md.
//
//	servers -time 2m MINIRAG MINIRAG-RACE
package main

import (
	"bytes"
	"context"
	"encoding/json"
	"flag"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minirag/minirag/mcpserver/wire"
)

const question = "what does the lighthouse log say about the harbour?"

// waitMost is how long a question may take beyond the slowest of a process
// that is alone: what it waits for the locks of others.
const waitMost = time.Second

func main() {
	length := flag.Duration("time", 2*time.Minute, "how long they work")
	flag.Parse()
	if flag.NArg() != 2 {
		fmt.Fprintln(os.Stderr, "say the command and the one built with -race")
		os.Exit(2)
	}
	if err := run(*length, flag.Arg(0), flag.Arg(1)); err != nil {
		fmt.Fprintln(os.Stderr, "failed:", err)
		os.Exit(1)
	}
}

// A worker is one of the processes, or a sequence of them for the command.
type worker struct {
	name   string
	write  func(source, text string) error // nil: it only asks
	ask    func() (*wire.Query, error)
	stderr *bytes.Buffer

	alone, took []time.Duration // of questions
	writes      int
	errs        []error
}

func run(length time.Duration, plain, race string) error {
	root, err := os.MkdirTemp("", "minirag-servers-*")
	if err != nil {
		return err
	}
	defer os.RemoveAll(root)
	ctx := context.Background()
	// With a weight, nearly equal passages are not folded and no document is
	// bounded, so that all parts of each must be in an answer.
	environ := append(os.Environ(), "RAG_HYBRID_WEIGHT=0.5", "BASE_DIR="+root, "DB_PATH="+filepath.Join(root, "index"), "GORACE=halt_on_error=0")
	var workers []*worker
	for i, exe := range []string{race, plain, plain} {
		w, end, err := server(ctx, exe, environ)
		if err != nil {
			return err
		}
		defer end()
		w.name = fmt.Sprintf("server %d", i+1)
		if i == 0 {
			w.name += " (race)"
		}
		if i == 2 {
			w.write = nil
		}
		workers = append(workers, w)
	}
	workers = append(workers, command(plain, environ))

	for i, w := range workers {
		if w.write != nil {
			if err := w.write(fmt.Sprint("log-", i), text(i, 0)); err != nil {
				return err
			}
		}
		for range 5 {
			start := time.Now()
			if _, err := w.ask(); err != nil {
				return err
			}
			w.alone = append(w.alone, time.Since(start))
		}
	}
	until := time.Now().Add(length)
	var wg sync.WaitGroup
	for i, w := range workers {
		wg.Go(func() { w.work(i, until) })
	}
	wg.Wait()
	return report(workers)
}

func (w *worker) work(me int, until time.Time) {
	fail := func(err error) bool {
		if err != nil {
			w.errs = append(w.errs, err)
		}
		return len(w.errs) >= 10
	}
	for version := 1; time.Now().Before(until); version++ {
		if w.write != nil {
			if fail(w.write(fmt.Sprint("log-", me), text(me, version))) {
				return
			}
			w.writes++
		}
		for range 3 {
			start := time.Now()
			answer, err := w.ask()
			w.took = append(w.took, time.Since(start))
			if err == nil {
				err = oneVersionEach(answer)
			}
			if fail(err) {
				return
			}
		}
	}
}

const sections = 3

// text is a version of the document of a writer; each section names it.
func text(writer, version int) string {
	var b strings.Builder
	for i := range sections {
		fmt.Fprintf(&b, "# Part %d\n\nThe lighthouse log about the harbour, version w%dv%d. Fog and %d ships.\n\n", i, writer, version, i)
	}
	return b.String()
}

func oneVersionEach(answer *wire.Query) error {
	versions := make(map[string][]string)
	for _, row := range answer.Results {
		_, rest, _ := strings.Cut(row.Text, "version ")
		version, _, _ := strings.Cut(rest, ".")
		versions[row.Source] = append(versions[row.Source], version)
	}
	if len(versions) != 2 {
		return fmt.Errorf("an answer has %d documents of 2: %v", len(versions), versions)
	}
	for source, v := range versions {
		if len(v) != sections || len(slices.Compact(v)) != 1 {
			return fmt.Errorf("%s: an answer has the versions %v", source, v)
		}
	}
	return nil
}

func server(ctx context.Context, exe string, environ []string) (*worker, func(), error) {
	w := &worker{stderr: new(bytes.Buffer)}
	cmd := exec.Command(exe)
	cmd.Env, cmd.Stderr = environ, w.stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "bench", Version: "0"}, nil).
		Connect(ctx, &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil)
	if err != nil {
		return nil, nil, err
	}
	call := func(tool string, args map[string]any, out any) error {
		res, err := client.CallTool(ctx, &mcp.CallToolParams{Name: tool, Arguments: args})
		if err != nil {
			return err
		}
		text := res.Content[0].(*mcp.TextContent).Text
		if res.IsError {
			return fmt.Errorf("%s: %s", tool, text)
		}
		return json.Unmarshal([]byte(text), out)
	}
	w.write = func(source, text string) error {
		return call("ingest_data", map[string]any{"source": source, "format": "markdown", "data": text}, new(struct{}))
	}
	w.ask = func() (*wire.Query, error) {
		answer := new(wire.Query)
		return answer, call("query_documents", map[string]any{"query": question, "topK": 50}, answer)
	}
	return w, func() { client.Close() }, nil
}

func command(exe string, environ []string) *worker {
	w := &worker{name: "command", stderr: new(bytes.Buffer)}
	w.ask = func() (*wire.Query, error) {
		cmd := exec.Command(exe, "query", "--json", "--top-k", "50", question)
		cmd.Env, cmd.Stderr = environ, w.stderr
		out, err := cmd.Output()
		if err != nil {
			return nil, fmt.Errorf("query: %w", err)
		}
		answer := new(wire.Query)
		return answer, json.Unmarshal(out, answer)
	}
	return w
}

func report(workers []*worker) error {
	bad := false
	for _, w := range workers {
		slices.Sort(w.took)
		slices.Sort(w.alone)
		n := len(w.took)
		if n == 0 {
			return fmt.Errorf("%s has asked nothing: %v", w.name, w.errs)
		}
		at := func(share float64) time.Duration { return w.took[int(share*float64(n-1))].Round(time.Millisecond) }
		fmt.Printf("%-16s %5d writes, %5d questions, median %v, 95 %% %v, longest %v; alone at most %v\n",
			w.name, w.writes, n, at(0.5), at(0.95), at(1), w.alone[len(w.alone)-1].Round(time.Millisecond))
		if wait := w.took[n-1] - w.alone[len(w.alone)-1]; wait > waitMost {
			fmt.Printf("  a question took %v longer than alone\n", wait.Round(time.Millisecond))
			bad = true
		}
		for _, err := range w.errs {
			fmt.Printf("  error: %v\n", err)
			bad = true
		}
		if races := strings.Count(w.stderr.String(), "DATA RACE"); races > 0 {
			fmt.Printf("  %d races\n%s\n", races, w.stderr)
			bad = true
		} else if w.stderr.Len() > 0 {
			fmt.Printf("  its log: %s\n", w.stderr)
		}
	}
	if bad {
		return fmt.Errorf("see above")
	}
	fmt.Println("no error, no mixed answer, no race, no long wait")
	return nil
}
