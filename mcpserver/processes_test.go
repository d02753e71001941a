package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/modelcontextprotocol/go-sdk/mcp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
	"github.com/minirag/minirag/mcpserver"
	"github.com/minirag/minirag/mcpserver/wire"
)

// childVar, when set, makes this binary a server of the index in the folder
// that it names.
const childVar = "MINIRAG_TEST_SERVE"

func TestMain(m *testing.M) {
	dir := os.Getenv(childVar)
	if dir == "" {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	// A weight of the words keeps nearly equal passages apart.
	weight := 0.5
	c, err := testcorpus.Open(ctx, dir, &minirag.Options{Roots: []string{filepath.Dir(dir)}, Ranking: minirag.Ranking{HybridWeight: &weight}})
	if err == nil {
		open := func(context.Context) (mcpserver.Corpus, error) { return c, nil }
		err = errors.Join(mcpserver.New(&mcpserver.Options{Open: open}).Run(ctx, os.Stdin, os.Stdout), c.Close())
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// Four servers share an index, two of them write: nothing fails, and every
// answer has one version of each document. bench/servers.go does it for
// minutes with the command.
func TestServersShareAnIndex(t *testing.T) {
	dir := filepath.Join(t.TempDir(), "index")
	rounds := 12
	if testing.Short() {
		rounds = 3
	}
	var clients []*mcp.ClientSession
	for range 4 {
		clients = append(clients, serveElsewhere(t, dir))
	}
	write := func(writer, version int) error {
		var b strings.Builder
		for part := range 3 {
			fmt.Fprintf(&b, "# Part %d\n\nThe lighthouse log, version w%dv%d. Fog.\n\n", part, writer, version)
		}
		return ask(t, clients[writer], "ingest_data", map[string]any{"source": fmt.Sprint("log ", writer), "format": "markdown", "data": b.String()}, new(struct{}))
	}
	for writer := range 2 {
		if err := write(writer, 0); err != nil {
			t.Fatal(err)
		}
	}
	var wg sync.WaitGroup
	for i, client := range clients {
		wg.Go(func() {
			for round := range rounds {
				if i < 2 {
					if err := write(i, round+1); err != nil {
						t.Errorf("server %d: %v", i, err)
						return
					}
				}
				for range 4 {
					var answer wire.Query
					if err := ask(t, client, "query_documents", map[string]any{"query": "lighthouse log", "topK": 50}, &answer); err != nil {
						t.Errorf("server %d: %v", i, err)
						return
					}
					versions := make(map[string][]string)
					for _, row := range answer.Results {
						_, rest, _ := strings.Cut(row.Text, "version ")
						version, _, _ := strings.Cut(rest, ".")
						versions[row.Source] = append(versions[row.Source], version)
					}
					for _, source := range []string{"log 0", "log 1"} {
						if v := versions[source]; len(v) != 3 || len(slices.Compact(v)) != 1 {
							t.Errorf("server %d: an answer has the versions %v", i, versions)
						}
					}
				}
			}
		})
	}
	wg.Wait()
}

// serveElsewhere starts a server in a process of its own.
func serveElsewhere(t *testing.T, dir string) *mcp.ClientSession {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.Command(exe) // t.Context ends before the cleanup
	cmd.Env, cmd.Stderr = append(os.Environ(), childVar+"="+dir), os.Stderr
	client, err := mcp.NewClient(&mcp.Implementation{Name: "test", Version: "0"}, nil).
		Connect(t.Context(), &mcp.CommandTransport{Command: cmd, TerminateDuration: time.Minute}, nil) // however busy the machine is
	if err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() {
		if err := client.Close(); err != nil {
			t.Errorf("a server: %v", err)
		}
	})
	return client
}

func ask(t *testing.T, client *mcp.ClientSession, tool string, args map[string]any, out any) error {
	res, err := client.CallTool(t.Context(), &mcp.CallToolParams{Name: tool, Arguments: args})
	if err != nil {
		return err
	}
	text, ok := res.Content[0].(*mcp.TextContent)
	if res.IsError || !ok {
		return fmt.Errorf("%s: %+v", tool, res)
	}
	return json.Unmarshal([]byte(text.Text), out)
}
