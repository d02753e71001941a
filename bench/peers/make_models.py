"""Writes ONNX files and a tokenizer with the weights of a GGUF file of a BERT encoder.

make_models.py GGUF FOLDER

  model.onnx       float32, standard operators only
  model-fused.onnx float32, ONNX Runtime's own operator for attention
  *-int8.onnx      either after quantize_dynamic with its defaults
  tokenizer.json   for Hugging Face's tokenizers
  hugot/           model.onnx for hugot, with a tokenizer of one word: it gets ids
"""
import json
import logging
import struct
import sys
from pathlib import Path

import numpy as np
import onnx
from onnx import TensorProto, helper, numpy_helper
from onnxruntime.quantization import quantize_dynamic


class Weights:
    """A GGUF file with tensors of the types F32 and Q4_0; the package gguf takes minutes over a vocabulary."""

    SCALARS = {0: "B", 1: "b", 2: "H", 3: "h", 4: "I", 5: "i", 6: "f", 7: "?", 10: "Q", 11: "q", 12: "d"}
    STRING, ARRAY = 8, 9

    def __init__(self, path):
        self.data, self.at, self.fields, self.tensors = Path(path).read_bytes(), 8, {}, {}
        tensors, fields = self.take("QQ")
        for _ in range(fields):
            name = self.string()
            self.fields[name] = self.value(*self.take("I"))
        for _ in range(tensors):
            name = self.string()
            shape = self.take("Q" * self.take("I")[0])[::-1]
            self.tensors[name] = (shape, *self.take("IQ"))
        align = self.fields.get("general.alignment", 32)
        self.start = -(-self.at // align) * align

    def take(self, form):
        form = "<" + form
        out = struct.unpack_from(form, self.data, self.at)
        self.at += struct.calcsize(form)
        return out

    def string(self):
        n, = self.take("Q")
        self.at += n
        return self.data[self.at - n:self.at].decode()

    def value(self, kind):
        if kind == self.STRING:
            return self.string()
        if kind != self.ARRAY:
            return self.take(self.SCALARS[kind])[0]
        kind, n = self.take("IQ")
        return [self.string() for _ in range(n)] if kind == self.STRING else list(self.take(f"{n}{self.SCALARS[kind]}"))

    def field(self, name):
        return self.fields[name]

    def __call__(self, name):
        """A tensor in float32; matrices have a row for each output."""
        shape, kind, offset = self.tensors[name]
        n = int(np.prod(shape))
        if kind == 0:
            return np.frombuffer(self.data, np.float32, n, self.start + offset).reshape(shape)
        if kind != 2:
            raise ValueError(f"{name}: tensors of type {kind} are not read")
        blocks = np.frombuffer(self.data, np.dtype([("scale", "<f2"), ("nibbles", "u1", 16)]), n // 32, self.start + offset)
        nibbles = np.concatenate([blocks["nibbles"] & 15, blocks["nibbles"] >> 4], axis=1).astype(np.float32) - 8
        return (nibbles * blocks["scale"].astype(np.float32)[:, None]).reshape(shape)


class Graph:
    def __init__(self):
        self.nodes, self.initializers, self.count = [], [], 0

    def const(self, value, name=None):
        name = name or f"c{len(self.initializers)}"
        self.initializers.append(numpy_helper.from_array(np.ascontiguousarray(value), name))
        return name

    def op(self, kind, *inputs, domain="", **attributes):
        self.count += 1
        out = f"{kind.lower()}_{self.count}"
        self.nodes.append(helper.make_node(kind, list(inputs), [out], name=out, domain=domain, **attributes))
        return out

    def linear(self, x, w, b):
        return self.op("Add", self.op("MatMul", x, self.const(w.T)), self.const(b))

    def norm(self, x, w, b, eps):
        return self.op("LayerNormalization", x, self.const(w), self.const(b), axis=-1, epsilon=eps)


def encoder(w, fused):
    g = Graph()
    heads, dims = w.field("bert.attention.head_count"), w.field("bert.embedding_length")
    eps = w.field("bert.attention.layer_norm_epsilon")
    size = dims // heads

    first, second, third = (g.const(np.array([i], np.int64)) for i in range(3))
    length = g.op("Slice", g.op("Shape", "input_ids"), second, third, first)
    x = g.op("Add",
             g.op("Gather", g.const(w("token_embd.weight"), "token_embd"), "input_ids"),
             g.op("Gather", g.const(w("token_types.weight"), "token_types"), "token_type_ids"))
    x = g.op("Add", x, g.op("Slice", g.const(w("position_embd.weight"), "position_embd"), first, length, first))
    x = g.norm(x, w("token_embd_norm.weight"), w("token_embd_norm.bias"), eps)

    if fused:
        mask = g.op("Cast", "attention_mask", to=TensorProto.INT32)
    else:
        # The form in which ONNX Runtime recognises a mask.
        wide = g.op("Unsqueeze", g.op("Unsqueeze", "attention_mask", second), third)
        wide = g.op("Sub", g.const(np.array(1, np.float32)), g.op("Cast", wide, to=TensorProto.FLOAT))
        mask = g.op("Mul", wide, g.const(np.array(-10000, np.float32)))
    split = g.const(np.array([0, 0, heads, size], np.int64))
    join = g.const(np.array([0, 0, dims], np.int64))
    scale = g.const(np.array(size ** 0.5, np.float32))
    root2, half, unit = (g.const(np.array(v, np.float32)) for v in (2 ** 0.5, 0.5, 1))

    for i in range(w.field("bert.block_count")):
        part = lambda name: (w(f"blk.{i}.{name}.weight"), w(f"blk.{i}.{name}.bias"))
        q, k, v = part("attn_q"), part("attn_k"), part("attn_v")
        if fused:
            qkv = g.const(np.concatenate([q[0].T, k[0].T, v[0].T], axis=1))
            bias = g.const(np.concatenate([q[1], k[1], v[1]]))
            a = g.op("Attention", x, qkv, bias, mask, domain="com.microsoft", num_heads=heads)
        else:
            q, k, v = (g.op("Reshape", g.linear(x, *p), split) for p in (q, k, v))
            q, v = (g.op("Transpose", t, perm=[0, 2, 1, 3]) for t in (q, v))
            k = g.op("Transpose", k, perm=[0, 2, 3, 1])
            scores = g.op("Add", g.op("Div", g.op("MatMul", q, k), scale), mask)
            a = g.op("MatMul", g.op("Softmax", scores, axis=-1), v)
            a = g.op("Reshape", g.op("Transpose", a, perm=[0, 2, 1, 3]), join)
        x = g.norm(g.op("Add", g.linear(a, *part("attn_output")), x), *part("attn_output_norm"), eps)
        h = g.linear(x, *part("ffn_up"))
        erf = g.op("Add", g.op("Erf", g.op("Div", h, root2)), unit)
        h = g.op("Mul", g.op("Mul", h, erf), half)
        x = g.norm(g.op("Add", g.linear(h, *part("ffn_down")), x), *part("layer_output_norm"), eps)

    g.nodes[-1].output[0] = "last_hidden_state"
    axes = ["batch", "sequence"]
    inputs = [helper.make_tensor_value_info(n, TensorProto.INT64, axes) for n in ("input_ids", "attention_mask", "token_type_ids")]
    output = helper.make_tensor_value_info("last_hidden_state", TensorProto.FLOAT, axes + [dims])
    graph = helper.make_graph(g.nodes, "encoder", inputs, [output], g.initializers)
    opsets = [helper.make_opsetid("", 17)] + ([helper.make_opsetid("com.microsoft", 1)] if fused else [])
    return helper.make_model(graph, opset_imports=opsets, ir_version=8)


def tokenizer(w):
    from tokenizers import Tokenizer, decoders, models, normalizers, pre_tokenizers, processors

    pieces, scores = w.field("tokenizer.ggml.tokens"), w.field("tokenizer.ggml.scores")
    # The vocabulary is padded to the rows of the table.
    n = w.field("tokenizer.ggml.mask_token_id") + 1
    t = Tokenizer(models.Unigram(list(zip(pieces[:n], scores[:n])), unk_id=3, byte_fallback=False))
    charsmap = bytes(b & 255 for b in w.field("tokenizer.ggml.precompiled_charsmap"))
    t.normalizer = normalizers.Sequence([normalizers.Precompiled(charsmap), normalizers.Replace(" {2,}", " ")])
    t.pre_tokenizer = pre_tokenizers.Metaspace(replacement="\u2581", prepend_scheme="always")
    t.decoder = decoders.Metaspace(replacement="\u2581", prepend_scheme="always")
    t.post_processor = processors.TemplateProcessing(single="<s> $A </s>", pair="<s> $A </s> </s> $B </s>", special_tokens=[("<s>", 0), ("</s>", 2)])
    return t


def main(path, folder):
    logging.getLogger().setLevel(logging.ERROR)  # quantize_dynamic advises
    w, folder = Weights(path), Path(folder)
    folder.mkdir(parents=True, exist_ok=True)
    for name, fused in ("model", False), ("model-fused", True):
        file = folder / f"{name}.onnx"
        onnx.save(encoder(w, fused), file)
        quantize_dynamic(file, folder / f"{name}-int8.onnx", extra_options={"DefaultTensorType": TensorProto.FLOAT})
    tokenizer(w).save(str(folder / "tokenizer.json"))
    hugot = folder / "hugot"
    hugot.mkdir(exist_ok=True)
    (hugot / "model.onnx").unlink(missing_ok=True)
    (hugot / "model.onnx").hardlink_to(folder / "model.onnx")
    (hugot / "config.json").write_text(json.dumps({"model_type": "bert", "max_position_embeddings": w.field("bert.context_length")}))
    (hugot / "tokenizer.json").write_text(json.dumps({"version": "1.0", "added_tokens": [], "model": {"type": "WordLevel", "vocab": {"a": 0}, "unk_token": "a"}}))


if __name__ == "__main__":
    main(*sys.argv[1:])
