package mcpserver_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"flag"
	"fmt"
	"io"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"
	"testing/synctest"

	"github.com/google/go-cmp/cmp"
	"github.com/rogpeppe/go-internal/txtar"

	"github.com/minirag/minirag/mcpserver"
)

var update = flag.Bool("update", false, "write the golden files")

// A client drives a server over pipes, line by line.
type client struct {
	t     *testing.T
	in    *io.PipeWriter
	lines *bufio.Scanner
	out   *io.PipeReader
	ended chan error
}

func start(t *testing.T, ctx context.Context, o *mcpserver.Options) *client {
	t.Helper()
	inR, inW := io.Pipe()
	outR, outW := io.Pipe()
	c := &client{t: t, in: inW, out: outR, lines: bufio.NewScanner(outR), ended: make(chan error, 1)}
	c.lines.Buffer(nil, 1<<30)
	go func() {
		c.ended <- mcpserver.New(o).Run(ctx, inR, outW)
		outW.Close()
	}()
	t.Cleanup(func() { inW.Close(); outR.Close() })
	return c
}

func (c *client) send(line string) {
	c.t.Helper()
	if _, err := io.WriteString(c.in, line+"\n"); err != nil {
		c.t.Fatal(err)
	}
}

// next returns the next line, which must be JSON-RPC.
func (c *client) next() string {
	c.t.Helper()
	if !c.lines.Scan() {
		c.t.Fatalf("the output ended: %v", c.lines.Err())
	}
	var m struct{ JSONRPC string }
	if err := json.Unmarshal(c.lines.Bytes(), &m); err != nil || m.JSONRPC != "2.0" {
		c.t.Fatalf("not JSON-RPC: %s", c.lines.Text())
	}
	return c.lines.Text()
}

// end closes the input and returns what was still written.
func (c *client) end() (rest []string, err error) {
	c.in.Close()
	for c.lines.Scan() {
		rest = append(rest, c.lines.Text())
	}
	return rest, <-c.ended
}

const hello = `{"jsonrpc":"2.0","id":0,"method":"initialize","params":{"protocolVersion":"2025-06-18","capabilities":{},"clientInfo":{"name":"t","version":"0"}}}`
const ready = `{"jsonrpc":"2.0","method":"notifications/initialized"}`

func (c *client) greet() {
	c.t.Helper()
	c.send(hello)
	c.next()
	c.send(ready)
}

func call(id int, tool, args string) string {
	return fmt.Sprintf(`{"jsonrpc":"2.0","id":%d,"method":"tools/call","params":{"name":%q,"arguments":%s}}`, id, tool, args)
}

func options(c mcpserver.Corpus) *mcpserver.Options {
	return &mcpserver.Options{
		Open: func(context.Context) (mcpserver.Corpus, error) { return c, nil },
		Home: "/docs/home",
		Info: mcpserver.Info{
			Version: "1.2.3", Roots: []string{"/docs"}, DBPath: "/docs/.minirag/index", Model: "tiny", ChunkScheme: 4,
		},
	}
}

var unstable = regexp.MustCompile(`(\\?"(?:startedAt|finishedAt)\\?":\\?")[0-9TZ:.-]+`)

// TestConversations plays the client's lines of testdata/*.txtar one at a
// time and compares what the server answers. Each ends with the input's end.
func TestConversations(t *testing.T) {
	files, err := filepath.Glob("testdata/*.txtar")
	if err != nil || len(files) == 0 {
		t.Fatal(files, err)
	}
	for _, file := range files {
		t.Run(strings.TrimSuffix(filepath.Base(file), ".txtar"), func(t *testing.T) {
			synctest.Test(t, func(t *testing.T) { play(t, file) })
		})
	}
}

// play plays one conversation. The server's waits end only when nothing else
// goes on, however busy the machine is.
func play(t *testing.T, file string) {
	ar, err := txtar.ParseFile(file)
	if err != nil {
		t.Fatal(err)
	}
	o := options(newFake())
	if bytes.Contains(ar.Comment, []byte("[bad configuration]")) {
		o.ConfigError = errors.New("RAG_GROUPING is 'x'")
	}
	if bytes.Contains(ar.Comment, []byte("[no index]")) {
		o.Open = func(context.Context) (mcpserver.Corpus, error) {
			return nil, errors.New("open index /docs/.minirag/index: permission denied")
		}
	}
	c := start(t, t.Context(), o)
	c.greet()
	job := ""
	var got strings.Builder
	for line := range strings.Lines(string(ar.Files[0].Data)) {
		line = strings.TrimSpace(line)
		if line == "" {
			continue
		}
		c.send(strings.ReplaceAll(line, "$job", job))
		if !strings.Contains(line, `"id"`) && strings.Contains(line, `"method"`) {
			continue // a notification
		}
		answer := unstable.ReplaceAllString(c.next(), "${1}$$at")
		if m := regexp.MustCompile(`"jobId":"([0-9a-f]{32})"`).FindStringSubmatch(answer); m != nil {
			job = m[1]
		}
		if job != "" {
			answer = strings.ReplaceAll(answer, job, "$job")
		}
		got.WriteString(pretty(t, answer))
	}
	if rest, err := c.end(); len(rest) > 0 || err != nil {
		t.Errorf("at the end: %q, error %v", rest, err)
	}
	if *update {
		ar.Files = []txtar.File{ar.Files[0], {Name: "server", Data: []byte(got.String())}}
		if err := os.WriteFile(file, txtar.Format(ar), 0o644); err != nil {
			t.Fatal(err)
		}
		return
	}
	if diff := cmp.Diff(string(ar.Files[1].Data), got.String()); diff != "" {
		t.Errorf("answers (-want +got):\n%s", diff)
	}
}

// pretty shows an answer on few lines. The text of a successful call must be
// its structured content and is left out.
func pretty(t *testing.T, answer string) string {
	t.Helper()
	var m struct {
		ID     json.RawMessage
		Result struct {
			IsError           bool
			StructuredContent json.RawMessage
			Content           []struct{ Type, Text string }
		}
	}
	if err := json.Unmarshal([]byte(answer), &m); err != nil {
		t.Fatal(err)
	}
	switch r := m.Result; {
	case r.IsError:
		if r.StructuredContent != nil || len(r.Content) != 1 {
			t.Errorf("an error with structured content: %s", answer)
		}
		return fmt.Sprintf("%s error: %s\n", m.ID, r.Content[0].Text)
	case r.StructuredContent != nil:
		// The SDK writes three characters as escapes, which mean the same.
		object := strings.NewReplacer(`\u003c`, "<", `\u003e`, ">", `\u0026`, "&").Replace(string(r.StructuredContent))
		if len(r.Content) != 1 || r.Content[0].Type != "text" || r.Content[0].Text != object {
			t.Errorf("the text is not the structured content: %s", answer)
		}
		return fmt.Sprintf("%s %s\n", m.ID, object)
	}
	return answer + "\n"
}
