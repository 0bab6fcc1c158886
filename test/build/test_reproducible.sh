#!/bin/sh
# SPDX-License-Identifier: BSD-2-Clause
# Two builds in folders with other names, at other times, in other time zones, languages and umasks, have the same
# bytes: archive, shared library, plugin, tool and man pages.  They are built without optimization, for time.
# Runs beside other tests.
set -u
. test/lib/tap.sh
unset MAKEFLAGS MFLAGS # of a parallel make check
dir=$(mktemp -d) || exit 2
trap 'rm -rf "$dir"' EXIT

# Copies what a build needs to FOLDER and builds there.
build() { # FOLDER
    mkdir -p "$1/test"
    cp test/test.mk "$1/test/"
    for file in Makefile bind cli include lib package qemu tables tools; do
        cp -R "$file" "$1/"
    done
    make -s -j2 -C "$1" CC="$CC" B=build CFLAGS="-O0 -g -Werror=date-time" all $extra >"$dir/log" 2>&1
}
command -v python3 >/dev/null && extra=man3 || extra=
(umask 022 && TZ=UTC LC_ALL=C build "$dir/one")
expect $? "the first build" "$(tail -n 1 "$dir/log")"
(umask 077 && TZ=Asia/Tokyo LC_ALL=C.UTF-8 build "$dir/another folder")
expect $? "the second build" "$(tail -n 1 "$dir/log")"
for file in libarmpmu.a libarmpmu.so.*.* libarmpmu-qemu-user.so libarmpmu-el0.so armpmu armpmu.1 \
    man3/armpmu_model.3; do
    for path in "$dir"/one/build/$file; do
        [ -f "$path" ] || { skip "reproducible: $file" "not built here"; continue; }
        name=${path#"$dir/one/build/"}
        difference=$(cmp "$path" "$dir/another folder/build/$name" 2>&1)
        expect $? "reproducible: $name" "$difference"
    done
done
summary
