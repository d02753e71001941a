package minirag_test

import (
	"bufio"
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"log/slog"
	"maps"
	"math/rand/v2"
	"os"
	"os/exec"
	"path/filepath"
	"runtime"
	"slices"
	"strconv"
	"strings"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag"
	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/internal/testcorpus"
)

// A harm is a change of a file behind the back of the corpus.
type harm struct {
	Root, Dir, File string
	At              int64
	Bit             byte // to flip; 0: the file is cut at At
	Open            bool // the corpus has it open
}

func (h *harm) String() string {
	what := fmt.Sprintf("%s: cut at %d", h.File, h.At)
	if h.Bit != 0 {
		what = fmt.Sprintf("%s: bit %#x of byte %d flipped", h.File, h.Bit, h.At)
	}
	if h.Open {
		what += " while it is open"
	}
	return what
}

func (h *harm) do() error {
	path := filepath.Join(h.Dir, h.File)
	if h.Bit == 0 {
		return os.Truncate(path, h.At)
	}
	f, err := os.OpenFile(path, os.O_RDWR, 0)
	if err != nil {
		return err
	}
	defer f.Close()
	var b [1]byte
	if _, err := f.ReadAt(b[:], h.At); err != nil {
		return err
	}
	b[0] ^= h.Bit
	_, err = f.WriteAt(b[:], h.At)
	return err
}

// isDamaged is the answer in place of one that cannot be given.
const isDamaged = "damaged"

// answers asks a corpus everything that it can be asked.
func answers(ctx context.Context, c *minirag.Corpus) map[string]string {
	out := make(map[string]string)
	put := func(key string, err error, answer string) {
		switch {
		case errors.Is(err, index.ErrDamaged):
			answer = isDamaged
		case err != nil:
			answer = "error: " + err.Error()
		}
		out[key] = answer
	}
	for i := range 6 {
		q := minirag.Query{Text: fmt.Sprintf("document number %d", i*2), TopK: 4}
		if i%2 == 1 {
			q.Scope = []string{"d1"}
		}
		res, err := c.Query(ctx, q)
		text := ""
		if err == nil {
			for _, h := range res.Hits {
				text += fmt.Sprintf("%s#%d %s %q;", h.Source.DisplayPath, h.Index, h.Source.Title, h.Section.Text)
			}
		}
		put("query "+q.Text, err, text)
	}
	var listed []string
	listing, err := c.List(ctx, nil)
	if err == nil {
		for _, s := range listing.Sources {
			listed = append(listed, fmt.Sprintf("%s %s %s %d", s.ID, s.State, s.Title, s.Chunks))
		}
	}
	put("list", err, strings.Join(listed, "\n"))
	for i := range 8 {
		source := fmt.Sprintf("note %d", i)
		text, err := c.Read(ctx, source)
		if errors.Is(err, minirag.ErrNotFound) {
			text, err = &minirag.Text{Markdown: "none"}, nil
		}
		if text == nil {
			text = &minirag.Text{}
		}
		put("read "+source, err, text.Source.Title+text.Markdown)
		hits, err := c.Neighbors(ctx, source, 0, 0, 9)
		if errors.Is(err, minirag.ErrNotFound) {
			err = nil
		}
		texts := ""
		for _, h := range hits {
			texts += h.Text + "|"
		}
		put("chunks of "+source, err, texts)
	}
	status, err := c.Status(ctx)
	if err == nil {
		put("status", nil, fmt.Sprintf("%d sources, %d chunks", status.Sources, status.Chunks))
	} else {
		put("status", err, "")
	}
	return out
}

// An outcome is what a process met after a harm.
type outcome struct {
	Opening string // the error, "damaged" if it says so
	Answers map[string]string
	Clean   bool   // the doctor finds nothing
	Doctor  string // the doctor's error
	Log     string
}

// childDamage does the harms that it reads and reports what it meets.
func childDamage(ctx context.Context, in io.Reader, out io.Writer) error {
	jobs := json.NewDecoder(in)
	for {
		var h harm
		if err := jobs.Decode(&h); errors.Is(err, io.EOF) {
			return nil
		} else if err != nil {
			return err
		}
		if !h.Open {
			if err := h.do(); err != nil {
				return err
			}
		}
		met := meet(ctx, &h)
		if err := json.NewEncoder(out).Encode(met); err != nil {
			return err
		}
	}
}

