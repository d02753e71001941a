#!/usr/bin/env bash
# Kills processes, lets them share a corpus, and damages its files; see README.md.
set -euo pipefail
cd "$(dirname "${BASH_SOURCE[0]}")/.."
export CGO_ENABLED=0 MINIRAG_TEST_KILLS=${1:-200} MINIRAG_TEST_LOOP=${2:-60s} MINIRAG_TEST_DAMAGES=${3:-100} MINIRAG_TEST_REPLACES=${4:-1000}
exec go test -count=1 -v -timeout 60m -run '^(TestKilledSyncLosesNothing|TestKilledAnywhere|TestProcessesShareACorpus|TestProcessesTakeTurnsToApply|TestReplacedWhileAsked|TestDamage)$' .
