package mcpserver

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"runtime/debug"
	"sync"
	"time"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/mcpserver/wire"
)

// jobs keeps the latest sync of this server and at most one that runs.
type jobs struct {
	mu      sync.Mutex // guards the rest
	running *job       // started and not over
	latest  *job       // what sync_status knows: running or over
}

// A job is one sync.
type job struct {
	id      string        // fixed at creation
	started time.Time     // fixed at creation
	signs   chan struct{} // closed at the first sign that the sync runs
	over    chan struct{} // closed at the end

	mu       sync.Mutex // guards the rest
	seen     bool       // signs is closed
	finished time.Time
	counts   minirag.Counts
	errs     []wire.Error
	err      error // why the sync as a whole could not run
	done     int
	total    int
}

// syncStart starts a sync. It answers when the sync runs, has ended, or a
// moment has passed. A sync that is refused in that time leaves the latest
// job known.
func (s *Server) syncStart(ctx context.Context, a args) (any, error) {
	j := &job{id: newJobID(), started: time.Now(), signs: make(chan struct{}), over: make(chan struct{})}
	s.jobs.mu.Lock()
	if r := s.jobs.running; r != nil {
		s.jobs.mu.Unlock()
		return nil, refuse("A sync job is already running: job %s, for %s; follow it with sync_status",
			r.id, time.Since(r.started).Round(time.Second))
	}
	s.jobs.running = j
	s.jobs.mu.Unlock()

	s.wg.Go(func() { s.runJob(j, a) })
	timer := time.NewTimer(earlyWait)
	defer timer.Stop()
	select {
	case <-j.signs:
	case <-j.over:
		j.mu.Lock()
		err := j.err
		j.mu.Unlock()
		if err != nil {
			return nil, err
		}
	case <-timer.C:
	}
	s.jobs.mu.Lock()
	s.jobs.latest = j
	s.jobs.mu.Unlock()
	return startResult{JobID: j.id}, nil
}

func newJobID() string {
	var b [16]byte
	rand.Read(b[:]) // never fails
	return hex.EncodeToString(b[:])
}

// runJob runs the sync of j until it ends or the server does.
func (s *Server) runJob(j *job, a args) {
	var report *minirag.SyncReport
	var err error
	defer func() {
		if p := recover(); p != nil {
			s.log.Error("panic in a sync", "panic", p, "stack", string(debug.Stack()))
			err = fmt.Errorf("sync: internal error: %v", p)
		}
		// Nobody may see the end of a job and still be refused a new one.
		s.jobs.mu.Lock()
		s.jobs.running = nil
		j.end(report, err)
		s.jobs.mu.Unlock()
	}()
	report, err = s.sync(s.ctx, j, a)
}

func (s *Server) sync(ctx context.Context, j *job, a args) (*minirag.SyncReport, error) {
	c, err := s.open(ctx)
	if err != nil {
		return nil, err
	}
	o := &minirag.SyncOptions{Progress: j.progress}
	if a.has("path") {
		if o.Path, err = s.resolve(c, a.text("path")); err != nil {
			return nil, err
		}
	}
	return c.Sync(ctx, o)
}

// progress notes a step of the sync.
func (j *job) progress(p minirag.Progress) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.counts, j.done, j.total = p.Counts, p.Done, p.Total
	if p.Event == minirag.EventFailed && p.Err != nil {
		j.errs = append(j.errs, makeJobError(p.Source, p.Err))
	}
	if !j.seen {
		j.seen = true
		close(j.signs)
	}
}

func (j *job) end(report *minirag.SyncReport, err error) {
	j.mu.Lock()
	defer j.mu.Unlock()
	j.finished, j.err = time.Now(), err
	if report != nil {
		j.counts = report.Counts
		j.errs = nil
		for _, e := range report.Errors {
			j.errs = append(j.errs, makeJobError(e.Source, e))
		}
	}
	close(j.over)
}

// makeJobError shapes an error. What it says does not repeat the source.
func makeJobError(source string, err error) wire.Error {
	op, of, text := parts(err)
	switch {
	case of != "" && of != source:
		text = op + " " + of + ": " + text
	case op != "":
		text = op + ": " + text
	}
	return wire.Error{Source: source, Error: text}
}

// syncStatus reports on the latest job.
func (s *Server) syncStatus(ctx context.Context, a args) (any, error) {
	id := a.text("jobId")
	s.jobs.mu.Lock()
	j := s.jobs.latest
	s.jobs.mu.Unlock()
	if j == nil || j.id != id {
		return nil, refuse("Unknown sync job '%s' (only the latest job is kept)", id)
	}
	return j.record(func(err error) string { return s.explain(ctx, err) }), nil
}

func (j *job) record(explain func(error) string) jobRecord {
	j.mu.Lock()
	defer j.mu.Unlock()
	r := jobRecord{
		JobID:     j.id,
		State:     "pending",
		StartedAt: stamp(j.started),
		Counts:    wire.Counts(j.counts),
		Errors:    append([]wire.Error{}, j.errs...),
		Processed: j.done,
		Total:     j.total,
	}
	switch {
	case !j.finished.IsZero():
		r.State = "succeeded"
		at := stamp(j.finished)
		r.FinishedAt = &at
		if j.err != nil {
			r.State = "failed"
			text := explain(j.err)
			r.Error = &text
		}
	case j.seen:
		r.State = "running"
	}
	return r
}

func stamp(t time.Time) string { return t.UTC().Format("2006-01-02T15:04:05.000000Z07:00") }
