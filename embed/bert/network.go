package bert

import (
	"fmt"
	"math"

	"github.com/minirag/minirag/embed/bert/internal/kernel"
)

// pooling says how the vectors of the tokens become one (llama_pooling_type).
type pooling int

const (
	poolMean pooling = 1
	poolCLS  pooling = 2
)

// Bounds on what a file may ask for; each is far above any model of this
// kind, and keeps products of two of them inside an int on any machine.
const (
	maxLayers    = 1 << 10
	maxDims      = 1 << 14
	maxInner     = 1 << 16
	maxPositions = 1 << 16
)

// A network holds the weights of an encoder (Devlin et al. 2018,
// arXiv:1810.04805): post-norm layers, learned positions, GELU.
type network struct {
	dims, heads, inner int
	eps                float32
	pool               pooling
	words, positions   tensor
	segment            []float32 // the vector of token type 0
	norm               layerNorm
	layers             []layer
	decodes            bool // some matrix is decoded for each block of tokens
	packed             bool // some matrix has panels
}

type layer struct {
	q, k, v, attn     linear
	attnNorm, outNorm layerNorm
	up, down          linear
}

type layerNorm struct{ weight, bias []float32 }

// A linear is a matrix of outputs × inputs with its bias, padded to whole
// panels. panels holds the weights for the 8-bit product, where they allow it.
type linear struct {
	src    tensor
	bias   []float32
	panels []byte
}

func newNetwork(f *file, precision Precision, kernels *kernel.Set) (*network, error) {
	if arch := f.text("general.architecture"); arch != "bert" {
		return nil, fmt.Errorf("architecture %q is not supported; bert is", arch)
	}
	n := &network{}
	var layers, context, pool int
	for _, p := range []struct {
		dst *int
		key string
		hi  int64
	}{
		{&layers, "bert.block_count", maxLayers},
		{&n.dims, "bert.embedding_length", maxDims},
		{&n.heads, "bert.attention.head_count", maxDims},
		{&n.inner, "bert.feed_forward_length", maxInner},
		{&context, "bert.context_length", maxPositions},
	} {
		var err error
		if *p.dst, err = f.need(p.key, 1, p.hi); err != nil {
			return nil, err
		}
	}
	if n.dims%n.heads != 0 {
		return nil, fmt.Errorf("%w: %d dimensions in %d heads", errFormat, n.dims, n.heads)
	}
	eps, err := f.float("bert.attention.layer_norm_epsilon")
	if err != nil {
		return nil, err
	}
	if !(eps >= 0 && eps < 1) {
		return nil, fmt.Errorf("%w: layer norm epsilon %v", errFormat, eps)
	}
	n.eps = float32(eps)
	if pool, err = f.optional("bert.pooling_type", int(poolMean), 0, math.MaxInt32); err != nil {
		return nil, err
	}
	if n.pool = pooling(pool); n.pool != poolMean && n.pool != poolCLS {
		return nil, fmt.Errorf("pooling type %d is not supported; 1 (mean) and 2 (CLS) are", pool)
	}
	words, ok := f.tensors["token_embd.weight"]
	if !ok {
		return nil, fmt.Errorf("%w: tensor %q is missing", errFormat, "token_embd.weight")
	}
	if n.words, err = f.matrix("token_embd.weight", words.rows, n.dims); err != nil {
		return nil, err
	}
	if n.positions, err = f.matrix("position_embd.weight", context, n.dims); err != nil {
		return nil, err
	}
	if n.segment, err = readSegment(f, n.dims); err != nil {
		return nil, err
	}
	l := loader{f: f, precision: precision}
	n.norm = l.norm("token_embd_norm", n.dims)
	for i := range layers {
		name := func(s string) string { return fmt.Sprintf("blk.%d.%s", i, s) }
		n.layers = append(n.layers, layer{
			q:        l.linear(name("attn_q"), n.dims, n.dims),
			k:        l.linear(name("attn_k"), n.dims, n.dims),
			v:        l.linear(name("attn_v"), n.dims, n.dims),
			attn:     l.linear(name("attn_output"), n.dims, n.dims),
			attnNorm: l.norm(name("attn_output_norm"), n.dims),
			up:       l.linear(name("ffn_up"), n.inner, n.dims),
			down:     l.linear(name("ffn_down"), n.dims, n.inner),
			outNorm:  l.norm(name("layer_output_norm"), n.dims),
		})
		if l.err != nil {
			return nil, l.err
		}
	}
	n.decodes = l.decodes
	if precision == Fast {
		n.pack(kernels)
	}
	return n, nil
}

