#!/usr/bin/env bash
# A small version of the whole experiment, on the bundled dialogues: 23 variants, nine distracting test sets, and the
# page. RUNS=DIR stores it elsewhere; a second call continues where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
heed=build/release/bin/heed
runs=${RUNS:-runs/reproduce}

"$heed" reproduce --data data/ubuntu-sample --out "$runs" --preset smoke --epochs 1 --limit 2400 \
  --test-limit 100 --jobs "$(nproc)" --threads 1
"$heed" report "$runs" --html "$runs/report.html"
echo
echo "The page: $runs/report.html"
