#!/usr/bin/env bash
# Compiles heed for 64-bit Arm with Debian's cross compiler and runs the tests of the arithmetic in qemu: of the matrix
# product, of tensors and ops, and of the models against PyTorch's numbers. Installs missing packages (apt, as root).
set -euo pipefail
cd "$(dirname "$0")/.."
build=build/arm64
need=(g++-aarch64-linux-gnu qemu-user-static zlib1g-dev:arm64 libgtest-dev:arm64 libstdc++6:arm64)
if ! dpkg -s "${need[@]}" > /dev/null 2>&1; then
  dpkg --add-architecture arm64
  apt-get update -q > /dev/null
  DEBIAN_FRONTEND=noninteractive apt-get install -y -q --no-install-recommends "${need[@]}"
fi
cmake -S . -B $build -G Ninja -D CMAKE_TOOLCHAIN_FILE=cmake/aarch64-linux-gnu.cmake -D CMAKE_BUILD_TYPE=Release \
  -D HEED_BENCH=OFF -D HEED_EXAMPLES=OFF > /dev/null
tests=(gemm_test tensor_test op_table_test verify_test)
cmake --build $build -j "$(nproc)" --target heed_program "${tests[@]}"
# Uses only Debian's libraries for arm64: with the loader of the cross compiler their threads do not start.
qemu-aarch64-static $build/bin/heed --version
for test in "${tests[@]}"; do qemu-aarch64-static $build/tests/"$test" --gtest_brief=1; done
