package hugot

import (
	"errors"
	"fmt"
	"math"
	"os"

	"github.com/knights-analytics/hugot/backends"
)

// An engine is a loaded model. One call of run at a time is made.
type engine struct {
	model  *backends.Model
	base   *backends.BasePipeline
	output int // the one that vectors are taken from
	pool   pooling
	dims   int
	pad    int32
}

// newEngine loads the weights and runs them once, so that what the engine
// cannot compute is known before the first text.
func newEngine(s *settings, o *Options) (*engine, error) {
	data, err := os.ReadFile(s.onnx)
	if err != nil {
		return nil, err
	}
	m, err := guarded(func() (*backends.Model, error) { return loadModel(s, data, o) })
	if err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	for _, in := range m.InputsMeta {
		switch in.Name {
		case "input_ids", "attention_mask", "token_type_ids":
		default:
			return nil, fmt.Errorf("%w: its input %q is not supported; input_ids, attention_mask and token_type_ids are", ErrModel, in.Name)
		}
	}
	e := &engine{model: m, base: &backends.BasePipeline{Model: m, Runtime: hugotBackend}, output: -1, pool: s.pooling, pad: s.pad}
	// Vectors of tokens leave the pooling to us; a vector of the text is second best.
	for rank, pool := range map[int]pooling{3: s.pooling, 2: poolDone} {
		for i, out := range m.OutputsMeta {
			if len(out.Dimensions) == rank && (e.output < 0 || rank == 3) {
				e.output, e.pool = i, pool
				break
			}
		}
	}
	if e.output < 0 {
		return nil, fmt.Errorf("%w: none of its %d outputs has a vector for each token or text", ErrModel, len(m.OutputsMeta))
	}
	// hugot needs the length of a vector, which some files leave open.
	for i := range m.OutputsMeta {
		if d := m.OutputsMeta[i].Dimensions; len(d) > 0 && d[len(d)-1] <= 0 && s.dims > 0 {
			d[len(d)-1] = int64(s.dims)
		}
	}
	d := m.OutputsMeta[e.output].Dimensions
	if e.dims = int(d[len(d)-1]); e.dims <= 0 {
		return nil, fmt.Errorf("%w: neither the .onnx file nor config.json (hidden_size) says how long a vector is", ErrModel)
	}
	if _, err := e.run([][]int32{{s.pad}}, batch{members: []int{0}, length: 1}); err != nil {
		return nil, fmt.Errorf("%w: %w", ErrModel, err)
	}
	return e, nil
}

// run computes a batch of seqs; the vectors are in the order of its members.
func (e *engine) run(seqs [][]int32, b batch) ([][]float32, error) {
	in := backends.NewBatch(len(b.members))
	in.MaxSequenceLength = b.length
	for _, at := range b.members {
		// Padded here, as hugot pads with id 0, whatever that is.
		t := backends.TokenizedInput{
			TokenIDs: make([]uint32, b.length), TypeIDs: make([]uint32, b.length), AttentionMask: make([]uint32, b.length),
		}
		for i := range t.TokenIDs {
			t.TokenIDs[i] = uint32(e.pad)
		}
		for i, id := range seqs[at] {
			t.TokenIDs[i], t.AttentionMask[i] = uint32(id), 1
		}
		in.Input = append(in.Input, t)
	}
	return guarded(func() (vecs [][]float32, err error) {
		if err := backends.CreateInputTensors(in, e.model, hugotBackend); err != nil {
			return nil, err
		}
		defer func() { err = errors.Join(err, in.Destroy()) }()
		if err := backends.RunSessionOnBatch(in, e.base); err != nil {
			return nil, err
		}
		return e.vectors(in.OutputValues[e.output], seqs, b)
	})
}

func (e *engine) vectors(output any, seqs [][]int32, b batch) ([][]float32, error) {
	out := make([][]float32, len(b.members))
	for i, at := range b.members {
		var tokens [][]float32
		switch output := output.(type) {
		case [][][]float32:
			tokens = output[i][:len(seqs[at])]
		case [][]float32:
			tokens = output[i : i+1]
		default:
			return nil, fmt.Errorf("an output of type %T", output)
		}
		if out[i] = pooled(tokens, e.pool, e.dims); out[i] == nil {
			return nil, errors.New("the model gives no finite vector")
		}
	}
	return out, nil
}

// pooled is the vector of length 1 for the vectors of the tokens of a text, or
// nil if there is none.
func pooled(tokens [][]float32, pool pooling, dims int) []float32 {
	sum := make([]float64, dims)
	for t, vec := range tokens {
		switch pool {
		case poolCLS, poolDone:
			if t > 0 {
				continue
			}
		case poolMax:
			for i, v := range vec {
				if t == 0 || float64(v) > sum[i] {
					sum[i] = float64(v)
				}
			}
			continue
		}
		for i, v := range vec {
			sum[i] += float64(v)
		}
	}
	var norm float64
	for _, v := range sum {
		norm += v * v
	}
	norm = math.Sqrt(norm)
	if !(norm > 0) || math.IsInf(norm, 0) {
		return nil
	}
	out := make([]float32, dims)
	for i, v := range sum {
		out[i] = float32(v / norm)
	}
	return out
}

// guarded calls f; the engine panics over graphs that it cannot compute.
func guarded[T any](f func() (T, error)) (v T, err error) {
	defer func() {
		if r := recover(); r != nil {
			err = fmt.Errorf("the engine stopped: %v", r)
		}
	}()
	return f()
}
