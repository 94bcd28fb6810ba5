#!/usr/bin/env bash
# What the portable build costs against -march=native: the same training steps with the kernels of either,
# in turn, PAIRS times, and the median of the ratios.   bench/portable.sh [PAIRS]
set -euo pipefail
cd "$(dirname "$0")/.."
pairs=${1:-5}
flags=(bench --structure static --batch 64 --embed 512 --hidden 512 --layers 4 --vocab 25000 --steps 1
       --threads 1)

cmake --preset release > /dev/null
cmake --build build/release --target heed_program > /dev/null
cmake --preset release -B build/native -DHEED_CPU=native > /dev/null
cmake --build build/native --target heed_kernels > /dev/null
seconds() { build/release/bin/heed "${flags[@]}" | grep -o '"median_step_s":[0-9.]*' | cut -d: -f2; }
for ((i = 0; i < pairs; ++i)); do
  echo "$(seconds) $(LD_LIBRARY_PATH=$PWD/build/native/lib seconds)"
done | awk '{ print $1 / $2; printf "portable %s s, native %s s\n", $1, $2 > "/dev/stderr" }' | sort -n |
  awk '{ ratio[NR] = $1 } END { print "portable / native, median of", NR, "pairs:", ratio[int((NR + 1) / 2)] }'
