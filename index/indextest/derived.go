package indextest

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/index"
)

// DerivedOptions tell what a derived index can do. Nil means all.
type DerivedOptions struct {
	// Memory says that nothing is kept on the disk: tests of a second
	// instance, of damage and of killed processes are left out.
	Memory bool
}

// An item is a chunk about one topic: a direction for vectors, a word for
// keywords. What is true of both kinds of index is tested with items.
type item struct {
	chunk index.ChunkID
	doc   index.DocID
	topic int
}

// topics is the number of topics that tests use.
const topics = 16

type derivedStore interface {
	apply(ctx context.Context, c index.Changes[item]) error
	snapshot(ctx context.Context) (derivedSnapshot, error)
	close() error
}

type derivedSnapshot interface {
	seq() index.Seq
	// search returns the hits of a topic's items, best first.
	search(ctx context.Context, topic, limit int, f *index.Filter, overlay []item) ([]index.Hit, error)
	close() error
}

type openDerived func(t testing.TB, dir string, origin index.Origin) derivedStore

func testOrigin() index.Origin {
	return index.Origin{Catalog: "11111111-2222-4333-8444-555555555555", Model: "test", Dims: testDims}
}

// run tests what [index.VectorStore] and [index.KeywordIndex] have in common.
func (open openDerived) run(t *testing.T, opts *DerivedOptions) {
	for _, test := range []struct {
		name string
		disk bool // needs one
		run  func(t *testing.T, open openDerived)
	}{
		{"Lifecycle", false, testLifecycle},
		{"Sequence", false, testSequence},
		{"AddFails", false, testAddFails},
		{"Isolation", false, testIsolation},
		{"Filter", false, testFilter},
		{"Overlay", false, testOverlay},
		{"Ties", false, testTies},
		{"Context", false, testDerivedContext},
		{"Together", false, testTogether},
		{"Instances", true, testInstances},
		{"Origin", true, testOtherOrigin},
		{"Damage", true, testDamage},
		{"Random", true, testDerivedRandom},
		{"Killed", true, testKilled},
	} {
		if test.disk && opts != nil && opts.Memory {
			continue
		}
		t.Run(test.name, func(t *testing.T) {
			t.Parallel() // most wait for the disk
			test.run(t, open)
		})
	}
}

func check(t testing.TB, err error) {
	t.Helper()
	if err != nil {
		t.Fatal(err)
	}
}

// adding yields items and then, if it is not nil, err.
func adding(items []item, err error) func(func(item, error) bool) {
	return func(yield func(item, error) bool) {
		for _, it := range items {
			if !yield(it, nil) {
				return
			}
		}
		if err != nil {
			yield(item{}, err)
		}
	}
}

func changes(from, to index.Seq, remove []index.ChunkID, add ...item) index.Changes[item] {
	return index.Changes[item]{From: from, To: to, Remove: remove, Add: adding(add, nil)}
}

// expect compares a new snapshot with a sequence and the items that are live.
func expect(t testing.TB, s derivedStore, seq index.Seq, live ...item) {
	t.Helper()
	snap, err := s.snapshot(t.Context())
	check(t, err)
	defer snap.close()
	if diff := compareContent(t.Context(), snap, seq, live); diff != "" {
		t.Fatal(diff)
	}
}

// compareContent says how a snapshot differs from a sequence and live items.
func compareContent(ctx context.Context, snap derivedSnapshot, seq index.Seq, live []item) string {
	if got := snap.seq(); got != seq {
		return fmt.Sprintf("sequence is %d, want %d", got, seq)
	}
	for topic := range topics {
		var want []item
		for _, it := range live {
			if it.topic == topic {
				want = append(want, it)
			}
		}
		hits, err := snap.search(ctx, topic, len(live)+10, nil, nil)
		if err != nil {
			return fmt.Sprintf("search of topic %d: %v", topic, err)
		}
		var got []item
		for i, h := range hits {
			got = append(got, item{h.Chunk, h.Doc, topic})
			if i > 0 && hits[i-1].Score < h.Score {
				return fmt.Sprintf("hits are not best first: %v", hits)
			}
		}
		byChunk := func(a, b item) int { return int(a.chunk - b.chunk) }
		slices.SortFunc(want, byChunk)
		slices.SortFunc(got, byChunk)
		if diff := cmp.Diff(want, got, cmp.AllowUnexported(item{})); diff != "" {
			return fmt.Sprintf("at %d, items of topic %d (-want +got):\n%s", seq, topic, diff)
		}
	}
	return ""
}

