// Package modeltest makes small models for tests: an ONNX folder, and a GGUF
// file. It imports the standard library only.
package modeltest

import (
	"encoding/binary"
	"fmt"
	"maps"
	"math"
	"slices"
	"strings"
)

// A message is a protocol buffer in the making.
type message []byte

func (m *message) int(field int, v int64) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3)
	*m = binary.AppendUvarint(*m, uint64(v))
}

func (m *message) bytes(field int, b []byte) {
	*m = binary.AppendUvarint(*m, uint64(field)<<3|2)
	*m = binary.AppendUvarint(*m, uint64(len(b)))
	*m = append(*m, b...)
}

func (m *message) text(field int, s string) { m.bytes(field, []byte(s)) }

// The fields below are those of onnx.proto (ONNX 1.x).

func node(op string, in []string, out string, ints map[string][]int64) []byte {
	var n message
	for _, s := range in {
		n.text(1, s)
	}
	n.text(2, out)
	n.text(3, out)
	n.text(4, op)
	for _, name := range slices.Sorted(maps.Keys(ints)) {
		values := ints[name]
		var a message
		a.text(1, name)
		if name == "axes" {
			for _, v := range values {
				a.int(8, v)
			}
			a.int(20, 7) // INTS
		} else {
			a.int(3, values[0])
			a.int(20, 2) // INT
		}
		n.bytes(5, a)
	}
	return n
}

func floats(name string, values []float32, dims ...int64) []byte {
	var t message
	for _, d := range dims {
		t.int(1, d)
	}
	t.int(2, 1) // FLOAT
	t.text(8, name)
	var raw []byte
	for _, v := range values {
		raw = binary.LittleEndian.AppendUint32(raw, math.Float32bits(v))
	}
	t.bytes(9, raw)
	return t
}

// value declares an input or output; axes that are no number have a name.
func value(name string, typ int64, axes ...any) []byte {
	var shape message
	for _, a := range axes {
		var dim message
		if n, ok := a.(int); ok {
			dim.int(1, int64(n))
		} else {
			dim.text(2, a.(string))
		}
		shape.bytes(1, dim)
	}
	var tensor, t, v message
	tensor.int(1, typ)
	tensor.bytes(2, shape)
	t.bytes(1, tensor)
	v.text(1, name)
	v.bytes(2, t)
	return v
}

// An ONNX is a model of one layer: the vector of each token, and the mean of
// those that the mask has, go through a matrix and a tangent.
type ONNX struct {
	Dims   int
	Pieces []string  // of its WordPiece tokenizer; four special ones begin it
	Types  bool      // it has the input token_type_ids
	Input  string    // the one that says which tokens are there
	Words  []float32 // a row for each piece
	Matrix []float32
}

// NewONNX returns a model with 16 dimensions whose vocabulary is the letters.
func NewONNX() *ONNX {
	t := &ONNX{Dims: 16, Input: "attention_mask"}
	t.Pieces = []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]", "[MASK]"}
	for r := 'a'; r <= 'z'; r++ {
		t.Pieces = append(t.Pieces, string(r), "##"+string(r))
	}
	for r := 'а'; r <= 'я'; r++ {
		t.Pieces = append(t.Pieces, string(r), "##"+string(r))
	}
	t.Pieces = append(t.Pieces, "invoice", "word", "query", "passage", ".", "!", "?", ":", "发", "票")
	// Numbers without a pattern that a sum would cancel.
	x := uint32(1)
	next := func() float32 {
		x = x*1664525 + 1013904223
		return float32(int32(x)) / (1 << 31)
	}
	for range len(t.Pieces) * t.Dims {
		t.Words = append(t.Words, next())
	}
	for range t.Dims * t.Dims {
		t.Matrix = append(t.Matrix, next())
	}
	return t
}

