#!/usr/bin/env bash
# First shows where the two bundled models look. Then trains such a pair side by side on the bundled dialogues, static-ui
# with distractions (insertion probability 0.7) and its baseline without them, and shows the same for it: the first four
# dialogues of the test part, and the results on the test sets. RUNS=DIR stores the runs elsewhere, SEED=N uses other
# random numbers; a second call continues where the first one stopped.
set -euo pipefail
cd "$(dirname "$0")/.."
bin=$PWD/build/release/bin
heed=$bin/heed
data=data/ubuntu-sample
runs=${RUNS:-runs/demo}
settings=(--data "$data" --structure static-ui --preset demo --epochs 2 --seed "${SEED:-1}" --threads 1)

show() { # show BASELINE MODEL PAGE
  "$heed" show --baseline "$1" --model "$2" --name baseline --name trained --data "$data" --test random:1.0 \
    --count 4 --html "$3"
}

resume() { # resume NAME: --resume where there is such a run
  if [[ -e $runs/$1/settings.json ]]; then echo --resume; fi
}

mkdir -p "$runs"
echo "1. Where two models of data/models look, on ten test sets."
show data/models/baseline data/models/trained "$runs/bundled.html"
cat << END

The same as a page: open $(realpath "$runs/bundled.html") in a browser.
The program is $heed; in another terminal:
  export PATH=$bin:\$PATH
  heed chat --web

2. Training a baseline and a model that is trained with distractions, side by side. Ctrl-C stops it; make demo goes on.
END
"$heed" train "${settings[@]}" $(resume baseline) --insert-prob 0 --out "$runs/baseline" > "$runs/baseline.log" 2>&1 &
baseline=$!
trap 'kill $baseline 2> /dev/null || true' EXIT
"$heed" train "${settings[@]}" $(resume trained) --insert-prob 0.7 --out "$runs/trained"
wait $baseline || { tail -n 1 "$runs/baseline.log" >&2; exit 1; }
trap - EXIT

echo
echo "3. Where these two look. To talk to one: heed chat --model $runs/trained"
show "$runs/baseline" "$runs/trained" "$runs/attention.html"
