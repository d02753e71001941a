package mcpserver_test

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"io/fs"
	"strings"
	"sync/atomic"
	"testing"
	"testing/synctest"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver"
)

const ping = `{"jsonrpc":"2.0","id":99,"method":"ping"}`

// blocking makes queries wait until release is closed or they are cancelled.
func blocking(f *fake) (running chan struct{}, cancelled chan error, release chan struct{}) {
	running, cancelled, release = make(chan struct{}, 9), make(chan error, 9), make(chan struct{})
	f.query = func(ctx context.Context, q minirag.Query) (*minirag.Result, error) {
		running <- struct{}{}
		select {
		case <-release:
			return &minirag.Result{}, nil
		case <-ctx.Done():
			cancelled <- ctx.Err()
			return nil, ctx.Err()
		}
	}
	return running, cancelled, release
}

func wantID(t *testing.T, line string, id int) {
	t.Helper()
	var m struct{ ID int }
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.ID != id {
		t.Fatalf("got %s, want the answer to %d", line, id)
	}
}

func TestCancel(t *testing.T) {
	f := newFake()
	running, cancelled, release := blocking(f)
	c := start(t, t.Context(), options(f))
	c.greet()
	c.send(call(1, "query_documents", `{"query":"slow"}`))
	c.send(call(2, "query_documents", `{"query":"slow too"}`))
	<-running
	<-running
	c.send(call(3, "status", `{}`))
	wantID(t, c.next(), 3)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1,"reason":"user"}}`)
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":"none"}}`)
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{}}`)
	c.send(ping)
	wantID(t, c.next(), 99)
	close(release)
	wantID(t, c.next(), 2)
	if rest, err := c.end(); rest != nil || err != nil {
		t.Errorf("at the end: %q, %v; want silence about the cancelled call", rest, err)
	}
}

// TestCancelledID has an id used again after its call was cancelled.
func TestCancelledID(t *testing.T) {
	f := newFake()
	running, cancelled, _ := blocking(f)
	c := start(t, t.Context(), options(f))
	c.greet()
	c.send(call(1, "query_documents", `{"query":"slow"}`))
	<-running
	c.send(`{"jsonrpc":"2.0","method":"notifications/cancelled","params":{"requestId":1}}`)
	<-cancelled
	c.send(call(2, "status", `{}`))
	wantID(t, c.next(), 2)
	if rest, err := c.end(); rest != nil || err != nil {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}

// A lastRead tells when its reader has met the end.
type lastRead struct {
	io.Reader
	met chan struct{}
}

func (r *lastRead) Read(p []byte) (int, error) {
	n, err := r.Reader.Read(p)
	if err == io.EOF {
		close(r.met)
	}
	return n, err
}

func TestInputEndsBeforeAnswers(t *testing.T) {
	f := newFake()
	_, _, release := blocking(f)
	in := &lastRead{strings.NewReader(strings.Join([]string{
		hello, ready,
		call(1, "query_documents", `{"query":"a"}`), call(2, "query_documents", `{"query":"b"}`), call(3, "status", `{}`),
	}, "\n")), make(chan struct{})}
	var out strings.Builder
	ended := make(chan error)
	go func() { ended <- mcpserver.New(options(f)).Run(t.Context(), in, &out) }()
	<-in.met
	close(release)
	if err := <-ended; err != nil {
		t.Error(err)
	}
	for id := range 4 {
		if !strings.Contains(out.String(), fmt.Sprintf(`"id":%d,"result"`, id)) {
			t.Errorf("no answer to %d in:\n%s", id, out.String())
		}
	}
}

func TestClientDies(t *testing.T) {
	f := newFake()
	running, cancelled, _ := blocking(f)
	c := start(t, t.Context(), options(f))
	c.greet()
	c.send(call(1, "query_documents", `{"query":"slow"}`))
	<-running
	c.out.Close()
	c.send(ping)
	if err := <-cancelled; !errors.Is(err, context.Canceled) {
		t.Errorf("the call ended with %v", err)
	}
	if err := <-c.ended; err != nil {
		t.Errorf("Run: %v, want nil", err)
	}
}

func TestOutputFails(t *testing.T) {
	full := errors.New("disk is full")
	err := mcpserver.New(options(newFake())).Run(t.Context(), strings.NewReader(hello+"\n"), failing{full})
	if !errors.Is(err, full) {
		t.Errorf("Run: %v, want %v", err, full)
	}
}

type failing struct{ err error }

func (f failing) Write([]byte) (int, error) { return 0, f.err }

// TestSyncEnds stops the server in two ways while a sync runs: the sync is
// cancelled and waited for.
func TestSyncEnds(t *testing.T) {
	for _, how := range []string{"input ends", "context ends"} {
		t.Run(how, func(t *testing.T) {
			var tidy atomic.Bool
			f := newFake()
			f.sync = func(ctx context.Context, o *minirag.SyncOptions) (*minirag.SyncReport, error) {
				o.Progress(minirag.Progress{Event: minirag.EventScanned, Total: 7})
				<-ctx.Done()
				tidy.Store(true)
				return nil, ctx.Err()
			}
			ctx, cancel := context.WithCancel(t.Context())
			defer cancel()
			c := start(t, ctx, options(f))
			c.greet()
			c.send(call(1, "sync_start", `{}`))
			wantID(t, c.next(), 1)
			var want error
			if how == "context ends" {
				cancel()
				want = context.Canceled
			} else {
				c.in.Close()
			}
			if err := <-c.ended; !errors.Is(err, want) {
				t.Errorf("Run: %v, want %v", err, want)
			}
			if !tidy.Load() {
				t.Error("Run did not wait for the sync")
			}
		})
	}
}

// TestContextEnds has a call that runs when the server is told to stop.
func TestContextEnds(t *testing.T) {
	f := newFake()
	running, cancelled, _ := blocking(f)
	ctx, cancel := context.WithCancel(t.Context())
	defer cancel()
	c := start(t, ctx, options(f))
	c.greet()
	c.send(call(1, "query_documents", `{"query":"slow"}`))
	<-running
	cancel()
	<-cancelled
	if line := c.next(); !strings.Contains(line, "the server is stopping") {
		t.Errorf("answer %s", line)
	}
	if err := <-c.ended; !errors.Is(err, context.Canceled) {
		t.Errorf("Run: %v", err)
	}
}

// state asks for a job until it is over, or once if any state will do.
func (c *client) state(job string, over bool) map[string]any {
	c.t.Helper()
	for {
		c.send(call(50, "sync_status", fmt.Sprintf(`{"jobId":%q}`, job)))
		var m struct {
			Result struct{ StructuredContent map[string]any }
		}
		if err := json.Unmarshal([]byte(c.next()), &m); err != nil {
			c.t.Fatal(err)
		}
		if s := m.Result.StructuredContent; s == nil || !over || s["finishedAt"] != nil {
			return s
		}
	}
}

func (c *client) job(id int, args string) string {
	c.t.Helper()
	c.send(call(id, "sync_start", args))
	line := c.next()
	var m struct {
		Result struct {
			StructuredContent struct{ JobID string }
		}
	}
	if err := json.Unmarshal([]byte(line), &m); err != nil || m.Result.StructuredContent.JobID == "" {
		c.t.Fatalf("no job: %s", line)
	}
	return m.Result.StructuredContent.JobID
}

func TestSyncJob(t *testing.T) { synctest.Test(t, syncJob) }

func syncJob(t *testing.T) {
	f := newFake()
	release := make(chan error)
	f.sync = func(ctx context.Context, o *minirag.SyncOptions) (*minirag.SyncReport, error) {
		o.Progress(minirag.Progress{Event: minirag.EventScanned, Total: 3})
		counts := minirag.Counts{Scanned: 3, Ingested: 1, Failed: 1}
		o.Progress(minirag.Progress{Event: minirag.EventFailed, Source: "/docs/a.pdf", Err: minirag.ErrDamaged, Done: 2, Total: 3, Counts: counts})
		release <- nil
		if err := <-release; err != nil {
			return nil, err
		}
		return &minirag.SyncReport{Counts: minirag.Counts{Scanned: 3, Ingested: 2, Failed: 1}}, nil
	}
	c := start(t, t.Context(), options(f))
	c.greet()
	job := c.job(1, `{}`)
	<-release
	s := c.state(job, false)
	if s["state"] != "running" || s["total"] != 3.0 || s["processed"] != 2.0 || s["counts"].(map[string]any)["ingested"] != 1.0 ||
		len(s["errors"].([]any)) != 1 || s["finishedAt"] != nil || s["error"] != nil {
		t.Errorf("while it runs: %v", s)
	}
	c.send(call(2, "sync_start", `{}`))
	if line := c.next(); !strings.Contains(line, "already running") || !strings.Contains(line, job) {
		t.Errorf("a second start: %s", line)
	}
	release <- nil
	if s = c.state(job, true); s["state"] != "succeeded" || s["counts"].(map[string]any)["ingested"] != 2.0 {
		t.Errorf("at the end: %v", s)
	}
	second := c.job(3, `{"path":"/docs/rules"}`)
	if c.state(job, false) != nil {
		t.Error("the first job is still known")
	}
	<-release
	release <- errors.New("scan: the disk is gone")
	if s = c.state(second, true); s["state"] != "failed" || s["error"] != "scan: the disk is gone" {
		t.Errorf("a failed job: %v", s)
	}
	// What cannot even start leaves the latest job known.
	f.sync = func(context.Context, *minirag.SyncOptions) (*minirag.SyncReport, error) {
		return nil, fmt.Errorf("sync: %w: process 7, for 2m05s", minirag.ErrSyncRunning)
	}
	c.send(call(4, "sync_start", `{}`))
	if line := c.next(); !strings.Contains(line, "process 7, for 2m05s") || !strings.Contains(line, `"isError":true`) {
		t.Errorf("a start that is refused: %s", line)
	}
	if c.state(second, false) == nil {
		t.Error("a start that was refused made the latest job unknown")
	}
	f.sync = func(context.Context, *minirag.SyncOptions) (*minirag.SyncReport, error) { panic("a sync went wrong") }
	c.send(call(5, "sync_start", `{}`))
	if line := c.next(); !strings.Contains(line, "a sync went wrong") {
		t.Errorf("a panic: %s", line)
	}
}

// TestOpen wants the corpus opened by the first tool that needs it, once, and
// again after an error.
func TestOpen(t *testing.T) { synctest.Test(t, openOnce) }

func openOnce(t *testing.T) {
	var opened atomic.Int32
	o := options(newFake())
	first := make(chan struct{})
	inner := o.Open
	o.Open = func(ctx context.Context) (mcpserver.Corpus, error) {
		switch opened.Add(1) {
		case 1:
			<-first
			return nil, fmt.Errorf("the index is locked: %w", fs.ErrNotExist)
		case 2:
			panic("an open went wrong")
		}
		return inner(ctx)
	}
	c := start(t, t.Context(), o)
	c.greet()
	c.send(`{"jsonrpc":"2.0","id":1,"method":"tools/list"}`)
	wantID(t, c.next(), 1)
	if n := opened.Load(); n != 0 {
		t.Errorf("opened %d times before a tool was called", n)
	}
	c.send(call(2, "list_files", `{}`))
	c.send(call(3, "list_files", `{}`))
	c.send(call(4, "status", `{}`)) // does not wait for ever
	if line := c.next(); !strings.Contains(line, "still being opened") {
		t.Errorf("status: %s", line)
	}
	close(first)
	for range 2 {
		if line := c.next(); !strings.Contains(line, "the index is locked") || strings.Contains(line, "shows the files") {
			t.Errorf("answer %s", line)
		}
	}
	if n := opened.Load(); n != 1 {
		t.Errorf("opened %d times", n)
	}
	c.send(call(5, "list_files", `{}`))
	if line := c.next(); !strings.Contains(line, "an open went wrong") {
		t.Errorf("answer %s", line)
	}
	for id := 6; id < 9; id++ {
		c.send(call(id, "list_files", `{}`))
		if line := c.next(); strings.Contains(line, "isError") {
			t.Errorf("answer %s", line)
		}
	}
	if n := opened.Load(); n != 3 {
		t.Errorf("opened %d times", n)
	}
}

func TestLongLines(t *testing.T) {
	o := options(newFake())
	c := start(t, t.Context(), o)
	c.greet()
	// The SDK's own limit is 16 MiB.
	c.send(call(1, "ingest_data", `{"source":"big","data":"`+strings.Repeat("a line, ", 17<<17)+`"}`))
	if line := c.next(); strings.Contains(line, "isError") {
		t.Errorf("answer %s", line)
	}
	if _, err := c.end(); err != nil {
		t.Error(err)
	}

	o.MaxMessage = 1000
	c = start(t, t.Context(), o)
	c.greet()
	c.send(strings.Repeat("x", 200_000))
	if line := c.next(); !strings.Contains(line, "longer than 1000 bytes") || !strings.Contains(line, `"id":null`) {
		t.Errorf("answer %s", line)
	}
	c.send(ping)
	wantID(t, c.next(), 99)
	if _, err := io.WriteString(c.in, ping); err != nil { // the last line has no end
		t.Fatal(err)
	}
	if rest, err := c.end(); err != nil || len(rest) != 1 {
		t.Errorf("at the end: %q, %v", rest, err)
	}
}
