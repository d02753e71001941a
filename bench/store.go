//go:build ignore

// Store measures the engines for keywords and vectors without the rest of the
// library: "store build" makes an index of random chunks and "store query", a
// process of its own, asks it. See README.md.
package main

import (
	"context"
	"errors"
	"flag"
	"fmt"
	"io/fs"
	"iter"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"sync"
	"syscall"
	"time"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/bluge"
	"github.com/minirag/minirag/index/flat"
	"github.com/minirag/minirag/index/segment"
	"github.com/minirag/minirag/search"
)

const (
	dims       = 384
	vocabulary = 50_000
	perDoc     = 10 // chunks
	limit      = 100
)

var (
	n      = flag.Int("n", 10_000, "number of chunks")
	dir    = flag.String("dir", "", "folder of the index")
	engine = flag.String("engine", "segment", "segment, or bluge for bluge and flat")
	rounds = flag.Int("rounds", 200, "number of queries; 0: only the first of the process")
	small  = flag.Int("small", 0, "build: that many further changes of one document")
)

func main() {
	start := time.Now()
	what := os.Args[1]
	flag.CommandLine.Parse(os.Args[2:])
	var err error
	switch what {
	case "build":
		err = build()
	case "query":
		err = query(start)
	default:
		err = errors.New("say build or query")
	}
	if err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

type engines struct {
	keywords index.KeywordIndex
	vectors  index.VectorStore
	apply    func(ctx context.Context, from, to index.Seq, remove []index.ChunkID, add iter.Seq2[index.Entry, error]) error
}

func open() (*engines, error) {
	origin := index.Origin{Catalog: "bench", Model: "random", Dims: dims}
	switch *engine {
	case "segment":
		e, err := segment.Open(filepath.Join(*dir, "segments"), origin, nil)
		if err != nil {
			return nil, err
		}
		return &engines{e.Keywords(), e.Vectors(), func(ctx context.Context, from, to index.Seq, remove []index.ChunkID, add iter.Seq2[index.Entry, error]) error {
			return e.Apply(ctx, index.Changes[index.Entry]{From: from, To: to, Remove: remove, Add: add})
		}}, nil
	case "bluge":
		k, err := bluge.Open(filepath.Join(*dir, "keywords"), nil)
		if err != nil {
			return nil, err
		}
		v, err := flat.Open(filepath.Join(*dir, "vectors"), origin, nil)
		if err != nil {
			return nil, err
		}
		return &engines{k, v, func(ctx context.Context, from, to index.Seq, remove []index.ChunkID, add iter.Seq2[index.Entry, error]) error {
			err := k.Apply(ctx, index.Changes[index.KeywordEntry]{From: from, To: to, Remove: remove, Add: mapped(add, func(e index.Entry) index.KeywordEntry {
				return index.KeywordEntry{Chunk: e.Chunk, Doc: e.Doc, Title: e.Title, Headings: e.Headings, Body: e.Text}
			})})
			if err != nil {
				return err
			}
			return v.Apply(ctx, index.Changes[index.VectorEntry]{From: from, To: to, Remove: remove, Add: mapped(add, func(e index.Entry) index.VectorEntry {
				return index.VectorEntry{Chunk: e.Chunk, Doc: e.Doc, Vector: e.Vector}
			})})
		}}, nil
	}
	return nil, fmt.Errorf("no engine %q", *engine)
}

func mapped[A, B any](in iter.Seq2[A, error], f func(A) B) iter.Seq2[B, error] {
	return func(yield func(B, error) bool) {
		for a, err := range in {
			if !yield(f(a), err) {
				return
			}
		}
	}
}

// words returns n words with the frequencies of a language.
func words(z *rand.Zipf, n int) string {
	var b strings.Builder
	for range n {
		for x := z.Uint64() + 26; x > 0; x /= 26 {
			b.WriteByte(byte('a' + x%26))
		}
		b.WriteByte(' ')
	}
	return b.String()
}

func newZipf(seed uint64) *rand.Zipf {
	return rand.NewZipf(rand.New(rand.NewPCG(seed, 1)), 1.1, 3, vocabulary)
}

func vector(rng *rand.Rand) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		x := rng.Float64() - 0.5
		v[i] = float32(x)
		sum += x * x
	}
	scale := float32(1 / math.Sqrt(sum))
	for i := range v {
		v[i] *= scale
	}
	return v
}

func entries(first, n int) iter.Seq2[index.Entry, error] {
	return func(yield func(index.Entry, error) bool) {
		rng, z := rand.New(rand.NewPCG(uint64(first), 2)), newZipf(uint64(first))
		title := ""
		for i := first; i < first+n; i++ {
			if i%perDoc == 0 || title == "" {
				title = words(z, 3)
			}
			if !yield(index.Entry{Chunk: index.ChunkID(i + 1), Doc: index.DocID(i/perDoc + 1), Title: title, Text: words(z, 60), Vector: vector(rng)}, nil) {
				return
			}
		}
	}
}

