//go:build ignore

// Stores measures this module's engine and other stores on the same chunks and
// questions, each in a process of its own. See ../README.md.
//
//	stores data -n N DIR       write N chunks and the questions
//	stores ENGINE -n N DIR     build the index of minirag, bluge, fts5 or
//	                           chromem in memory or below DIR, and ask it
//	stores corpus -n N DIR     the same for a whole corpus, catalog included
package main

import (
	"bufio"
	"context"
	"encoding/binary"
	"flag"
	"fmt"
	"math"
	"math/rand/v2"
	"os"
	"path/filepath"
	"runtime/pprof"
	"slices"
	"strings"
	"syscall"
	"time"
)

const (
	dims       = 384
	vocabulary = 50_000
	perDoc     = 10 // chunks
	questions  = 110
	warm       = 10 // questions that do not count
	limit      = 100
)

type chunk struct {
	id          int
	title, text string
	vector      []float32
}

type question struct {
	text   string
	vector []float32
}

// An engine answers what it can: words, vectors or both.
type engine struct {
	name string
	add  func(ctx context.Context, all []chunk) error
	ask  map[string]func(ctx context.Context, q *question) (hits int, err error)
}

func main() {
	if len(os.Args) < 2 {
		fmt.Fprintln(os.Stderr, "say data, minirag, bluge, fts5, chromem or corpus")
		os.Exit(2)
	}
	set := flag.NewFlagSet(os.Args[1], flag.ExitOnError)
	n := set.Int("n", 10_000, "number of chunks")
	profile := set.String("cpu", "", "file for a profile of the questions")
	set.Parse(os.Args[2:])
	if err := run(context.Background(), os.Args[1], set.Arg(0), *profile, *n); err != nil {
		fmt.Fprintln(os.Stderr, err)
		os.Exit(1)
	}
}

func run(ctx context.Context, what, dir, profile string, n int) error {
	if what == "data" {
		return writeData(dir, n)
	}
	all, asked, err := readData(dir, n)
	if err != nil {
		return err
	}
	work := filepath.Join(dir, what)
	if err := os.RemoveAll(work); err != nil {
		return err
	}
	if err := os.MkdirAll(work, 0o700); err != nil {
		return err
	}
	open, ok := map[string]func(string) (*engine, error){
		"minirag": openSegment, "bluge": openBluge, "fts5": openFTS, "chromem": openChromem, "corpus": openCorpus,
	}[what]
	if !ok {
		return fmt.Errorf("no engine %q", what)
	}
	e, err := open(work)
	if err != nil {
		return err
	}
	start, cpu := time.Now(), cpuTime()
	if err := e.add(ctx, all); err != nil {
		return err
	}
	fmt.Printf("%-8s %7d chunks, ingest   %8.2f s, %8.2f s of processor time\n", e.name, n, time.Since(start).Seconds(), (cpuTime() - cpu).Seconds())
	if profile != "" {
		f, err := os.Create(profile)
		if err != nil {
			return err
		}
		defer f.Close()
		if err := pprof.StartCPUProfile(f); err != nil {
			return err
		}
		defer pprof.StopCPUProfile()
	}
	for _, side := range []string{"words", "vectors", "hybrid"} {
		ask, ok := e.ask[side]
		if !ok {
			continue
		}
		var times []float64
		for i := range asked {
			if i == warm {
				cpu = cpuTime()
			}
			start := time.Now()
			hits, err := ask(ctx, &asked[i])
			if err != nil {
				return err
			}
			if hits == 0 {
				return fmt.Errorf("%s: no hit for %q", e.name, asked[i].text)
			}
			if i >= warm {
				times = append(times, time.Since(start).Seconds()*1000)
			}
		}
		used := (cpuTime() - cpu).Seconds() * 1000 / float64(len(times))
		slices.Sort(times)
		fmt.Printf("%-8s %7d chunks, %-8s least %7.2f  p50 %7.2f  p95 %7.2f ms; processor time %.2f ms per query\n", e.name, n, side,
			times[0], times[len(times)/2], times[len(times)*95/100], used)
	}
	return nil
}

