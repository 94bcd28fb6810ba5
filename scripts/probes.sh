#!/usr/bin/env bash
# The experiment on probes in small, on the bundled dialogues: eleven models, the tasks that need no annotation,
# the page. RUNS=DIR keeps it elsewhere; a second call goes on where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
heed=build/release/bin/heed
runs=${RUNS:-runs/probes}

"$heed" reproduce probes --data data/ubuntu-sample --out "$runs" --preset probe-smoke --limit 600 \
  --test-limit 200 --jobs "$(nproc)" --threads 1
"$heed" report "$runs" --html "$runs/report.html"
echo
echo "The page: $runs/report.html"
