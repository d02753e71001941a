#!/usr/bin/env bash
# How well relevance tells answerable questions from others; see README.md.
set -euo pipefail
shared=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/minirag" ./cmd/minirag
for pair in "$@"; do
	"$work/minirag" eval --db "$work/sets" "$shared/ir/${pair%%:*}" --foreign "$shared/ir/${pair##*:}"
done
