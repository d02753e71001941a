package lock

import (
	"fmt"
	"os"
	"time"
)

// Brief is a lock that is held for moments: who holds it is not recorded.
type Brief struct{ *File }

// Holder says what is known of the holder.
func (b Brief) Holder() string { return "lock " + b.Path() }

// Recorded is a lock that records its holder, so that whoever finds it taken
// can be told.
type Recorded struct{ *File }

// TryLock takes the lock and records this process as its holder.
func (r Recorded) TryLock() (bool, error) {
	ok, err := r.File.TryLock()
	if ok {
		// The record only makes a message better; the lock is what counts.
		_ = r.WriteHolder(Holder{PID: os.Getpid(), StartedAt: time.Now()})
	}
	return ok, err
}

// Unlock removes the record and releases the lock.
func (r Recorded) Unlock() error {
	_ = r.ClearHolder() // the next holder replaces a record left behind
	return r.File.Unlock()
}

// Holder names the process that holds the lock, and for how long it has.
func (r Recorded) Holder() string {
	h, ok := r.ReadHolder()
	if !ok {
		return "lock " + r.Path()
	}
	return fmt.Sprintf("process %d, for %s", h.PID, elapsed(time.Since(h.StartedAt)))
}

// elapsed writes a duration as 5s, 2m05s or 1h02m03s.
func elapsed(d time.Duration) string {
	s := max(0, int(d/time.Second))
	switch {
	case s < 60:
		return fmt.Sprintf("%ds", s)
	case s < 3600:
		return fmt.Sprintf("%dm%02ds", s/60, s%60)
	}
	return fmt.Sprintf("%dh%02dm%02ds", s/3600, s/60%60, s%60)
}
