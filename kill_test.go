package minirag_test

import (
	"bufio"
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"slices"
	"strconv"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/internal/testcorpus"
)

// kills is the number of moments at which the processes of a test are killed.
func kills(usual int) int {
	if n, err := strconv.Atoi(os.Getenv("MINIRAG_TEST_KILLS")); err == nil {
		return n
	}
	if testing.Short() {
		return 1
	}
	return usual
}

// childWork changes the notes of one process at random for ever, and tells
// before and after each change what it is about.
func childWork(ctx context.Context, c *minirag.Corpus) error {
	me := os.Getenv(childArg)
	for i := 0; ; i++ {
		name := fmt.Sprintf("%s-%d", me, rand.IntN(6))
		var err error
		switch rand.IntN(12) {
		case 0, 1:
			fmt.Println("deleting", name, 0)
			if _, err = c.Delete(ctx, name); err == nil || errors.Is(err, minirag.ErrNotFound) {
				err = nil
				fmt.Println("deleted", name, 0)
			}
		case 2:
			_, err = c.Compact(ctx) // which also merges
		case 3:
			_, err = c.Sync(ctx, nil)
			if err != nil && errors.Is(err, minirag.ErrSyncRunning) {
				err = nil
			}
		case 4:
			_, err = c.Query(ctx, minirag.Query{Text: "note of process " + me})
		default:
			version := time.Now().UnixNano()
			fmt.Println("storing", name, version)
			text := fmt.Sprintf("# Note\n\nVersion %d of a note of process %s.\n\n%s", version, me, strings.Repeat("Words of a note.\n\n", 1+rand.IntN(60)))
			if _, err = c.Ingest(ctx, minirag.Bytes(name, "text/markdown", []byte(text))); err == nil {
				fmt.Println("stored", name, version)
			}
		}
		if err != nil {
			return fmt.Errorf("step %d: %w", i, err)
		}
	}
}

// A note is what is known of a document: the version that was reported last,
// 0 for none, and that which was begun after it.
type note struct{ sure, begun int64 }

// follow reads what a child tells until it ends.
func (n reports) follow(lines *bufio.Scanner, mu *sync.Mutex) {
	for lines.Scan() {
		var what, name string
		var version int64
		if _, err := fmt.Sscan(lines.Text(), &what, &name, &version); err != nil {
			continue // cut off by the kill: it was not reported
		}
		mu.Lock()
		switch what {
		case "storing", "deleting":
			n[name] = note{n[name].sure, version}
		case "stored", "deleted":
			n[name] = note{version, version}
		case "error:":
			n["error "+lines.Text()] = note{}
		}
		mu.Unlock()
	}
}

type reports map[string]note

// Killed at any moment, of one process and of three at once: what was reported
// as stored is there, what was reported as deleted is not, and the doctor
// finds nothing.
func TestKilledAnywhere(t *testing.T) {
	for _, processes := range []int{1, 3} {
		t.Run(fmt.Sprint(processes), func(t *testing.T) {
			root, dir := documents(t, 12), filepath.Join(t.TempDir(), "index")
			known := make(reports)
			for round := range kills(4) {
				killAll(t, known, processes, root, dir)
				c, err := testcorpus.Open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
				if err != nil {
					t.Fatalf("round %d: %v", round, err)
				}
				compareNotes(t, c, known, round)
				if found := examine(t, c, false); len(found) != 0 {
					t.Errorf("round %d: the doctor finds %+v", round, found)
				}
				if err := c.Close(); err != nil {
					t.Errorf("round %d: %v", round, err)
				}
				for path := range tree(t, dir) {
					if strings.Contains(path, ".minirag-tmp") {
						t.Errorf("round %d: %s is left", round, path)
					}
				}
				if t.Failed() {
					return
				}
			}
		})
	}
}

// killAll starts processes and kills them, each at a moment of its own.
func killAll(t *testing.T, known reports, processes int, root, dir string) {
	var mu sync.Mutex
	var wg sync.WaitGroup
	var children []*exec.Cmd
	for i := range processes {
		cmd, lines := child(t, "work", root, dir, fmt.Sprint("p", i))
		children = append(children, cmd)
		wg.Go(func() { known.follow(lines, &mu) })
	}
	for _, i := range rand.Perm(processes) {
		// From before it has opened the corpus to some dozen changes later.
		<-time.After(time.Duration(rand.IntN(400)) * time.Millisecond)
		children[i].Process.Kill()
	}
	wg.Wait()
	for _, cmd := range children {
		cmd.Wait()
	}
	for name := range known {
		if strings.HasPrefix(name, "error ") {
			t.Error(name)
		}
	}
}

// compareNotes demands of each note the version that was reported, or the one
// that was begun.
func compareNotes(t *testing.T, c *minirag.Corpus, known reports, round int) {
	t.Helper()
	for _, name := range slices.Sorted(maps.Keys(known)) {
		n := known[name]
		var version int64
		text, err := c.Read(t.Context(), name)
		if err == nil {
			_, err = fmt.Sscanf(text.Markdown, "# Note\n\nVersion %d", &version)
		} else if errors.Is(err, minirag.ErrNotFound) {
			err = nil
		}
		if err != nil || version != n.sure && version != n.begun {
			t.Errorf("round %d: %s has the version %d, %v; %d was reported and %d begun", round, name, version, err, n.sure, n.begun)
		}
		known[name] = note{version, version}
		if version == 0 {
			continue
		}
		// By words alone: of chunks that all say the same the vectors of the
		// test's embedder may put any number before the one with the version.
		res, err := c.Query(t.Context(), minirag.Query{Text: fmt.Sprint(version), Scope: []string{name}, TopK: 1, Ranking: &minirag.Ranking{HybridWeight: new(1.0)}})
		if err != nil || len(res.Hits) == 0 || !strings.Contains(res.Hits[0].Text, fmt.Sprint(version)) {
			t.Errorf("round %d: %s is not found: %+v, %v", round, name, res, err)
		}
	}
}
