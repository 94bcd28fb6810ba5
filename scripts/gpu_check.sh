#!/usr/bin/env bash
# make gpu-check: the checks that need a GPU. Runs the tests of GPU code with kernels compiled by nvcc for this
# GPU, the same under compute-sanitizer, and measures the accuracy of each precision of products and the speed of a
# training step, beside PyTorch's if that is installed. Uses the headers and GoogleTest in gpu-bundle/
# (make gpu-bundle), if present, and no network.
#
#   scripts/gpu_check.sh [PIECE...]      without a piece: all of them, in this order
#   build tests nccl memcheck racecheck synccheck initcheck verify bench-64 bench-256 page
#
# Every piece takes less than 10 minutes on 16 cores and can be run again; page, the last, writes
# gpu.md into the build folder. Exits with 1 if anything fails. With GPU_CHECK_EMULATE=1 everything runs
# on the emulation, in small sizes and without compute-sanitizer: its page does not describe a GPU.
set -euo pipefail
cd "$(dirname "$0")/.."

pieces=(build tests nccl memcheck racecheck synccheck initcheck verify bench-64 bench-256 page)
emulate=${GPU_CHECK_EMULATE:-}
build=build/gpu-check${emulate:+-emulated}
jobs=${JOBS:-$(nproc)}
rows=$build/rows logs=$build/logs
structures=(non-hier static static-ui dynamic dynamic-ui)
failed=0

stop() {
  echo "gpu-check: $1; nothing was checked" >&2
  exit 1
}

# ---- before any piece

find_machine() {
  command -v cmake > /dev/null || stop "there is no cmake"
  PATH=$PATH:${CUDA_HOME:-/usr/local/cuda}/bin
  [[ $emulate ]] && return
  nvidia-smi -L > /dev/null 2>&1 || stop "this machine has no GPU in working order (nvidia-smi -L finds none)"
  command -v nvcc > /dev/null || stop "there is no nvcc (part of the CUDA Toolkit)"
}

# The test programs that name a device.
device_tests() {
  grep -lrE 'test_devices\(|has_cuda\(' tests --include='*_test.cc' | grep -v docs/ |
    sed -E 's|.*/||; s|\.cc$||' | sort
}

# "90" for compute capability 9.0; CMake 3.24 accepts "native", for drivers that do not report it.
architectures() {
  local found
  found=$(nvidia-smi --query-gpu=compute_cap --format=csv,noheader 2> /dev/null | tr -d . | sort -u | paste -sd ';')
  if [[ $found =~ ^[0-9]+(;[0-9]+)*$ ]]; then echo "$found"; else echo native; fi
}

# ---- pieces

build() {
  local generator=() options=(-DCMAKE_BUILD_TYPE=Release -DHEED_CPU=native -DHEED_BENCH=OFF -DHEED_EXAMPLES=OFF)
  command -v ninja > /dev/null && generator=(-G Ninja)
  if [[ $emulate ]]; then
    options+=(-DHEED_CUDA=emulate)
  else
    options+=(-DHEED_CUDA=ON -DHEED_CUDA_ARCHITECTURES="$(architectures)")
  fi
  if [[ -d gpu-bundle ]]; then
    local prefix=$PWD/$build/packages
    if [[ ! -d $prefix ]]; then
      cmake "${generator[@]}" -S gpu-bundle/googletest -B "$build/googletest" -DCMAKE_BUILD_TYPE=Release \
        -DBUILD_GMOCK=OFF -DCMAKE_INSTALL_PREFIX="$prefix.new" > "$logs/googletest.log"
      cmake --build "$build/googletest" -j "$jobs" --target install >> "$logs/googletest.log"
      cp -r gpu-bundle/{include,lib,share} "$prefix.new/"
      mv "$prefix.new" "$prefix"
    fi
    options+=(-DCMAKE_PREFIX_PATH="$prefix" -DZLIB_ROOT="$prefix")
  fi
  cmake "${generator[@]}" -S . -B "$build/heed" "${options[@]}" > "$logs/configure.log" ||
    stop "cmake failed ($logs/configure.log); without our packages make gpu-bundle is needed"
  mapfile -t tests < <(device_tests)
  cmake --build "$build/heed" -j "$jobs" --target heed_program "${tests[@]}"
  if has_nccl; then cmake --build "$build/heed" -j "$jobs" --target cuda_nccl_test; fi
}

