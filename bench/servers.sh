#!/usr/bin/env bash
# Lets servers and the command share one corpus; see README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
bin=$(mktemp -d)
trap 'rm -rf "$bin"' EXIT
CGO_ENABLED=0 go build -o "$bin/minirag" ./cmd/minirag
CGO_ENABLED=1 go build -race -o "$bin/minirag-race" ./cmd/minirag
go run bench/servers.go -time "${1:-2m}" "$bin/minirag" "$bin/minirag-race"
