package modeltest

import (
	"encoding/binary"
	"math"
)

// A writer makes a GGUF file, version 3.
type writer struct {
	meta, tensors, data []byte
	metas, count        uint64
}

func text(b []byte, s string) []byte {
	return append(binary.LittleEndian.AppendUint64(b, uint64(len(s))), s...)
}

func (w *writer) key(name string, typ uint32, value []byte) {
	w.meta = append(binary.LittleEndian.AppendUint32(text(w.meta, name), typ), value...)
	w.metas++
}

func (w *writer) u32(name string, v uint32) {
	w.key(name, 4, binary.LittleEndian.AppendUint32(nil, v))
}

func (w *writer) str(name, v string) { w.key(name, 8, text(nil, v)) }

func (w *writer) strs(name string, v []string) {
	b := binary.LittleEndian.AppendUint64(binary.LittleEndian.AppendUint32(nil, 8), uint64(len(v)))
	for _, s := range v {
		b = text(b, s)
	}
	w.key(name, 9, b)
}

// tensor adds values of type F32 that next gives; inputs come first.
func (w *writer) tensor(name string, next func() float32, dims ...uint64) {
	w.tensors = binary.LittleEndian.AppendUint32(text(w.tensors, name), uint32(len(dims)))
	n := uint64(1)
	for _, d := range dims {
		w.tensors = binary.LittleEndian.AppendUint64(w.tensors, d)
		n *= d
	}
	w.tensors = binary.LittleEndian.AppendUint32(w.tensors, 0)
	w.tensors = binary.LittleEndian.AppendUint64(w.tensors, uint64(len(w.data)))
	for range n {
		w.data = binary.LittleEndian.AppendUint32(w.data, math.Float32bits(next()))
	}
	for len(w.data)%32 != 0 {
		w.data = append(w.data, 0)
	}
	w.count++
}

func (w *writer) bytes() []byte {
	b := binary.LittleEndian.AppendUint32([]byte("GGUF"), 3)
	b = binary.LittleEndian.AppendUint64(b, w.count)
	b = binary.LittleEndian.AppendUint64(b, w.metas)
	b = append(append(b, w.meta...), w.tensors...)
	for len(b)%32 != 0 {
		b = append(b, 0)
	}
	return append(b, w.data...)
}

// GGUF returns a model of one layer with random weights, whose vocabulary is
// the letters. Its vectors have 32 values.
func GGUF(name string) []byte {
	const dims, inner, context = 32, 64, 48
	tokens := []string{"[PAD]", "[UNK]", "[CLS]", "[SEP]"}
	for _, letters := range []string{"abcdefghijklmnopqrstuvwxyz", "абвгдежзийклмнопрстуфхцчшщъыьэюя"} {
		for _, r := range letters {
			tokens = append(tokens, "\u2581"+string(r), string(r))
		}
	}
	tokens = append(tokens, "\u2581query", "\u2581passage", "\u2581:", "\u2581.", "\u2581发", "\u2581票", "\u2581word")
	w := &writer{}
	w.str("general.architecture", "bert")
	w.str("general.name", name)
	w.u32("bert.block_count", 1)
	w.u32("bert.context_length", context)
	w.u32("bert.embedding_length", dims)
	w.u32("bert.feed_forward_length", inner)
	w.u32("bert.attention.head_count", 2)
	w.key("bert.attention.layer_norm_epsilon", 6, binary.LittleEndian.AppendUint32(nil, math.Float32bits(1e-12)))
	w.u32("bert.pooling_type", 1)
	w.str("tokenizer.ggml.model", "bert")
	w.strs("tokenizer.ggml.tokens", tokens)
	x := uint32(7)
	random := func() float32 {
		x = x*1664525 + 1013904223
		return float32(int32(x)) / (1 << 32)
	}
	one := func() float32 { return 1 }
	w.tensor("token_embd.weight", random, dims, uint64(len(tokens)))
	w.tensor("position_embd.weight", random, dims, context)
	for _, norm := range []string{"token_embd_norm", "blk.0.attn_output_norm", "blk.0.layer_output_norm"} {
		w.tensor(norm+".weight", one, dims)
		w.tensor(norm+".bias", random, dims)
	}
	for _, m := range []struct {
		name    string
		in, out uint64
	}{{"attn_q", dims, dims}, {"attn_k", dims, dims}, {"attn_v", dims, dims}, {"attn_output", dims, dims}, {"ffn_up", dims, inner}, {"ffn_down", inner, dims}} {
		w.tensor("blk.0."+m.name+".weight", random, m.in, m.out)
		w.tensor("blk.0."+m.name+".bias", random, m.out)
	}
	return w.bytes()
}
