package segset_test

import (
	"encoding/binary"
	"errors"
	"io"
	"os"
	"path/filepath"
	"runtime"
	"slices"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
	"github.com/minirag/minirag/index/internal/segset"
)

// ids is a segment that holds nothing but chunks.
type ids []index.ChunkID

func (s ids) Len() int                  { return len(s) }
func (s ids) Chunk(i int) index.ChunkID { return s[i] }

func (s ids) encode() []byte {
	data := []byte{}
	for _, id := range s {
		data = binary.LittleEndian.AppendUint64(data, uint64(id))
	}
	return data
}

type counter struct{ merged int }

func (c *counter) set(dir string) *segset.Set[ids] {
	return segset.New(dir, segset.Format[ids]{
		Identity: "test",
		Decode: func(data []byte) (ids, error) {
			var s ids
			for ; len(data) >= 8; data = data[8:] {
				s = append(s, index.ChunkID(binary.LittleEndian.Uint64(data)))
			}
			if len(data) > 0 {
				panic("a decoder that trusts its input")
			}
			return s, nil
		},
		Merge: func(parts []*segset.Part[ids], w io.Writer) error {
			var s ids
			for _, p := range parts {
				for i, id := range p.Data {
					if !p.Deleted.Has(i) {
						s = append(s, id)
					}
				}
			}
			c.merged += len(s)
			_, err := w.Write(s.encode())
			return err
		},
	})
}

