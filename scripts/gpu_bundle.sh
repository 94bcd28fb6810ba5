#!/usr/bin/env bash
# make gpu-bundle: collects in gpu-bundle/ the files that scripts/gpu_check.sh needs besides the sources on a machine
# with a GPU but without network and our packages: headers, zlib, utf8proc, and the sources of GoogleTest. Copy the
# folder there together with the sources.
set -euo pipefail
cd "$(dirname "$0")/.."

bundle=gpu-bundle most_mib=40
stop() {
  echo "gpu-bundle: $1; run scripts/setup.sh" >&2
  exit 1
}
googletest=/usr/src/googletest
[[ -f $googletest/CMakeLists.txt ]] || stop "no sources of GoogleTest in $googletest (the package googletest)"
libraries=()
for name in libz.a libutf8proc.a; do
  libraries+=("$("${CXX:-c++}" -print-file-name=$name)")  # this machine's: there may be those of others
  [[ -f ${libraries[-1]} ]] || stop "no $name"
done

made=$(mktemp -d "$bundle.XXXXXX")
trap 'rm -rf "$made"' EXIT
mkdir -p "$made"/{include,lib,share/cmake,share/eigen3}
cp -rL /usr/include/{nlohmann,CLI,zlib.h,zconf.h,utf8proc.h} "$made/include/"
mkdir "$made/include/eigen3"
cp -rL /usr/include/eigen3/Eigen "$made/include/eigen3/"
cp "${libraries[@]}" "$made/lib/"
cp -r /usr/share/cmake/nlohmann_json "$made/share/cmake/"
cp -r /usr/share/cmake/CLI11 "$made/share/cmake/"
cp -r /usr/share/eigen3/cmake "$made/share/eigen3/"
cp -rL "$googletest" "$made/googletest"
mib=$(du -sm "$made" | cut -f1)
((mib < most_mib)) || { echo "gpu-bundle: $mib MiB, $most_mib at most" >&2; exit 1; }
chmod 755 "$made"
rm -rf "$bundle"
mv "$made" "$bundle"
trap - EXIT
echo "gpu-bundle: $mib MiB in $bundle/; copy it with the sources, and run scripts/gpu_check.sh there"
