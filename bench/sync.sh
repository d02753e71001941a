#!/usr/bin/env bash
# Measures syncs and questions over generated Markdown files: sync.sh [FILES]; see README.md.
set -euo pipefail
files=${1:-1000}
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
export CGO_ENABLED=0
go build -o "$work/sync" bench/sync.go
go build -o "$work/minirag" ./cmd/minirag
uptime

echo "== questions from a new process"
"$work/sync" cold -runs 10 "$work/minirag" "$PWD/examples/library" 2>"$work/log"

echo "== a whole sync"
"$work/sync" profile -n "$files" -cpu "$work/cpu.prof"
# A sample counts for the first part that has a function in its stack.
seen=
samples() {
	go tool pprof -traces -unit=ms "$@" "$work/sync" "$work/cpu.prof" 2>/dev/null |
		awk '/^-----/ { first = 1; next } first && $1 ~ /ms$/ { n += $1; first = 0 } END { print n + 0 }'
}
all=$(samples)
part() {
	samples -focus="$2" ${seen:+-ignore="$seen"} |
		awk -v what="$1" -v all="$all" '{ printf "%-24s %5.1f %%\n", what, 100 * $1 / all }'
	seen=${seen:+$seen|}$2
}
part 'tokenizer' 'bert\.\(\*Tokenizer\)'
part 'embedding' 'embed/bert'
part 'SQLite' 'modernc.org|index/sqlite'
part 'keywords and vectors' 'minirag/index/'
part 'chunking' 'minirag/chunk'
part 'conversion' 'minirag/convert|internal/mdtext'
part 'garbage collection' 'runtime\.gc|runtime\.bgsweep|runtime\.mallocgc'
part 'the rest' '.'

echo "== questions while a sync runs"
"$work/sync" during -n "$((files / 4))"
uptime
