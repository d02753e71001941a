package bert_test

import (
	"bytes"
	"encoding/binary"
	"fmt"
	"math"
	"math/rand/v2"
	"testing"

	"github.com/minirag/minirag/embed/bert"
)

// The tensor types of GGUF that the tests write.
const (
	f32 = 0
	f16 = 1
	q40 = 2
	q41 = 3
	q80 = 8
)

// tiny describes a small model with random weights. All weights of matrices
// are eighths from -1 to 7/8, which every tensor type holds without loss.
type tiny struct {
	dims, heads, inner, layers, context int
	typ                                 int
	pool                                int
	tokenizer                           string
	tokens                              []string
	scores                              []float32
	kinds                               []int32
	charsmap                            string

	// weights are those of the tensors once bytes has been called.
	weights map[string][]float32
}

func newTiny() *tiny {
	return &tiny{
		dims: 64, heads: 4, inner: 96, layers: 2, context: 24, typ: f32, pool: 1,
		tokenizer: "t5",
		tokens:    []string{"<s>", "<pad>", "</s>", "<unk>", "\u2581", "a", "b", "ab", "\u2581a", "\u2581ab", "ba", "c", "bca", "\u2581б"},
		scores:    []float32{0, 0, 0, 0, -2, -3, -3.5, -4, -3.25, -5, -5.5, -6, -7, -6.5},
		kinds:     []int32{3, 3, 3, 2, 1, 1, 1, 1, 1, 1, 1, 1, 1, 1},
	}
}

// bytes writes the model as a GGUF file of version 3.
func (m *tiny) bytes() []byte {
	var b bytes.Buffer
	put := func(v any) { binary.Write(&b, binary.LittleEndian, v) }
	str := func(s string) { put(uint64(len(s))); b.WriteString(s) }
	key := func(name string, typ uint32, v any) {
		str("bert." + name)
		put(typ)
		put(v)
	}
	tok := func(name string, typ uint32) { str("tokenizer.ggml." + name); put(typ) }

	m.weights = map[string][]float32{}
	rng := rand.New(rand.NewPCG(5, 6))
	type entry struct {
		name       string
		rows, cols int
		typ        int
		offset     int
	}
	var table []entry
	var data []byte
	tensor := func(name string, rows, cols, typ int) {
		values := make([]float32, rows*cols)
		for i := range values {
			// The first two of each 32 are the extremes, which fixes the scales.
			switch k := i % cols % 32; {
			case typ == f32 && m.typ != f32 || rows == 1:
				values[i] = float32(rng.NormFloat64()) / 4
			case k < 2:
				values[i] = []float32{-1, 0.875}[k]
			default:
				values[i] = float32(rng.IntN(16)-8) / 8
			}
		}
		if name == "token_embd_norm.weight" {
			for i := range values {
				values[i]++
			}
		}
		m.weights[name] = values
		table = append(table, entry{name, rows, cols, typ, len(data)})
		data = append(data, encode(values, typ)...)
		for len(data)%32 != 0 {
			data = append(data, 0)
		}
	}
	tensor("token_embd.weight", len(m.tokens), m.dims, m.typ)
	tensor("position_embd.weight", m.context, m.dims, f32)
	tensor("token_types.weight", 2, m.dims, f32)
	norm := func(name string) {
		tensor(name+".weight", 1, m.dims, f32)
		tensor(name+".bias", 1, m.dims, f32)
	}
	linear := func(name string, rows, cols int) {
		tensor(name+".weight", rows, cols, m.typ)
		tensor(name+".bias", 1, rows, f32)
	}
	norm("token_embd_norm")
	for i := range m.layers {
		blk := fmt.Sprintf("blk.%d.", i)
		linear(blk+"attn_q", m.dims, m.dims)
		linear(blk+"attn_k", m.dims, m.dims)
		linear(blk+"attn_v", m.dims, m.dims)
		linear(blk+"attn_output", m.dims, m.dims)
		norm(blk + "attn_output_norm")
		linear(blk+"ffn_up", m.inner, m.dims)
		linear(blk+"ffn_down", m.dims, m.inner)
		norm(blk + "layer_output_norm")
	}

	b.WriteString("GGUF")
	put(uint32(3))
	put(uint64(len(table)))
	put(uint64(13 + min(len(m.charsmap), 1)))
	str("general.architecture")
	put(uint32(8))
	str("bert")
	key("block_count", 4, uint32(m.layers))
	key("embedding_length", 4, uint32(m.dims))
	key("attention.head_count", 4, uint32(m.heads))
	key("feed_forward_length", 4, uint32(m.inner))
	key("context_length", 4, uint32(m.context))
	key("attention.layer_norm_epsilon", 6, float32(1e-12))
	key("pooling_type", 4, uint32(m.pool))
	tok("model", 8)
	str(m.tokenizer)
	tok("tokens", 9)
	put(uint32(8))
	put(uint64(len(m.tokens)))
	for _, s := range m.tokens {
		str(s)
	}
	tok("scores", 9)
	put(uint32(6))
	put(uint64(len(m.scores)))
	put(m.scores)
	tok("token_type", 9)
	put(uint32(5))
	put(uint64(len(m.kinds)))
	put(m.kinds)
	if m.charsmap != "" {
		tok("precompiled_charsmap", 9)
		put(uint32(0))
		put(uint64(len(m.charsmap)))
		b.WriteString(m.charsmap)
	}
	tok("add_bos_token", 7)
	put(true)
	for _, e := range table {
		str(e.name)
		if e.rows == 1 {
			put(uint32(1))
			put(uint64(e.cols))
		} else {
			put(uint32(2))
			put(uint64(e.cols))
			put(uint64(e.rows))
		}
		put(uint32(e.typ))
		put(uint64(e.offset))
	}
	for b.Len()%32 != 0 {
		b.WriteByte(0)
	}
	b.Write(data)
	return b.Bytes()
}

