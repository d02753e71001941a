#!/bin/bash
# First answers of new processes and warm questions of the engine for keywords
# and vectors: store.sh FOLDER [N...]. See README.md.
set -eu
cd "$(dirname "$0")"
dir=$(realpath "$1")
shift
[ $# -gt 0 ] || set -- 10000 100000 1000000
mkdir -p "$dir"
CGO_ENABLED=0 go build -o "$dir/store" store.go
for n in "$@"; do
	[ -e "$dir/$n/segments/manifest" ] || "$dir/store" build -dir "$dir/$n" -n "$n"
done
for n in "$@"; do
	cut -d' ' -f1 /proc/loadavg | sed 's/^/load /'
	for _ in $(seq 10); do
		"$dir/store" query -dir "$dir/$n" -n "$n" -rounds 0
	done | sed 's/.*answer \([0-9.]*\) ms.*/\1/' | sort -n |
		awk -v n="$n" '{ t[NR] = $1 } END { printf "%d chunks, first answer of ten processes: least %.0f, median %.0f, most %.0f ms\n", n, t[1], (t[5] + t[6]) / 2, t[10] }'
	"$dir/store" query -dir "$dir/$n" -n "$n" -rounds 200
done
