package minirag_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// A witness is a lock that proves that nobody else holds it: whoever does has
// made a file that another holder cannot make.
type witness struct {
	minirag.Locker
	mark string
}

var errTwoInside = errors.New("two processes hold the lock")

func (w witness) TryLock() (bool, error) {
	ok, err := w.Locker.TryLock()
	if ok && err == nil {
		err = w.enter()
	}
	return ok, err
}

func (w witness) Lock(ctx context.Context) error {
	if err := w.Locker.Lock(ctx); err != nil {
		return err
	}
	return w.enter()
}

func (w witness) enter() error {
	f, err := os.OpenFile(w.mark, os.O_CREATE|os.O_EXCL|os.O_WRONLY, 0o600)
	if err != nil {
		return fmt.Errorf("%w: %w", errTwoInside, err)
	}
	return f.Close()
}

func (w witness) Unlock() error {
	return errors.Join(os.Remove(w.mark), w.Locker.Unlock())
}

// childApply opens the corpus, changes it, applies the change and closes it,
// again and again: some times, or for MINIRAG_TEST_LOOP.
func childApply(ctx context.Context) error {
	dir, me := os.Getenv(childIndex), os.Getenv(childArg)
	begun, times := time.Now(), 0
	length, err := time.ParseDuration(os.Getenv("MINIRAG_TEST_LOOP"))
	for ; err != nil && times < 8 || err == nil && time.Since(begun) < length; times++ {
		if err := applyOnce(ctx, dir, me, times); err != nil {
			return err
		}
	}
	fmt.Println("applied", times)
	return nil
}

func applyOnce(ctx context.Context, dir, me string, version int) (err error) {
	c, err := testcorpus.Open(ctx, dir, &minirag.Options{
		Roots:     []string{os.Getenv(childRoot)},
		ApplyLock: witness{testcorpus.ApplyLock(dir), filepath.Join(os.Getenv(childRoot), "inside")},
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, c.Close()) }()
	text := fmt.Sprintf("# Note\n\nmarker%s version %d", me, version)
	if _, err := c.Ingest(ctx, minirag.Bytes("note "+me, "text/markdown", []byte(text))); err != nil {
		return err
	}
	res, err := c.Query(ctx, minirag.Query{Text: "marker" + me, Scope: []string{"note " + me}, TopK: 1})
	if err != nil {
		return err
	}
	if len(res.Hits) != 1 || !strings.HasSuffix(res.Hits[0].Text, fmt.Sprint("version ", version)) {
		return fmt.Errorf("version %d is not found: %+v", version, res.Hits)
	}
	return nil
}

// Four processes open, apply and close: never two hold the lock of the derived
// indexes, and few segments are left.
func TestProcessesTakeTurnsToApply(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "index")
	var children []*exec.Cmd
	var outputs []*bufio.Scanner
	for i := range 4 {
		cmd, lines := child(t, "apply", root, dir, fmt.Sprint(i))
		children, outputs = append(children, cmd), append(outputs, lines)
	}
	finish(t, children, outputs)
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	if found := examine(t, c, false); len(found) != 0 {
		t.Errorf("the doctor finds %+v", found)
	}
	fewSegments(t, dir)
}

func fewSegments(t *testing.T, dir string) {
	t.Helper()
	segments := 0
	for path := range tree(t, dir) {
		if filepath.Ext(path) == ".seg" {
			segments++
		}
	}
	// Up to 15 in use, and those of the state before.
	if segments > 30 {
		t.Errorf("%d segment files", segments)
	}
}

// childRead asks until it gets the last version, and never gets one that is
// older than one before.
func childRead(ctx context.Context, c *minirag.Corpus) error {
	last, err := strconv.Atoi(os.Getenv(childArg))
	if err != nil {
		return err
	}
	fmt.Println("ready")
	for seen, queries := 0, 0; ; queries++ {
		version, err := askedVersion(ctx, c)
		if err != nil {
			return fmt.Errorf("query %d: %w", queries, err)
		}
		n, err := strconv.Atoi(version)
		if err != nil || n < seen {
			return fmt.Errorf("query %d: version %s after %d, %w", queries, version, seen, err)
		}
		if seen = n; seen == last {
			fmt.Println("queries", queries)
			return nil
		}
	}
}

// replaces is how often one document is replaced.
func replaces() int {
	if n, err := strconv.Atoi(os.Getenv("MINIRAG_TEST_REPLACES")); err == nil {
		return n
	}
	return 30
}

// One document is replaced many times while three processes ask for it: every
// answer has the whole of one version, and never an older one than before.
func TestReplacedWhileAsked(t *testing.T) {
	root, dir, last := t.TempDir(), filepath.Join(t.TempDir(), "index"), replaces()
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	ingest := func(version int) {
		if _, err := c.Ingest(t.Context(), logVersion(fmt.Sprint(version))); err != nil {
			t.Fatal(err)
		}
	}
	ingest(0)
	var children []*exec.Cmd
	var outputs []*bufio.Scanner
	for range 3 {
		cmd, lines := child(t, "read", root, dir, fmt.Sprint(last))
		children, outputs = append(children, cmd), append(outputs, lines)
	}
	for _, lines := range outputs {
		lines.Scan() // it is ready
	}
	for version := 1; version <= last; version++ {
		ingest(version)
	}
	finish(t, children, outputs)
	if found := examine(t, c, false); len(found) != 0 {
		t.Errorf("the doctor finds %+v", found)
	}
	fewSegments(t, dir)
}
