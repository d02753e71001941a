#!/usr/bin/env bash
# Scores the server on retrieval sets; see README.md.
set -euo pipefail
shared=$(cd "$1" && pwd)
shift
cd "$(dirname "${BASH_SOURCE[0]}")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
CGO_ENABLED=0 go build -o "$work/minirag" ./cmd/minirag
sets=()
for set in "$@"; do
	sets+=(--set "$set")
done
cd "$shared/ir"
python3 evaluate.py "${sets[@]}" --cli "$work/minirag" --server "$work/minirag" --part dev --work "$work/eval"
