#!/usr/bin/env bash
# Reports the lines and branches that the tests run, for each folder and for the files with the lowest coverage, from
# a build with --coverage whose tests have run. Needs gcov, which comes with g++.
# `coverage.sh BUILD_FOLDER`
set -euo pipefail
cd "$(dirname "$0")/.."
build=$(realpath "${1:-build/coverage}")
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT

# gcov writes a report for each source and header of an object file.
find "$build/CMakeFiles" -name '*.gcda' -print0 |
  (cd "$work" && xargs -0 -r -n 50 gcov --json-format --stdout --branch-probabilities --branch-counts 2> /dev/null |
    python3 "$OLDPWD/scripts/coverage.py" "$OLDPWD")