func testLifecycle(t *testing.T, open openDerived) {
	ctx := t.Context()
	s := open(t, t.TempDir(), testOrigin())
	expect(t, s, 0)
	a, b, c := item{1, 10, 0}, item{2, 10, 1}, item{3, 11, 1}
	check(t, s.apply(ctx, changes(0, 5, nil, a, b, c)))
	expect(t, s, 5, a, b, c)
	check(t, s.apply(ctx, changes(5, 6, []index.ChunkID{2, 99})))
	expect(t, s, 6, a, c)
	moved := item{3, 12, 4}
	check(t, s.apply(ctx, changes(6, 9, []index.ChunkID{1}, moved, item{4, 12, 2}, item{4, 13, 3})))
	expect(t, s, 9, moved, item{4, 13, 3})
	check(t, s.apply(ctx, index.Changes[item]{From: 9, To: 10}))
	expect(t, s, 10, moved, item{4, 13, 3})
	again := item{3, 20, 5}
	check(t, s.apply(ctx, changes(10, 11, []index.ChunkID{3}, again)))
	expect(t, s, 11, again, item{4, 13, 3})
	check(t, s.apply(ctx, changes(0, 3, nil, b)))
	expect(t, s, 3, b)
	check(t, s.apply(ctx, changes(3, 4, []index.ChunkID{2})))
	expect(t, s, 4)
	check(t, s.close())
}

func testSequence(t *testing.T, open openDerived) {
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	a := item{1, 1, 0}
	if err := s.apply(t.Context(), changes(2, 3, nil, a)); !errors.Is(err, index.ErrSequence) {
		t.Errorf("changes from 2 to an empty index: %v", err)
	}
	expect(t, s, 0)
	check(t, s.apply(t.Context(), changes(0, 7, nil, a)))
	for _, from := range []index.Seq{6, 8} {
		err := s.apply(t.Context(), changes(from, 9, []index.ChunkID{1}, item{2, 2, 2}))
		if !errors.Is(err, index.ErrSequence) {
			t.Errorf("changes from %d to an index at 7: %v", from, err)
		}
		expect(t, s, 7, a)
	}
}

func testAddFails(t *testing.T, open openDerived) {
	dir := t.TempDir()
	s := open(t, dir, testOrigin())
	defer s.close()
	a := item{1, 1, 0}
	check(t, s.apply(t.Context(), changes(0, 1, nil, a)))
	boom := errors.New("boom")
	for _, from := range []index.Seq{0, 1} {
		err := s.apply(t.Context(), index.Changes[item]{
			From: from, To: 2, Remove: []index.ChunkID{1}, Add: adding([]item{{2, 2, 1}, {3, 2, 1}}, boom),
		})
		if !errors.Is(err, boom) {
			t.Errorf("error is %v, want that of Add", err)
		}
		expect(t, s, 1, a)
	}
	check(t, s.apply(t.Context(), changes(1, 2, nil, item{2, 2, 1})))
	expect(t, s, 2, a, item{2, 2, 1})
}

func testIsolation(t *testing.T, open openDerived) {
	ctx := t.Context()
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	live := []item{{1, 1, 0}, {2, 1, 1}}
	check(t, s.apply(ctx, changes(0, 1, nil, live...)))
	old, err := s.snapshot(ctx)
	check(t, err)
	defer old.close()
	for seq := index.Seq(1); seq < 12; seq++ {
		check(t, s.apply(ctx, changes(seq, seq+1, []index.ChunkID{1, 2, index.ChunkID(seq + 1)}, item{index.ChunkID(seq + 2), 5, 2})))
	}
	if diff := compareContent(ctx, old, 1, live); diff != "" {
		t.Errorf("old snapshot: %s", diff)
	}
	expect(t, s, 12, item{13, 5, 2})
	check(t, s.apply(ctx, changes(0, 1, nil)))
	if diff := compareContent(ctx, old, 1, live); diff != "" {
		t.Errorf("old snapshot after the index began anew: %s", diff)
	}
}