# check NAME COMMAND...: runs it, keeps its output, and prints a row for the page.
check() {
  local name=$1 result=passed log
  shift
  log=$logs/${name// /-}.log
  "$@" > "$log" 2>&1 || result="FAILED: $log" failed=1
  echo "| $name | $result |"
}

tests() {
  local name
  for name in $(device_tests); do check "$name" "$build/heed/tests/$name"; done
}

has_nccl() {
  [[ $(heed --version) != *"no NCCL"* ]]
}

# Gradients from GPU to GPU: the tests with one rank per GPU, and a training on two GPUs, whose model must have the
# same bytes as that of one.
nccl() {
  if ! has_nccl; then
    echo "| NCCL | not run: not found when heed was built (-DHEED_NCCL) |"
    return
  fi
  check "cuda_nccl_test" "$build/heed/tests/cuda_nccl_test"
  [[ $emulate ]] && return
  local gpus
  gpus=$(nvidia-smi -L | wc -l)
  if ((gpus < 2)) || ! command -v mpirun > /dev/null || [[ $(heed --version) == *"no MPI"* ]]; then
    echo "| two ranks by NCCL | not run: $gpus GPU, or no MPI |"
    return
  fi
  check "two ranks by NCCL" two_ranks
}

two_ranks() {
  local runs train=("$build/heed/bin/heed" train --data data/ubuntu-sample --preset smoke --limit 400 --epochs 1 --device cuda)
  runs=$(mktemp -d)
  "${train[@]}" --out "$runs/one" --pieces 8 &&
    mpirun --oversubscribe --allow-run-as-root -n 2 "${train[@]}" --out "$runs/two" | tee "$runs/text" &&
    grep -q "from GPU to GPU" "$runs/text" && cmp "$runs/one/model.safetensors" "$runs/two/model.safetensors" &&
    rm -r "$runs"
}

# One tool of compute-sanitizer over the tests of kernels and ops.
sanitizer() {
  if [[ $emulate ]]; then
    echo "| $1 | not run: the emulation |"
    return
  fi
  if ! command -v compute-sanitizer > /dev/null; then
    echo "| $1 | not run: there is no compute-sanitizer (part of the CUDA Toolkit) |"
    return
  fi
  # A test runs out of memory on purpose, which memcheck would report.
  local run=(compute-sanitizer --tool "$1" --error-exitcode 1)
  if [[ $1 == memcheck ]]; then run+=(--report-api-errors no); fi
  check "$1 cuda_test" "${run[@]}" "$build/heed/tests/cuda_test"
  check "$1 op_table_test" "${run[@]}" "$build/heed/tests/op_table_test" '--gtest_filter=*Cuda*'
  check "$1 cuda_training_test" "${run[@]}" "$build/heed/tests/cuda_training_test" '--gtest_filter=*Cuda*-*Resumes*'
}

heed() {
  "$build/heed/bin/heed" "$@"
}

verify() {
  local matmul structure log cases=()
  for structure in "${structures[@]}"; do cases+=("tests/reference/$structure"); done
  check "verify f32 and f64" heed verify --device cuda --matmul f32 "${cases[@]}" > "$rows/tests-verify"
  for matmul in f32 tf32 bf16; do
    log=$logs/verify-$matmul.log
    heed verify --device cuda --dtype f32 --matmul "$matmul" "${cases[@]}" > "$log" 2> "$log.err" || true
    awk -v matmul="$matmul" '
      { kind = $1 == "sgd" ? $1 " " $2 : $1 }
      match($0, /largest error [^ ]+/) {
        error = substr($0, RSTART + 14, RLENGTH - 14)
        if (error + 0 > worst[kind] + 0) worst[kind] = error
      }
      END { printf "| %s | %s | %s | %s |\n", matmul, worst["nll"], worst["grad_norm"], worst["sgd loss"] }' "$log"
  done
}

# bench DIALOGUES: a line of JSON for each cell of the table, in logs/bench-DIALOGUES.jsonl
bench() {
  local kept=$logs/bench-$1.jsonl
  rm -f "$kept"
  if [[ $emulate ]]; then
    heed bench --device cuda --count --batch 2 --embed 8 --hidden 8 --layers 4 --vocab 50 --steps 1
    return
  fi
  bench/compare_gpu.py "$build/heed/bin/heed" --batch "$1" --matmul f32,tf32,bf16 --json "$kept" || {
    failed=1
    echo "FAILED: $kept"
  }
  bench/compare_gpu.py --table "$kept"
}

page() {
  local piece
  echo "# On a GPU"
  echo
  echo "Made by \`make gpu-check\` on $(date -u +%F), at $(git describe --always --dirty 2> /dev/null || echo 'an unknown commit')."
  if [[ $emulate ]]; then
    echo "**On the emulation, in small sizes: a try of the script, and no numbers of a GPU.**"
  else
    nvidia-smi --query-gpu=name,driver_version,memory.total --format=csv,noheader | sed 's/^/GPU, driver, memory: /'
  fi
  printf '\n| check | result |\n| --- | --- |\n'
  for piece in tests tests-verify nccl memcheck racecheck synccheck initcheck; do
    cat "$rows/$piece" 2> /dev/null || echo "| $piece | not run |"
  done
  printf '\nWhat the precision of products costs: the largest relative errors on the reference cases in f32.\n\n'
  printf '| `--matmul` | word losses | gradient norms | losses over 5 SGD steps |\n| --- | ---: | ---: | ---: |\n'
  cat "$rows/verify" 2> /dev/null || echo "| not run | | | |"
  printf '\nTraining steps, in turn with PyTorch: `bench/compare_gpu.py`, 4 layers x 512, 25,000 words, seed 1.\n\n'
  cat "$rows"/bench-* 2> /dev/null || echo "not run"
}

# run PIECE: when it is done, its rows replace the earlier ones.
run() {
  local to=$rows/$1
  case $1 in
    build)
      build
      return
      ;;
    memcheck | racecheck | synccheck | initcheck) sanitizer "$1" > "$to.new" ;;
    bench-*) bench "${1#bench-}" > "$to.new" ;;
    page)
      to=$build/gpu.md
      page > "$to.new"
      if grep -q FAILED "$to.new"; then failed=1; fi
      ;;
    *) "$1" > "$to.new" ;;
  esac
  mv "$to.new" "$to"
  echo "gpu-check: $1: $to"
}

for piece in "$@"; do
  [[ " ${pieces[*]} " == *" $piece "* ]] || stop "no piece '$piece'; there are ${pieces[*]}"
done
find_machine
mkdir -p "$rows" "$logs"
for piece in "${@:-${pieces[@]}}"; do run "$piece"; done
((failed == 0)) || { echo "gpu-check: something failed; the logs are in $logs" >&2; exit 1; }
