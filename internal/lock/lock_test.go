package lock_test

import (
	"bufio"
	"context"
	"errors"
	"os"
	"os/exec"
	"path/filepath"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/internal/lock"
)

// childPath, when set, makes the test binary a process that takes the lock on
// that path, says so and waits for its standard input to end.
const childPath = "MINIRAG_TEST_LOCK"

func TestMain(m *testing.M) {
	if path := os.Getenv(childPath); path != "" {
		if err := lock.New(path).Lock(context.Background()); err != nil {
			os.Exit(1)
		}
		os.Stdout.WriteString("locked\n")
		bufio.NewReader(os.Stdin).ReadByte()
		os.Exit(0)
	}
	os.Exit(m.Run())
}

func must(t *testing.T, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func try(t *testing.T, f *lock.File, want bool) {
	t.Helper()
	got, err := f.TryLock()
	must(t, err)
	if got != want {
		t.Fatalf("TryLock returns %v, want %v", got, want)
	}
}

func TestExcludes(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	a, b := lock.New(path), lock.New(path)
	try(t, a, true)
	try(t, a, false)
	try(t, b, false)
	must(t, b.Unlock()) // it is not b's
	try(t, b, false)
	must(t, a.Unlock())
	try(t, b, true)
	try(t, a, false)
	must(t, b.Unlock())
	must(t, b.Unlock())
	try(t, a, true)
	must(t, a.Unlock())
	if _, err := os.Stat(path); err != nil {
		t.Errorf("the lock file is gone: %v", err)
	}
}

func TestLockWaitsForContext(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	a, b := lock.New(path), lock.New(path)
	must(t, a.Lock(t.Context()))
	ctx, cancel := context.WithTimeout(t.Context(), 20*time.Millisecond)
	defer cancel()
	if err := b.Lock(ctx); !errors.Is(err, context.DeadlineExceeded) {
		t.Errorf("error is %v, want the context's", err)
	}
	must(t, a.Unlock())
	must(t, b.Lock(t.Context()))
	must(t, b.Unlock())
	done, stop := context.WithCancel(t.Context())
	stop()
	if err := a.Lock(done); !errors.Is(err, context.Canceled) {
		t.Errorf("a free lock is taken under a finished context: %v", err)
	}
}

func TestGoroutinesTakeTurns(t *testing.T) {
	path := filepath.Join(t.TempDir(), "a.lock")
	shared := lock.New(path)
	var wg sync.WaitGroup
	var inside, turns atomic.Int32
	for i := range 6 {
		wg.Go(func() {
			f := shared
			if i%2 == 0 {
				f = lock.New(path)
			}
			for range 5 {
				if err := f.Lock(t.Context()); err != nil {
					t.Error(err)
					return
				}
				if n := inside.Add(1); n != 1 {
					t.Errorf("%d holders at once", n)
				}
				turns.Add(1)
				inside.Add(-1)
				if err := f.Unlock(); err != nil {
					t.Error(err)
				}
			}
		})
	}
	wg.Wait()
	if n := turns.Load(); n != 30 {
		t.Errorf("%d turns, want 30", n)
	}
}

func TestKilledProcessLeavesNothingLocked(t *testing.T) {
	exe, err := os.Executable()
	must(t, err)
	path := filepath.Join(t.TempDir(), "a.lock")
	child := exec.Command(exe)
	child.Env = append(os.Environ(), childPath+"="+path)
	in, err := child.StdinPipe()
	must(t, err)
	defer in.Close()
	out, err := child.StdoutPipe()
	must(t, err)
	must(t, child.Start())
	if _, err := bufio.NewReader(out).ReadString('\n'); err != nil {
		t.Fatalf("the child has not locked: %v", err)
	}
	f := lock.New(path)
	try(t, f, false)
	must(t, child.Process.Kill())
	child.Wait()
	must(t, f.Lock(t.Context()))
	must(t, f.Unlock())
}

func TestCannotLock(t *testing.T) {
	f := lock.New(filepath.Join(t.TempDir(), "missing", "a.lock"))
	if ok, err := f.TryLock(); ok || !errors.Is(err, os.ErrNotExist) {
		t.Errorf("TryLock returns %v, %v, want os.ErrNotExist", ok, err)
	}
	if err := f.Lock(t.Context()); !errors.Is(err, os.ErrNotExist) {
		t.Errorf("Lock returns %v, want os.ErrNotExist", err)
	}
}

func TestHolder(t *testing.T) {
	f := lock.New(filepath.Join(t.TempDir(), "a.lock"))
	if _, ok := f.ReadHolder(); ok {
		t.Error("there is a holder before one was written")
	}
	try(t, f, true)
	want := lock.Holder{PID: 42, StartedAt: time.Date(2026, 3, 1, 12, 0, 0, 0, time.UTC)}
	must(t, f.WriteHolder(want))
	got, ok := lock.New(f.Path()).ReadHolder()
	if diff := cmp.Diff(want, got); !ok || diff != "" {
		t.Errorf("holder (-want +got):\n%s", diff)
	}
	must(t, os.WriteFile(f.Path()+".holder", []byte(`{"pid":`), 0o600))
	if _, ok := f.ReadHolder(); ok {
		t.Error("half a record is read as a holder")
	}
	must(t, f.ClearHolder())
	must(t, f.ClearHolder())
	must(t, f.Unlock())
}
