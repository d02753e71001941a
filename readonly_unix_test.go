//go:build unix

package minirag_test

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"log/slog"
	"os"
	"path/filepath"
	"syscall"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/testcorpus"
)

// childOther gives up the rights of root, to which no permission applies, and
// uses an index that it cannot write.
func childOther(ctx context.Context) error {
	if err := errors.Join(syscall.Setgroups(nil), syscall.Setgid(65534), syscall.Setuid(65534)); err != nil {
		return err
	}
	var log bytes.Buffer
	c, err := testcorpus.Open(ctx, os.Getenv(childIndex), &minirag.Options{Roots: []string{os.Getenv(childRoot)},
		Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		return err
	}
	defer c.Close()
	res, err := c.Query(ctx, minirag.Query{Text: "when must an expense report be filed?", TopK: 1})
	if err != nil || len(res.Hits) != 1 {
		return fmt.Errorf("query: %+v, %w", res, err)
	}
	if _, err := c.Read(ctx, res.Hits[0].Source.ID); err != nil {
		return err
	}
	if log.Len() > 0 { // nothing is wrong with a place that is only for reading
		return fmt.Errorf("the log says %s", &log)
	}
	if _, err := c.Ingest(ctx, minirag.Bytes("n", "text/plain", []byte("x"))); !errors.Is(err, index.ErrReadOnly) {
		return fmt.Errorf("ingest: %w", err)
	}
	report, err := c.Doctor(ctx, &minirag.DoctorOptions{Repair: true})
	if err != nil {
		return err
	}
	for _, f := range report.Findings {
		if f.Part == "catalog" || f.Repaired {
			return fmt.Errorf("doctor: %+v", f)
		}
	}
	fmt.Println("found", res.Hits[0].Source.DisplayPath)
	return nil
}

func TestOtherUserAsksReadOnlyIndex(t *testing.T) {
	if os.Geteuid() != 0 {
		t.Skip("TestReadOnlyIndexCanBeAsked is for this user")
	}
	root := library(t)
	base := testcorpus.OpenFolder(t)
	dir := filepath.Join(base, "index")
	c, err := testcorpus.Open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
	if err != nil {
		t.Fatal(err)
	}
	syncAll(t, c)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	// A copy need not have the lock, which then cannot be made.
	if err := os.Remove(filepath.Join(dir, "apply.lock")); err != nil {
		t.Fatal(err)
	}
	err = filepath.WalkDir(base, func(path string, d os.DirEntry, err error) error {
		if err == nil && d.IsDir() {
			return os.Chmod(path, 0o555)
		}
		return errors.Join(err, os.Chmod(path, 0o444))
	})
	if err != nil {
		t.Fatal(err)
	}
	cmd, lines := child(t, "other", root, dir, "")
	var last string
	for lines.Scan() {
		last = lines.Text()
		t.Log(last)
	}
	if err := cmd.Wait(); err != nil || last != "found policies/expenses.md" {
		t.Errorf("%v: %s", err, last)
	}
}