func testFilter(t *testing.T, open openDerived) {
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	var items []item
	for i := range 300 {
		items = append(items, item{index.ChunkID(i + 1), index.DocID(i % 100), 3})
	}
	check(t, s.apply(t.Context(), changes(0, 1, nil, items...)))
	snap, err := s.snapshot(t.Context())
	check(t, err)
	defer snap.close()
	for _, tc := range []struct {
		name   string
		filter *index.Filter
		limit  int
		want   []index.ChunkID
	}{
		{"none", nil, 2, []index.ChunkID{1, 2}},
		{"without documents", &index.Filter{}, 2, []index.ChunkID{1, 2}},
		{"late document", &index.Filter{Docs: index.NewDocSet(97)}, 3, []index.ChunkID{98, 198, 298}},
		{"limit after filter", &index.Filter{Docs: index.NewDocSet(97, 98)}, 4, []index.ChunkID{98, 99, 198, 199}},
		{"empty set", &index.Filter{Docs: index.NewDocSet()}, 3, nil},
		{"limit of nothing", nil, 0, nil},
	} {
		hits, err := snap.search(t.Context(), 3, tc.limit, tc.filter, nil)
		check(t, err)
		if diff := cmp.Diff(tc.want, chunksOf(hits)); diff != "" {
			t.Errorf("%s (-want +got):\n%s", tc.name, diff)
		}
	}
}

func chunksOf(hits []index.Hit) []index.ChunkID {
	var ids []index.ChunkID
	for _, h := range hits {
		ids = append(ids, h.Chunk)
	}
	return ids
}

func testOverlay(t *testing.T, open openDerived) {
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	overlay := []item{{2, 2, 0}, {3, 3, 0}, {3, 3, 0}, {4, 4, 1}}
	search := func(f *index.Filter) []index.Hit {
		snap, err := s.snapshot(t.Context())
		check(t, err)
		defer snap.close()
		hits, err := snap.search(t.Context(), 0, 10, f, overlay)
		check(t, err)
		return hits
	}
	if diff := cmp.Diff([]index.ChunkID{2, 3}, chunksOf(search(nil))); diff != "" {
		t.Errorf("over an empty index (-want +got):\n%s", diff)
	}
	check(t, s.apply(t.Context(), changes(0, 1, nil, item{1, 1, 0}, item{2, 2, 0}, item{5, 5, 1})))
	over := search(nil)
	if diff := cmp.Diff([]index.ChunkID{1, 2, 3}, chunksOf(over)); diff != "" {
		t.Errorf("over an index (-want +got):\n%s", diff)
	}
	if diff := cmp.Diff([]index.ChunkID{3}, chunksOf(search(&index.Filter{Docs: index.NewDocSet(3, 5)}))); diff != "" {
		t.Errorf("with a filter (-want +got):\n%s", diff)
	}
	check(t, s.apply(t.Context(), changes(1, 2, nil, item{3, 3, 0}, item{4, 4, 1})))
	if diff := cmp.Diff(over, search(nil)); diff != "" {
		t.Errorf("the same chunks in the index score differently (-overlay +applied):\n%s", diff)
	}
}

func testTies(t *testing.T, open openDerived) {
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	// In several segments and in an order of their own.
	seq := index.Seq(0)
	for _, id := range []index.ChunkID{70, 10, 50, 30, 60, 20, 40} {
		check(t, s.apply(t.Context(), changes(seq, seq+1, nil, item{id, index.DocID(100 - id), 7})))
		seq++
	}
	snap, err := s.snapshot(t.Context())
	check(t, err)
	defer snap.close()
	hits, err := snap.search(t.Context(), 7, 4, nil, []item{{25, 1, 7}, {5, 1, 7}})
	check(t, err)
	if diff := cmp.Diff([]index.ChunkID{5, 10, 20, 25}, chunksOf(hits)); diff != "" {
		t.Errorf("equal hits (-want +got):\n%s", diff)
	}
}

