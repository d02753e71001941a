package bert_test

import (
	"context"
	"errors"
	"runtime"
	"testing"

	"github.com/google/go-cmp/cmp"

	"github.com/minirag/minirag/embed/bert"
)

// gate is a context that holds up who asks it, until it is opened for one
// question or for all.
type gate struct {
	context.Context
	asked, open, done chan struct{}
}

func newGate(ctx context.Context) *gate {
	return &gate{ctx, make(chan struct{}), make(chan struct{}), make(chan struct{})}
}

func (g *gate) Err() error {
	select {
	case g.asked <- struct{}{}:
		<-g.open
	case <-g.done:
	}
	return nil
}

// A query is answered while a batch is between its first layer and its last.
func TestQueryOvertakesBatch(t *testing.T) {
	m := newTiny()
	m.layers = 4
	for _, threads := range []int{1, 3} {
		model := m.open(t, &bert.Options{Threads: threads})
		seqs := [][]int32{ids(5, 10), ids(24, 10)}
		want, err := model.EmbedIDs(t.Context(), seqs)
		if err != nil {
			t.Fatal(err)
		}
		g := newGate(t.Context())
		batch, query := make(chan [][]float32, 1), make(chan []float32, 1)
		go func() {
			vecs, err := model.EmbedIDs(g, seqs)
			if err != nil {
				t.Error(err)
			}
			batch <- vecs
		}()
		<-g.asked // before it has the threads
		g.open <- struct{}{}
		<-g.asked // before its first layer, with the threads
		go func() {
			v, err := model.EmbedQueryIDs(t.Context(), seqs[0])
			if err != nil {
				t.Error(err)
			}
			query <- v
		}()
		for model.Waiting() == 0 {
			runtime.Gosched()
		}
		g.open <- struct{}{}
		// The batch waits before its second layer at the latest.
		if diff := cmp.Diff(want[0], <-query); diff != "" {
			t.Errorf("query (-alone +overtaking):\n%s", diff)
		}
		close(g.done)
		if diff := cmp.Diff(want, <-batch); diff != "" {
			t.Errorf("batch (-alone +overtaken):\n%s", diff)
		}
	}
}

func TestQueriesThatAreRefused(t *testing.T) {
	m := newTiny()
	model := m.open(t, nil)
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	if v, err := model.EmbedQueryIDs(ctx, ids(3, 5)); !errors.Is(err, context.Canceled) || v != nil {
		t.Errorf("cancelled: %v, %v", v, err)
	}
	for _, seq := range [][]int32{nil, {-1}, ids(m.context+1, 5)} {
		if v, err := model.EmbedQueryIDs(t.Context(), seq); err == nil || v != nil {
			t.Errorf("%v: %v, %v, want an error", seq, v, err)
		}
	}
	if model.Waiting() != 0 {
		t.Errorf("%d queries wait", model.Waiting())
	}
}
