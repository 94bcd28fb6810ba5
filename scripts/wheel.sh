#!/usr/bin/env bash
# Builds the wheel, the Python package with the program, into build/wheels, and tries it in a fresh environment. Both
# steps download their dependencies (scikit-build-core, NumPy) from the Python package registry.
set -euo pipefail
cd "$(dirname "$0")/.."
work=$(mktemp -d)
trap 'rm -rf "$work"' EXIT
rm -rf build/wheels
python3 -m venv "$work"
"$work/bin/pip" wheel --quiet --no-deps --wheel-dir build/wheels .
wheel=$(echo build/wheels/*.whl)
"$work/bin/pip" install --quiet "$wheel"
HEED_WHEEL=$wheel "$work/bin/python" python/tests/run.py test_wheel
echo "pip install $wheel"
