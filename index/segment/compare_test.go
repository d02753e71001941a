package segment_test

import (
	"errors"
	"slices"
	"strings"
	"testing"

	"github.com/minirag/minirag/index"
)

// What the files say of themselves is right in each case, and it is not what
// the catalog has.
func TestCompareWithTheCatalog(t *testing.T) {
	const at = 1234
	for name, change := range map[string]func(e *index.Entry){
		"nothing":           func(*index.Entry) {},
		"a word is missing": func(e *index.Entry) { _, e.Text, _ = strings.Cut(e.Text, " ") },
		"another word":      func(e *index.Entry) { e.Text = "harbour" + strings.TrimLeft(e.Text, "abcdefghijklmnopqrstuvwxyz") },
		"another order": func(e *index.Entry) {
			words := strings.Fields(e.Text)
			slices.Reverse(words)
			e.Text = strings.Join(words, " ")
		},
		"another field":    func(e *index.Entry) { e.Title, e.Headings = e.Headings, e.Title },
		"another document": func(e *index.Entry) { e.Doc++ },
		"another vector":   func(e *index.Entry) { e.Vector = []float32{e.Vector[1], e.Vector[0], -e.Vector[2]} },
		"no vector":        func(e *index.Entry) { e.Vector = nil },
	} {
		t.Run(name, func(t *testing.T) {
			e := open(t, t.TempDir(), damageOrigin, nil)
			defer e.Close()
			right := smallEntries(2000)
			right[at].Title, right[at].Headings, right[at].Text = "The lamp", "Oil", "wick keeper tower storm rope"
			right[at].Vector = []float32{0.6, 0, 0.8}
			wrong := slices.Clone(right)
			change(&wrong[at])
			// In two segments, and with an entry that was replaced.
			for seq, part := range [][]index.Entry{wrong[:1500], append(slices.Clone(wrong[1500:]), wrong[7])} {
				if err := e.Apply(t.Context(), index.Changes[index.Entry]{From: index.Seq(seq), To: index.Seq(seq + 1), Add: sequence(part)}); err != nil {
					t.Fatal(err)
				}
			}
			if _, _, err := e.Verify(t.Context()); err != nil {
				t.Fatal(err)
			}
			n, err := e.Compare(t.Context(), sequence(right))
			switch {
			case name == "nothing":
				if n != len(right) || err != nil {
					t.Errorf("%d of %d are compared, %v", n, len(right), err)
				}
			case !errors.Is(err, index.ErrDamaged) || !strings.Contains(err.Error(), "chunk "):
				t.Errorf("it is not found: %v", err)
			}
		})
	}
}

func TestCompareMissesAChunk(t *testing.T) {
	e := open(t, t.TempDir(), damageOrigin, nil)
	defer e.Close()
	all := smallEntries(10)
	for seq, c := range []index.Changes[index.Entry]{{Add: sequence(all)}, {Remove: []index.ChunkID{all[4].Chunk}}} {
		c.From, c.To = index.Seq(seq), index.Seq(seq+1)
		if err := e.Apply(t.Context(), c); err != nil {
			t.Fatal(err)
		}
	}
	if n, err := e.Compare(t.Context(), sequence(all)); !errors.Is(err, index.ErrDamaged) || n != 4 {
		t.Errorf("%d are compared, %v", n, err)
	}
	failed := errors.New("the catalog cannot be read")
	broken := func(yield func(index.Entry, error) bool) { yield(index.Entry{}, failed) }
	if _, err := e.Compare(t.Context(), broken); !errors.Is(err, failed) || errors.Is(err, index.ErrDamaged) {
		t.Errorf("error %v", err)
	}
}
