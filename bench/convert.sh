#!/usr/bin/env bash
# Compares the speed of conversion with markitdown; see README.md.
set -euo pipefail
folder=$(cd "$1" && pwd)
skip='\.expect\.json$|^mal-'
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
uptime
CGO_ENABLED=0 go build -o "$work/convert" bench/convert.go
measure() { python3 bench/convert_rusage.py "$@"; }

pdf=$(find "$folder" -name '*.pdf' ! -name 'mal-*' -size -100k -print -quit)
if [ -n "$pdf" ]; then
	mkdir "$work/one"
	cp "$pdf" "$work/one"
	echo "== one PDF, the engine's first start: $(basename "$pdf")"
	measure "$work/convert" -cache "$work/cache" "$work/one"
	echo "== the same PDF again"
	measure "$work/convert" -cache "$work/cache" "$work/one"
fi
python3 bench/convert_longpdf.py 250 >"$work/long.pdf"
mkdir "$work/long"
mv "$work/long.pdf" "$work/long"
echo "== 250 pages of plain text"
measure "$work/convert" -cache "$work/cache" "$work/long"
echo "== the folder without files made to do harm"
measure "$work/convert" -cache "$work/cache" -skip "$skip" "$folder"
echo "== the whole folder"
measure "$work/convert" -cache "$work/cache" "$folder"

if [ -z "${MARKITDOWN:-}" ]; then
	python3 -m venv "$work/venv"
	"$work/venv/bin/pip" install -q 'markitdown[all]'
	MARKITDOWN=$work/venv/bin/python
fi
echo "== markitdown, without files made to do harm"
measure "$MARKITDOWN" bench/convert_markitdown.py "$folder" "$skip" 60 2>"$work/log"
uptime