// Bytes is the .onnx file.
func (t *ONNX) Bytes() []byte {
	var g message
	mean := []string{"sum", "count"}
	for _, n := range [][]byte{
		node("Gather", []string{"words", "input_ids"}, "tokens", nil),
		node("Cast", []string{t.Input}, "mask", map[string][]int64{"to": {1}}),
		node("Unsqueeze", []string{"mask"}, "column", map[string][]int64{"axes": {2}}),
		node("Mul", []string{"tokens", "column"}, "seen", nil),
		node("ReduceMean", []string{"seen"}, "sum", map[string][]int64{"axes": {1}, "keepdims": {1}}),
		node("ReduceMean", []string{"column"}, "count", map[string][]int64{"axes": {1}, "keepdims": {1}}),
		node("Div", mean, "mean", nil),
		node("Add", []string{"tokens", "mean"}, "mixed", nil),
		node("MatMul", []string{"mixed", "matrix"}, "product", nil),
		node("Tanh", []string{"product"}, "last_hidden_state", nil),
	} {
		g.bytes(1, n)
	}
	g.text(2, "tiny")
	g.bytes(5, floats("words", t.Words, int64(len(t.Pieces)), int64(t.Dims)))
	g.bytes(5, floats("matrix", t.Matrix, int64(t.Dims), int64(t.Dims)))
	// Both axes with one name, as some exporters write them.
	g.bytes(11, value("input_ids", 7, "n", "n"))
	g.bytes(11, value(t.Input, 7, "n", "n"))
	if t.Types {
		g.bytes(11, value("token_type_ids", 7, "n", "n"))
	}
	g.bytes(12, value("last_hidden_state", 1, "n", "n", t.Dims))
	var opset, m message
	opset.int(2, 11)
	m.int(1, 6)
	m.bytes(7, g)
	m.bytes(8, opset)
	return m
}

func (t *ONNX) tokenizer() string {
	var vocab strings.Builder
	for i, p := range t.Pieces {
		if i > 0 {
			vocab.WriteByte(',')
		}
		fmt.Fprintf(&vocab, "%q:%d", p, i)
	}
	return `{"added_tokens":[{"id":0,"content":"[PAD]","special":true},{"id":1,"content":"[UNK]","special":true},
{"id":2,"content":"[CLS]","special":true},{"id":3,"content":"[SEP]","special":true},{"id":4,"content":"[MASK]","special":true}],
"normalizer":{"type":"BertNormalizer","clean_text":true,"handle_chinese_chars":true,"strip_accents":null,"lowercase":true},
"pre_tokenizer":{"type":"BertPreTokenizer"},
"post_processor":{"type":"TemplateProcessing","single":[{"SpecialToken":{"id":"[CLS]","type_id":0}},{"Sequence":{"id":"A","type_id":0}},{"SpecialToken":{"id":"[SEP]","type_id":0}}],
"special_tokens":{"[CLS]":{"id":"[CLS]","ids":[2],"tokens":["[CLS]"]},"[SEP]":{"id":"[SEP]","ids":[3],"tokens":["[SEP]"]}}},
"model":{"type":"WordPiece","unk_token":"[UNK]","continuing_subword_prefix":"##","max_input_chars_per_word":100,"vocab":{` + vocab.String() + `}}}`
}

// Vector is what the model gives for a text with these ids, pooled and of
// length 1.
func (t *ONNX) Vector(ids []int, pool string) []float64 {
	mean := make([]float64, t.Dims)
	for _, id := range ids {
		for i := range mean {
			mean[i] += float64(t.Words[id*t.Dims+i]) / float64(len(ids))
		}
	}
	out := make([]float64, t.Dims)
	for at, id := range ids {
		for i := range out {
			var sum float64
			for k := range mean {
				sum += (float64(t.Words[id*t.Dims+k]) + mean[k]) * float64(t.Matrix[k*t.Dims+i])
			}
			v := math.Tanh(sum)
			switch {
			case pool == "mean", at == 0:
				out[i] += v
			case pool == "max":
				out[i] = max(out[i], v)
			}
		}
	}
	var norm float64
	for _, v := range out {
		norm += v * v
	}
	for i := range out {
		out[i] /= math.Sqrt(norm)
	}
	return out
}

// Files are those of a folder with the model, by their paths in it.
func (t *ONNX) Files() map[string]string {
	return map[string]string{
		"onnx/model.onnx":           string(t.Bytes()),
		"tokenizer.json":            t.tokenizer(),
		"config.json":               `{"model_type":"bert","max_position_embeddings":40,"hidden_size":16,"pad_token_id":0}`,
		"sentence_bert_config.json": `{"max_seq_length":32,"do_lower_case":false}`,
		"modules.json": `[{"idx":0,"name":"0","path":"","type":"sentence_transformers.models.Transformer"},
{"idx":1,"name":"1","path":"1_Pooling","type":"sentence_transformers.models.Pooling"},
{"idx":2,"name":"2","path":"2_Normalize","type":"sentence_transformers.models.Normalize"}]`,
		"1_Pooling/config.json": `{"word_embedding_dimension":16,"pooling_mode_mean_tokens":true}`,
	}
}
