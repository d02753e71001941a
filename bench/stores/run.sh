#!/bin/bash
# Measures minirag, bluge, FTS5, chromem-go and LanceDB on the same chunks, one
# after the other: run.sh FOLDER [N...]. See ../README.md.
set -eu
cd "$(dirname "$0")"
dir=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 10000 100000
mkdir -p "$dir"
python=${LANCEDB:-$dir/venv/bin/python}
if [ ! -x "$python" ]; then
	python3 -m venv "$dir/venv"
	"$dir/venv/bin/pip" install -q lancedb
fi
CGO_ENABLED=0 go build -o "$dir/stores" stores.go engines.go
for n in "$@"; do
	data=$dir/data$n
	[ -e "$data/questions.f32" ] || "$dir/stores" data -n "$n" "$data"
	for engine in minirag bluge fts5 chromem corpus; do
		cut -d' ' -f1 /proc/loadavg | sed 's/^/load /'
		"$dir/stores" $engine -n "$n" "$data"
	done
	"$python" run_lancedb.py "$n" "$data"
	[ "$n" -gt 10000 ] || "$python" run_lancedb.py "$n" "$data" 10
done
