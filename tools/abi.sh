#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# abi.sh LIBRARY: compares the binary interface of a build of the shared library with package/abi.txt (tools/abi.py),
# and with the last tag of git, if its library has the same SONAME: with its package/abi.txt, and by abidiff with its
# library, which is built here.
# abi.sh LIBRARY --write: writes package/abi.txt and the symbols file of debian/ instead.
# Exit status 77, and a line that says why: it cannot be done here.
set -u
cd "$(dirname "$0")/.." || exit 2
: "${B:=build}"
library=$1
command -v abidw >/dev/null && command -v python3 >/dev/null ||
    { echo "no abidw or python3: apt-get install abigail-tools python3"; exit 77; }
[ "$(uname -m)" = x86_64 ] || { echo "package/abi.txt is for x86-64"; exit 77; }

soname() { objdump -p "$1" | awk '$1 == "SONAME" { print $2 }'; } # LIBRARY

if [ "${2:-}" = --write ]; then
    {
        echo "# SPDX-License-Identifier: BSD-2-Clause"
        echo "# The binary interface of $(soname "$library") on x86-64 (doc/abi.md), made by \`make abi-baseline\`."
        LC_ALL=C python3 tools/abi.py "$library" include
    } >"$B/abi.txt" && mv "$B/abi.txt" package/abi.txt
    name=$(soname "$library") package=$(soname "$library" | sed 's/\.so\.//')
    node=ARMPMU_${name##*.so.} version=${library##*.so.}
    {
        echo "$name $package #MINVER#"
        echo "* Build-Depends-Package: libarmpmu-dev"
        nm -D --defined-only "$library" | awk '{ sub(/@.*/, "", $3); print $3 }' | LC_ALL=C sort >"$B/exported"
        # What the headers declare and this machine's library lacks is in Arm's (<armpmu/native.h>).
        sed -n 's/^    \([a-z0-9_]*\);$/\1/p' "$B/libarmpmu.map" | LC_ALL=C sort -u |
            LC_ALL=C comm -13 "$B/exported" - | sed 's/^/(arch=arm64 armhf)/' | cat "$B/exported" - |
            while read -r symbol; do
                # A symbol keeps the version in which it came.
                old=$(sed -n "s/^ $symbol@$node //p" "debian/$package.symbols" 2>/dev/null)
                echo " $symbol@$node ${old:-$version}"
            done
    } >"$B/symbols" && mv "$B/symbols" "debian/$package.symbols"
    echo "package/abi.txt: $(grep -vc '^#' package/abi.txt) facts; debian/$package.symbols"
    exit
fi

python3 tools/abi.py "$library" include package/abi.txt || exit 1
tag=$(git describe --tags --abbrev=0 2>/dev/null) || { echo "skip abidiff: git has no tag yet"; exit 0; }
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT
git archive "$tag" | tar -x -C "$dir"
version=$(sed -n 's/^#define APMU_VERSION_[A-Z]* \([0-9]*\)$/\1/p' "$dir/include/armpmu/version.h" | paste -s -d .)
old=$dir/b/libarmpmu.so.$version
if ! make -s -j2 -C "$dir" "CC=${CC:-cc}" B=b "b/libarmpmu.so.$version" >"$dir/log" 2>&1; then
    echo "not ok abidiff: $tag does not build: $(tail -n 1 "$dir/log")"
    exit 1
elif [ "$(soname "$old")" != "$(soname "$library")" ]; then
    echo "ok abidiff: $tag has another SONAME, $(soname "$old")"
    exit 0
fi
# abidiff alone does not know which structures may grow, so its incompatible changes are those of symbols.
echo "# since $tag:"
bad=0
[ ! -f "$dir/package/abi.txt" ] || python3 tools/abi.py "$library" include "$dir/package/abi.txt" || bad=1
abidiff --drop-private-types --headers-dir1 "$dir/include" --headers-dir2 include "$old" "$library" >"$dir/log"
status=$?
# Bit 3 of the status: an incompatible change; bit 2: a change that may be compatible.
if [ $((status & 11)) -eq 0 ]; then
    echo "ok abidiff: $tag"
else
    cat "$dir/log"
    echo "not ok abidiff: incompatible with $tag"
    bad=1
fi
exit $bad