func meet(ctx context.Context, h *harm) (met outcome) {
	var log bytes.Buffer
	defer func() { met.Log = log.String() }()
	c, err := testcorpus.Open(ctx, h.Dir, &minirag.Options{Roots: []string{h.Root}, Logger: slog.New(slog.NewTextHandler(&log, nil))})
	if err != nil {
		met.Opening = "error: " + err.Error()
		if errors.Is(err, index.ErrDamaged) {
			met.Opening = isDamaged
		}
		return met
	}
	defer c.Close() // whether it still can be closed well does not matter
	if h.Open {
		answers(ctx, c)
		// Windows does not let what is mapped be cut.
		if err := h.do(); err != nil && (runtime.GOOS != "windows" || h.Bit != 0) {
			met.Opening = "error: " + err.Error()
			return met
		}
	}
	met.Answers = answers(ctx, c)
	if report, err := c.Doctor(ctx, nil); err != nil {
		met.Doctor = err.Error()
	} else {
		met.Clean = report.Clean()
	}
	return met
}

// damagedCorpus makes a corpus in steps. It returns the files at the end and
// before it was closed, and the answers after each step.
func damagedCorpus(t *testing.T) (root string, closed, open map[string][]byte, states []map[string]string) {
	t.Helper()
	root = documents(t, 14)
	dir := filepath.Join(t.TempDir(), "index")
	begin := func() *minirag.Corpus {
		c, err := testcorpus.Open(t.Context(), dir, &minirag.Options{Roots: []string{root}})
		if err != nil {
			t.Fatal(err)
		}
		return c
	}
	c := begin()
	syncAll(t, c)
	if err := c.Close(); err != nil { // which empties the log
		t.Fatal(err)
	}
	c = begin()
	states = append(states, answers(t.Context(), c))
	for i := range 16 {
		text := fmt.Sprintf("# Note %d\n\nVersion %d of document number %d.\n\n# More\n\n%s", i%8, i, i%8, strings.Repeat("Words of a note. ", 20*(i%5)))
		if _, err := c.Ingest(t.Context(), minirag.Bytes(fmt.Sprintf("note %d", i%8), "text/markdown", []byte(text))); err != nil {
			t.Fatal(err)
		}
		states = append(states, answers(t.Context(), c))
	}
	open = readTree(t, dir)
	if err := c.Close(); err != nil {
		t.Fatal(err)
	}
	return root, readTree(t, dir), open, states
}

func readTree(t *testing.T, dir string) map[string][]byte {
	t.Helper()
	files := make(map[string][]byte)
	for path, text := range tree(t, dir) {
		name, err := filepath.Rel(dir, path)
		if err != nil {
			t.Fatal(err)
		}
		files[name] = []byte(text)
	}
	return files
}

// damages is the number of harms of each sort to each kind of file.
func damages() int {
	if n, err := strconv.Atoi(os.Getenv("MINIRAG_TEST_DAMAGES")); err == nil {
		return n
	}
	if testing.Short() {
		return 2
	}
	return 4
}

// harmsOf chooses harms: always the same ones, so that a change is not blamed
// for what it has not done, or others if a number of them is asked for.
func harmsOf(t *testing.T) *rand.Rand {
	seed := uint64(1)
	if os.Getenv("MINIRAG_TEST_DAMAGES") != "" {
		seed = rand.Uint64()
	}
	t.Logf("seed %d", seed)
	return rand.New(rand.NewPCG(seed, 0))
}

