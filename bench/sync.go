//go:build ignore

// Sync measures a whole sync of generated Markdown files, questions while one
// runs, and questions from a fresh process. See README.md.
//
//	sync files -n N DIR            write N files
//	sync profile -n N [-cpu FILE]  sync them, with a profile
//	sync during -n N               ask while they are synced
//	sync cold MINIRAG LIBRARY      ask from a new process each time
package main

import (
	"cmp"
	"context"
	"errors"
	"flag"
	"fmt"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/local"
)

// The question has ten tokens with "query: " and the special tokens.
const question = "history of the water"

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "say files, profile, during or cold")
		os.Exit(2)
	}
	set := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	n := set.Int("n", 1000, "number of files")
	cpu := set.String("cpu", "", "file for the profile")
	runs := set.Int("runs", 10, "runs of a process")
	set.Parse(os.Args[2:])
	ctx := context.Background()
	var err error
	switch os.Args[1] {
	case "files":
		_, err = write(set.Arg(0), *n)
	case "profile":
		err = profile(ctx, *n, *cpu)
	case "during":
		err = during(ctx, *n)
	case "cold":
		err = cold(ctx, set.Arg(0), set.Arg(1), *runs)
	default:
		err = fmt.Errorf("unknown command %q", os.Args[1])
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

// words are drawn the less often the later they stand, as in a language.
var words = strings.Fields(`the of and to in a is that for it was on are with as be this by from or have an not at which you
	can when one all will their has more if file value time there used system should other then may use only each new data first these
	set name between user following part must work after before number process result under order section default line called same state
	where than because example server request option without change version support error test small information list table water house
	history river market engine method design message configuration database network memory window network performance question
	и в не на что с по для как это от из при или его если все может быть также после система данные файл значение время пользователь
	сервер запрос ошибка версия настройка пример город река книга человек работа история вопрос ответ документ раздел параметр`)

type writer struct {
	strings.Builder
	rng *rand.Rand
}

func (w *writer) words(least, most int) string {
	n := least + w.rng.IntN(most-least+1)
	out := make([]string, n)
	for i := range out {
		switch u := w.rng.Float64(); {
		case u < 0.04: // names and identifiers
			out[i] = fmt.Sprintf("%s_%s%d", words[w.rng.IntN(len(words))], words[w.rng.IntN(len(words))], w.rng.IntN(100))
		default:
			out[i] = words[int(w.rng.Float64()*w.rng.Float64()*float64(len(words)))]
		}
	}
	return strings.Join(out, " ")
}

func (w *writer) paragraph() {
	for range 2 + w.rng.IntN(5) {
		s := w.words(6, 24)
		fmt.Fprintf(w, "%s. ", s)
	}
	w.WriteString("\n\n")
}

// document is a Markdown text of at least that many bytes.
func document(rng *rand.Rand, size int) string {
	w := &writer{rng: rng}
	fmt.Fprintf(w, "# %s\n\n", w.words(2, 6))
	for w.Len() < size {
		fmt.Fprintf(w, "%s %s\n\n", strings.Repeat("#", 2+rng.IntN(2)), w.words(2, 6))
		for range 1 + rng.IntN(4) {
			w.paragraph()
		}
		switch rng.IntN(6) {
		case 0:
			for range 3 + rng.IntN(6) {
				fmt.Fprintf(w, "- %s\n", w.words(3, 12))
			}
			w.WriteString("\n")
		case 1:
			w.WriteString("```go\n")
			for range 3 + rng.IntN(10) {
				fmt.Fprintf(w, "\tif %s := load(%q); err != nil { return %d }\n", w.words(1, 1), w.words(1, 2), rng.IntN(100))
			}
			w.WriteString("```\n\n")
		case 2:
			w.WriteString("| name | value | note |\n|---|---|---|\n")
			for range 2 + rng.IntN(8) {
				fmt.Fprintf(w, "| %s | %d | %s |\n", w.words(1, 1), rng.IntN(1000), w.words(2, 6))
			}
			w.WriteString("\n")
		}
	}
	return w.String()
}

// write makes n files of 2 to 10 KB, always the same ones, and returns their bytes.
func write(dir string, n int) (size int, err error) {
	rng := rand.New(rand.NewPCG(4, 2))
	for i := range n {
		folder := filepath.Join(dir, fmt.Sprintf("part-%02d", i/50))
		if err := os.MkdirAll(folder, 0o755); err != nil {
			return 0, err
		}
		text := document(rng, 2000+rng.IntN(8000))
		size += len(text)
		if err := os.WriteFile(filepath.Join(folder, fmt.Sprintf("document-%04d.md", i)), []byte(text), 0o644); err != nil {
			return 0, err
		}
	}
	return size, nil
}

// open makes a corpus over n files in a temporary folder; done removes it.
func open(ctx context.Context, n int) (corpus *minirag.Corpus, size int, done func() error, err error) {
	dir, err := os.MkdirTemp("", "minirag-bench-")
	if err != nil {
		return nil, 0, nil, err
	}
	docs := filepath.Join(dir, "docs")
	if size, err = write(docs, n); err == nil {
		corpus, err = local.Open(ctx, &local.Options{Roots: []string{docs}, Dir: filepath.Join(dir, "index")})
	}
	if err != nil {
		return nil, 0, nil, errors.Join(err, os.RemoveAll(dir))
	}
	return corpus, size, func() error { return errors.Join(corpus.Close(), os.RemoveAll(dir)) }, nil
}

func profile(ctx context.Context, n int, file string) (err error) {
	corpus, size, done, err := open(ctx, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if file != "" {
		f, err := os.Create(file)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	return timed(ctx, corpus, size, "sync")
}

func timed(ctx context.Context, corpus *minirag.Corpus, size int, what string) error {
	start, used := time.Now(), processorTime()
	report, err := corpus.Sync(ctx, nil)
	if err != nil {
		return err
	}
	wall, cpu := time.Since(start), processorTime()-used
	status, err := corpus.Status(ctx)
	if err != nil {
		return err
	}
	fmt.Printf("%s: %d files, %.1f MB, %d chunks, %d failed: %.1f s on the clock, %.1f s of processor time; %.1f files/s, %.1f chunks/s\n", what,
		report.Counts.Ingested, float64(size)/1e6, status.Chunks, report.Counts.Failed, wall.Seconds(), cpu.Seconds(),
		float64(report.Counts.Ingested)/wall.Seconds(), float64(status.Chunks)/wall.Seconds())
	return nil
}

// during asks every few milliseconds while the files are synced.
func during(ctx context.Context, n int) (err error) {
	corpus, size, done, err := open(ctx, n)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, done()) }()
	if _, err := ask(ctx, corpus); err != nil { // loads the model
		return err
	}
	synced := make(chan error, 1)
	go func() { synced <- timed(ctx, corpus, size, "sync with questions") }()
	var times []time.Duration
	for {
		select {
		case err := <-synced:
			print("a question while the sync ran", times)
			if err != nil {
				return err
			}
			times = nil
			for range 200 {
				t, err := ask(ctx, corpus)
				if err != nil {
					return err
				}
				times = append(times, t)
			}
			print("a question afterwards", times)
			return nil
		case <-time.After(50 * time.Millisecond):
			t, err := ask(ctx, corpus)
			if err != nil {
				return errors.Join(err, <-synced)
			}
			times = append(times, t)
		}
	}
}

func ask(ctx context.Context, corpus *minirag.Corpus) (time.Duration, error) {
	start := time.Now()
	_, err := corpus.Query(ctx, minirag.Query{Text: question})
	return time.Since(start), err
}

// cold syncs a library and asks it from a new process each time.
func cold(ctx context.Context, minirag, library string, runs int) (err error) {
	dir, err := os.MkdirTemp("", "minirag-bench-")
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, os.RemoveAll(dir)) }()
	command := func(args ...string) *exec.Cmd {
		c := exec.CommandContext(ctx, minirag, append(args, "--base-dir", library, "--db-path", filepath.Join(dir, "index"), "--cache-dir", filepath.Join(dir, "cache"))...)
		c.Stderr = os.Stderr
		return c
	}
	if err := command("sync").Run(); err != nil {
		return err
	}
	// The first lets the system read the binary.
	for _, what := range []string{"query", "status"} {
		var times, cpu []time.Duration
		for i := range runs + 1 {
			args := []string{what}
			if what == "query" {
				args = append(args, question)
			}
			c := command(args...)
			start := time.Now()
			if err := c.Run(); err != nil {
				return err
			}
			if i > 0 {
				times = append(times, time.Since(start))
				cpu = append(cpu, c.ProcessState.UserTime()+c.ProcessState.SystemTime())
			}
		}
		print(what+" in a new process, on the clock", times)
		print(what+" in a new process, processor time", cpu)
	}
	return nil
}

func print(what string, times []time.Duration) {
	if len(times) == 0 {
		fmt.Printf("%s: not asked\n", what)
		return
	}
	slices.SortFunc(times, cmp.Compare)
	at := func(p int) float64 { return float64(times[len(times)*p/100].Microseconds()) / 1000 }
	fmt.Printf("%s: p50 %.1f ms, p95 %.1f ms, lowest %.1f ms, highest %.1f ms (%d)\n", what, at(50), at(95), at(0), at(99), len(times))
}

// processorTime is what the process has used so far.
func processorTime() time.Duration {
	var u syscall.Rusage
	if syscall.Getrusage(syscall.RUSAGE_SELF, &u) != nil {
		return 0
	}
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}
