#!/usr/bin/env bash
# make gpu-check: what only a machine with a GPU can tell. All tests with the CUDA kernels compiled by
# nvcc, the kernel tests under compute-sanitizer, what each precision of products costs in accuracy, and
# how fast a training step is. Leaves one page, docs/results/gpu.md; ends with 1 if anything fails.
set -euo pipefail
cd "$(dirname "$0")/.."

stop() {
  echo "gpu-check: $1; nothing was checked" >&2
  exit 1
}
nvidia-smi -L > /dev/null 2>&1 || stop "this machine has no GPU in working order (nvidia-smi -L finds none)"
command -v compute-sanitizer > /dev/null || PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
command -v compute-sanitizer > /dev/null || stop "there is no compute-sanitizer (part of the CUDA Toolkit)"

build=build/release
jobs=${JOBS:-$(nproc)}
logs=$build/gpu-check
failed=0
cmake --preset release -DHEED_CUDA=ON > /dev/null
cmake --build --preset release -j "$jobs"
mkdir -p "$logs"

# check NAME COMMAND...: runs it, keeps its output, and prints a row for the page.
check() {
  local name=$1 result=passed
  shift
  "$@" > "$logs/${name// /-}.log" 2>&1 || result=FAILED failed=1
  echo "| $name | \`${*##*/bin/}\` | $result |"
}
sanitize() {  # TOOL TEST [ARGUMENT]
  local tool=$1 name=$2
  shift 2
  check "$tool $name" compute-sanitizer --tool "$tool" --error-exitcode 1 "$build/tests/$name" "$@"
}
number() {  # KEY of a line of JSON
  printf '%.4g' "$(sed -E "s/.*\"$1\":([0-9.e+-]+).*/\1/")"
}

verify_rows() {
  local matmul
  for matmul in f32 tf32 bf16; do
    "$build/bin/heed" verify --device cuda --dtype f32 --matmul "$matmul" \
      tests/reference/{non-hier,static,static-ui,dynamic,dynamic-ui} 2> /dev/null |
      awk -v matmul="$matmul" '
        { kind = $1 == "sgd" ? $1 " " $2 : $1 }
        match($0, /largest error [^ ]+/) {
          error = substr($0, RSTART + 14, RLENGTH - 14)
          if (error + 0 > worst[kind] + 0) worst[kind] = error
        }
        END { printf "| %s | %s | %s | %s |\n", matmul, worst["nll"], worst["grad_norm"], worst["sgd loss"] }' || true
  done
}

bench_rows() {
  local structure matmul line
  for structure in non-hier static static-ui dynamic dynamic-ui; do
    for matmul in f32 tf32 bf16; do
      line=$("$build/bin/heed" bench --device cuda --matmul "$matmul" --structure "$structure" \
        --batch 64 --embed 512 --hidden 512 --layers 4 --vocab 25000 --steps 20) || { failed=1; continue; }
      echo "| $structure | $matmul | $(number median_step_s <<< "$line") |" \
        "$(number tokens_per_s <<< "$line") | $(number gflops <<< "$line") |" \
        "$(number peak_tensor_mb <<< "$line") |"
    done
  done
}

page() {
  echo "# On a GPU"
  echo
  echo "Made by \`make gpu-check\` on $(date -u +%F), at $(git describe --always --dirty)."
  nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | sed 's/^/GPU, driver, memory: /'
  echo
  echo "| check | command | result |"
  echo "| --- | --- | --- |"
  check "all tests" ctest --preset release
  for tool in memcheck racecheck; do
    sanitize "$tool" cuda_test
    sanitize "$tool" op_table_test "--gtest_filter=*Cuda*"
    sanitize "$tool" cuda_training_test
  done
  echo
  echo "What the precision of products costs: the largest relative errors on the reference cases in f32."
  echo
  echo "| \`--matmul\` | word losses | gradient norms | losses over 5 SGD steps |"
  echo "| --- | ---: | ---: | ---: |"
  verify_rows
  echo
  echo "Training steps of the paper's size: \`heed bench --device cuda --batch 64 --embed 512 --hidden 512" \
    "--layers 4 --vocab 25000 --steps 20\`, seed 1."
  echo
  echo "| structure | \`--matmul\` | median step, s | tokens/s | GFLOP/s | memory, MiB |"
  echo "| --- | --- | ---: | ---: | ---: | ---: |"
  bench_rows
  return "$failed"
}

mkdir -p docs/results
status=0
page > "$logs/gpu.md" || status=$?
cp "$logs/gpu.md" docs/results/gpu.md
cat docs/results/gpu.md
echo "gpu-check: this page is docs/results/gpu.md, the logs are in $logs"
((status == 0)) || { echo "gpu-check: something failed" >&2; exit 1; }