// One lost bit, or the end of a file lost: an error that says so or the right
// answer, in every kind of file, at rest and while the corpus has it open.
func TestDamage(t *testing.T) {
	root, closed, open, states := damagedCorpus(t)
	rng := harmsOf(t)
	kinds := make(map[string][]string)
	for _, name := range slices.Sorted(maps.Keys(open)) {
		kind := filepath.Join(filepath.Dir(name), filepath.Ext(name))
		if strings.HasPrefix(name, "catalog") {
			kind = name
		}
		if len(open[name]) > 0 && filepath.Ext(name) != ".holder" {
			kinds[kind] = append(kinds[kind], name)
		}
	}
	for _, kind := range slices.Sorted(maps.Keys(kinds)) {
		var harms []harm
		for i := range 2 * damages() {
			for _, isOpen := range []bool{false, true} {
				files := open // with what is in the log
				if kind == "catalog.sqlite" && i%4 < 2 {
					files = closed
				}
				names := kinds[kind]
				name := names[rng.IntN(len(names))]
				if len(files[name]) == 0 {
					continue
				}
				h := harm{Root: root, File: name, At: rng.Int64N(int64(len(files[name]))), Open: isOpen}
				if i%2 == 0 {
					h.Bit = 1 << rng.IntN(8)
				}
				h.Dir = filepath.Join(t.TempDir(), "index")
				for other, data := range files {
					if isOpen && strings.HasSuffix(other, "-shm") {
						continue // of processes that are no more
					}
					testcorpus.WriteFile(t, filepath.Join(h.Dir, other), string(data))
				}
				harms = append(harms, h)
			}
		}
		t.Run(kind, func(t *testing.T) { suffer(t, harms, states) })
	}
}

// suffer lets a process meet the harms, and another one if it dies of one.
func suffer(t *testing.T, harms []harm, states []map[string]string) {
	var jobs bytes.Buffer
	for _, h := range harms {
		if err := json.NewEncoder(&jobs).Encode(h); err != nil {
			t.Fatal(err)
		}
	}
	exe, err := os.Executable()
	if err != nil {
		t.Fatal(err)
	}
	cmd := exec.CommandContext(t.Context(), exe)
	cmd.Env = append(os.Environ(), childVar+"=damage")
	cmd.Stdin = &jobs
	var stderr bytes.Buffer
	cmd.Stderr = &stderr
	out, err := cmd.StdoutPipe()
	if err != nil {
		t.Fatal(err)
	}
	if err := cmd.Start(); err != nil {
		t.Fatal(err)
	}
	results := json.NewDecoder(bufio.NewReader(out))
	damaged := 0
	for _, h := range harms {
		var met outcome
		if err := results.Decode(&met); err != nil {
			t.Fatalf("%s: the process has died: %v\n%s", &h, cmd.Wait(), &stderr)
		}
		if met.Opening != "" {
			damaged++
			if met.Opening != isDamaged {
				t.Errorf("%s: %s", &h, met.Opening)
			}
			continue
		}
		if slices.Contains(slices.Collect(maps.Values(met.Answers)), isDamaged) {
			damaged++
			if met.Clean {
				t.Errorf("%s: it is noticed, and the doctor finds nothing\n%v", &h, met.Answers)
			}
		}
		if met.Doctor != "" {
			t.Errorf("%s: the doctor: %s", &h, met.Doctor)
		}
		judge(t, &h, &met, states)
	}
	t.Logf("%d harms, %d noticed, the others did no harm or were repaired", len(harms), damaged)
	if err := cmd.Wait(); err != nil {
		t.Errorf("%v\n%s", err, &stderr)
	}
}

// judge demands the answers of the last state. A log that was cut ends with an
// earlier one; that is told, because the indexes have seen the last.
func judge(t *testing.T, h *harm, met *outcome, states []map[string]string) {
	t.Helper()
	var diff string
	for i, state := range slices.Backward(states) {
		want := maps.Clone(state)
		for key := range want {
			if met.Answers[key] == isDamaged {
				want[key] = isDamaged
			}
		}
		d := cmp.Diff(want, met.Answers)
		if diff == "" {
			diff = d
		}
		if d != "" {
			continue
		}
		if i < len(states)-1 && (!strings.HasSuffix(h.File, "-wal") || !strings.Contains(met.Log, "changes were lost")) {
			t.Errorf("%s: the state after step %d without a warning\n%s", h, i, met.Log)
		}
		return
	}
	t.Errorf("%s: a wrong answer (-want +got)\n%s\n%s", h, diff, met.Log)
}
