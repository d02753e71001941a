#!/usr/bin/env bash
# Runs the engines side by side: run.sh CACHE [options of run.py]; see README.md.
set -euo pipefail
here=$(cd "$(dirname "${BASH_SOURCE[0]}")" && pwd)
"$here/install.sh" "$1"
uptime
exec "$1/venv/bin/python" -B "$here/run.py" "$@"
