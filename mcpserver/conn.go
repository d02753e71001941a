package mcpserver

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"math"
	"sync"
	"time"

	"github.com/modelcontextprotocol/go-sdk/jsonrpc"
	"github.com/modelcontextprotocol/go-sdk/mcp"
)

// aliveEvery is how often a connection whose input has ended writes a sign of
// life while calls run, to learn whether somebody still reads the answers.
const aliveEvery = 2 * time.Second

// errTooLong is the error of a line that exceeds the limit.
var errTooLong = errors.New("message is too long")

// A transport gives its connection.
type transport struct{ c *conn }

func (t transport) Connect(context.Context) (mcp.Connection, error) { return t.c, nil }

// A conn is the SDK's connection over a pair of streams. In three ways it
// differs from the SDK's own: the end of the input is reported only when all
// calls have been answered, because the SDK drops answers after it; a line
// that is no message is answered with an error and the next one is read; and
// a call that has been cancelled gets no answer.
type conn struct {
	out   io.Writer
	lines chan line
	limit int

	closeOnce sync.Once
	closed    chan struct{} // closed by Close
	stopOnce  sync.Once
	stopped   chan struct{} // closed by stop

	writeMu sync.Mutex // held while a line is written

	mu      sync.Mutex // guards the rest
	calls   map[jsonrpc.ID]bool
	running int           // calls whose value is true: an answer is due
	idle    chan struct{} // closed when running falls to 0, nil if nobody waits
	err     error         // of the first write that failed
}

type line struct {
	data []byte
	err  error
}

func newConn(in io.Reader, out io.Writer, limit int) *conn {
	c := &conn{
		out:     out,
		lines:   make(chan line),
		limit:   limit,
		closed:  make(chan struct{}),
		stopped: make(chan struct{}),
		calls:   make(map[jsonrpc.ID]bool),
	}
	go c.scan(in)
	return c
}

// scan reads lines until in ends or c is closed. It is not waited for: a
// blocked read of standard input cannot be interrupted.
func (c *conn) scan(in io.Reader) {
	defer close(c.lines)
	r := bufio.NewReaderSize(in, 64<<10)
	for first := true; ; first = false {
		data, err := readLine(r, c.limit)
		if first {
			data = bytes.TrimPrefix(data, []byte("\xef\xbb\xbf"))
		}
		data = bytes.TrimSpace(data)
		if len(data) > 0 || errors.Is(err, errTooLong) {
			l := line{data: data}
			if errors.Is(err, errTooLong) {
				l.err = err
			}
			select {
			case c.lines <- l:
			case <-c.closed:
				return
			}
		}
		if err != nil && !errors.Is(err, errTooLong) {
			return
		}
	}
}

// readLine returns the next line, or errTooLong after skipping one that is
// longer than limit. An error may come with the last line.
func readLine(r *bufio.Reader, limit int) ([]byte, error) {
	var long []byte
	skip := false
	for {
		part, err := r.ReadSlice('\n')
		if !skip && len(long)+len(part) > limit {
			skip, long = true, nil
		}
		if !skip {
			long = append(long, part...)
		}
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			continue
		case skip && (err == nil || errors.Is(err, io.EOF)):
			return nil, errTooLong
		}
		return long, err
	}
}

func (c *conn) SessionID() string { return "" }

// Read returns the next message, or io.EOF when there is none and no call
// waits for its answer.
func (c *conn) Read(ctx context.Context) (jsonrpc.Message, error) {
	for {
		select {
		case <-c.closed:
			return nil, io.EOF
		default:
		}
		select {
		case <-c.closed:
			return nil, io.EOF
		case <-c.stopped:
			c.drain()
			return nil, io.EOF
		case <-ctx.Done():
			return nil, ctx.Err()
		case l, ok := <-c.lines:
			if !ok {
				c.drain()
				return nil, io.EOF
			}
			msg, problem := c.parse(l)
			if problem == nil {
				c.track(msg)
				return msg, nil
			}
			if err := c.write(problem); err != nil {
				return nil, io.EOF
			}
		}
	}
}

// parse decodes a line. What is not a message gives the answer to it.
func (c *conn) parse(l line) (jsonrpc.Message, []byte) {
	if l.err != nil {
		return nil, problem(nil, jsonrpc.CodeInvalidRequest, fmt.Sprintf("the message is longer than %d bytes", c.limit))
	}
	if !json.Valid(l.data) {
		return nil, problem(nil, jsonrpc.CodeParseError, "the line is not valid JSON")
	}
	if l.data[0] == '[' {
		return nil, problem(nil, jsonrpc.CodeInvalidRequest, "batches are not supported; send one message a line")
	}
	var m struct {
		ID json.RawMessage `json:"id"`
	}
	_ = json.Unmarshal(l.data, &m) // it keeps no id then
	msg, err := jsonrpc.DecodeMessage(l.data)
	switch {
	case err != nil:
		if len(m.ID) > 0 && (m.ID[0] == '{' || m.ID[0] == '[') {
			m.ID = nil
		}
		return nil, problem(m.ID, jsonrpc.CodeInvalidRequest, err.Error())
	case !exact(m.ID):
		return nil, problem(m.ID, jsonrpc.CodeInvalidRequest, "id must be a string or a whole number of at most 53 bits")
	}
	return msg, nil
}

