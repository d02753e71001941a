#!/usr/bin/env bash
# Kills syncs and lets processes share a corpus; see README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CGO_ENABLED=0 MINIRAG_TEST_KILLS=${1:-20} MINIRAG_TEST_LOOP=${2:-60s}
exec go test -count=1 -v -timeout 60m -run '^(TestKilledSyncLosesNothing|TestProcessesShareACorpus)$' .
