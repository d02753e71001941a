package minirag_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"os/exec"
	"path/filepath"
	"strings"
	"testing"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/embed"
	"github.com/minirag/minirag/embed/embedtest"
	"github.com/minirag/minirag/internal/testcorpus"
)

// childFirst uses a corpus that may not be there yet, as the commands do.
func childFirst(ctx context.Context, c *minirag.Corpus) error {
	if _, err := c.Status(ctx); err != nil {
		return err
	}
	if _, err := c.Query(ctx, minirag.Query{Text: "hello"}); err != nil {
		return err
	}
	_, err := c.List(ctx, nil)
	return err
}

func TestEightProcessesOpenAtOnce(t *testing.T) {
	root := testcorpus.Write(t, map[string]string{"a.md": "# Hello\n"})
	dir := filepath.Join(t.TempDir(), "new", "index")
	var children []*exec.Cmd
	var outputs []*bufio.Scanner
	for range 8 {
		cmd, lines := child(t, "first", root, dir, "")
		children, outputs = append(children, cmd), append(outputs, lines)
	}
	finish(t, children, outputs)
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	if found := examine(t, c, false); len(found) != 0 {
		t.Errorf("%+v", found)
	}
}

// renamed is another model of the same shape.
type renamed struct{ embed.Embedder }

func (r renamed) Model() embed.ModelInfo {
	m := r.Embedder.Model()
	m.ID = "another model"
	return m
}

func TestAnotherModelOfAnyShape(t *testing.T) {
	a := embedtest.New(&embedtest.Options{Dims: 4})
	root, dir := library(t), filepath.Join(t.TempDir(), "index")
	at := func(e embed.Embedder, words *float64) *minirag.Corpus {
		return testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}, Embedder: e, Ranking: minirag.Ranking{HybridWeight: words}})
	}
	syncAll(t, at(a, nil))
	only := 1.0
	for name, other := range map[string]embed.Embedder{
		"other length": embedtest.New(&embedtest.Options{Dims: 8}),
		"same length":  renamed{a},
	} {
		c := at(other, nil)
		_, err := c.Query(t.Context(), minirag.Query{Text: "apply_secrets"})
		if !errors.Is(err, minirag.ErrModelMismatch) || !strings.Contains(err.Error(), "sync") {
			t.Errorf("%s: %v", name, err)
		}
		status, err := c.Status(t.Context())
		if err != nil || status.StaleChunks == 0 || status.StaleChunks != status.Chunks || status.Model.ID != other.Model().ID {
			t.Errorf("%s: %+v, %v", name, status, err)
		}
		if got := first(t, at(other, &only), "apply_secrets"); got != "notes.txt" {
			t.Errorf("%s: by words %q is found", name, got)
		}
	}
	if got := first(t, at(a, nil), "apply_secrets"); got != "notes.txt" {
		t.Errorf("the first model finds %q", got)
	}
}

// choking fails at one text.
type choking struct {
	embed.Embedder
	at string
}

var errChoked = errors.New("the model has choked")

func (c choking) Embed(ctx context.Context, texts []string) ([][]float32, error) {
	for _, text := range texts {
		if c.at != "" && strings.Contains(text, c.at) {
			return nil, errChoked
		}
	}
	return c.Embedder.Embed(ctx, texts)
}

// A document of which one chunk cannot be embedded is not indexed, or keeps
// its old version, until a later sync embeds all of it.
func TestPartlyEmbedded(t *testing.T) {
	var text strings.Builder
	for i := range 20 {
		fmt.Fprintf(&text, "# Part %d\n\nmarker%02d stands in part %d.\n\n", i, i, i)
	}
	root := testcorpus.Write(t, map[string]string{"a.md": text.String()})
	dir := filepath.Join(t.TempDir(), "index")
	at := func(marker string) *minirag.Corpus {
		return testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}, Embedder: choking{embedtest.New(nil), marker}})
	}
	stateIs := func(c *minirag.Corpus, want minirag.State, chunks int) {
		t.Helper()
		listing, err := c.List(t.Context(), nil)
		if err != nil || len(listing.Sources) != 1 || listing.Sources[0].State != want || listing.Sources[0].Chunks != chunks {
			t.Errorf("%+v, %v", listing, err)
		}
		if found := examine(t, c, false); len(found) != 0 {
			t.Errorf("%+v", found)
		}
	}
	c := at("marker11")
	report, err := c.Sync(t.Context(), nil)
	if err != nil || report.Counts.Failed != 1 || report.Counts.Ingested != 0 || !errors.Is(report.Errors[0], errChoked) {
		t.Errorf("%+v, %v", report, err)
	}
	stateIs(c, minirag.StateNotIngested, 0)
	whole := at("")
	syncAll(t, whole)
	stateIs(whole, minirag.StateIngested, 20)
	testcorpus.WriteFile(t, filepath.Join(root, "a.md"), text.String()+"# Part 20\n\nmarker20 is new.\n")
	if report, err := at("marker20").Sync(t.Context(), nil); err != nil || report.Counts.Failed != 1 {
		t.Errorf("%+v, %v", report, err)
	}
	stateIs(c, minirag.StateStale, 20)
	if got := first(t, whole, "marker11"); got != "a.md" {
		t.Errorf("of the old version %q is found", got)
	}
	syncAll(t, whole)
	stateIs(whole, minirag.StateIngested, 21)
}