// encode stores values, rows of whole blocks one after the other.
func encode(values []float32, typ int) []byte {
	var out []byte
	half := func(v float32) { out = binary.LittleEndian.AppendUint16(out, toFloat16(v)) }
	switch typ {
	case f32:
		for _, v := range values {
			out = binary.LittleEndian.AppendUint32(out, math.Float32bits(v))
		}
		return out
	case f16:
		for _, v := range values {
			half(v)
		}
		return out
	}
	for ; len(values) > 0; values = values[32:] {
		half(0.125)
		if typ == q41 {
			half(-1)
		}
		if typ == q80 {
			for _, v := range values[:32] {
				out = append(out, byte(int8(v*8)))
			}
			continue
		}
		for i := range 16 {
			out = append(out, byte(values[i]*8+8)|byte(values[i+16]*8+8)<<4)
		}
	}
	return out
}

// toFloat16 narrows eighths up to 1, which binary16 holds exactly.
func toFloat16(v float32) uint16 {
	b := math.Float32bits(v)
	if v == 0 {
		return 0
	}
	return uint16(b>>16&0x8000 | (b>>23&255-112)<<10 | b>>13&1023)
}

func (m *tiny) open(t testing.TB, opts *bert.Options) *bert.Model {
	t.Helper()
	model, err := bert.NewBytes(m.bytes(), opts)
	if err != nil {
		t.Fatal(err)
	}
	return model
}

// reference runs the encoder as the papers define it, in float64.
func (m *tiny) reference(ids []int32) []float64 {
	x := make([][]float64, len(ids))
	for t, id := range ids {
		x[t] = make([]float64, m.dims)
		for i := range x[t] {
			x[t][i] = float64(m.weights["token_embd.weight"][int(id)*m.dims+i]) +
				float64(m.weights["position_embd.weight"][t*m.dims+i]) + float64(m.weights["token_types.weight"][i])
		}
		m.layerNorm(x[t], "token_embd_norm")
	}
	for l := range m.layers {
		blk := fmt.Sprintf("blk.%d.", l)
		q, k, v := m.linear(x, blk+"attn_q"), m.linear(x, blk+"attn_k"), m.linear(x, blk+"attn_v")
		d := m.dims / m.heads
		mixed := make([][]float64, len(x))
		for t := range x {
			mixed[t] = make([]float64, m.dims)
			for h := 0; h < m.dims; h += d {
				var total float64
				weight := make([]float64, len(x))
				for s := range x {
					var dot float64
					for i := h; i < h+d; i++ {
						dot += q[t][i] * k[s][i]
					}
					weight[s] = math.Exp(dot / math.Sqrt(float64(d)))
					total += weight[s]
				}
				for s := range x {
					for i := h; i < h+d; i++ {
						mixed[t][i] += weight[s] / total * v[s][i]
					}
				}
			}
		}
		for t, row := range m.linear(mixed, blk+"attn_output") {
			for i := range row {
				x[t][i] += row[i]
			}
			m.layerNorm(x[t], blk+"attn_output_norm")
		}
		up := m.linear(x, blk+"ffn_up")
		for _, row := range up {
			for i, v := range row {
				row[i] = v * 0.5 * (1 + math.Erf(v/math.Sqrt2))
			}
		}
		for t, row := range m.linear(up, blk+"ffn_down") {
			for i := range row {
				x[t][i] += row[i]
			}
			m.layerNorm(x[t], blk+"layer_output_norm")
		}
	}
	out := x[0]
	if m.pool == 1 {
		for _, row := range x[1:] {
			for i := range out {
				out[i] += row[i]
			}
		}
	}
	return out
}

func (m *tiny) linear(x [][]float64, name string) [][]float64 {
	w, bias := m.weights[name+".weight"], m.weights[name+".bias"]
	out := make([][]float64, len(x))
	for t, row := range x {
		out[t] = make([]float64, len(bias))
		for r := range bias {
			out[t][r] = float64(bias[r])
			for c, v := range row {
				out[t][r] += v * float64(w[r*len(row)+c])
			}
		}
	}
	return out
}

func (m *tiny) layerNorm(x []float64, name string) {
	var mean, variance float64
	for _, v := range x {
		mean += v / float64(len(x))
	}
	for _, v := range x {
		variance += (v - mean) * (v - mean) / float64(len(x))
	}
	for i := range x {
		x[i] = (x[i]-mean)/math.Sqrt(variance+1e-12)*float64(m.weights[name+".weight"][i]) + float64(m.weights[name+".bias"][i])
	}
}

func newModel(m *tiny) (*bert.Model, error) {
	return bert.NewBytes(m.bytes(), &bert.Options{Threads: 1})
}