func must(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

func apply(t testing.TB, s *segset.Set[ids], from, to index.Seq, remove []index.ChunkID, add ...index.ChunkID) {
	t.Helper()
	c, err := s.Begin(from, to)
	must(t, err)
	c.Remove(remove)
	if len(add) > 0 {
		must(t, c.Add(ids(add).encode()))
	}
	must(t, c.Commit())
}

func live(t testing.TB, s *segset.Set[ids]) (index.Seq, []index.ChunkID) {
	t.Helper()
	state, err := s.Current()
	must(t, err)
	var out []index.ChunkID
	for _, p := range state.Parts {
		n := 0
		for i, id := range p.Data {
			if !p.Deleted.Has(i) {
				out = append(out, id)
				n++
			}
		}
		if n != p.Live() {
			t.Errorf("a part has %d live entries and says %d", n, p.Live())
		}
	}
	slices.Sort(out)
	return state.Seq, out
}

func segments(t testing.TB, dir string) (names []string) {
	entries, err := os.ReadDir(dir)
	must(t, err)
	for _, e := range entries {
		if strings.HasSuffix(e.Name(), ".seg") {
			names = append(names, e.Name())
		}
	}
	return names
}

func TestManySmallChangesStayFewSegments(t *testing.T) {
	const changes = 200
	dir := t.TempDir()
	c := new(counter)
	s := c.set(dir)
	var want []index.ChunkID
	for seq := range index.Seq(changes) {
		id := index.ChunkID(seq + 1)
		apply(t, s, seq, seq+1, nil, id)
		want = append(want, id)
	}
	seq, got := live(t, s)
	if seq != changes || !slices.Equal(got, want) {
		t.Errorf("at %d with %d entries, want %d", seq, len(got), changes)
	}
	state, err := s.Current()
	must(t, err)
	if n := len(state.Parts); n > 8 {
		t.Errorf("%d segments after %d changes", n, changes)
	}
	// Those of the last two manifests.
	if n := len(segments(t, dir)); n > 16 {
		t.Errorf("%d segment files after %d changes", n, changes)
	}
	if perEntry := float64(c.merged) / changes; perEntry > 12 {
		t.Errorf("each entry is written %.1f times by merges", perEntry)
	}
}

// A change of many segments writes each entry once more, and not with every
// segment that comes.
func TestLargeChangeIsMergedOnce(t *testing.T) {
	const segments, entries = 30, 10_000
	c := new(counter)
	s := c.set(t.TempDir())
	change, err := s.Begin(0, 1)
	must(t, err)
	for i := range segments {
		add := make(ids, entries)
		for j := range add {
			add[j] = index.ChunkID(i*entries + j + 1)
		}
		if i == segments-1 {
			add[0] = 7 // replaces one of the first segment
		}
		must(t, change.Add(add.encode()))
	}
	must(t, change.Commit())
	seq, got := live(t, s)
	if seq != 1 || len(got) != segments*entries-1 || got[6] != 7 {
		t.Errorf("at %d with %d entries", seq, len(got))
	}
	state, err := s.Current()
	must(t, err)
	if len(state.Parts) > 3 || c.merged > segments*entries {
		t.Errorf("%d segments, of %d entries that were merged", len(state.Parts), c.merged)
	}
}

func TestInMemory(t *testing.T) {
	const changes = 500
	s := new(counter).set("")
	for seq := range index.Seq(changes) {
		apply(t, s, seq, seq+1, []index.ChunkID{index.ChunkID(seq)}, index.ChunkID(seq+1), index.ChunkID(10*seq+5000))
	}
	seq, got := live(t, s)
	if seq != changes || len(got) != changes+1 {
		t.Errorf("at %d with %d entries", seq, len(got))
	}
	state, err := s.Current()
	must(t, err)
	if n := len(state.Parts); n > 15 {
		t.Errorf("%d segments after %d changes", n, changes)
	}
	s.Close()
	if seq, got := live(t, s); seq != 0 || len(got) != 0 {
		t.Errorf("closed, it is at %d with %d entries", seq, len(got))
	}
}

func TestReplacedEntriesAreDropped(t *testing.T) {
	dir := t.TempDir()
	s := new(counter).set(dir)
	var big []index.ChunkID
	for id := range index.ChunkID(1000) {
		big = append(big, id+1)
	}
	apply(t, s, 0, 1, nil, big...)
	for seq := index.Seq(1); seq < 120; seq++ {
		apply(t, s, seq, seq+1, []index.ChunkID{5000 + index.ChunkID(seq) - 1}, 5000+index.ChunkID(seq))
	}
	state, err := s.Current()
	must(t, err)
	held := 0
	for _, p := range state.Parts {
		held += p.Data.Len()
	}
	if held > 1010 {
		t.Errorf("%d entries are kept for 1001 live ones", held)
	}
}

func TestOldFilesAreKeptForOneChange(t *testing.T) {
	dir := t.TempDir()
	s := new(counter).set(dir)
	apply(t, s, 0, 1, nil, 1, 2, 3)
	first := segments(t, dir)
	apply(t, s, 0, 1, nil, 4, 5)
	if now := segments(t, dir); len(now) != 2 || !slices.Contains(now, first[0]) {
		t.Errorf("a reader of the last state has lost its file: %v, had %v", now, first)
	}
	// What a killed writer leaves.
	for _, name := range []string{"0123456789abcdef.seg", ".minirag-tmp-123-manifest"} {
		must(t, os.WriteFile(filepath.Join(dir, name), []byte("half"), 0o600))
	}
	must(t, os.WriteFile(filepath.Join(dir, "mine.txt"), nil, 0o600))
	apply(t, s, 1, 2, nil, 6)
	apply(t, s, 2, 3, nil)
	entries, err := os.ReadDir(dir)
	must(t, err)
	var names []string
	for _, e := range entries {
		names = append(names, e.Name())
	}
	if len(names) > 4 || slices.Contains(names, first[0]) || !slices.Contains(names, "mine.txt") {
		t.Errorf("the folder holds %v", names)
	}
}

func TestAbortLeavesNothing(t *testing.T) {
	dir := t.TempDir()
	s := new(counter).set(dir)
	apply(t, s, 0, 1, nil, 1)
	before := segments(t, dir)
	c, err := s.Begin(1, 2)
	must(t, err)
	c.Remove([]index.ChunkID{1})
	must(t, c.Add(ids{2, 3}.encode()))
	c.Abort()
	if seq, got := live(t, s); seq != 1 || !slices.Equal(got, []index.ChunkID{1}) {
		t.Errorf("at %d with %v after a change was given up", seq, got)
	}
	if now := segments(t, dir); !slices.Equal(now, before) {
		t.Errorf("files are %v, were %v", now, before)
	}
}

func TestDecoderThatPanics(t *testing.T) {
	s := new(counter).set(t.TempDir())
	c, err := s.Begin(0, 1)
	must(t, err)
	if err := c.Add([]byte("short")); err == nil {
		t.Error("what cannot be decoded is added")
	}
	c.Abort()
	if seq, _ := live(t, s); seq != 0 {
		t.Errorf("at %d after a change that failed", seq)
	}
}

func TestReadOnly(t *testing.T) {
	if os.Geteuid() == 0 || runtime.GOOS == "windows" {
		t.Skip("the mode of a folder keeps neither root nor anybody on Windows from writing")
	}
	dir := filepath.Join(t.TempDir(), "index")
	s := new(counter).set(dir)
	apply(t, s, 0, 1, nil, 1)
	must(t, os.Chmod(dir, 0o500))
	defer os.Chmod(dir, 0o700)
	c, err := s.Begin(1, 2)
	must(t, err)
	if err := c.Add(ids{2}.encode()); !errors.Is(err, index.ErrReadOnly) {
		t.Errorf("error is %v, want index.ErrReadOnly", err)
	}
	c.Abort()
	if seq, got := live(t, s); seq != 1 || len(got) != 1 {
		t.Errorf("at %d with %v", seq, got)
	}
}