// readSegment reads the vector of token type 0; models without types have no
// such tensor.
func readSegment(f *file, dims int) ([]float32, error) {
	v := make([]float32, dims)
	t, ok := f.tensors["token_types.weight"]
	if !ok {
		return v, nil
	}
	t, err := f.matrix("token_types.weight", t.rows, dims)
	if err != nil {
		return nil, err
	}
	t.row(v, 0)
	return v, nil
}

// A loader reads tensors; after the first error it reads nothing.
type loader struct {
	f         *file
	precision Precision
	decodes   bool // a matrix was left as it is
	err       error
}

func (l *loader) norm(name string, n int) (ln layerNorm) {
	if l.err == nil {
		ln.weight, l.err = l.f.vector(name+".weight", n)
	}
	if l.err == nil {
		ln.bias, l.err = l.f.vector(name+".bias", n)
	}
	return ln
}

func (l *loader) linear(name string, outputs, inputs int) linear {
	if l.err != nil {
		return linear{}
	}
	src, err := l.f.matrix(name+".weight", outputs, inputs)
	if err != nil {
		l.err = err
		return linear{}
	}
	m := linear{src: src, bias: make([]float32, paddedTo(outputs, kernel.Lanes))}
	if _, ok := l.f.tensors[name+".bias"]; ok {
		bias, err := l.f.vector(name+".bias", outputs)
		if err != nil {
			l.err = err
			return linear{}
		}
		copy(m.bias, bias)
	}
	if src.typ != typeQ4_0 || l.precision != Fast {
		l.decodes = true
	}
	return m
}

// paddedTo is the smallest multiple of m that is not below n.
func paddedTo(n, m int) int { return (n + m - 1) / m * m }

// panelCount is the number of panels of [kernel.Lanes] outputs.
func (m *linear) panelCount() int { return len(m.bias) / kernel.Lanes }

// pack makes the panels of the Q4_0 matrices, in one piece of memory.
func (n *network) pack(kernels *kernel.Set) {
	var todo []*linear
	total := 0
	for i := range n.layers {
		l := &n.layers[i]
		for _, m := range []*linear{&l.q, &l.k, &l.v, &l.attn, &l.up, &l.down} {
			if m.src.typ == typeQ4_0 {
				todo = append(todo, m)
				total += m.panelCount() * kernel.PanelBytes(m.src.cols/groupSize)
			}
		}
	}
	n.packed = len(todo) > 0
	all := make([]byte, total)
	adviseHuge(all)
	for _, m := range todo {
		groups := m.src.cols / groupSize
		size := kernel.PanelBytes(groups)
		m.panels, all = all[:m.panelCount()*size], all[m.panelCount()*size:]
		for p := range m.panelCount() {
			lo, hi := p*kernel.Lanes, min((p+1)*kernel.Lanes, m.src.rows)
			kernels.PackQ4(m.panels[p*size:], m.src.data[lo*m.src.rowBytes:hi*m.src.rowBytes], groups)
		}
	}
}

// panel decodes panel p to inputs × [kernel.Lanes] values in dst, with row as
// scratch for inputs values.
func (m *linear) panel(dst, row []float32, p int) {
	for lane := range kernel.Lanes {
		r := p*kernel.Lanes + lane
		if r >= m.src.rows {
			for c := range m.src.cols {
				dst[c*kernel.Lanes+lane] = 0
			}
			continue
		}
		m.src.row(row, r)
		for c, v := range row[:m.src.cols] {
			dst[c*kernel.Lanes+lane] = v
		}
	}
}