func cpuTime() time.Duration {
	var u syscall.Rusage
	syscall.Getrusage(syscall.RUSAGE_SELF, &u)
	return time.Duration(u.Utime.Nano() + u.Stime.Nano())
}

// words returns n words with the frequencies of a language.
func words(z *rand.Zipf, n int) string {
	var b strings.Builder
	for i := range n {
		if i > 0 {
			b.WriteByte(' ')
		}
		for x := z.Uint64() + 26; x > 0; x /= 26 {
			b.WriteByte(byte('a' + x%26))
		}
	}
	return b.String()
}

func unit(rng *rand.Rand) []float32 {
	v := make([]float32, dims)
	var sum float64
	for i := range v {
		x := rng.Float64() - 0.5
		v[i] = float32(x)
		sum += x * x
	}
	for i := range v {
		v[i] /= float32(math.Sqrt(sum))
	}
	return v
}

// writeData writes N lines of title, tab and text, the vectors as float32, and
// the same for the questions.
func writeData(dir string, n int) error {
	if err := os.MkdirAll(dir, 0o700); err != nil {
		return err
	}
	rng := rand.New(rand.NewPCG(1, 2))
	z := rand.NewZipf(rand.New(rand.NewPCG(1, 1)), 1.1, 3, vocabulary)
	title := ""
	err := writeLines(dir, "chunks", n, func(i int) string {
		if i%perDoc == 0 {
			title = words(z, 3)
		}
		return title + "\t" + words(z, 60)
	}, rng)
	if err != nil {
		return err
	}
	return writeLines(dir, "questions", questions, func(int) string { return words(z, 6) }, rng)
}

func writeLines(dir, name string, n int, line func(i int) string, rng *rand.Rand) error {
	texts, err := os.Create(filepath.Join(dir, name+".txt"))
	if err != nil {
		return err
	}
	defer texts.Close()
	vectors, err := os.Create(filepath.Join(dir, name+".f32"))
	if err != nil {
		return err
	}
	defer vectors.Close()
	t, v := bufio.NewWriterSize(texts, 1<<20), bufio.NewWriterSize(vectors, 1<<20)
	for i := range n {
		fmt.Fprintln(t, line(i))
		if err := binary.Write(v, binary.LittleEndian, unit(rng)); err != nil {
			return err
		}
	}
	if err := t.Flush(); err != nil {
		return err
	}
	return v.Flush()
}

func readData(dir string, n int) ([]chunk, []question, error) {
	lines, vectors, err := readLines(dir, "chunks", n)
	if err != nil {
		return nil, nil, err
	}
	all := make([]chunk, n)
	for i := range all {
		title, text, _ := strings.Cut(lines[i], "\t")
		all[i] = chunk{i, title, text, vectors[i]}
	}
	lines, vectors, err = readLines(dir, "questions", questions)
	if err != nil {
		return nil, nil, err
	}
	asked := make([]question, questions)
	for i := range asked {
		asked[i] = question{lines[i], vectors[i]}
	}
	return all, asked, nil
}

func readLines(dir, name string, n int) ([]string, [][]float32, error) {
	text, err := os.ReadFile(filepath.Join(dir, name+".txt"))
	if err != nil {
		return nil, nil, err
	}
	lines := strings.Split(strings.TrimSuffix(string(text), "\n"), "\n")
	raw, err := os.ReadFile(filepath.Join(dir, name+".f32"))
	if err != nil {
		return nil, nil, err
	}
	if len(lines) != n || len(raw) != n*dims*4 {
		return nil, nil, fmt.Errorf("%s has %d chunks: write the data anew", dir, len(lines))
	}
	vectors := make([][]float32, n)
	for i := range vectors {
		vectors[i] = make([]float32, dims)
		for d := range dims {
			vectors[i][d] = math.Float32frombits(binary.LittleEndian.Uint32(raw[(i*dims+d)*4:]))
		}
	}
	return lines, vectors, nil
}
