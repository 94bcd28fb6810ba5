#!/usr/bin/env bash
# Runs each fuzz program for some seconds, starting from its seeds and earlier findings. Inputs that make it
# fail are stored in build/fuzz/found/NAME: fix the cause and move the input to tests/fuzz/found/NAME.
# `fuzz.sh SECONDS [NAME...]`
set -euo pipefail
cd "$(dirname "$0")/.."
seconds=${1:?of each program}
shift
if ! compgen -G 'build/fuzz/bin/fuzz_*' > /dev/null; then
  echo "fuzz.sh: nothing is built; make fuzz does that" >&2
  exit 1
fi
for name in "$@"; do
  if [[ ! -x build/fuzz/bin/fuzz_$name ]]; then
    echo "fuzz.sh: there is no build/fuzz/bin/fuzz_$name" >&2
    exit 1
  fi
done
failed=()
for program in build/fuzz/bin/fuzz_*; do
  name=${program##*/fuzz_}
  if (($#)) && [[ " $* " != *" $name "* ]]; then continue; fi
  folders=("build/fuzz/corpus/$name" "tests/fuzz/seeds/$name")
  [[ -d tests/fuzz/found/$name ]] && folders+=("tests/fuzz/found/$name")
  mkdir -p "build/fuzz/corpus/$name" "build/fuzz/found/$name"
  log=build/fuzz/$name.log
  if "$program" -max_total_time="$seconds" -timeout=10 -rss_limit_mb=1024 -malloc_limit_mb=512 \
    -print_final_stats=1 -artifact_prefix="build/fuzz/found/$name/" "${folders[@]}" 2> "$log"; then
    result=good
  else
    result="FAILED, see $log"
    failed+=("$name")
  fi
  printf '%-14s %12s inputs, %s\n' "$name" \
    "$(sed -n 's/stat::number_of_executed_units: *//p' "$log")" "$result"
done
((${#failed[@]} == 0))
