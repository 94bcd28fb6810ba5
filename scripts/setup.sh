#!/usr/bin/env bash
# Installs the packages that the build needs if any is missing; otherwise does nothing and takes no time.
# `setup.sh bench` also asks for Google Benchmark, `fuzz` for clang, `lint` for clang-tidy and cppcheck, `package` for the
# programs that CPack calls, `wheel` for Python environments, `tests` for packages without which tests are skipped
# (scripts/setup_tests.sh has the rest), `lab` for the tools of the course without optional packages.
set -euo pipefail

mode=${1:-}
missing=()
need() {  # need PACKAGE CHECK...
  local package=$1
  shift
  "$@" > /dev/null 2>&1 || missing+=("$package")
}
header() {
  local folder
  for folder in /usr/include /usr/local/include ${CPATH:+${CPATH//:/ }}; do
    [[ -e $folder/$1 ]] && return
  done
  return 1
}

can_fuzz() {  # its libraries are a package of their own
  echo 'extern "C" int LLVMFuzzerTestOneInput(const unsigned char*, unsigned long) { return 0; }' |
    clang++ -x c++ -fsanitize=fuzzer,address - -o /dev/null
}

need g++ command -v "${CXX:-g++}"
need cmake command -v cmake
need ninja-build command -v ninja
need libeigen3-dev header eigen3/Eigen/Core
need libcli11-dev header CLI/CLI.hpp
need nlohmann-json3-dev header nlohmann/json.hpp
need zlib1g-dev header zlib.h
need libutf8proc-dev header utf8proc.h
need libgtest-dev header gtest/gtest.h
if [[ $mode == package ]]; then
  need file command -v file
  need dpkg-dev command -v dpkg-shlibdeps
fi
if [[ $mode == wheel ]]; then need python3-venv python3 -c 'import ensurepip'; fi
if [[ $mode == bench ]]; then need libbenchmark-dev header benchmark/benchmark.h; fi
if [[ $mode == fuzz || $mode == lint ]]; then need clang command -v clang++; fi
if [[ $mode == fuzz ]]; then need libclang-rt-dev can_fuzz; fi
if [[ $mode == lint ]]; then
  need clang-tidy command -v clang-tidy
  need cppcheck command -v cppcheck
fi
# Packages that a single part needs.
useful=()
if [[ $mode == lab ]]; then
  for tool in make git python3; do need $tool command -v $tool; done
  part="labs/heed-lab debug"
  command -v gdb > /dev/null || useful+=(gdb)
else
  part="heed chat --web, or tests of the Python package,"
  header httplib.h || useful+=(libcpp-httplib-dev)
  /usr/bin/python3 -c 'import numpy' 2> /dev/null || useful+=(python3-numpy)
fi
if [[ $mode == tests ]]; then
  part="tests (they are skipped)"
  for module in yaml pandas; do /usr/bin/python3 -c "import $module" 2> /dev/null || useful+=("python3-$module"); done
  /usr/bin/python3 -c 'import ensurepip' 2> /dev/null || useful+=(python3-venv)
  command -v groff > /dev/null || useful+=(groff-base)
  command -v mpirun > /dev/null || useful+=(openmpi-bin)
  header mpi/mpi.h || find /usr/lib -name mpi.h -print -quit 2> /dev/null | grep -q . || useful+=(libopenmpi-dev)
  command -v gdb > /dev/null || useful+=(gdb)
  command -v chromium > /dev/null || command -v chromium-browser > /dev/null || command -v google-chrome > /dev/null || useful+=(chromium)
fi
failed=$(dirname "$0")/../build/.setup-failed$mode  # so it is not tried at every make; `make clean` forgets it
if ((${#missing[@]} == 0)) && { ((${#useful[@]} == 0)) || [[ -e $failed ]]; }; then exit 0; fi

# Optional packages: their absence alone is no reason to install anything.
wanted=("${missing[@]}" "${useful[@]}")
[[ $mode == lab ]] || wanted+=(ccache libbenchmark-dev libopenmpi-dev openmpi-bin)
sudo=()
if ! command -v apt-get > /dev/null; then
  problem="there is no apt-get here"
elif ((EUID)) && ! command -v sudo > /dev/null; then
  problem="that takes root or sudo"
else
  ((EUID)) && sudo=(sudo)
  echo "setup: installing ${wanted[*]}"
  "${sudo[@]}" apt-get update -q > /dev/null || true  # the install says what is wrong, if anything
  "${sudo[@]}" env DEBIAN_FRONTEND=noninteractive \
    apt-get install -y -q --no-install-recommends "${wanted[@]}" > /dev/null && exit 0
  problem="apt-get failed"
fi
if ((${#missing[@]} == 0)); then
  echo "setup: going on without ${useful[*]}, which $part needs ($problem)" >&2
  mkdir -p "${failed%/*}" && touch "$failed"
  exit 0
fi
echo "setup: cannot install what is missing ($problem)." >&2
echo "setup: please install (Debian names): ${missing[*]}" >&2
exit 1
