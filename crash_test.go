package minirag_test

import (
	"bufio"
	"context"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// The test binary runs itself as the processes of these tests.
const (
	childVar   = "MINIRAG_TEST_CHILD" // what the child does: "sync" or "loop"
	childRoot  = "MINIRAG_TEST_ROOT"
	childIndex = "MINIRAG_TEST_INDEX"
	childArg   = "MINIRAG_TEST_ARG"
)

func TestMain(m *testing.M) {
	if os.Getenv(childVar) == "damage" {
		if err := childDamage(context.Background(), os.Stdin, os.Stdout); err != nil {
			fmt.Fprintln(os.Stderr, err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(childVar) == "other" {
		if err := childOther(context.Background()); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	if os.Getenv(childVar) == "step" {
		fmt.Println("error:", childStep(context.Background()))
		os.Exit(1)
	}
	if os.Getenv(childVar) == "apply" {
		if err := childApply(context.Background()); err != nil {
			fmt.Println("error:", err)
			os.Exit(1)
		}
		return
	}
	run, ok := map[string]func(context.Context, *minirag.Corpus) error{
		"sync": childSync, "loop": childLoop, "work": childWork, "read": childRead, "first": childFirst,
	}[os.Getenv(childVar)]
	if !ok {
		os.Exit(m.Run())
	}
	ctx := context.Background()
	c, err := testcorpus.Open(ctx, os.Getenv(childIndex), &minirag.Options{Roots: []string{os.Getenv(childRoot)}})
	if err == nil {
		err = run(ctx, c)
		c.Close()
	}
	if err != nil {
		fmt.Println("error:", err)
		os.Exit(1)
	}
}

func child(t *testing.T, what, root, dir, arg string) (*exec.Cmd, *bufio.Scanner) {
	t.Helper()
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childVar+"="+what, childRoot+"="+root, childIndex+"="+dir, childArg+"="+arg)
	cmd.Stderr = os.Stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	return cmd, bufio.NewScanner(out)
}

// finish logs what children say until they end, and wants them to end well.
func finish(t *testing.T, children []*exec.Cmd, outputs []*bufio.Scanner) {
	t.Helper()
	for i, lines := range outputs {
		for lines.Scan() {
			t.Logf("process %d: %s", i, lines.Text())
		}
		if err := children[i].Wait(); err != nil {
			t.Errorf("process %d: %v", i, err)
		}
	}
}

// childSync tells of every step that it reports as done.
func childSync(ctx context.Context, c *minirag.Corpus) error {
	_, err := c.Sync(ctx, &minirag.SyncOptions{Progress: func(p minirag.Progress) { fmt.Println(p.Event, p.Source) }})
	return err
}

// state is everything that a reader can see of a corpus.
func state(t *testing.T, c *minirag.Corpus) map[string]string {
	t.Helper()
	listing, err := c.List(t.Context(), nil)
	if err != nil {
		t.Fatal(err)
	}
	out := make(map[string]string)
	for _, s := range listing.Sources {
		text, err := c.Read(t.Context(), s.ID)
		if err != nil {
			t.Fatal(err)
		}
		out[s.ID] = fmt.Sprintf("%s %d %q", s.State, s.Chunks, text.Markdown)
	}
	status, err := c.Status(t.Context())
	if err != nil {
		t.Fatal(err)
	}
	out["status"] = fmt.Sprintf("%d sources, %d chunks, keywords behind %d, vectors behind %d",
		status.Sources, status.Chunks, status.Seq-status.KeywordSeq, status.Seq-status.VectorSeq)
	for i := range 10 {
		q := fmt.Sprintf("document number %d", i*19)
		res, err := c.Query(t.Context(), minirag.Query{Text: q, TopK: 3})
		if err != nil {
			t.Fatal(err)
		}
		for _, h := range res.Hits {
			out[q] += fmt.Sprintf("%s#%d ", h.Source.DisplayPath, h.Index)
		}
	}
	return out
}

func documents(t *testing.T, n int) string {
	files := make(map[string]string)
	for i := range n {
		files[fmt.Sprintf("d%d/doc-%03d.md", i%7, i)] = fmt.Sprintf("# Document %d\n\nThis is document number %d of the corpus.\n\n## Details\n\n%s\n",
			i, i, strings.Repeat(fmt.Sprintf("Detail %d of many words. ", i*31%97), 1+i%30))
	}
	return testcorpus.Write(t, files)
}

func TestKilledSyncLosesNothing(t *testing.T) {
	rounds := kills(4)
	root := documents(t, 200)
	undisturbed := testcorpus.New(t, root)
	syncAll(t, undisturbed)
	want := state(t, undisturbed)
	for round := range rounds {
		dir := filepath.Join(t.TempDir(), "index")
		cmd, lines := child(t, "sync", root, dir, "")
		stop := rand.IntN(405)
		var reported []string
		for n := 0; n < stop && lines.Scan(); n++ {
			if source, ok := strings.CutPrefix(lines.Text(), string(minirag.EventIngested)+" "); ok {
				reported = append(reported, source)
			}
		}
		cmd.Process.Kill()
		cmd.Wait()

		c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
		for _, source := range reported {
			if _, err := c.Read(t.Context(), source); err != nil {
				t.Errorf("round %d, killed after %d lines: reported as ingested, but: %v", round, stop, err)
			}
		}
		syncAll(t, c)
		if found := examine(t, c, false); len(found) != 0 {
			t.Errorf("round %d, killed after %d lines: the doctor finds %+v", round, stop, found)
		}
		if diff := cmp.Diff(want, state(t, c)); diff != "" {
			t.Errorf("round %d, killed after %d lines: state differs (-undisturbed +killed)\n%s", round, stop, diff)
		}
	}
}

// childLoop ingests versions of one document whose chunks all name the
// version, and asks for it: an answer must hold one version only.
func childLoop(ctx context.Context, c *minirag.Corpus) error {
	me, until := os.Getenv(childArg), time.Now().Add(loopTime())
	queries := 0
	for i := 0; time.Now().Before(until); i++ {
		if _, err := c.Ingest(ctx, logVersion(fmt.Sprintf("%s-%d", me, i))); err != nil {
			return fmt.Errorf("ingest: %w", err)
		}
		for range 3 {
			if _, err := askedVersion(ctx, c); err != nil {
				return err
			}
			queries++
		}
	}
	fmt.Println("queries", queries)
	return nil
}

// logVersion is a document of four chunks, each of which names the version.
func logVersion(version string) minirag.Input {
	var b strings.Builder
	for part := range 4 {
		fmt.Fprintf(&b, "# Part %d\n\nThe lighthouse log, version %s. %s\n\n", part, version, strings.Repeat("Fog over the harbour. ", part*5))
	}
	return minirag.Bytes("log", "text/markdown", []byte(b.String()))
}

// askedVersion asks for the log and demands the whole of one version.
func askedVersion(ctx context.Context, c *minirag.Corpus) (string, error) {
	res, err := c.Query(ctx, minirag.Query{Text: "lighthouse log version", TopK: 20})
	if err != nil {
		return "", fmt.Errorf("query: %w", err)
	}
	versions := make(map[string]int)
	for _, h := range res.Hits {
		_, rest, _ := strings.Cut(h.Text, "version ")
		version, _, _ := strings.Cut(rest, ".")
		versions[version]++
	}
	if len(versions) != 1 {
		return "", fmt.Errorf("an answer holds the versions %v", versions)
	}
	for version, n := range versions {
		if n != 4 {
			return "", fmt.Errorf("an answer holds %d of 4 chunks of version %s", n, version)
		}
		return version, nil
	}
	return "", nil
}

func loopTime() time.Duration {
	if d, err := time.ParseDuration(os.Getenv("MINIRAG_TEST_LOOP")); err == nil {
		return d
	}
	return 3 * time.Second
}

func TestProcessesShareACorpus(t *testing.T) {
	root, dir := t.TempDir(), filepath.Join(t.TempDir(), "index")
	var children []*exec.Cmd
	var outputs []*bufio.Scanner
	for i := range 4 {
		cmd, lines := child(t, "loop", root, dir, strconv.Itoa(i))
		children, outputs = append(children, cmd), append(outputs, lines)
	}
	finish(t, children, outputs)
	c := testcorpus.At(t, dir, &minirag.Options{Roots: []string{root}})
	status, err := c.Status(t.Context())
	if err != nil || status.Sources != 1 || status.Chunks != 4 {
		t.Errorf("status %+v, %v", status, err)
	}
}
