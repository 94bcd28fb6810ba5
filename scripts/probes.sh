#!/usr/bin/env bash
# A small version of the experiment on probes, on the bundled dialogues: eleven models, the tasks that need no
# annotation, and the page. RUNS=DIR stores it elsewhere; a second call continues where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
heed=build/release/bin/heed
runs=${RUNS:-runs/probes}

"$heed" reproduce probes --data data/ubuntu-sample --out "$runs" --preset probe-smoke --limit 600 \
  --test-limit 200 --jobs "$(nproc)" --threads 1
"$heed" report "$runs" --html "$runs/report.html"
echo
echo "The page: $runs/report.html"
