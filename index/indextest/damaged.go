package indextest

import (
	"context"
	"errors"
	"fmt"
	"maps"
	"math/rand/v2"
	"os"
	"path/filepath"
	"slices"
	"testing"

	"github.com/minirag/minirag/index"
)

// testDamage damages each file in many ways. An index may then be empty, fail
// with ErrDamaged or be whole, but never give a wrong answer.
func testDamage(t *testing.T, open openDerived) {
	dir := t.TempDir()
	const last = 6
	s := open(t, dir, testOrigin())
	for seq := range index.Seq(last) {
		check(t, s.apply(t.Context(), step(seq)))
	}
	check(t, s.close())
	files := readFiles(t, dir)
	if len(files) == 0 {
		t.Fatal("the index has no files")
	}
	rng := rand.New(rand.NewPCG(1, 2))
	for _, name := range slices.Sorted(maps.Keys(files)) {
		data := files[name]
		damages := map[string][]byte{
			"removed": nil, "emptied": {}, "cut in half": data[:len(data)/2], "cut by one": data[:max(len(data)-1, 0)],
			"longer": append(slices.Clone(data), 0),
		}
		for range 40 {
			i, bit := rng.IntN(max(len(data), 1)), byte(1)<<rng.IntN(8)
			if len(data) > 0 {
				flipped := slices.Clone(data)
				flipped[i] ^= bit
				damages[fmt.Sprintf("bit %d of byte %d flipped", bit, i)] = flipped
			}
		}
		for what, content := range damages {
			copied := t.TempDir()
			writeFiles(t, copied, files)
			path := filepath.Join(copied, name)
			if content == nil {
				check(t, os.Remove(path))
			} else {
				check(t, os.WriteFile(path, content, 0o600))
			}
			s := open(t, copied, testOrigin())
			if diff := damagedContent(t.Context(), s, last); diff != "" {
				t.Errorf("%s %s: %s", name, what, diff)
			}
			check(t, s.apply(t.Context(), changes(0, 2, nil, item{1, 1, 1})))
			expect(t, s, 2, item{1, 1, 1})
			check(t, s.close())
		}
	}
}

func damagedContent(ctx context.Context, s derivedStore, last index.Seq) string {
	snap, err := s.snapshot(ctx)
	if err != nil {
		if errors.Is(err, index.ErrDamaged) {
			return ""
		}
		return err.Error()
	}
	defer snap.close()
	if snap.seq() == 0 {
		return compareContent(ctx, snap, 0, nil)
	}
	if _, err := snap.search(ctx, 0, 10, nil, nil); errors.Is(err, index.ErrDamaged) {
		return ""
	}
	return compareContent(ctx, snap, last, history(last))
}

func readFiles(t testing.TB, dir string) map[string][]byte {
	files := make(map[string][]byte)
	check(t, filepath.WalkDir(dir, func(path string, d os.DirEntry, err error) error {
		if err != nil || d.IsDir() {
			return err
		}
		name, err := filepath.Rel(dir, path)
		if err != nil {
			return err
		}
		files[name], err = os.ReadFile(path)
		return err
	}))
	return files
}

func writeFiles(t testing.TB, dir string, files map[string][]byte) {
	for name, data := range files {
		path := filepath.Join(dir, name)
		check(t, os.MkdirAll(filepath.Dir(path), 0o700))
		check(t, os.WriteFile(path, data, 0o600))
	}
}

// testDerivedRandom compares with a map after each of many random changes.
func testDerivedRandom(t *testing.T, open openDerived) {
	rng := rand.New(rand.NewPCG(7, 11))
	dir := t.TempDir()
	s := open(t, dir, testOrigin())
	live := make(map[index.ChunkID]item)
	var next index.ChunkID
	var seq index.Seq
	for range 60 {
		c := index.Changes[item]{From: seq, To: seq + 1 + index.Seq(rng.IntN(3))}
		if rng.IntN(20) == 0 {
			c.From = 0
			clear(live)
		}
		for id := range live {
			if rng.IntN(4) == 0 {
				c.Remove = append(c.Remove, id)
			}
		}
		for _, id := range c.Remove {
			delete(live, id)
		}
		var add []item
		for range rng.IntN(30) {
			next++
			add = append(add, item{next, index.DocID(next / 4), rng.IntN(topics)})
		}
		for id := range live {
			if rng.IntN(10) == 0 {
				add = append(add, item{id, index.DocID(rng.IntN(5)), rng.IntN(topics)})
			}
		}
		for _, it := range add {
			live[it.chunk] = it
		}
		c.Add = adding(add, nil)
		check(t, s.apply(t.Context(), c))
		seq = c.To
		if rng.IntN(5) == 0 {
			check(t, s.close())
			s = open(t, dir, testOrigin())
		}
		expect(t, s, seq, slices.Collect(maps.Values(live))...)
	}
	if n := len(readFiles(t, dir)); n > 40 {
		t.Errorf("%d files after 60 changes: nothing merges or removes them", n)
	}
	check(t, s.close())
}
