#!/usr/bin/env bash
# clang-tidy and cppcheck on the sources that differ from the commit named in .ci/lint-since, and on one source that
# includes each header that does: `make lint-changed`. Without that commit (a shallow clone) on everything.
set -euo pipefail
cd "$(dirname "$0")/.."
since=$(< .ci/lint-since)
if ! git cat-file -e "$since^{commit}" 2> /dev/null; then
  echo "lint_changed.sh: commit $since of .ci/lint-since is not here; all files are looked at"
  exec cmake --build --preset lint -- -k 0
fi
{
  git diff --name-only --diff-filter=d "$since" -- '*.cc' '*.h'
  git ls-files --others --exclude-standard -- '*.cc' '*.h'
} | while read -r file; do
  if [[ $file == *.h ]]; then
    source=${file%.h}.cc
    [[ -e $source ]] || source=$(git grep -lF "#include \"$file\"" -- '*.cc' | sed -n 1p || true)
  else
    source=$file
  fi
  # `ninja SOURCE^` makes what is made of it; what this build leaves out has nothing.
  if [[ -n $source ]] && grep -qF "\"$PWD/$source\"" build/lint/compile_commands.json; then echo "$PWD/$source^"; fi
done | sort -u > build/lint/changed
echo "$(wc -l < build/lint/changed) sources differ from $since, or include what does"
# It ends at the first source with a finding, so that CI has it even if it cuts what comes then.
if [[ -s build/lint/changed ]]; then xargs -d '\n' ninja -C build/lint -j "${JOBS:-$(nproc)}" < build/lint/changed; fi
