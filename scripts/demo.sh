#!/usr/bin/env bash
# Trains static-ui with distractions (insertion probability 0.7) and its baseline without, side by side,
# on the bundled dialogues; then shows what each reaches on the test sets and where each looks, on the
# first four dialogues of the test part. RUNS=DIR keeps the runs elsewhere, SEED=N takes other random
# numbers; a second call goes on where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/build/release/bin
heed=$bin/heed
data=data/ubuntu-sample
runs=${RUNS:-runs/demo}
settings=(--data "$data" --structure static-ui --preset demo --epochs 2 --seed "${SEED:-1}" --threads 1 --resume)

mkdir -p "$runs"
echo "Training a baseline and a model that is trained with distractions, side by side."
"$heed" train "${settings[@]}" --insert-prob 0 --out "$runs/baseline" > "$runs/baseline.log" 2>&1 &
baseline=$!
trap 'kill $baseline 2> /dev/null || true' EXIT
"$heed" train "${settings[@]}" --insert-prob 0.7 --out "$runs/trained"
wait $baseline || { tail -n 1 "$runs/baseline.log" >&2; exit 1; }
trap - EXIT

"$heed" show --baseline "$runs/baseline" --model "$runs/trained" \
  --name "baseline" --name trained \
  --data "$data" --test random:1.0 --count 4 --html "$runs/attention.html"
cat << END

The same as a page, with all test sets: $runs/attention.html
The program is $heed; to find it by its name:
  export PATH=$bin:\$PATH
  heed chat --model $runs/trained
END
