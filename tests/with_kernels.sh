#!/bin/sh
# Runs a test with the kernels of one CPU level:  with_kernels.sh x86-64-v3 build/release/tests/gemm_test ...
# "baseline" is plain x86-64. The dynamic loader picks them as it does everywhere, among the levels that it is
# allowed; tests/main.cc fails if it picked others. Exit code 77 (skipped) where the CPU has no such level.
set -eu
level=$1
shift
loader=${HEED_LOADER:-/lib64/ld-linux-x86-64.so.2}
if [ "$level" != baseline ] && ! "$loader" --help | grep -q "$level (supported"; then
  echo "skipped: this processor has no $level"
  exit 77
fi
HEED_EXPECTED_KERNELS=$level exec "$loader" --glibc-hwcaps-mask "$level" "$@"
