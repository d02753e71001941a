package segment

import (
	"github.com/minirag/minirag/index/internal/segset"
	"github.com/minirag/minirag/internal/mmap"
)

// ahead writes the segments of a change in a goroutine of its own, one after
// the other, while the next batch is read and analysed: what is written cannot
// use more than one core. It is used by one goroutine, which leaves the change
// alone until wait has returned.
type ahead struct {
	change *segset.Change[*segment]
	ended  chan error // of the batch that is being written; nil: there is none
}

// write waits for the batch before and begins to write b, which is prepared.
func (a *ahead) write(b *batch) error {
	if err := a.wait(); err != nil {
		return err
	}
	ended := make(chan error, 1)
	a.ended = ended
	go func() { ended <- mmap.Guard(func() error { return a.change.AddFrom(b.writeTo) }) }()
	return nil
}

// wait returns when nothing is being written.
func (a *ahead) wait() error {
	if a.ended == nil {
		return nil
	}
	err := <-a.ended
	a.ended = nil
	return err
}
