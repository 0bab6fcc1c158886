#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# debian/ fits what is built: the version, the licences, the library's symbols, the packages that documents name, and
# those tests of installed packages that also pass on the build.  `make deb` builds the packages.
set -u
. test/lib/tap.sh
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

version=$(sed -n 's/^#define APMU_VERSION_[A-Z]* \([0-9]*\)$/\1/p' include/armpmu/version.h | paste -s -d .)
newest=$(sed -n '1s/^armpmu (\(.*\)) .*/\1/p' debian/changelog)
[ -n "$version" ] && [ "$newest" = "$version" ]
expect $? "debian/changelog begins with this version" "$newest is not $version"

sed -n 's/^    \(apmu_[a-z0-9_]*\);$/\1/p' "$B/libarmpmu.map" | sort >"$dir/exported"
sed -n 's/^ \((arch=.*)\)*\(apmu_[a-z0-9_]*\)@ARMPMU_.*/\2/p' debian/libarmpmu0.1.symbols | sort >"$dir/listed"
[ "$(wc -l <"$dir/exported")" -gt 200 ] && cmp -s "$dir/exported" "$dir/listed"
expect $? "debian/libarmpmu0.1.symbols has the symbols of the library" \
    "make abi-baseline writes it: $(diff "$dir/exported" "$dir/listed" | grep '^[<>]' | head -n 5 | tr '\n' ' ')"

# "PATTERN LICENCE" for each pattern of debian/copyright, of which the last that matches a file holds.
awk '/^Files: / { list = substr($0, 8); files = 1; next }
    /^ / && files { list = list $0; next }
    /^[A-Z]/ { files = 0 }
    /^License: / && list != "" {
        n = split(list, pattern, " ")
        for (i = 1; i <= n; i++) print pattern[i], substr($0, 10)
        list = ""
    }' debian/copyright >"$dir/patterns"
find Makefile bind ci cli examples include lib package page qemu tables test tools -name node_modules -prune -o \
    -type f -print0 | LC_ALL=C xargs -0 awk 'FNR <= 2 &&
    match($0, /SPDX-License-Identifier: [A-Za-z0-9.-]+( OR [A-Za-z0-9.-]+)?/) {
        licence = substr($0, RSTART + 25, RLENGTH - 25)
        sub(" OR ", " or ", licence)
        print FILENAME, licence
    }' >"$dir/files"
while read -r file licence; do
    given=none
    while read -r pattern says; do
        # shellcheck disable=SC2254 # patterns
        case $file in $pattern) given=$says ;; esac
    done <"$dir/patterns"
    [ "$given" = "$licence" ] || echo "$file: $given and not $licence"
done <"$dir/files" >"$dir/wrong"
[ "$(wc -l <"$dir/files")" -gt 1000 ] && [ ! -s "$dir/wrong" ]
expect $? "debian/copyright has the licences of $(wc -l <"$dir/files") files" "$(head -n 3 "$dir/wrong" | tr '\n' ' ')"

sed -n 's/^Package: //p' debian/control >"$dir/packages"
[ "$(wc -l <"$dir/packages")" -ge 5 ] || not_ok "debian/control" "it has $(wc -l <"$dir/packages") packages"
while read -r package; do
    missing=
    [ -f "debian/$package.install" ] || missing=debian/$package.install
    for page in debian/README.source doc/library.md; do
        grep -qF "$package" "$page" || missing="$missing $page"
    done
    [ -z "$missing" ]
    expect $? "$package has its files and its documents" "missing: $missing"
done <"$dir/packages"
wrong=$(ls debian | sed -n 's/\.\(install\|docs\|examples\|symbols\|lintian-overrides\)$//p' | sort -u |
    grep -vxF -f "$dir/packages" | tr '\n' ' ')
[ -z "$wrong" ]
expect $? "debian/ has files for packages only" "$wrong"

# Runs a test of debian/tests on the build.
on_build() { # NAME VARIABLE=VALUE...
    name=$1
    shift
    env AUTOPKGTEST_TMP="$dir" "$@" sh "debian/tests/$name" >"$dir/log" 2>&1
    expect $? "debian/tests/$name on the build" "$(tail -n 2 "$dir/log" | tr '\n' ' ')"
}
build=$(cd "$B" && pwd)
on_build tool PATH="$build:$PATH"
path=$PATH
/usr/bin/python3 -c 'import cffi' 2>/dev/null && path=/usr/bin:$PATH
if [ -f "$B/python/armpmu/libarmpmu-tb.so" ] && PATH=$path python3 -c 'import cffi' 2>/dev/null; then
    on_build python PATH="$path" PYTHONPATH="$build/python"
else
    skip "debian/tests/python" "no package for Python is built, or no cffi"
fi
summary
