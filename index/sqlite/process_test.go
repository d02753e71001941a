package sqlite_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"io"
	"os"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/minirag/minirag/chunk"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/sqlite"
)

// childVariable holds what a child process of the tests does.
const childVariable = "MINIRAG_SQLITE_TEST_CHILD"

func TestMain(m *testing.M) {
	if role := os.Getenv(childVariable); role != "" {
		if err := child(role, os.Args[len(os.Args)-1]); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func child(role, path string) error {
	ctx := context.Background()
	if role == "other user" {
		return otherUser(ctx, path)
	}
	// All children begin at once, when their input ends.
	fmt.Println("ready")
	io.Copy(io.Discard, os.Stdin)
	// They wait for each other however busy the machine is.
	c, err := sqlite.Open(ctx, path, &sqlite.Options{LockTimeout: 5 * time.Minute})
	if err != nil {
		return err
	}
	for i := 0; role == "forever" || i < 20; i++ {
		seq, err := c.Update(ctx, func(tx index.Tx) error {
			if _, err := tx.Put(document("/shared", fmt.Sprintf("%d of process %d", i, os.Getpid()), 2)); err != nil {
				return err
			}
			_, err := tx.Put(document(fmt.Sprintf("/all/%d", tx.Seq()), "text", 1))
			return err
		})
		if err != nil {
			return err
		}
		if i%8 == 7 {
			if err := c.Purge(ctx, seq-2); err != nil {
				return err
			}
		}
		fmt.Println(seq)
	}
	return c.Close()
}

// A process is a child whose lines are read one by one.
type process struct {
	*exec.Cmd
	in     io.WriteCloser
	out    *bufio.Scanner
	stderr strings.Builder
}

func start(t *testing.T, role, path string) *process {
	t.Helper()
	p := &process{Cmd: exec.Command(os.Args[0], path)}
	p.Env = append(os.Environ(), childVariable+"="+role)
	p.Stderr = &p.stderr
	in, err := p.StdinPipe()
	if err != nil {
		t.Fatal(err)
	}
	out, err := p.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	p.in, p.out = in, bufio.NewScanner(out)
	if err := p.Start(); err != nil {
		t.Fatal(err)
	}
	t.Cleanup(func() { p.Process.Kill() })
	if !p.out.Scan() {
		t.Fatalf("child %q: %v: %s", role, p.Wait(), &p.stderr)
	}
	return p
}

// document makes a document of n chunks.
func document(source, text string, n int) *index.NewDocument {
	d := &index.NewDocument{Document: index.Document{Source: source, Kind: index.File, Title: text, Fingerprint: index.Fingerprint{Model: "m"}}}
	d.Markdown = text
	d.Sections = []chunk.Section{{End: len(text), Headings: []string{text}}}
	for i := range n {
		v := make([]float32, 384)
		v[i%384] = 1
		d.Chunks = append(d.Chunks, chunk.Chunk{End: len(text), Text: text, Tokens: 7})
		d.Vectors = append(d.Vectors, v)
	}
	return d
}

// check reads everything that a catalog holds and returns its sequence.
func check(t *testing.T, c *sqlite.Catalog) index.Seq {
	t.Helper()
	var seq index.Seq
	err := c.View(t.Context(), func(v index.View) error {
		seq = v.Seq()
		documents, chunks := 0, 0
		for d, err := range v.Documents(index.DocumentQuery{}) {
			if err != nil {
				return err
			}
			if text, err := v.Markdown(d.ID); err != nil || len(text) != d.Bytes {
				return fmt.Errorf("%s: %d bytes, %v", d.Source, len(text), err)
			}
			documents++
		}
		for e, err := range v.Added(0, seq, "m") {
			if err != nil {
				return err
			}
			if len(e.Vector) != 384 {
				return fmt.Errorf("chunk %d has a vector of %d dimensions", e.Chunk, len(e.Vector))
			}
			chunks++
		}
		if documents != 1+int(seq) || chunks != 2+int(seq) { // of /shared and /all
			return fmt.Errorf("%d documents and %d chunks at sequence %d", documents, chunks, seq)
		}
		return nil
	})
	if err != nil {
		t.Fatal(err)
	}
	return seq
}

// rounds is fewer in short runs, which the race detector makes long enough.
func rounds(n int) int {
	if testing.Short() {
		return (n + 4) / 5
	}
	return n
}

func TestFourProcessesOpenAtOnce(t *testing.T) {
	for range rounds(5) {
		path := filepath.Join(t.TempDir(), "new folder", "catalog.db")
		var all []*process
		for range 4 {
			all = append(all, start(t, "twenty", path))
		}
		for _, p := range all {
			p.in.Close()
		}
		seen := make(map[string]bool)
		for _, p := range all {
			for p.out.Scan() {
				if seen[p.out.Text()] {
					t.Errorf("two Updates have the sequence %s", p.out.Text())
				}
				seen[p.out.Text()] = true
			}
			if err := p.Wait(); err != nil {
				t.Fatalf("%v: %s", err, &p.stderr)
			}
		}
		if seq := check(t, open(t, path)); seq != 80 || len(seen) != 80 {
			t.Errorf("sequence %d and %d different ones, want 80", seq, len(seen))
		}
	}
}

// What was reported is there after the process is gone, and what was not is
// there wholly or not at all. Meanwhile this process reads.
func TestKill(t *testing.T) {
	path := filepath.Join(t.TempDir(), "catalog.db")
	reader := open(t, path)
	var last index.Seq
	for round := range rounds(15) {
		p := start(t, "forever", path)
		p.in.Close()
		for range 1 + round*3%11 {
			if !p.out.Scan() {
				t.Fatalf("%v: %s", p.Wait(), &p.stderr)
			}
			if _, err := fmt.Sscan(p.out.Text(), &last); err != nil {
				t.Fatal(err)
			}
			if seq := check(t, reader); seq < last {
				t.Fatalf("sequence %d is seen, %d was reported", seq, last)
			}
		}
		p.Process.Kill()
		for p.out.Scan() { // reported before the end
			fmt.Sscan(p.out.Text(), &last)
		}
		var exit *exec.ExitError
		if err := p.Wait(); !errors.As(err, &exit) {
			t.Fatalf("the child ended by itself: %v", err)
		}
		c, err := sqlite.Open(t.Context(), path, nil)
		if err != nil {
			t.Fatal(err)
		}
		seq := check(t, c)
		if seq < last || seq > last+1 {
			t.Fatalf("sequence %d after %d was reported", seq, last)
		}
		if err := c.Close(); err != nil {
			t.Fatal(err)
		}
	}
}
