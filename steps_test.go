package minirag_test

import (
	"context"
	"errors"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/internal/testcorpus"
)

// The steps of a replacement after which a process of these tests ends.
const (
	stepConverted = "converted" // nothing is stored
	stepStored    = "stored"    // in the catalog, in no index
	stepApplied   = "applied"   // everywhere, and it is not reported
)

const crashed = 7

// ending is an embedder and a lock that end the process at a step.
type ending struct {
	embed.Embedder
	minirag.Locker
	step string
}

func (e *ending) at(step string) {
	if e.step == step {
		os.Exit(crashed)
	}
}

func (e *ending) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	e.at(stepConverted)
	return e.Embedder.Embed(ctx, texts)
}

func (e *ending) TryLock() (bool, error) {
	e.at(stepStored)
	return e.Locker.TryLock()
}

func (e *ending) Lock(ctx context.Context) error {
	e.at(stepStored)
	return e.Locker.Lock(ctx)
}

func (e *ending) Unlock() error {
	e.at(stepApplied)
	return e.Locker.Unlock()
}

// openKind opens a corpus with an index of a kind.
func openKind(ctx context.Context, kind, dir string, o *minirag.Options) (*minirag.Corpus, error) {
	if kind == "separate" {
		return testcorpus.OpenSeparate(ctx, dir, o)
	}
	return testcorpus.Open(ctx, dir, o)
}

// childStep replaces the document and ends in the middle of it.
func childStep(ctx context.Context) error {
	dir := os.Getenv(childIndex)
	kind, step, _ := strings.Cut(os.Getenv(childArg), " ")
	e := &ending{Embedder: embedtest.New(&embedtest.Options{Dims: 64}), Locker: testcorpus.ApplyLock(dir)}
	c, err := openKind(ctx, kind, dir, &minirag.Options{Roots: []string{os.Getenv(childRoot)}, Embedder: e, ApplyLock: e})
	if err != nil {
		return err
	}
	e.step = step
	_, err = c.Ingest(ctx, minirag.Bytes("note", "text/plain", []byte("four five six")))
	return errors.Join(err, fmt.Errorf("it has not ended at the step %q", step))
}

// A process that ends between two writes of a replacement leaves the old
// version or the new one, by words and by meaning alike, and nothing to repair.
func TestEndedBetweenWrites(t *testing.T) {
	for _, kind := range []string{"joint", "separate"} {
		for step, want := range map[string]string{stepConverted: "one two three", stepStored: "four five six", stepApplied: "four five six"} {
			t.Run(kind+" "+step, func(t *testing.T) {
				root, dir := t.TempDir(), filepath.Join(t.TempDir(), "index")
				o := &minirag.Options{Roots: []string{root}}
				reopen := func() *minirag.Corpus {
					c, err := openKind(t.Context(), kind, dir, o)
					if err != nil {
						t.Fatal(err)
					}
					return c
				}
				c := reopen()
				if _, err := c.Ingest(t.Context(), minirag.Bytes("note", "text/plain", []byte("one two three"))); err != nil {
					t.Fatal(err)
				}
				if err := c.Close(); err != nil {
					t.Fatal(err)
				}
				cmd, lines := child(t, "step", root, dir, kind+" "+step)
				for lines.Scan() {
					t.Log(lines.Text())
				}
				cmd.Wait()
				if code := cmd.ProcessState.ExitCode(); code != crashed {
					t.Fatalf("the process ended with %d", code)
				}
				c = reopen()
				defer c.Close()
				for _, text := range []string{"one two three", "four five six"} {
					res, err := c.Query(t.Context(), minirag.Query{Text: text, TopK: 9})
					if err != nil || len(res.Hits) != 1 || res.Hits[0].Text != want {
						t.Errorf("%q finds %+v, %v; want %q", text, res, err, want)
					}
				}
				if found := examine(t, c, false); len(found) != 0 {
					t.Errorf("the doctor finds %+v", found)
				}
				status, err := c.Status(t.Context())
				if err != nil || status.Sources != 1 || status.Chunks != 1 || status.KeywordSeq != status.Seq || status.VectorSeq != status.Seq {
					t.Errorf("%+v, %v", status, err)
				}
			})
		}
	}
}