// exact reports whether an id comes through the SDK unchanged: it reads
// numbers as float64 and drops their fraction.
func exact(id json.RawMessage) bool {
	var f float64
	if len(id) == 0 || json.Unmarshal(id, &f) != nil {
		return true // no number
	}
	return f == math.Trunc(f) && math.Abs(f) < 1<<53
}

// problem encodes an error answer. The SDK cannot write one whose id is null.
func problem(id json.RawMessage, code int64, text string) []byte {
	if len(id) == 0 {
		id = json.RawMessage("null")
	}
	data, err := json.Marshal(map[string]any{
		"jsonrpc": "2.0",
		"id":      id,
		"error":   map[string]any{"code": code, "message": text},
	})
	if err != nil {
		panic(err) // every part can be encoded
	}
	return data
}

// track notes calls and their cancellations.
func (c *conn) track(msg jsonrpc.Message) {
	req, ok := msg.(*jsonrpc.Request)
	if !ok {
		return
	}
	c.mu.Lock()
	defer c.mu.Unlock()
	switch {
	case req.Method == "notifications/cancelled":
		var p struct {
			RequestID any `json:"requestId"`
		}
		if json.Unmarshal(req.Params, &p) != nil {
			return
		}
		if id, err := jsonrpc.MakeID(p.RequestID); err == nil && c.calls[id] {
			c.calls[id] = false
			c.finish()
		}
	case !req.IsCall():
	case req.Method == "subscriptions/listen": // it ends when the input does
	default:
		if _, ok := c.calls[req.ID]; !ok {
			c.calls[req.ID] = true
			c.running++
		}
	}
}

// finish notes that one answer less is due. It is called with c.mu held.
func (c *conn) finish() {
	c.running--
	if c.running == 0 && c.idle != nil {
		close(c.idle)
		c.idle = nil
	}
}

// drain waits until no answer is due, c is closed, or nobody reads.
func (c *conn) drain() {
	c.mu.Lock()
	if c.running == 0 {
		c.mu.Unlock()
		return
	}
	idle := make(chan struct{})
	c.idle = idle
	c.mu.Unlock()
	alive, err := jsonrpc.EncodeMessage(&jsonrpc.Request{
		Method: "notifications/message",
		Params: json.RawMessage(`{"level":"debug","logger":"minirag","data":"the input has ended; calls are still running"}`),
	})
	if err != nil {
		panic(err) // it is constant
	}
	tick := time.NewTicker(aliveEvery)
	defer tick.Stop()
	for {
		select {
		case <-idle:
			return
		case <-c.closed:
			return
		case <-tick.C:
			if c.write(alive) != nil {
				return
			}
		}
	}
}

// Write writes a message, unless it answers a call that has been cancelled.
func (c *conn) Write(_ context.Context, msg jsonrpc.Message) error {
	resp, ok := msg.(*jsonrpc.Response)
	if !ok {
		data, err := jsonrpc.EncodeMessage(msg)
		if err != nil {
			return fmt.Errorf("encode message: %w", err)
		}
		return c.write(data)
	}
	var data []byte
	if resp.ID.IsValid() {
		if e := new(jsonrpc.Error); resp.Error != nil && !errors.As(resp.Error, &e) {
			// The SDK gives what it refuses by itself the code 0.
			resp.Error = &jsonrpc.Error{Code: jsonrpc.CodeInvalidRequest, Message: resp.Error.Error()}
		}
		var err error
		if data, err = jsonrpc.EncodeMessage(resp); err != nil {
			data = problem(nil, jsonrpc.CodeInternalError, "encode answer: "+err.Error())
		}
	} else {
		data = problem(nil, jsonrpc.CodeInvalidRequest, fmt.Sprint(resp.Error))
	}
	c.mu.Lock()
	due, known := c.calls[resp.ID]
	delete(c.calls, resp.ID)
	c.mu.Unlock()
	if known && !due {
		return nil
	}
	err := c.write(data)
	if known {
		c.mu.Lock()
		c.finish()
		c.mu.Unlock()
	}
	return err
}

func (c *conn) write(data []byte) error {
	c.writeMu.Lock()
	defer c.writeMu.Unlock()
	if err := c.broken(); err != nil {
		return err
	}
	_, err := c.out.Write(append(data, '\n'))
	if err != nil {
		c.mu.Lock()
		c.err = err
		c.mu.Unlock()
	}
	return err
}

// broken returns the error of the write that failed.
func (c *conn) broken() error {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.err
}

// stop makes Read end as if the input had ended.
func (c *conn) stop() { c.stopOnce.Do(func() { close(c.stopped) }) }

// Close makes Read return io.EOF. The streams stay open: they are the caller's.
func (c *conn) Close() error {
	c.closeOnce.Do(func() { close(c.closed) })
	return nil
}