func build() error {
	ctx := context.Background()
	e, err := open()
	if err != nil {
		return err
	}
	start, cpu := time.Now(), cpuTime()
	if err := e.apply(ctx, 0, 1, nil, entries(0, *n)); err != nil {
		return err
	}
	report("build", *n, time.Since(start), cpuTime()-cpu)
	start, cpu = time.Now(), cpuTime()
	for i := range *small {
		at := *n + i*perDoc
		var gone []index.ChunkID
		if i > 0 {
			for c := range perDoc {
				gone = append(gone, index.ChunkID(at-perDoc+c+1))
			}
		}
		if err := e.apply(ctx, index.Seq(i+1), index.Seq(i+2), gone, entries(at, perDoc)); err != nil {
			return err
		}
	}
	if *small > 0 {
		report("small changes", *small, time.Since(start), cpuTime()-cpu)
	}
	bytes, files := int64(0), 0
	filepath.WalkDir(*dir, func(path string, d fs.DirEntry, err error) error {
		if info, ierr := os.Stat(path); err == nil && ierr == nil && !d.IsDir() {
			bytes += info.Size()
			files++
		}
		return nil
	})
	fmt.Printf("%-8s disk: %d files, %.0f bytes per chunk; peak memory %s\n", *engine, files, float64(bytes)/float64(*n), status("VmHWM"))
	return nil
}

func report(what string, n int, wall, cpu time.Duration) {
	fmt.Printf("%-8s %s: %d in %.2fs, %.2fs of processor time, %.0f/s\n", *engine, what, n, wall.Seconds(), cpu.Seconds(), float64(n)/wall.Seconds())
}

func query(start time.Time) error {
	ctx := context.Background()
	e, err := open()
	if err != nil {
		return err
	}
	rng, z := rand.New(rand.NewPCG(77, 2)), newZipf(77)
	if err := e.ask(ctx, words(z, 6), vector(rng), nil, 3); err != nil {
		return err
	}
	fmt.Printf("%-8s %d chunks: first answer %.1f ms after the start\n", *engine, *n, ms(time.Since(start)))
	if *rounds == 0 {
		return nil
	}
	few := index.NewDocSet()
	for range max(*n/perDoc/1000, 1) {
		few.Add(index.DocID(rng.IntN(*n/perDoc) + 1))
	}
	for _, c := range []struct {
		what   string
		sides  int
		filter *index.Filter
	}{
		{"both", 3, nil}, {"both, 0.1 % allowed", 3, &index.Filter{Docs: few}}, {"words", 1, nil}, {"vectors", 2, nil},
	} {
		var times []float64
		cpu := cpuTime()
		for i := range *rounds + 10 {
			if i == 10 {
				cpu = cpuTime()
			}
			text, v := words(z, 6), vector(rng)
			start := time.Now()
			if err := e.ask(ctx, text, v, c.filter, c.sides); err != nil {
				return err
			}
			if i >= 10 {
				times = append(times, ms(time.Since(start)))
			}
		}
		used := ms(cpuTime()-cpu) / float64(*rounds)
		slices.Sort(times)
		fmt.Printf("%-8s %d chunks, %-20s least %7.2f  p50 %7.2f  p95 %7.2f ms; processor time %.2f ms per query\n", *engine, *n, c.what,
			times[0], times[len(times)/2], times[len(times)*95/100], used)
	}
	fmt.Printf("%-8s %d chunks: private memory %s, with mapped files %s\n", *engine, *n, status("RssAnon"), status("VmRSS"))
	return nil
}

// ask runs the sides (1 words, 2 vectors, 3 both) as a corpus does.
func (e *engines) ask(ctx context.Context, text string, v []float32, f *index.Filter, sides int) error {
	k, err := e.keywords.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer k.Close()
	s, err := e.vectors.Snapshot(ctx)
	if err != nil {
		return err
	}
	defer s.Close()
	if k.Seq() == 0 || s.Seq() == 0 {
		return errors.New("the index is empty")
	}
	var wg sync.WaitGroup
	var kerr, verr error
	if sides&1 != 0 {
		wg.Go(func() {
			_, kerr = k.Search(ctx, index.KeywordQuery{Text: text, Limit: limit, Filter: f, Documents: search.DocumentShare, Phonetic: true})
		})
	}
	if sides&2 != 0 {
		wg.Go(func() { _, verr = s.Search(ctx, index.VectorQuery{Vector: v, Limit: limit, Filter: f}) })
	}
	wg.Wait()
	return errors.Join(kerr, verr)
}

func ms(d time.Duration) float64 { return float64(d) / float64(time.Millisecond) }

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// status returns a line of what Linux says of the process.
func status(key string) string {
	data, _ := os.ReadFile("/proc/self/status")
	for line := range strings.Lines(string(data)) {
		if rest, ok := strings.CutPrefix(line, key+":"); ok {
			return strings.TrimSpace(rest)
		}
	}
	return "unknown"
}