func testDerivedContext(t *testing.T, open openDerived) {
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	a := item{1, 1, 0}
	check(t, s.apply(t.Context(), changes(0, 1, nil, a)))
	snap, err := s.snapshot(t.Context())
	check(t, err)
	defer snap.close()
	done, cancel := context.WithCancel(t.Context())
	cancel()
	if _, err := snap.search(done, 0, 5, nil, nil); !errors.Is(err, context.Canceled) {
		t.Errorf("search under a finished context: %v", err)
	}
	if err := s.apply(done, changes(1, 2, nil, item{2, 2, 0})); !errors.Is(err, context.Canceled) {
		t.Errorf("apply under a finished context: %v", err)
	}
	expect(t, s, 1, a)
}

// testTogether searches while changes are applied.
func testTogether(t *testing.T, open openDerived) {
	const steps = 40
	ctx := t.Context()
	s := open(t, t.TempDir(), testOrigin())
	defer s.close()
	done := make(chan struct{})
	var wg sync.WaitGroup
	for range 3 {
		wg.Go(func() {
			for last := false; !last; {
				select {
				case <-done:
					last = true
				default:
				}
				snap, err := s.snapshot(ctx)
				if err != nil {
					t.Error(err)
					return
				}
				if diff := compareContent(ctx, snap, snap.seq(), history(snap.seq())); diff != "" {
					t.Error(diff)
				}
				snap.close()
			}
		})
	}
	for seq := range index.Seq(steps) {
		if err := s.apply(ctx, step(seq)); err != nil {
			t.Error(err)
		}
	}
	close(done)
	wg.Wait()
	expect(t, s, steps, history(steps)...)
}

// step carries the history that some tests use from seq to seq+1: three items
// come, and those of four steps before go.
func step(seq index.Seq) index.Changes[item] {
	c := index.Changes[item]{From: seq, To: seq + 1, Add: adding(stepItems(seq), nil)}
	if seq >= 4 {
		for _, it := range stepItems(seq - 4) {
			c.Remove = append(c.Remove, it.chunk)
		}
	}
	return c
}

func stepItems(seq index.Seq) []item {
	var items []item
	for i := range 3 {
		items = append(items, item{index.ChunkID(10*int(seq) + i + 1), index.DocID(seq + 1), (int(seq) + i) % topics})
	}
	return items
}

// history returns what is live at seq.
func history(seq index.Seq) []item {
	var items []item
	for s := max(seq-4, 0); s < seq; s++ {
		items = append(items, stepItems(s)...)
	}
	return items
}

func testInstances(t *testing.T, open openDerived) {
	dir := t.TempDir()
	a, b := open(t, dir, testOrigin()), open(t, dir, testOrigin())
	expect(t, a, 0)
	expect(t, b, 0)
	for seq := range index.Seq(20) {
		writer := a
		if seq%3 == 0 {
			writer = b
		}
		check(t, writer.apply(t.Context(), step(seq)))
		expect(t, a, seq+1, history(seq+1)...)
		expect(t, b, seq+1, history(seq+1)...)
	}
	check(t, a.close())
	check(t, b.close())
	c := open(t, dir, testOrigin())
	expect(t, c, 20, history(20)...)
	check(t, c.close())
}

func testOtherOrigin(t *testing.T, open openDerived) {
	dir := t.TempDir()
	s := open(t, dir, testOrigin())
	defer s.close()
	check(t, s.apply(t.Context(), changes(0, 4, nil, item{1, 1, 1})))
	origin := testOrigin()
	origin.Catalog = "99999999-2222-4333-8444-555555555555"
	o := open(t, dir, origin)
	defer o.close()
	expect(t, o, 0)
	if err := o.apply(t.Context(), changes(4, 5, nil, item{2, 2, 2})); !errors.Is(err, index.ErrSequence) {
		t.Errorf("changes to an index of another origin: %v", err)
	}
	check(t, o.apply(t.Context(), changes(0, 1, nil, item{2, 2, 2})))
	expect(t, o, 1, item{2, 2, 2})
	expect(t, s, 0)
}
