package indextest

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"testing"
	"time"

	"github.com/minirag/minirag/index"
)

// killedDir, when set, makes [testKilled] the process that is to be killed.
const killedDir = "MINIRAG_TEST_KILLED"

// testKilled kills a process while it applies changes. What the process had
// applied must be there, and the step that it was at wholly or not at all.
func testKilled(t *testing.T, open openDerived) {
	if dir := os.Getenv(killedDir); dir != "" {
		applyForever(t, open, dir)
		return
	}
	exe, err := os.Executable()
	check(t, err)
	dir := t.TempDir()
	rng := rand.New(rand.NewPCG(3, 5))
	for range 10 {
		child := exec.CommandContext(t.Context(), exe, "-test.run=^"+t.Name()+"$")
		child.Env = append(os.Environ(), killedDir+"="+dir)
		out, err := child.StdoutPipe()
		check(t, err)
		check(t, child.Start())
		lines := bufio.NewScanner(out)
		applied := index.Seq(-1)
		read := func() bool {
			if !lines.Scan() {
				return false
			}
			fmt.Sscanf(lines.Text(), "applied %d", &applied)
			return true
		}
		for range 2 + rng.IntN(12) {
			if !read() {
				break
			}
		}
		// Anywhere in the next step or the one after: a step takes some
		// milliseconds.
		<-time.After(time.Duration(rng.IntN(8000)) * time.Microsecond)
		check(t, child.Process.Kill())
		for read() {
		}
		child.Wait()
		if applied < 0 {
			t.Fatalf("the child has applied nothing: %s", lines.Text())
		}
		s := open(t, dir, testOrigin())
		snap, err := s.snapshot(t.Context())
		check(t, err)
		if got := snap.seq(); got != applied && got != applied+1 {
			t.Fatalf("index is at %d after %d was applied", got, applied)
		}
		if diff := compareContent(t.Context(), snap, snap.seq(), history(snap.seq())); diff != "" {
			t.Fatal(diff)
		}
		check(t, snap.close())
		check(t, s.close())
	}
}

// applyForever reports each step that it has applied.
func applyForever(t *testing.T, open openDerived, dir string) {
	s := open(t, dir, testOrigin())
	snap, err := s.snapshot(t.Context())
	check(t, err)
	seq := snap.seq()
	check(t, snap.close())
	for ; ; seq++ {
		fmt.Printf("applied %d\n", seq)
		check(t, s.apply(t.Context(), step(seq)))
	}
}
