#!/usr/bin/env bash
# A small version of the experiment on adversarial evaluation, on the bundled dialogues: a discriminator and its
# controls, the two bundled models as generators, and the page. RUNS=DIR stores it elsewhere; a second call continues
# where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
heed=build/release/bin/heed
runs=${RUNS:-runs/adversarial}

"$heed" reproduce adversarial --data data/ubuntu-sample --generators data/models/trained,data/models/baseline \
  --out "$runs" --preset smoke --decode sample --reliability --jobs "$(nproc)" --threads 1
"$heed" report "$runs" --html "$runs/report.html"
echo
echo "The page: $runs/report.html"
