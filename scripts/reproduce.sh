#!/usr/bin/env bash
# reproduce.sh distraction|probes|adversarial: a small version of that experiment on the bundled dialogues, and its
# page. RUNS=DIR stores it elsewhere; a second call continues where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
heed=build/release/bin/heed
declare -A folder=([distraction]=runs/reproduce [probes]=runs/probes [adversarial]=runs/adversarial)
declare -A small=(
  [distraction]="--preset smoke --epochs 1 --limit 2400 --test-limit 100"
  [probes]="--preset probe-smoke --limit 600 --test-limit 200"
  [adversarial]="--generators data/models/trained,data/models/baseline --preset smoke --decode sample --reliability"
)
runs=${RUNS:-${folder[$1]}}

# shellcheck disable=SC2086  # options without blanks
"$heed" reproduce "$1" --data data/ubuntu-sample --out "$runs" ${small[$1]} --jobs "$(nproc)" --threads 1
"$heed" report "$runs" --html "$runs/report.html"
echo
echo "The page: $runs/report.html"
