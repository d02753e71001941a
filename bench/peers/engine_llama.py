"""llama.cpp. engine_llama.py POOLS MODEL.gguf"""
import sys

import numpy as np
import llama_cpp

from engine import serve

TOKENS = 2048  # in one call

llama_cpp.llama_backend_init()
model = llama_cpp.llama_model_load_from_file(sys.argv[2].encode(), llama_cpp.llama_model_default_params())
params = llama_cpp.llama_context_default_params()
params.n_ctx = params.n_batch = params.n_ubatch = TOKENS
params.n_seq_max = 64
params.n_threads = params.n_threads_batch = 1
params.embeddings = True
params.pooling_type = llama_cpp.LLAMA_POOLING_TYPE_MEAN
context = llama_cpp.llama_init_from_model(model, params)
dims = llama_cpp.llama_model_n_embd(model)
batch = llama_cpp.llama_batch_init(TOKENS, 0, 1)


def embed(entries):
    n = 0
    for seq, e in enumerate(entries):
        for pos, token in enumerate(e["ids"]):
            batch.token[n], batch.pos[n], batch.logits[n] = token, pos, True
            batch.n_seq_id[n], batch.seq_id[n][0] = 1, seq
            n += 1
    batch.n_tokens = n
    if llama_cpp.llama_encode(context, batch) != 0:
        raise RuntimeError("llama.cpp cannot embed")
    v = np.stack([np.ctypeslib.as_array(llama_cpp.llama_get_embeddings_seq(context, s), (dims,)) for s in range(len(entries))])
    return v / np.linalg.norm(v, axis=1, keepdims=True)


serve(embed, version=f"llama-cpp-python {llama_cpp.__version__}", info=llama_cpp.llama_print_system_info().decode())
