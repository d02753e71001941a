package main

import (
	"fmt"
	"io"
	"path/filepath"
	"time"

	"github.com/schollz/progressbar/v3"

	"github.com/minirag/minirag"
)

// barDelay is how long work must take before a bar is shown.
const barDelay = time.Second

// A progress shows the steps of a sync: as a bar on a terminal, else as lines.
type progress struct {
	w        io.Writer
	terminal bool

	began time.Time
	bar   *progressbar.ProgressBar
}

func (p *progress) step(s minirag.Progress) {
	if p.terminal {
		p.draw(s)
		return
	}
	switch s.Event {
	case minirag.EventIngested:
		fmt.Fprintf(p.w, "ingested %s\n", printable(s.Source))
	case minirag.EventFailed:
		fmt.Fprintf(p.w, "failed %s: %s\n", printable(s.Source), detail(s.Err))
	case minirag.EventMoved:
		fmt.Fprintf(p.w, "moved %s -> %s\n", printable(s.Source), printable(s.To))
	case minirag.EventDeleted:
		fmt.Fprintf(p.w, "deleted %s\n", printable(s.Source))
	}
}

func (p *progress) draw(s minirag.Progress) {
	if p.began.IsZero() {
		p.began = time.Now()
	}
	if p.bar == nil {
		if s.Total == 0 || time.Since(p.began) < barDelay {
			return
		}
		p.bar = progressbar.NewOptions(s.Total,
			progressbar.OptionSetWriter(p.w),
			progressbar.OptionShowCount(),
			progressbar.OptionFullWidth(),
			progressbar.OptionClearOnFinish(),
			progressbar.OptionThrottle(100*time.Millisecond),
		)
	}
	if s.Event == minirag.EventStarted {
		p.bar.Describe(filepath.Base(s.Source))
	}
	// A bar that cannot be drawn is no reason to stop.
	_ = p.bar.Set(min(s.Done, s.Total))
}

// end removes the bar.
func (p *progress) end() {
	if p.bar != nil {
		_ = p.bar.Clear()
	}
}
